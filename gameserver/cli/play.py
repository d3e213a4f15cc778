"""`gameserver play`: games at this terminal."""

import click

from gameserver import plugins
from gameserver.cli.common import CommandFailed


class _TerminalGames(click.Group):
    """The games that can be played here, found like all plug-ins; only the one that is played is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return sorted(plugins.terminal_games())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of one; None where there is no such game. One that cannot be used says so, and harms no other."""
        get = plugins.terminal_games().get(cmd_name)
        if get is None:
            return None
        try:
            command = get()
        except Exception as error:  # noqa: BLE001 - whatever a plug-in does while it is loaded, it is reported
            return _unusable(cmd_name, f"{type(error).__name__}: {error}")
        if not isinstance(command, click.Command):
            return _unusable(cmd_name, f"{command!r} is no click command")
        return command


def _unusable(name: str, why: str) -> click.Command:
    def refuse() -> None:
        raise CommandFailed(f"{name} cannot be played: {why}")

    return click.Command(name, callback=refuse, short_help=f"(cannot be played: {why})")


@click.group(cls=_TerminalGames)
def play() -> None:
    """Play a game at this terminal, without a server."""
