"""One player's statistics: results by game, seat and opponent, reasons of losses, the rating's course, times of moves.

A player of 5,000 matches takes some 30 ms, most of it for counting the matches.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from gameserver.database.connection import Connection
from gameserver.records.match_record import MatchRecord, RatingRecord, SeatResult
from gameserver.records.player_scores import (
    HISTORY_MATCHES_MAX,
    HallRatingPoint,
    Meetings,
    OpponentScore,
    RatingPoint,
    SeatScore,
    by_opponent,
    by_seat,
    history_of,
)
from gameserver.values import value

MOVES_MAX = 5_000
"""The number of latest moves whose times are counted."""


@value
class Tally:
    """Number of a player's matches of a game with one result and reason."""

    game: str
    result: SeatResult
    reason: str
    count: int


@value
class MoveTimes:
    """Median, 95th and 99th percentile of the time that moves took, in ms."""

    p50_ms: int
    p95_ms: int
    p99_ms: int


@value
class Career:
    """One player on record. `think` is from the start of a turn to the reading of the move, `lag` from there on."""

    tallies: tuple[Tally, ...]
    ratings: tuple[RatingRecord, ...]
    moves: int
    think: MoveTimes | None = None
    lag: MoveTimes | None = None
    seats: tuple[SeatScore, ...] = ()
    opponents: tuple[OpponentScore, ...] = ()
    history: tuple[RatingPoint | HallRatingPoint, ...] = ()
    """Points with their halls where there are several. The union has JSON show them."""

    @property
    def is_known(self) -> bool:
        """True if anything is on record."""
        return bool(self.tallies)

    def counted(self, game: str | None, result: SeatResult) -> int:
        """Number of matches with this result, of one game or of all."""
        return sum(one.count for one in self.tallies if one.result is result and game in {None, one.game})

    @property
    def games(self) -> tuple[str, ...]:
        """Names of the games that were played."""
        return tuple(sorted({one.game for one in self.tallies}))

    @property
    def losses(self) -> tuple[tuple[str, int], ...]:
        """Why matches were lost, the most frequent reason first."""
        counted: Counter[str] = Counter()
        for one in self.tallies:
            if one.result is SeatResult.LOSS:
                counted[one.reason] += one.count
        return tuple(counted.most_common())


@value
class CareerParts:
    """A player's results in one hall, from which the career is worked out."""

    meetings: Sequence[Meetings]
    ratings: Sequence[RatingRecord]
    """Those of all halls."""
    latest: Sequence[Any]
    """Game, match, end, rating and deviation of the latest rated matches."""
    times: Sequence[tuple[int, int]]
    """What the latest moves took: to think, and until they were decided."""


def read_career_parts(connection: Connection, player: str) -> CareerParts:
    """A player's results from the tables."""
    meetings = connection.execute(
        "SELECT game, own.seat, coalesce(other.player, ''), own.result, reason, count(*) "
        "FROM seat AS own JOIN match USING (match) "
        "LEFT JOIN seat AS other ON other.match = own.match AND other.seat = CASE WHEN own.seat = 0 THEN 1 ELSE 0 END "
        "WHERE own.player = ? GROUP BY game, own.seat, other.player, own.result, reason",
        (player,),
    )
    latest = connection.execute(
        "SELECT game, match, ended_at, rating, deviation FROM seat JOIN match USING (match) "
        "WHERE player = ? AND rating IS NOT NULL ORDER BY match DESC LIMIT ?",
        (player, HISTORY_MATCHES_MAX),
    ).fetchall()
    ratings = connection.execute(
        "SELECT game, player, rating, deviation, matches FROM rating WHERE player = ? ORDER BY game", (player,)
    )
    times = connection.execute(
        "SELECT think_ms, lag_ms FROM seat JOIN move USING (match, seat) WHERE player = ? AND by = 'player' "
        "ORDER BY match DESC LIMIT ?",
        (player, MOVES_MAX),
    ).fetchall()
    return CareerParts(
        [Meetings(game, seat, other, SeatResult(result), *rest) for game, seat, other, result, *rest in meetings],
        [RatingRecord(*row) for row in ratings],
        latest,
        times,
    )


def career_parts_in(records: Iterable[MatchRecord], ratings: Iterable[RatingRecord], player: str) -> CareerParts:
    """The same from records in memory."""
    counted: Counter[tuple[str, int, str, SeatResult, str]] = Counter()
    times: list[tuple[int, int]] = []
    latest: list[tuple[Any, ...]] = []
    for record in sorted(records, key=lambda one: -one.match):
        for seat in record.seats:
            if seat.player == player:
                opponent = next((other.player for other in record.seats if other is not seat), "")
                counted[record.game, seat.seat, opponent, seat.result, record.reason] += 1
                times += [(m.think_ms, m.lag_ms) for m in record.moves if m.seat == seat.seat and m.by == "player"]
                if seat.rating is not None:
                    latest.append((record.game, record.match, record.ended_at, seat.rating, seat.deviation))
    meetings = [Meetings(*key, count) for key, count in counted.items()]
    own = sorted((one for one in ratings if one.player == player), key=lambda one: one.game)
    return CareerParts(meetings, own, latest[:HISTORY_MATCHES_MAX], list(islice(times, MOVES_MAX)))


def career_of(halls: Sequence[CareerParts], names: Sequence[str] = ()) -> Career:
    """The career of a player by the results in each hall. The latest moves of every hall are counted.

    `names` are those of the halls, where there are several.
    """
    meetings = [one for hall in halls for one in hall.meetings]
    of_halls: Sequence[str | None] = names or [None] * len(halls)
    latest = [(*one, name) for hall, name in zip(halls, of_halls, strict=True) for one in hall.latest]
    times = [one for hall in halls for one in hall.times]
    ratings = halls[0].ratings
    counted: Counter[tuple[str, SeatResult, str]] = Counter()
    for one in meetings:
        counted[one.game, one.result, one.reason] += one.count
    tallies = (Tally(*key, count) for key, count in sorted(counted.items()))
    think, lag = (_times(sorted(values)) for values in zip(*times, strict=True)) if times else (None, None)
    return Career(
        tuple(tallies),
        tuple(ratings),
        len(times),
        think,
        lag,
        by_seat(meetings),
        by_opponent(meetings),
        history_of(latest, ratings),
    )


def _times(values: Sequence[int]) -> MoveTimes:
    """The nearest rank of each percentile."""
    return MoveTimes(*(values[max(0, -(-len(values) * part // 100) - 1)] for part in (50, 95, 99)))
