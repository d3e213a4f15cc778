"""`gameserver replay`: a finished match in the terminal, step by step, or played again to a live client."""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console, Group
from rich.panel import Panel
from rich.text import Text

from gameserver.check.checker import CannotCheck, Terms
from gameserver.check.replaying import Manner, Recorded, ReplayedMatch
from gameserver.check.replaying import replay as play_again
from gameserver.check.server_under_check import OPPONENTS
from gameserver.cli.bot_processes import told_to_end
from gameserver.cli.client_options import (
    check_command,
    command_argument,
    connect_option,
    login_time,
    login_time_option,
    protocol_named,
    protocol_option,
)
from gameserver.cli.common import CommandFailed, WrongSettings, config_option, data_option, kept_directory, quiet_log
from gameserver.cli.effective_config import effective
from gameserver.cli.records import record_or_fail, records
from gameserver.core.identity import HOUSE_PREFIX
from gameserver.exports.matches import PRUNED, Frame, NotReadable, frames, played_match
from gameserver.game import Game
from gameserver.protocol import WireProtocol
from gameserver.records.match_record import MatchRecord, SeatRecord, SeatResult

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
    if record.moves_pruned:
        raise CommandFailed(f"match {match} cannot be replayed: {PRUNED}; its result is on its page")
    if to_client:
        manner = (command, protocol, player, from_move, goes_on, login_time_s)
        raise SystemExit(_replay_to_client(record, config_file, *manner, connect=connect, waits=not no_wait))
    if command or connect:
        raise WrongSettings("a client is started for --to-client only")
    plugins, _, _ = effective(config_file, data, ())
    shown = frames(record, plugins.games, None if seat is None else seat - 1)
    # Keys are read only where a person sits; a pipe gets every step.
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


_HOUSE = "house"
_RANDOM = "random"


def _replay_to_client(
    record: MatchRecord,
    config_file: Path | None,
    command: tuple[str, ...],
    protocol_name: str,
    player: str | None,
    from_move: int,
    goes_on: str | None,
    login_time_s: float | None,
    *,
    connect: bool,
    waits: bool,
) -> int:
    """Play it, and tell what the client did. Gives the exit code: 1 if the client did something wrong."""
    check_command(command, connect=connect)
    found, _, _ = effective(config_file, None, ())
    protocol, profile = protocol_named(found, protocol_name)
    if protocol.plays_house:
        raise WrongSettings(
            f"--protocol: clients of {protocol.name} play the house alone, so that no match of two can be played again"
        )
    try:
        match = played_match(record, found.games)
    except NotReadable as error:
        raise CommandFailed(f"match {record.match} cannot be played again: {error}") from error
    own = _own_seat(record, player)
    recorded = Recorded(record, match, own.seat)
    begin = _from_move(from_move, protocol, recorded)
    manner = Manner(begin, waits, _house_player(match.game, goes_on))
    click.echo(f"match {record.match}, {record.game}: {' - '.join(match.players)}; your client plays {recorded.player}")
    quiet_log()
    with kept_directory(None, "replay") as directory, told_to_end():
        terms = Terms(
            command=command,
            protocol=protocol.name,
            profile=profile,
            game=record.game,
            name=own.player,
            directory=directory,
            tell=partial(click.echo, err=True),
            login_time_s=login_time(login_time_s, connect=connect),
        )
        try:
            done = play_again(found, terms, recorded, manner)
        except CannotCheck as error:
            raise CommandFailed(str(error)) from error
    for line in _replay_report(recorded, done):
        click.echo(line)
    return 1 if done.faults else 0


def _own_seat(record: MatchRecord, player: str | None) -> SeatRecord:
    """The seat that the client takes: the one asked for, else the only student's, else the loser's.

    Raises `WrongSettings`.
    """
    if len(record.seats) != 2:
        raise CommandFailed(f"match {record.match} has {len(record.seats)} players; a match of two can be played again")
    names = " and ".join(seat.player for seat in record.seats)
    if player is not None:
        named = [seat for seat in record.seats if seat.player == player]
        if not named:
            raise WrongSettings(f"--as: the players of match {record.match} are {names}, not {player}")
        return named[0]
    # After a lost match a student wants the same match again, with the bot as it is now.
    strangers = [seat for seat in record.seats if seat.protocol != _HOUSE]
    losers = [seat for seat in strangers if seat.result is SeatResult.LOSS]
    for candidates in (strangers, losers):
        if len(candidates) == 1:
            return candidates[0]
    raise WrongSettings(f"say whom your client plays, {names}, with --as")


def _from_move(wanted: int, protocol: WireProtocol, recorded: Recorded) -> int:
    """The move to begin with: the one asked for, where the protocol can show a position. Raises `WrongSettings`."""
    moves = sum(move.seat is not None for move in recorded.record.moves)
    if wanted > moves + 1:
        raise WrongSettings(
            f"--from: match {recorded.record.match} has {moves} moves; begin with one of them, or with the next"
        )
    if wanted > 1 and protocol.name != OPPONENTS:
        click.echo(
            f"the protocol {protocol.name} shows no position to who comes back under a name: it begins with move 1",
            err=True,
        )
        return 1
    return wanted


def _house_player(game: Game[Any], name: str | None) -> str | None:
    """The strategy of a house player, such as `greedy` of `house-greedy`. Raises `WrongSettings`."""
    if name is None:
        return None
    known = {_RANDOM, *game.strategies}
    wanted = name.removeprefix(HOUSE_PREFIX)
    if wanted not in known:
        players = ", ".join(f"house-{one}" for one in sorted(known))
        raise WrongSettings(f"--continue: nobody of the house plays {game.name} as {name}; there is {players}")
    return wanted


def _replay_report(recorded: Recorded, done: ReplayedMatch) -> Iterator[str]:
    number = recorded.record.match
    decision = done.decision
    same = f"{done.same} decision{'' if done.same == 1 else 's'}"
    if decision is not None:
        before = (
            f"made the same {same} as in match {number}, and then another one"
            if done.same
            else "decided otherwise at once"
        )
        yield f"your client {before}:"
        yield f"move {decision.number}: in match {number} it {decision.then}; now it {decision.now}, in this position:"
        yield from (f"    {line}" for line in decision.board.splitlines())
    elif done.same or not done.faults:
        yield f"your client made the same {same} as in match {number}"
    yield from done.faults
    if done.result:
        yield f"the result is now: {done.result}"
    if done.faults and done.output:
        yield "its last output:"
        yield from (f"    {line}" for line in done.output[-10:])
