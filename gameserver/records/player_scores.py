"""A player's scores by seat and by opponent, and the course of a rating, each by game."""

from collections.abc import Iterable, Mapping

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

    def plus(self, result: SeatResult, count: int) -> "Score":
        """The score with more matches of one result."""
        field = _FIELDS[result]
        return attrs.evolve(self, **{field: getattr(self, field) + count})


_FIELDS: Mapping[SeatResult, str] = {
    SeatResult.WIN: "won",
    SeatResult.DRAW: "drawn",
    SeatResult.LOSS: "lost",
    SeatResult.VOID: "void",
}
_NONE = Score()


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
    scores: dict[tuple[str, int], Score] = {}
    for one in meetings:
        scores[one.game, one.seat] = scores.get((one.game, one.seat), _NONE).plus(one.result, one.count)
    return tuple(SeatScore(game, seat, scores[game, seat]) for game, seat in sorted(scores))


def by_opponent(meetings: Iterable[Meetings]) -> tuple[OpponentScore, ...]:
    """The scores against each opponent, by game, the opponent of the most matches first."""
    scores: dict[str, dict[str, Score]] = {}
    for one in meetings:
        of_game = scores.setdefault(one.game, {})
        of_game[one.opponent] = of_game.get(one.opponent, _NONE).plus(one.result, one.count)
    found: list[OpponentScore] = []
    for game in sorted(scores):
        ordered = sorted(scores[game].items(), key=lambda item: (-item[1].matches, item[0]))
        listed, others = ordered[:OPPONENTS_MAX], ordered[OPPONENTS_MAX:]
        found += [OpponentScore(game, name, 1, score) for name, score in listed]
        if others:
            found.append(OpponentScore(game, None, len(others), total(score for _, score in others)))
    return tuple(found)


def total(scores: Iterable[Score]) -> Score:
    """All scores in one."""
    won, drawn, lost, void = map(sum, zip(*map(attrs.astuple, scores), strict=True))
    return Score(won, drawn, lost, void)


def history_of(
    rated: Iterable[tuple[str, int, str, float, float]], ratings: Iterable[RatingRecord]
) -> tuple[RatingPoint, ...]:
    """The course of each rating; `rated` has game, match, end, rating and deviation of the latest rated matches.

    Points are in the order in which matches ended. Of many each second, third or so is kept, and always the last.
    """
    by_game: dict[str, list[tuple[str, int, float, float]]] = {}
    for game, match, ended_at, rating, deviation in rated:
        by_game.setdefault(game, []).append((ended_at, match, rating, deviation))
    counts = {one.game: one.matches for one in ratings}
    found: list[RatingPoint] = []
    for game in sorted(by_game):
        latest_first = sorted(by_game[game], reverse=True)
        last = counts.get(game, len(latest_first))
        step = -(-len(latest_first) // POINTS_MAX)
        for back in reversed(range(0, len(latest_first), step)):
            ended_at, match, rating, deviation = latest_first[back]
            found.append(RatingPoint(game, last - back, match, ended_at, rating, deviation))
    return tuple(found)
