"""A player's scores by seat and by opponent, and the course of a rating, each by game."""

from collections import Counter
from collections.abc import Iterable

import attrs

from gameserver.records.match_record import RatingRecord, SeatResult
from gameserver.values import value

OPPONENTS_MAX = 40
"""The number of opponents listed for each game; the others are added up."""
HISTORY_MATCHES_MAX = 1_000
"""The number of latest rated matches whose ratings are read."""
POINTS_MAX = 120
"""The number of points that a game's history is thinned to."""


@value
class Score:
    """Numbers of matches by result."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    void: int = 0

    @property
    def matches(self) -> int:
        """All of them."""
        return self.won + self.drawn + self.lost + self.void

    @property
    def percent(self) -> float | None:
        """The share of the points, a draw counting half; None before any match counted."""
        counted = self.won + self.drawn + self.lost
        return 100 * (self.won + self.drawn / 2) / counted if counted else None


_FIELDS = (SeatResult.WIN, SeatResult.DRAW, SeatResult.LOSS, SeatResult.VOID)
"""The results in the order of the fields of `Score`."""


@value
class SeatScore:
    """The score in one seat of a game; seats count from 0, and 0 moves first."""

    game: str
    seat: int
    score: Score


@value
class OpponentScore:
    """The score against one opponent at a game; `opponent` is None for the sum of all who are not listed."""

    game: str
    opponent: str | None
    opponents: int
    """The number of opponents in this line."""
    score: Score


@value
class RatingPoint:
    """A rating after a match: `number` counts the player's rated matches of the game."""

    game: str
    number: int
    match: int
    ended_at: str
    rating: float
    deviation: float


@value
class HallRatingPoint(RatingPoint):
    """A rating after a match in one of several halls, each of which counts its matches from 1."""

    hall: str


@value
class Meetings:
    """Number of a player's matches of a game with this seat, opponent, result and reason."""

    game: str
    seat: int
    opponent: str
    result: SeatResult
    reason: str
    count: int


def by_seat(meetings: Iterable[Meetings]) -> tuple[SeatScore, ...]:
    """The scores of each seat that the player sat in."""
    counts: dict[tuple[str, int], Counter[SeatResult]] = {}
    for one in meetings:
        counts.setdefault((one.game, one.seat), Counter())[one.result] += one.count
    return tuple(SeatScore(game, seat, _score(counts[game, seat])) for game, seat in sorted(counts))


def by_opponent(meetings: Iterable[Meetings]) -> tuple[OpponentScore, ...]:
    """The scores against each opponent, by game, the opponent of the most matches first."""
    counts: dict[str, dict[str, Counter[SeatResult]]] = {}
    for one in meetings:
        counts.setdefault(one.game, {}).setdefault(one.opponent, Counter())[one.result] += one.count
    found: list[OpponentScore] = []
    for game in sorted(counts):
        ordered = sorted(counts[game].items(), key=lambda item: (-item[1].total(), item[0]))
        listed, others = ordered[:OPPONENTS_MAX], ordered[OPPONENTS_MAX:]
        found += [OpponentScore(game, name, 1, _score(results)) for name, results in listed]
        if others:
            found.append(OpponentScore(game, None, len(others), total(_score(results) for _, results in others)))
    return tuple(found)


def _score(counts: Counter[SeatResult]) -> Score:
    return Score(*(counts[result] for result in _FIELDS))


def total(scores: Iterable[Score]) -> Score:
    """All scores in one."""
    won, drawn, lost, void = map(sum, zip(*map(attrs.astuple, scores), strict=True))
    return Score(won, drawn, lost, void)


def history_of(
    rated: Iterable[tuple[str, int, str, float, float, str | None]], ratings: Iterable[RatingRecord]
) -> tuple[RatingPoint, ...]:
    """The course of each rating.

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
        step = -(-len(latest_first) // POINTS_MAX)
        for back in reversed(range(0, len(latest_first), step)):
            ended_at, match, rating, deviation, hall = latest_first[back]
            point = (game, last - back, match, ended_at, rating, deviation)
            found.append(RatingPoint(*point) if hall is None else HallRatingPoint(*point, hall))
    return tuple(found)
