"""`gameserver replay`: a finished match in the terminal, step by step."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click
from rich.console import Console, Group
from rich.panel import Panel
from rich.text import Text

from gameserver.cli.client_options import command_argument, connect_option, login_time_option, protocol_option
from gameserver.cli.common import WrongSettings, config_option, data_option
from gameserver.cli.effective_config import effective
from gameserver.cli.records import record_or_fail, records
from gameserver.cli.replay_to_client import ToClient, replay_to_client
from gameserver.exports.matches import Frame, frames

_KEYS = "Enter next, p previous, g first, G last, q quit"
# Arrows, Home and End are escape sequences; on Windows a code after NUL, or after E0.
_NEXT = ("\r", "\n", " ", "n", "\x1b[C", "\x1bOC", "\x00M", "\xe0M")
_PREVIOUS = ("p", "\x7f", "\b", "\x1b[D", "\x1bOD", "\x00K", "\xe0K")
_FIRST, _LAST = ("g", "\x1b[H", "\x1bOH", "\x00G", "\xe0G"), ("G", "\x1b[F", "\x1bOF", "\x00O", "\xe0O")
_QUIT = ("q", "Q", "\x1b", "\x03", "\x04")


@click.command()
@click.argument("match", type=int)
@command_argument
@click.option("--all", "everything", is_flag=True, help="Print all steps without waiting for a key.")
@click.option(
    "--seat", type=click.IntRange(1, 2), help="Show the boards as this player saw them; by default as a spectator."
)
@click.option(
    "--to-client",
    "to_client",
    is_flag=True,
    help="Play it again to a live client, which COMMAND starts: the opponent's moves, the dice and the think times are "
    "those on record. It stops where the client decides otherwise than it did.",
)
@connect_option
@protocol_option
@click.option("--as", "player", metavar="NAME", help="The player whom the client plays; by default who lost.")
@click.option(
    "--from",
    "from_move",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Begin with this move: the client takes its seat back in the middle of the match.",
)
@click.option(
    "--continue",
    "goes_on",
    metavar="HOUSE-PLAYER",
    help="Play on as this house player, such as house-greedy, where the client decides otherwise.",
)
@click.option("--no-wait", is_flag=True, help="Let the opponent move at once, instead of after the time that it took.")
@login_time_option
@config_option
@data_option
def replay(
    match: int,
    command: tuple[str, ...],
    config_file: Path | None,
    data: str | None,
    seat: int | None,
    protocol: str,
    player: str | None,
    from_move: int,
    goes_on: str | None,
    login_time_s: float | None,
    *,
    everything: bool,
    to_client: bool,
    connect: bool,
    no_wait: bool,
) -> None:
    """Step through a finished match, or play it again to a client. Works while the server runs.

    COMMAND may contain {host}, {port}, {name}, {game} and {games}.

    \b
    gameserver replay 12 --to-client -- java -jar MyBot.jar {host} {port} {name}
    """  # noqa: D301 - click takes the character itself, not the two that a raw string has
    with records(config_file, data) as connection:
        record = record_or_fail(connection, match)
    if to_client:
        wanted = ToClient(
            command, protocol, player, from_move, goes_on, login_time_s, connect=connect, waits=not no_wait
        )
        raise SystemExit(replay_to_client(record, wanted))
    if command or connect:
        raise WrongSettings("a client is started for --to-client only")
    plugins, _, _ = effective(config_file, data, ())
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
