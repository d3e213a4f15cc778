"""A match step by step, for a terminal: after each move what happened, when, and the board."""

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from gameserver.exports.played import NotReadable, played_match
from gameserver.game import Game, PlayedGame, Seat
from gameserver.records.model import MatchRecord, MoveRecord


@frozen
class Frame:
    """One moment of a match; `board` is empty where the installed games cannot show it."""

    heading: str
    happened: str
    board: str


def frames(record: MatchRecord, games: Mapping[str, Game[Any]], viewer: Seat | None) -> tuple[Frame, ...]:
    """Every moment, from the first position to the result. `viewer` is the seat that looks on; None hides secrets."""
    return tuple(_frames(record, games, viewer))


def _frames(record: MatchRecord, games: Mapping[str, Game[Any]], viewer: Seat | None) -> Iterator[Frame]:
    players = " - ".join(seat.player for seat in record.seats)
    title = f"match {record.match}, {record.game}: {players}"
    board = ""
    try:
        match = played_match(record, games)
    except NotReadable as error:
        yield Frame(title, f"the boards cannot be shown: {error}", "")
        for move in record.moves:
            yield Frame(title, _happened(record, move), "")
    else:
        several = len(match.games) > 1
        for number, game in enumerate(match.games, start=1):
            heading = f"{title}, game {number} ({game.game.name})" if several else title
            for happened, board in _positions(record, number, game, viewer):
                yield Frame(heading, happened, board)
    yield Frame(title, _result(record), board)


def _positions(record: MatchRecord, number: int, game: PlayedGame, viewer: Seat | None) -> Iterator[tuple[str, str]]:
    moves = [move for move in record.moves if move.game == number]
    happened = ["the beginning", *(_happened(record, move) for move in moves)]
    for what, state in zip(happened, game.positions(), strict=True):
        yield what, state.board(viewer)


def _happened(record: MatchRecord, move: MoveRecord) -> str:
    at = f"at +{move.at_ms / 1000:.3f} s"
    if move.seat is None:
        return f"{move.number}. the dice show {move.move}, {at}"
    player = record.seats[move.seat].player
    if move.by == "server":
        return f"{move.number}. {player} was late, the server played {move.move}, {at}"
    stalled = f", the server stood still for {move.stall_ms} ms" if move.stall_ms else ""
    return f"{move.number}. {player} played {move.move} after {move.think_ms / 1000:.3f} s, {at}{stalled}"


def _result(record: MatchRecord) -> str:
    points = ", ".join(f"{seat.player} {seat.points} ({seat.result})" for seat in record.seats)
    why = f" ({record.why})" if record.why else ""
    return f"the end, {record.reason}{why}: {points}"
