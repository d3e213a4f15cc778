"""Compares two players by the games between them: the lead in Elo, and when to stop.

The lead has error bars, from single games or from pairs of games. The test (`Sprt`) stops a match as soon as its result
is sure enough.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from math import comb, erf, log, log10, sqrt

from gameserver.ratings.rating import INTERVAL_DEVIATIONS
from gameserver.values import value

_PRIOR = 0.5
# Above it the normal distribution differs by less than shows, and the sum of binomials takes long.
_EXACT_MAX = 1000


@value
class EloDifference:
    """The first player's lead head to head in Elo points, with its 95 % interval."""

    wins: int
    draws: int
    losses: int
    elo: float
    low: float
    high: float
    superiority: float
    """The likelihood, from 0 to 1, that the first player is the better one."""

    @property
    def games(self) -> int:
        """The number of head-to-head games that an Elo difference rests on."""
        return self.wins + self.draws + self.losses

    def __str__(self) -> str:
        score = f"+{self.wins} ={self.draws} -{self.losses}"
        bars = f"{self.elo:+.0f} Elo (95 %: {self.low:+.0f} to {self.high:+.0f})"
        return f"{score}: {bars}, likelihood of superiority {100 * self.superiority:.1f} %"


def elo_difference(wins: int, draws: int, losses: int) -> EloDifference:
    """The Elo difference that two players' games show head to head, by the first player's results.

    Finite for any numbers of games, none included.

    The interval is symmetric in Elo, not in points, so that it stays right at lopsided scores.

    Half a win and half a loss are added before anything is worked out. It moves a match of a hundred games
    by a point or two, and it is what keeps ten wins out of ten, or no game at all, from giving infinity or
    nothing: they give a wide interval, which is the truth.
    """
    if min(wins, draws, losses) < 0:
        raise ValueError("a match has no fewer than no wins, draws and losses")
    won, lost = wins + _PRIOR, losses + _PRIOR
    games = won + draws + lost
    score = (won + draws / 2) / games
    variance = (won * (1 - score) ** 2 + draws * (0.5 - score) ** 2 + lost * score**2) / games
    # The slope of the Elo curve at the score turns an error in points into one in Elo.
    error = sqrt(variance / games) / (score * (1 - score)) * 400 / log(10)
    elo = 400 * log10(score / (1 - score))
    return EloDifference(
        wins,
        draws,
        losses,
        elo,
        elo - INTERVAL_DEVIATIONS * error,
        elo + INTERVAL_DEVIATIONS * error,
        likelihood_of_superiority(wins, losses),
    )


def likelihood_of_superiority(wins: int, losses: int) -> float:
    """The likelihood, from 0 to 1, that the first of two players wins more than half of their games that have a winner.

    Every chance of winning is held to be equally likely beforehand; then this is the part of a Beta
    distribution above a half, which for whole numbers is a sum of binomials: the chance of at most `wins`
    heads in `wins + losses + 1` tosses. Beyond a thousand the normal distribution differs by less than shows.
    """
    tosses = wins + losses + 1
    if tosses > _EXACT_MAX:
        return (1 + erf((wins - losses) / sqrt(2 * tosses))) / 2
    return sum(comb(tosses, heads) for heads in range(wins + 1)) / (1 << tosses)


Counts = tuple[int, int, int, int, int]

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The part of a pair's two points that each count stands for."""
_NELO_SCALE = 800 / log(10)
"""Normalized Elo points of a lead of one standard deviation of a game's score."""

_ELO_SCALE = 400 / log(10)


@value
class _PairDifference:
    """The first player's lead as pairs of games head to head show it. An error is half of a 95 % interval."""

    elo: float
    elo_error: float
    nelo: float
    """Normalized Elo: the lead in standard deviations of a game, 800 / ln 10 each. Without draws it is close to Elo."""
    nelo_error: float
    superiority: float
    """The likelihood, from 0 to 1, that the first player is the better one."""


def pentanomial(half_points: Iterable[int]) -> Counts:
    """Counts pairs of games by the first player's half points, from 0 to 4.

    A pair has five possible scores for the first player: 0, 1/2, 1, 1 1/2 or 2 points. Chess testing calls the five
    counts pentanomial, or Ptnml(0-2). The advantage of a seat, and dice that both games share, cancel out within a
    pair, so the spread of the pairs gives the error bars of the players' difference alone.
    """
    scores = list(half_points)
    if any(score not in range(len(SCORES)) for score in scores):
        raise ValueError(f"a pair of games has 0 to 4 half points, not {scores}")
    zero, half, one, more, two = (scores.count(score) for score in range(len(SCORES)))
    return (zero, half, one, more, two)


def pair_difference(counts: Counts) -> _PairDifference | None:
    """The Elo difference that pairs of games head to head show.

    None where all pairs have the same score, as then there is no error to estimate.

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
    error = INTERVAL_DEVIATIONS * sqrt(variance / pairs)
    # A pair's score is the mean of two games, so the variance of one game counts as twice the pair's.
    nelo_slope = _NELO_SCALE / sqrt(2 * variance)
    return _PairDifference(
        elo=400 * log10(score / (1 - score)),
        elo_error=error * _ELO_SCALE / (score * (1 - score)),
        nelo=(score - 0.5) * nelo_slope,
        nelo_error=error * nelo_slope,
        superiority=(1 + erf((score - 0.5) / sqrt(2 * variance / pairs))) / 2,
    )


# As in fastchess (`app/src/matchmaking/sprt/sprt.cpp`): the logarithm of 0 has no value.
_ABSENT = 1e-3
"""The count in place of 0 for a score that no pair has."""
_BISECTIONS = 200
"""At the most. A root is bracketed to the last bit of a float after about 60."""
_REFITS = 10
_FITTED = 1e-4
# A score of 99.7 %: no test asks whether a player leads by more.
_ELO_MAX = 1000.0
_NELO_MAX = 200.0
"""From about 300 on, no refit of an even distribution leads by so much, and the iteration has nowhere to begin."""


class Model(StrEnum):
    """The unit of `elo0` and `elo1` in a sequential test of two players.

    In games without draws the two are nearly the same.
    """

    NORMALIZED = "normalized"
    LOGISTIC = "logistic"


class Hypothesis(StrEnum):
    """The hypothesis that a sequential test of two players accepts."""

    H0 = "H0"
    H1 = "H1"


@value
class Sprt:
    """A sequential probability ratio test of two players: its two hypotheses, and how often it may be wrong.

    It weighs two hypotheses on the first player's lead in Elo: H0, that it is `elo0`, and H1, that it is `elo1`. After
    each pair the log-likelihood ratio is

        LLR = N * sum over i of p_i * ln(q1_i / q0_i)

    where N is the number of pairs, p_i the part of them with score i, and q0 and q1 the distributions under which these
    results are the most likely, among all with the Elo of H0 and of H1. The test accepts H1 once LLR >= ln((1 - beta) /
    alpha), and H0 once LLR <= ln(beta / (1 - alpha)). H1 is accepted wrongly with probability alpha, H0 with beta. This
    is Wald's test with the generalized likelihood ratio (GSPRT), because the true distribution is not known.

    The formulas are from Michel Van den Bergh, "Comments on normalized Elo"
    (https://www.cantate.be/Fishtest/normalized_elo_practical.pdf): proposition 1.1 for Elo, section 4.1 for normalized
    Elo. fastchess computes the same (`app/src/matchmaking/sprt/sprt.cpp`). There and here, a score that no pair has
    counts as 1/1000 pair, because its logarithm would have no value. The tests hold this module to the values in
    fastchess's tests, but for the two in which all games have one result: there the formula has a closed form, and that
    is what this gives.
    """

    elo0: float
    elo1: float
    model: Model = Model.NORMALIZED
    alpha: float = 0.05
    beta: float = 0.05

    def __attrs_post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 must be less than elo1, and {self.elo0:g} is not less than {self.elo1:g}")
        most = self.elo_max
        if not -most <= self.elo0 < self.elo1 <= most:
            raise ValueError(f"in {self.model} Elo, elo0 and elo1 must be from -{most:g} to {most:g}")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise ValueError("alpha and beta must be above 0, and together below 1")

    @property
    def elo_max(self) -> float:
        """The largest lead in Elo that a sequential test can weigh, either way."""
        return _NELO_MAX if self.model is Model.NORMALIZED else _ELO_MAX

    @property
    def bounds(self) -> tuple[float, float]:
        """The values of the log-likelihood ratio at which a sequential test accepts H0 and H1."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def verdict(self, llr: float) -> Hypothesis | None:
        """The hypothesis that a sequential test accepts at this log-likelihood ratio, if any."""
        lower, upper = self.bounds
        if llr >= upper:
            return Hypothesis.H1
        return Hypothesis.H0 if llr <= lower else None


@value
class SprtState:
    """The state of a sequential test of two players after some pairs.

    Once it has a verdict, later pairs do not change it.
    """

    llr: float
    pairs: int
    """Number of pairs that it rests on."""
    verdict: Hypothesis | None


def run_sprt(test: Sprt, half_points: Iterable[int]) -> SprtState:
    """Runs a sequential test over pairs of games, each as the first player's half points, until there is a verdict.

    They come in the order in which they were to be played, as in the order of their ends short games would come first.
    """
    counts, state = [0] * len(SCORES), SprtState(0.0, 0, None)
    for pairs, score in enumerate(half_points, start=1):
        counts[score] += 1
        zero, half, one, more, two = counts
        llr = log_likelihood_ratio(test, (zero, half, one, more, two))
        state = SprtState(llr, pairs, test.verdict(llr))
        if state.verdict is not None:
            break
    return state


@lru_cache(maxsize=4096)
def log_likelihood_ratio(test: Sprt, counts: Counts) -> float:
    """The log-likelihood ratio of a sequential test after pairs with these counts; 0 without any.

    Cached, because a match that is watched asks for the same counts again and again. One takes about a millisecond.
    """
    if not any(counts):
        return 0.0
    return llr_of_scores(test, SCORES, counts)


def llr_of_scores(test: Sprt, scores: Sequence[float], counts: Sequence[int]) -> float:
    """The log-likelihood ratio of two players' scores from 0 to 1: five kinds for pairs, three for single games."""
    weights = [count or _ABSENT for count in counts]
    total = sum(weights)
    observed = [weight / total for weight in weights]
    fit = _FITS[test.model]
    under_h0, under_h1 = (fit(scores, observed, elo) for elo in (test.elo0, test.elo1))
    return total * sum(p * log(q1 / q0) for p, q0, q1 in zip(observed, under_h0, under_h1, strict=True))


def _fit_logistic(scores: Sequence[float], observed: Sequence[float], elo: float) -> list[float]:
    """The likeliest distribution with the mean score of this Elo."""
    mean = 1 / (1 + 10 ** (-elo / 400))
    return _tilted(observed, [score - mean for score in scores])


def _fit_normalized(scores: Sequence[float], observed: Sequence[float], nelo: float) -> list[float]:
    """The likeliest distribution whose mean leads a half by so many standard deviations, found by iteration."""
    games = (len(scores) - 1) // 2
    lead = sqrt(games) * nelo / _NELO_SCALE
    fitted = [1 / len(scores)] * len(scores)
    for _ in range(_REFITS):
        mean = sum(p * score for p, score in zip(fitted, scores, strict=True))
        deviation = sqrt(sum(p * (score - mean) ** 2 for p, score in zip(fitted, scores, strict=True)))
        slack = [score - 0.5 - lead * deviation * (1 + ((score - mean) / deviation) ** 2) / 2 for score in scores]
        before, fitted = fitted, _tilted(observed, slack)
        if max(abs(now - then) for now, then in zip(fitted, before, strict=True)) < _FITTED:
            break
    return fitted


def _tilted(observed: Sequence[float], slack: Sequence[float]) -> list[float]:
    """The likeliest distribution q under which the mean of `slack` is 0: q_i = p_i / (1 + t * slack_i).

    The t that does it lies between -1 / max(slack) and -1 / min(slack). Over this range the mean falls from infinity to
    minus infinity, so bisection finds it.
    """
    if not min(slack) < 0 < max(slack):
        raise ValueError("no distribution of these scores has this difference in Elo")

    def mean(t: float) -> float:
        return sum(p * x / (1 + t * x) for p, x in zip(observed, slack, strict=True))

    low, high = -1 / max(slack), -1 / min(slack)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        # No float lies between them any more.
        if middle in {low, high}:
            break
        if mean(middle) > 0:
            low = middle
        else:
            high = middle
    t = (low + high) / 2
    return [p / (1 + t * x) for p, x in zip(observed, slack, strict=True)]


_FITS: dict[Model, Callable[[Sequence[float], Sequence[float], float], list[float]]] = {
    Model.NORMALIZED: _fit_normalized,
    Model.LOGISTIC: _fit_logistic,
}
