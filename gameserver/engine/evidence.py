"""Adds to the record of a match what only the running server knows: its stalls, and the players' round trips.

The record itself follows from the journal. This evidence does not, and need not: no decision depends on it. It answers
"why did I lose on time?" a day later.
"""

from collections.abc import Callable

from attrs import evolve

from gameserver.core.match import Match
from gameserver.engine.clock import Stalls
from gameserver.records.match_record import GameRecord, MatchRecord, MoveRecord, SeatRecord
from gameserver.values import evolved, value


@value
class RoundTrip:
    """The smoothed round trip and its mean deviation, in microseconds, and how many segments were sent again."""

    round_trip_us: int
    deviation_us: int
    segments_resent: int


def with_evidence(
    record: MatchRecord, match: Match, stalls: Stalls, round_trip: Callable[[int], RoundTrip | None]
) -> MatchRecord:
    """The record of this match, with the stalls of each turn and the round trip of each player who is still here."""
    seats = tuple(
        _seat(seat, None if holder.is_house or holder.session is None else round_trip(holder.session))
        for seat, holder in zip(record.seats, match.seats, strict=True)
    )
    last_ms = record.moves[-1].at_ms if record.moves else 0
    ends_ms = max([last_ms, *(game.lapse.decided_ms for game in record.games if game.lapse is not None)])
    opened_ms = record.opened_ms
    if stalls.between(opened_ms, opened_ms + ends_ms) == 0:
        return evolved(record, seats=seats)

    def stalled_ms(from_ms: int, to_ms: int) -> int:
        return stalls.between(opened_ms + from_ms, opened_ms + to_ms)

    return evolved(
        record,
        seats=seats,
        moves=tuple(_move(move, stalled_ms) for move in record.moves),
        games=tuple(_game(game, stalled_ms) for game in record.games),
    )


def _seat(seat: SeatRecord, network: RoundTrip | None) -> SeatRecord:
    if network is None:
        return seat
    return evolved(
        seat,
        round_trip_us=network.round_trip_us,
        round_trip_deviation_us=network.deviation_us,
        segments_resent=network.segments_resent,
    )


def _move(move: MoveRecord, stalled_ms: Callable[[int, int], int]) -> MoveRecord:
    return move if move.seat is None else evolve(move, stall_ms=stalled_ms(move.turn_began_ms, move.at_ms))


def _game(game: GameRecord, stalled_ms: Callable[[int, int], int]) -> GameRecord:
    lapse = game.lapse
    if lapse is None:
        return game
    return evolve(game, lapse=evolve(lapse, stall_ms=stalled_ms(lapse.began_ms, lapse.decided_ms)))
