"""`gameserver replay`: a finished match in the terminal, step by step."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click
from rich.console import Console, Group
from rich.panel import Panel
from rich.text import Text

from gameserver.cli.common import config_option, data_option
from gameserver.cli.effective_config import effective
from gameserver.cli.record_lookup import found, records
from gameserver.exports.match_steps import Frame, frames

_KEYS = "Enter next, p previous, g first, G last, q quit"
# Arrows, Home and End are escape sequences; on Windows a code after NUL, or after E0.
_NEXT = ("\r", "\n", " ", "n", "\x1b[C", "\x1bOC", "\x00M", "\xe0M")
_PREVIOUS = ("p", "\x7f", "\b", "\x1b[D", "\x1bOD", "\x00K", "\xe0K")
_FIRST, _LAST = ("g", "\x1b[H", "\x1bOH", "\x00G", "\xe0G"), ("G", "\x1b[F", "\x1bOF", "\x00O", "\xe0O")
_QUIT = ("q", "Q", "\x1b", "\x03", "\x04")


@click.command()
@click.argument("match", type=int)
@click.option("--all", "everything", is_flag=True, help="Print all steps without waiting for a key.")
@click.option(
    "--seat", type=click.IntRange(1, 2), help="Show the boards as this player saw them; by default as a spectator."
)
@config_option
@data_option
def replay(match: int, config_file: Path | None, data: str | None, seat: int | None, *, everything: bool) -> None:
    """Step through a finished match. Works while the server runs."""
    plugins, _, _ = effective(config_file, data, ())
    with records(config_file, data) as connection:
        record = found(connection, match)
    shown = frames(record, plugins.games, None if seat is None else seat - 1)
    if everything or not (sys.stdin.isatty() and sys.stdout.isatty()):
        for frame in shown:
            click.echo(f"{frame.heading}\n{frame.happened}\n{frame.board}\n")
        return
    _step_through(shown, Console(), click.getchar)


def _step_through(shown: Sequence[Frame], console: Console, getchar: Callable[[], str]) -> None:
    index = 0
    while True:
        _show(shown[index], f"{index + 1} of {len(shown)}", console)
        try:
            key = getchar()
        except (KeyboardInterrupt, EOFError):
            return
        if key in _QUIT or (key in _NEXT and index == len(shown) - 1):
            return
        index = _moved(index, key, len(shown) - 1)


def _moved(index: int, key: str, last: int) -> int:
    if key in _FIRST:
        return 0
    if key in _LAST:
        return last
    step = 1 if key in _NEXT else -1 if key in _PREVIOUS else 0
    return min(max(index + step, 0), last)


def _show(frame: Frame, place: str, console: Console) -> None:
    console.clear()
    parts = Group(Text(frame.happened, style="bold"), Text(), Text(frame.board, no_wrap=True, overflow="crop"))
    console.print(Panel(parts, title=Text(frame.heading), subtitle=Text(f"{place}: {_KEYS}")))
