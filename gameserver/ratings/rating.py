"""Ratings that always carry their uncertainty: a Weng-Lin model, through the openskill library.

The model is Thurstone and Mosteller's, after R. C. Weng and C.-J. Lin, "A Bayesian approximation method
for online ranking" (JMLR 12, 2011). `_BETA` sets its scale so that numbers read as Elo's, where 400
points more are ten games won for each one lost. It was found by rating players of known strength: in
fields of 10 to 40 with 40 to 1,250 games each, 95 to 98 % of the intervals hold the true strength, and
differences come out within a sixth of what they are; with 20 games each they come out a third too big,
within their wide intervals. The same authors' Bradley-Terry model was rejected because it overstated
differences by up to two thirds, with 80 to 85 % of the intervals right; Glicko-2, because the library for
it puts the rating into the formula for the volatility where the paper has the deviation.

Ratings depend on the order of the results, as they should: bots are improved.
"""

from collections.abc import Iterable, Mapping
from math import log, sqrt

from attrs import field, validators
from openskill.models.weng_lin.common import v, vt, w, wt

from gameserver.ratings.rank_intervals import Result, check
from gameserver.values import value

MEAN, DEVIATION = 1500.0, 350.0
"""The rating of a player without games."""
_ELO_SCALE = 400 / log(10)
_BETA = 1.3 * _ELO_SCALE / sqrt(2)
_TAU = 7.0
"""Added to the deviation by each game: bots are improved between games, so no rating becomes quite sure."""
_DRAW_MARGIN = 0.1
"""The difference in strength up to which the library expects a draw."""
_SHRINK_MIN = 0.0001
"""The least part of a variance that an update leaves, as in the library."""
_TAIL = -7
"""Below it the library has rules of its own, because hardly anything of the distribution is left there."""
INTERVAL_DEVIATIONS = 1.96
"""Deviations to each side that hold 95 % of a normal distribution."""


@value
class Rating:
    """A player's rating: a mean and how far it may be off, in Elo points, after so many games."""

    mean: float = MEAN
    deviation: float = field(default=DEVIATION, validator=validators.gt(0))
    games: int = 0

    @property
    def low(self) -> int:
        """The lower end of a rating's 95 % interval."""
        return round(self.mean - INTERVAL_DEVIATIONS * self.deviation)

    @property
    def high(self) -> int:
        """The upper end of a rating's 95 % interval."""
        return round(self.mean + INTERVAL_DEVIATIONS * self.deviation)

    def __str__(self) -> str:
        return f"{round(self.mean)} ± {round(INTERVAL_DEVIATIONS * self.deviation)}"


def rated(one: Rating, other: Rating, halves: int) -> tuple[Rating, Rating]:
    """Both players' ratings after a game in which the first of them got so many halves.

    It is the library's `rate` for two teams of one player, on the library's own functions: `rate` itself
    copies its teams deeply and draws a UUID for each rating, which made it the dearest step of a match.
    """
    one_variance, other_variance = one.deviation**2 + _TAU**2, other.deviation**2 + _TAU**2
    spread = sqrt(one_variance + other_variance + 2 * _BETA**2)
    lead, draw_margin = (one.mean - other.mean) / spread, _DRAW_MARGIN / spread
    if halves == 1:
        surprise, weight = vt(lead, draw_margin), wt(lead, draw_margin)
    elif halves == 2:
        surprise, weight = _won(lead, draw_margin)
    else:
        surprise, weight = _won(-lead, draw_margin)
        surprise = -surprise
    return (
        _moved(one, one_variance, spread, surprise, weight),
        _moved(other, other_variance, spread, -surprise, weight),
    )


def _won(lead: float, draw_margin: float) -> tuple[float, float]:
    """The surprise and the weight of a win, given how far ahead the winner was taken to be: `v` and `w`."""
    surprise = v(lead, draw_margin)
    beyond = lead - draw_margin
    if beyond < _TAIL:
        return surprise, w(lead, draw_margin)
    # As the library has it, which works the surprise out twice more on the way.
    return surprise, surprise * (surprise + beyond)


def _moved(before: Rating, variance: float, spread: float, surprise: float, weight: float) -> Rating:
    """A rating, moved by as much of the surprise as it is unsure, and surer by the result's weight."""
    learnt = (variance / spread**2) * weight * sqrt(variance) / spread
    deviation = sqrt(variance * max(1 - learnt, _SHRINK_MIN))
    return Rating(before.mean + variance / spread * surprise, deviation, before.games + 1)


def ratings(results: Iterable[Result], before: Mapping[str, Rating] | None = None) -> dict[str, Rating]:
    """Everybody's rating after these results of one game, in the order in which they were played.

    `before` holds the ratings to go on from; those of players who do not occur come back as they are.
    """
    results = list(results)
    check(results)
    found = dict(before or {})
    fresh = Rating()
    for one, other, halves in results:
        found[one], found[other] = rated(found.get(one, fresh), found.get(other, fresh), halves)
    return found
