"""One player's statistics: results by game, seat and opponent, reasons of losses, the rating's course, times of moves.

A player of 5,000 matches takes some 30 ms, most of it for counting the matches.

The moves themselves, each with its time and its limit, are for the player's own page (`read_own_moves`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import attrs

from gameserver.core.events import By
from gameserver.database.connection import DatabaseConnection, chosen_by
from gameserver.records.match_record import RatingRecord, SeatResult
from gameserver.time_control import TimeControl
from gameserver.values import value

# Judgement: a page has no more to show, and a number of a match leads to the moves before.
OWN_MOVES_MAX = 20_000
# Judgement: a class and the house; a storm of names would make the page endless.
OPPONENTS_MAX = 40
"""The number of opponents listed for each game; the others are added up."""
# A term of fourteen weeks on a ladder with thirty matches a day: 17 ms in a thread, in place of 9 for 1,000 matches.
HISTORY_MATCHES_MAX = 3_000
"""The number of latest rated matches whose ratings are read."""
# Judgement: the curve is a few hundred pixels wide.
POINTS_MAX = 120
"""The number of points that a game's history is thinned to."""
# Judgement: some 40 of each of 50 players.
LENGTHS_MAX = 1_000
"""The number of latest matches of a game whose lengths are read."""
# 20,000 gave the same three percentiles.
MOVES_MAX = 5_000
"""The number of latest moves whose times are counted."""


@value
class Score:
    """A player's numbers of matches by result: won, drawn, lost, void."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    void: int = 0

    @property
    def matches(self) -> int:
        """The number of matches that a player's score adds up to."""
        return self.won + self.drawn + self.lost + self.void

    @property
    def percent(self) -> float | None:
        """The share of the points in a player's score, a draw counting half; None before any match counted."""
        counted = self.won + self.drawn + self.lost
        return 100 * (self.won + self.drawn / 2) / counted if counted else None


_FIELDS = (SeatResult.WIN, SeatResult.DRAW, SeatResult.LOSS, SeatResult.VOID)
"""The results in the order of the fields of `Score`."""


@value
class SeatScore:
    """A player's score in one seat of a game; seats count from 0, and 0 moves first."""

    game: str
    seat: int
    score: Score


@value
class ScoreAgainst:
    """A player's score against one opponent at a game; `opponent` is None for the sum of all who are not listed."""

    game: str
    opponent: str | None
    opponents: int
    """The number of opponents in this line."""
    score: Score


@value
class RatingPoint:
    """A point of a player's rating curve, after one match: `number` counts the player's rated matches of the game."""

    game: str
    number: int
    match: int
    ended_at: str
    rating: float
    deviation: float


@value
class HallRatingPoint(RatingPoint):
    """A point of a player's rating curve in one of several halls, each of which counts its matches from 1."""

    hall: str


@value
class Meetings:
    """The number of a player's matches of a game with this seat, opponent, result and reason."""

    game: str
    seat: int
    opponent: str
    result: SeatResult
    reason: str
    count: int


@value
class ResultTally:
    """The number of a player's matches of a game with one result and reason."""

    game: str
    result: SeatResult
    reason: str
    count: int


@value
class MoveTimes:
    """The median, 95th and 99th percentile of the time that a player's moves took, in ms."""

    p50_ms: int
    p95_ms: int
    p99_ms: int


@value
class Career:
    """A player's statistics over all matches.

    `think` is from the start of a turn to the reading of the move, `lag` from there on.
    """

    tallies: tuple[ResultTally, ...]
    ratings: tuple[RatingRecord, ...]
    moves: int
    think: MoveTimes | None = None
    lag: MoveTimes | None = None
    seats: tuple[SeatScore, ...] = ()
    opponents: tuple[ScoreAgainst, ...] = ()
    history: tuple[RatingPoint | HallRatingPoint, ...] = ()
    """Points with their halls where there are several. The union has JSON show them."""

    @property
    def is_known(self) -> bool:
        """True if any match of the player is on record."""
        return bool(self.tallies)

    def counted(self, game: str | None, result: SeatResult) -> int:
        """The number of matches with this result, of one game or of all."""
        return sum(one.count for one in self.tallies if one.result is result and game in {None, one.game})

    @property
    def games(self) -> tuple[str, ...]:
        """The names of the games that the player has played."""
        return tuple(sorted({one.game for one in self.tallies}))

    @property
    def losses(self) -> tuple[tuple[str, int], ...]:
        """The reasons for which a player lost matches, the most frequent first, each with its number."""
        counted: Counter[str] = Counter()
        for one in self.tallies:
            if one.result is SeatResult.LOSS:
                counted[one.reason] += one.count
        return tuple(counted.most_common())


@value
class CareerParts:
    """A player's results in one hall, from which the statistics are worked out."""

    meetings: Sequence[Meetings]
    ratings: Sequence[RatingRecord]
    """Those of all halls."""
    latest: Sequence[Any]
    """Game, match, end, rating and deviation of the latest rated matches."""
    times: Sequence[tuple[int, int]]
    """Durations of the latest moves: to think, and until they were decided."""


def career_of(halls: Sequence[CareerParts], names: Sequence[str] = ()) -> Career:
    """Works a player's statistics out from the results in each hall. The latest moves of every hall are counted.

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
    tallies = (ResultTally(*key, count) for key, count in sorted(counted.items()))
    think, lag = (_times(sorted(values)) for values in zip(*times, strict=True)) if times else (None, None)
    return Career(
        tuple(tallies),
        tuple(ratings),
        len(times),
        think,
        lag,
        by_seat(meetings),
        _by_opponent(meetings),
        history_of(latest, ratings),
    )


def read_career_parts(connection: DatabaseConnection, player: str) -> CareerParts:
    """Reads a player's results from the tables of one hall, for the statistics."""
    meetings = connection.execute(
        "SELECT game, own.seat, coalesce(other.player, ''), own.result, reason, count(*) "
        "FROM seat AS own JOIN match USING (match) "
        # One look-up a match: a subquery was worked out twice by SQLite, 14.3 ms for 5,000 matches in place of 10.8.
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


def by_seat(meetings: Iterable[Meetings]) -> tuple[SeatScore, ...]:
    """Adds a player's meetings up to the scores of each seat that the player sat in."""
    counts: dict[tuple[str, int], Counter[SeatResult]] = {}
    for one in meetings:
        counts.setdefault((one.game, one.seat), Counter())[one.result] += one.count
    return tuple(SeatScore(game, seat, _score(counts[game, seat])) for game, seat in sorted(counts))


def _by_opponent(meetings: Iterable[Meetings]) -> tuple[ScoreAgainst, ...]:
    """The scores against each opponent, by game, the opponent of the most matches first."""
    counts: dict[str, dict[str, Counter[SeatResult]]] = {}
    for one in meetings:
        counts.setdefault(one.game, {}).setdefault(one.opponent, Counter())[one.result] += one.count
    found: list[ScoreAgainst] = []
    for game in sorted(counts):
        ordered = sorted(counts[game].items(), key=lambda item: (-item[1].total(), item[0]))
        listed, others = ordered[:OPPONENTS_MAX], ordered[OPPONENTS_MAX:]
        found += [ScoreAgainst(game, name, 1, _score(results)) for name, results in listed]
        if others:
            found.append(ScoreAgainst(game, None, len(others), total(_score(results) for _, results in others)))
    return tuple(found)


def _score(counts: Counter[SeatResult]) -> Score:
    return Score(*(counts[result] for result in _FIELDS))


def total(scores: Iterable[Score]) -> Score:
    """Adds several scores in a player's statistics up to one."""
    won, drawn, lost, void = map(sum, zip(*map(attrs.astuple, scores), strict=True))
    return Score(won, drawn, lost, void)


def history_of(
    rated: Iterable[tuple[str, int, str, float, float, str | None]], ratings: Iterable[RatingRecord]
) -> tuple[RatingPoint, ...]:
    """The course of one player's rating at each game, thinned for a curve in the player's statistics.

    `rated` has game, match, end, rating, deviation and hall of the latest rated matches; None where there is one hall.
    Points are in the order in which matches ended. Of many each second, third or so is kept, and always the last.
    """
    by_game: dict[str, list[tuple[str, int, float, float, str | None]]] = {}
    for game, match, ended_at, rating, deviation, hall in rated:
        by_game.setdefault(game, []).append((ended_at, match, rating, deviation, hall))
    counts = {one.game: one.matches for one in ratings}
    found: list[RatingPoint] = []
    for game in sorted(by_game):
        latest_first = sorted(by_game[game], key=lambda one: one[:2], reverse=True)
        last = counts.get(game, len(latest_first))
        # Rounded up; from the latest backwards, so that the last point is always there.
        step = -(-len(latest_first) // POINTS_MAX)
        for back in reversed(range(0, len(latest_first), step)):
            ended_at, match, rating, deviation, hall = latest_first[back]
            point = (game, last - back, match, ended_at, rating, deviation)
            found.append(RatingPoint(*point) if hall is None else HallRatingPoint(*point, hall))
    return tuple(found)


def _times(values: Sequence[int]) -> MoveTimes:
    """The nearest rank of each percentile."""
    return MoveTimes(*(values[max(0, -(-len(values) * part // 100) - 1)] for part in (50, 95, 99)))


@value
class OwnMove:
    """A move in a player's statistics.

    `think_ms` is charged, and counts against `limit_ms`; `lag_ms` is the server's.
    """

    match: int
    game: str
    number: int
    move: str
    think_ms: int
    lag_ms: int
    limit_ms: int | None
    """The longest that a turn may take; None without a limit."""

    @property
    def share(self) -> float:
        """The part of the limit that a player's move took; 0 without a limit."""
        return self.think_ms / self.limit_ms if self.limit_ms else 0.0


@value
class ThinkTimes:
    """A player's moves in one match, summed up: how many there are, and the median and longest time of one."""

    moves: int
    median_ms: int
    longest_ms: int
    share: float
    """The part of the limit that the longest move took."""


def read_own_moves(connection: DatabaseConnection, player: str, before: int | None) -> tuple[OwnMove, ...]:
    """Reads a player's latest moves with their times for the player's statistics, the last match first."""
    where, values = chosen_by(("player = ?", player), ("by = ?", By.PLAYER.value), ("match < ?", before))
    rows = connection.execute(
        "SELECT match, match.game, number, move, think_ms, lag_ms, clock "
        "FROM seat JOIN match USING (match) JOIN move USING (match, seat) "
        f"WHERE {where} ORDER BY match DESC, number LIMIT ?",
        (*values, OWN_MOVES_MAX),
    )
    return tuple(OwnMove(*(*row, _turn_limit_ms(clock))) for *row, clock in rows)


def read_longest_moves(connection: DatabaseConnection, game: str) -> Mapping[str, int]:
    """Reads for the statistics how long each player took for the slowest move of their own at a game."""
    rows = connection.execute(
        "SELECT player, max(think_ms) FROM seat JOIN match USING (match) JOIN move USING (match, seat) "
        "WHERE match.game = ? AND by = ? GROUP BY player",
        (game, By.PLAYER.value),
    )
    return dict(rows.fetchall())


def read_match_lengths(connection: DatabaseConnection, game: str) -> Sequence[tuple[str, str, int, bool]]:
    """Reads for forecasts the players of a game's latest matches, each one's length in ms, and True if it was drawn."""
    rows = connection.execute(
        "SELECT first.player, second.player, first.result, "
        "(SELECT max(at_ms) FROM move WHERE move.match = match.match) AS took_ms "
        "FROM match JOIN seat AS first ON first.match = match.match AND first.seat = 0 "
        "JOIN seat AS second ON second.match = match.match AND second.seat = 1 "
        "WHERE match.game = ? AND first.result <> 'void' ORDER BY match.match DESC LIMIT ?",
        (game, LENGTHS_MAX),
    )
    return [(first, second, ms, result == SeatResult.DRAW) for first, second, result, ms in rows.fetchall() if ms]


def read_absences(connection: DatabaseConnection) -> Mapping[str, tuple[int, int]]:
    """Reads for forecasts how many tournaments each player entered, and in how many they missed a match."""
    rows = connection.execute(
        "SELECT entrant.player, count(*), sum(CASE WHEN EXISTS (SELECT 1 FROM attendance WHERE what = 'no-show' "
        "AND attendance.tournament = entrant.tournament AND attendance.player = entrant.player) THEN 1 ELSE 0 END) "
        "FROM entrant JOIN tournament USING (tournament) WHERE phase = 'over' AND house = 0 GROUP BY entrant.player"
    )
    return {player: (entered, int(missed)) for player, entered, missed in rows.fetchall()}


@cache
def _turn_limit_ms(clock: str) -> int | None:
    """The time that a turn can take at the most, without what increments add to a bank."""
    return TimeControl.read(clock).without_bank().turn_time_ms


def think_times(moves: Iterable[OwnMove]) -> Mapping[int, ThinkTimes]:
    """Sums up a player's think times for each match, by its number."""
    by_match: dict[int, list[OwnMove]] = {}
    for move in moves:
        by_match.setdefault(move.match, []).append(move)
    return {match: _times_of(own) for match, own in by_match.items()}


def _times_of(moves: list[OwnMove]) -> ThinkTimes:
    ordered = sorted(moves, key=lambda move: move.think_ms)
    longest = ordered[-1]
    return ThinkTimes(len(ordered), ordered[(len(ordered) - 1) // 2].think_ms, longest.think_ms, longest.share)
