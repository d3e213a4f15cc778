"""Scores of pairs of games: two games of the same two players, one in each seat order.

A pair has five possible scores for the first player: 0, 1/2, 1, 1 1/2 or 2 points. Chess testing calls the five counts
pentanomial, or Ptnml(0-2). The advantage of a seat, and dice that both games share, cancel out within a pair, so the
spread of the pairs gives the error bars of the players' difference alone.
"""

from collections.abc import Iterable
from math import erf, log, log10, sqrt

from gameserver.values import value

Counts = tuple[int, int, int, int, int]

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The part of a pair's two points that each count stands for."""
NELO_SCALE = 800 / log(10)
"""Normalized Elo points of a lead of one standard deviation of a game's score."""

_ELO_SCALE = 400 / log(10)
_SURE = 1.959963984540054
"""Standard errors to each side of a 95 % interval."""


@value
class PairDifference:
    """The first player's lead as the pairs show it. An error is half of a 95 % interval."""

    elo: float
    elo_error: float
    nelo: float
    """Normalized Elo: the lead in standard deviations of a game, 800 / ln 10 each. Without draws it is close to Elo."""
    nelo_error: float
    superiority: float
    """The likelihood, from 0 to 1, that the first player is the better one."""


def pentanomial(half_points: Iterable[int]) -> Counts:
    """Count pairs by the first player's half points, from 0 to 4."""
    scores = list(half_points)
    if any(score not in range(len(SCORES)) for score in scores):
        raise ValueError(f"a pair of games has 0 to 4 half points, not {scores}")
    zero, half, one, more, two = (scores.count(score) for score in range(len(SCORES)))
    return (zero, half, one, more, two)


def pair_difference(counts: Counts) -> PairDifference | None:
    """The difference that pairs show; None where all pairs have the same score, as then there is no error to estimate.

    The formulas are those of fastchess (`app/src/elo/elo_pentanomial.cpp`), with one exception: its Elo error comes
    from the two ends of the score's interval, which may lie outside of 0 to 1 and then have no Elo. Here it comes from
    the slope of the Elo curve at the score. On the examples in fastchess's tests the two differ by less than 1 %.
    """
    if min(counts) < 0:
        raise ValueError("there are no fewer than no pairs of a score")
    if sum(map(bool, counts)) < 2:
        return None
    pairs = sum(counts)
    score = sum(count * points for count, points in zip(counts, SCORES, strict=True)) / pairs
    variance = sum(count * (points - score) ** 2 for count, points in zip(counts, SCORES, strict=True)) / pairs
    error = _SURE * sqrt(variance / pairs)
    # A pair's score is the mean of two games, so the variance of one game counts as twice the pair's.
    nelo_slope = NELO_SCALE / sqrt(2 * variance)
    return PairDifference(
        elo=400 * log10(score / (1 - score)),
        elo_error=error * _ELO_SCALE / (score * (1 - score)),
        nelo=(score - 0.5) * nelo_slope,
        nelo_error=error * nelo_slope,
        superiority=(1 + erf((score - 0.5) / sqrt(2 * variance / pairs))) / 2,
    )
