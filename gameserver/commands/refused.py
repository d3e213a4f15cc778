"""How a command says that it cannot be carried out: one line, and an exit code."""

from typing import Any

import click


class Refused(click.ClickException):
    """The command cannot be carried out; one line says why. It exits with 1."""

    def show(self, file: Any = None) -> None:
        """Print the line."""
        click.echo(f"gameserver: {self.format_message()}", err=True, file=file)


class WrongSettings(Refused):
    """The user's settings or arguments cannot be used. It exits with 2."""

    exit_code = 2
