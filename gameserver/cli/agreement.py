"""Asks again before a command takes something away. Without a terminal, `--yes` and `--why` stand for the answer."""

import sys
from collections.abc import Callable, Sequence

import click

from gameserver.cli.common import CommandFailed, WrongSettings

yes_option = click.option("--yes", is_flag=True, help="Do not ask again. Needed, with --why, without a terminal.")
maybe_why_option = click.option("--why", default="", metavar="TEXT", help="The reason; it is recorded.")


def is_terminal() -> bool:
    """True if there is somebody to ask."""
    return sys.stdin.isatty()


def confirmed(command: str, lines: Sequence[str], question: str, *, is_sure: bool) -> None:
    """Show these lines and ask, unless there are none. Raises `CommandFailed` if the answer is no."""
    if not lines:
        return
    if not is_sure and not is_terminal():
        raise WrongSettings(f"`{command}` cannot ask without a terminal: give --yes. {' '.join(lines)}")
    for line in lines:
        click.echo(line)
    if not is_sure and not click.confirm(question):
        raise CommandFailed("nothing was changed")


def agreed(command: str, tell: Callable[[], Sequence[str]], why: str, *, is_sure: bool) -> str:
    """The reason for what `command` does, once the person at the terminal has agreed to what is lost.

    `tell` gives the lines about that, the title first. Raises `CommandFailed`.
    """
    why = why.strip()
    if is_sure and why:
        return why
    if not is_terminal():
        raise WrongSettings(f"`{command}` cannot ask without a terminal: give --yes, and the reason by --why")
    title, *lost = tell()
    click.echo(title)
    for line in lost:
        click.echo(f"  {line}")
    if not is_sure and not click.confirm("Go on?"):
        raise CommandFailed("nothing was changed")
    while not why:
        why = str(click.prompt("Why", default="", show_default=False)).strip()
    return why
