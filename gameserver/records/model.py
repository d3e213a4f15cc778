"""A finished match as a fact: what is written once, with the command that ended the match.

Results are never worked out again from moves; rules may change, what happened does not.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum

import orjson
from cattrs.preconf.orjson import make_converter

from gameserver.core.events import EndReason
from gameserver.core.match import GamePlayed, Match, Result
from gameserver.values import frozen

_CONVERTER = make_converter()


class SeatResult(StrEnum):
    """What the match was for one seat."""

    WIN = "win"
    LOSS = "loss"
    DRAW = "draw"
    VOID = "void"


@frozen
class SeatRecord:
    """A player's part: where they sat and what came of it."""

    seat: int
    player: str
    protocol: str
    points: int
    result: SeatResult
    rating: float | None = None
    """The player's rating in this game after the match; None where the match is not rated."""
    deviation: float | None = None
    """How far that may be off: 1.96 times as much to both sides holds 95 of 100 times."""


@frozen
class MoveRecord:
    """A move or a draw. Times are in milliseconds; `at_ms` counts from the opening of the match."""

    number: int
    seat: int | None
    move: str
    by: str
    at_ms: int
    think_ms: int
    game: int = 1
    """Of a match of several games: the number of the one that it belongs to."""


@frozen
class MatchRecord:
    """A finished match. `options` is JSON; the times of day are ISO 8601 in UTC."""

    match: int
    game: str
    game_version: int
    options: str
    opened_at: str
    ended_at: str
    reason: str
    reason_text: str
    why: str
    seats: tuple[SeatRecord, ...]
    moves: tuple[MoveRecord, ...]
    rated: bool = False
    """Whether the result counts for the ratings of the players."""


@frozen
class RatingRecord:
    """How good a player is at a game, as far as it is known after so many rated matches."""

    game: str
    player: str
    rating: float
    deviation: float
    matches: int


def record_of(match: Match, ended_wall_ms: int) -> MatchRecord:
    """The record of a match that is over."""
    result = match.result
    assert result is not None, "only a match that is over has a record"
    whole = match.contest or match
    return MatchRecord(
        match=match.id,
        game=whole.game.name,
        game_version=whole.game.version,
        options=orjson.dumps(_CONVERTER.unstructure(whole.options)).decode(),
        opened_at=_time_of_day(match.opened_wall_ms),
        ended_at=_time_of_day(ended_wall_ms),
        reason=result.reason.value,
        reason_text=result.reason_text,
        why=result.why,
        seats=tuple(_seat_record(match, seat, result) for seat in range(len(match.seats))),
        moves=tuple(_move_records(match)),
        rated=match.policies.rated and _tells_strength(result),
    )


def _move_records(match: Match) -> Iterator[MoveRecord]:
    """The moves of all games, numbered through."""
    games: tuple[GamePlayed | Match, ...] = (*(() if match.contest is None else match.contest.played), match)
    steps = ((game, step) for game, played in enumerate(games, start=1) for step in played.moves)
    for number, (game, step) in enumerate(steps, start=1):
        at_ms = step.at_ms - match.opened_ms
        yield MoveRecord(number, step.seat, step.text, step.by.value, at_ms, step.think_ms, game)


def _seat_record(match: Match, seat: int, result: Result) -> SeatRecord:
    holder = match.seats[seat]
    return SeatRecord(seat, holder.player, holder.protocol, result.points[seat], _seat_result(seat, result))


def _seat_result(seat: int, result: Result) -> SeatResult:
    if result.reason in {EndReason.VOID, EndReason.ABANDONED}:
        return SeatResult.VOID
    if not result.winners:
        return SeatResult.DRAW
    return SeatResult.WIN if seat in result.winners else SeatResult.LOSS


def _tells_strength(result: Result) -> bool:
    """Whether one side was the better one, or both were equal. A game that both gave up says neither."""
    if result.reason in {EndReason.VOID, EndReason.ABANDONED}:
        return False
    return bool(result.winners) or result.reason is EndReason.PLAYED


def _time_of_day(wall_ms: int) -> str:
    return datetime.fromtimestamp(wall_ms / 1000, UTC).isoformat(timespec="milliseconds")
