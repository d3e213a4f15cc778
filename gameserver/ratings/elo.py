"""The difference between two players after a match: Elo with error bars, and how likely one is the better.

Half a win and half a loss are added before anything is worked out. It moves a match of a hundred games
by a point or two, and it is what keeps ten wins out of ten, or no game at all, from giving infinity or
nothing: they give a wide interval, which is the truth.
"""

from math import comb, erf, log, log10, sqrt

from gameserver.values import value

_STANDARD_ERRORS = 1.96
_PRIOR = 0.5
_EXACT_MAX = 1000


@value
class EloDifference:
    """The first player's lead in Elo points, with its 95 % interval."""

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
        """Games that it rests on."""
        return self.wins + self.draws + self.losses

    def __str__(self) -> str:
        score = f"+{self.wins} ={self.draws} -{self.losses}"
        bars = f"{self.elo:+.0f} Elo (95 %: {self.low:+.0f} to {self.high:+.0f})"
        return f"{score}: {bars}, likelihood of superiority {100 * self.superiority:.1f} %"


def elo_difference(wins: int, draws: int, losses: int) -> EloDifference:
    """The difference that a match shows, by the first player's results. Finite for any numbers of games, none included.

    The interval is symmetric in Elo, not in points, so that it stays right at lopsided scores.
    """
    if min(wins, draws, losses) < 0:
        raise ValueError("a match has no fewer than no wins, draws and losses")
    won, lost = wins + _PRIOR, losses + _PRIOR
    games = won + draws + lost
    score = (won + draws / 2) / games
    variance = (won * (1 - score) ** 2 + draws * (0.5 - score) ** 2 + lost * score**2) / games
    error = sqrt(variance / games) / (score * (1 - score)) * 400 / log(10)
    elo = 400 * log10(score / (1 - score))
    return EloDifference(
        wins,
        draws,
        losses,
        elo,
        elo - _STANDARD_ERRORS * error,
        elo + _STANDARD_ERRORS * error,
        likelihood_of_superiority(wins, losses),
    )


def likelihood_of_superiority(wins: int, losses: int) -> float:
    """The likelihood, from 0 to 1, that the first player wins more than half of the games that have a winner.

    Every chance of winning is held to be equally likely beforehand; then this is the part of a Beta
    distribution above a half, which for whole numbers is a sum of binomials: the chance of at most `wins`
    heads in `wins + losses + 1` tosses. Beyond a thousand the normal distribution differs by less than shows.
    """
    tosses = wins + losses + 1
    if tosses > _EXACT_MAX:
        return (1 + erf((wins - losses) / sqrt(2 * tosses))) / 2
    return sum(comb(tosses, heads) for heads in range(wins + 1)) / (1 << tosses)
