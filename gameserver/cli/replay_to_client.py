"""`gameserver replay MATCH --to-client`: a match on record is played again to a live client."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import click

from gameserver.check.checker import CannotCheck, Terms
from gameserver.check.replaying import Manner, Recorded, Replayed, replay
from gameserver.check.server_under_check import OPPONENTS
from gameserver.cli.bot_processes import told_to_end
from gameserver.cli.client_options import check_command, login_time, protocol_named
from gameserver.cli.common import CommandFailed, WrongSettings, kept_directory, quiet_log
from gameserver.cli.effective_config import find_plugins
from gameserver.exports.matches import NotReadable, played_match
from gameserver.game import Game
from gameserver.protocol import WireProtocol
from gameserver.records.match_record import MatchRecord, SeatRecord, SeatResult
from gameserver.values import value

HOUSE = "house"
RANDOM = "random"


@value
class ToClient:
    """The options of the command."""

    command: tuple[str, ...]
    protocol: str
    player: str | None
    from_move: int
    goes_on: str | None
    login_time_s: float | None
    connect: bool
    waits: bool


def replay_to_client(record: MatchRecord, wanted: ToClient) -> int:
    """Play it, and tell what the client did. Gives the exit code: 1 if the client did something wrong."""
    check_command(wanted.command, connect=wanted.connect)
    found = find_plugins()
    protocol, profile = protocol_named(found, wanted.protocol)
    if protocol.plays_house:
        raise WrongSettings(
            f"--protocol: clients of {protocol.name} play the house alone, so that no match of two can be played again"
        )
    try:
        match = played_match(record, found.games)
    except NotReadable as error:
        raise CommandFailed(f"match {record.match} cannot be played again: {error}") from error
    own = _own_seat(record, wanted.player)
    recorded = Recorded(record, match, own.seat)
    from_move = _from_move(wanted, protocol, recorded)
    manner = Manner(from_move, wanted.waits, _house_player(match.game, wanted.goes_on))
    click.echo(f"match {record.match}, {record.game}: {' - '.join(match.players)}; your client plays {recorded.player}")
    quiet_log()
    with kept_directory(None, "replay") as directory, told_to_end():
        terms = Terms(
            command=wanted.command,
            protocol=protocol.name,
            profile=profile,
            game=record.game,
            name=own.player,
            directory=directory,
            tell=partial(click.echo, err=True),
            login_time_s=login_time(wanted.login_time_s, connect=wanted.connect),
        )
        try:
            done = replay(found, terms, recorded, manner)
        except CannotCheck as error:
            raise CommandFailed(str(error)) from error
    for line in replay_report(recorded, done):
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
    strangers = [seat for seat in record.seats if seat.protocol != HOUSE]
    losers = [seat for seat in strangers if seat.result is SeatResult.LOSS]
    for candidates in (strangers, losers):
        if len(candidates) == 1:
            return candidates[0]
    raise WrongSettings(f"say whom your client plays, {names}, with --as")


def _from_move(wanted: ToClient, protocol: WireProtocol, recorded: Recorded) -> int:
    """The move to begin with: the one asked for, where the protocol can show a position. Raises `WrongSettings`."""
    moves = sum(move.seat is not None for move in recorded.record.moves)
    if wanted.from_move > moves + 1:
        raise WrongSettings(
            f"--from: match {recorded.record.match} has {moves} moves; begin with one of them, or with the next"
        )
    if wanted.from_move > 1 and protocol.name != OPPONENTS:
        click.echo(
            f"the protocol {protocol.name} shows no position to who comes back under a name: it begins with move 1",
            err=True,
        )
        return 1
    return wanted.from_move


def _house_player(game: Game[Any], name: str | None) -> str | None:
    """The strategy of a house player, such as `greedy` of `house-greedy`. Raises `WrongSettings`."""
    if name is None:
        return None
    known = {RANDOM, *game.strategies}
    wanted = name.removeprefix("house-")
    if wanted not in known:
        players = ", ".join(f"house-{one}" for one in sorted(known))
        raise WrongSettings(f"--continue: nobody of the house plays {game.name} as {name}; there is {players}")
    return wanted


def replay_report(recorded: Recorded, done: Replayed) -> Iterator[str]:
    """The outcome, in lines."""
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
