"""The ranks that the results really tell apart.

A class plays a few games a pair, and points alone make an order out of luck. So the results are given
random weights again and again (Rubin's Bayesian bootstrap), the players ranked by their share of the
points each time, and what comes out is shown: from which to which rank each player got in 95 % of the
cases, and between which neighbours everybody above was ahead of everybody below in as many.

Each player has one imaginary win and one imaginary loss besides, against a partner drawn again each time.
Without them a player who has won all of two games would always be first. With them, for two players, the part
of the cases in which one is ahead is the likelihood of superiority (`gameserver.ratings.head_to_head`): 93.8 % after
three wins of three, which does not separate them yet.
"""

from collections.abc import Callable, Iterable, Sequence
from math import ceil, floor, log

from attrs import field

from gameserver.values import value

Result = tuple[str, str, int]
"""Two players, and what the first of them got in halves of a game: 2 a win, 1 a draw, 0 a loss.

Only what was played and had a winner or a draw belongs here: byes, no-shows and games that both lost
tell nothing of how good anybody is.
"""
_RESAMPLES = 1000
# The usual one, of ratings and Elo differences, too.
_CONFIDENCE = 0.95
_WEIGHTS_MAX = 2_000_000
"""The most weights that are drawn: with 10,000 results there are 200 resamples, which take half a second."""


@value
class RankInterval:
    """A player's share of the points, and the interval of ranks that it may stand for."""

    name: str
    share: float
    best: int
    worst: int

    def __str__(self) -> str:
        return str(self.best) if self.best == self.worst else f"{self.best}-{self.worst}"


@value
class Ranking:
    """Everybody's rank interval, in the order given or by shares, and the brackets in that order."""

    intervals: tuple[RankInterval, ...]
    brackets: tuple[tuple[str, ...], ...]
    """Neighbours whom the results do not tell apart stand in one bracket."""


def rank_intervals(
    results: Sequence[Result],
    draw: Callable[[], float],
    *,
    order: Sequence[str] = (),
    resamples: int = _RESAMPLES,
) -> Ranking:
    """Works rank intervals and brackets out by resampling results.

    The same results and the same draws give the same answer.

    `draw` gives numbers from 0 up to but not including 1, as `random.Random.random` does.
    `order` lists the players as the standings do (those without a result included), which is how ties in
    points were broken; without it they are ordered by their shares.
    """
    check(results)
    resamples = max(1, min(resamples, _WEIGHTS_MAX // max(1, len(results))))
    games = {name: _Games() for name in (order or _players_of(results))}
    for place, (one, other, halves) in enumerate(results):
        for name, own in ((one, halves), (other, 2 - halves)):
            if name in games:
                games[name].all.append(place)
                if own:
                    (games[name].wins if own == 2 else games[name].draws).append(place)
    even = [1.0] * len(results)
    shares = {name: found.share(even, 0.5, 0.5) for name, found in games.items()}
    names = list(order) if order else sorted(games, key=lambda name: (-shares[name], name))
    return _ranking(names, shares, [games[name] for name in names], len(results), draw, resamples)


def check(results: Iterable[Result]) -> None:
    """Raises ValueError for a result that can give no rank intervals: of one player, or not 0, 1 or 2 halves."""
    for one, other, halves in results:
        if one == other or halves not in (0, 1, 2):
            raise ValueError(f"not a result between two players: {one!r}, {other!r}, {halves!r} halves")


def _players_of(results: Iterable[Result]) -> tuple[str, ...]:
    """Everybody in these results, in the order in which they come up."""
    return tuple(dict.fromkeys(name for one, other, _ in results for name in (one, other)))


@value
class _Games:
    """One player's games, as places in the list of weights; wins and draws are among `all`."""

    all: list[int] = field(factory=list)
    wins: list[int] = field(factory=list)
    draws: list[int] = field(factory=list)

    def share(self, weights: Sequence[float], won: float, lost: float) -> float:
        """The share of the points, with the imaginary games' weights."""
        weight = weights.__getitem__
        points = sum(map(weight, self.wins)) + sum(map(weight, self.draws)) / 2 + won
        return points / (sum(map(weight, self.all)) + won + lost)


def _ranking(
    names: list[str],
    shares: dict[str, float],
    games: list[_Games],
    results: int,
    draw: Callable[[], float],
    resamples: int,
) -> Ranking:
    ranks: list[list[int]] = [[] for _ in names]
    apart = [0] * len(names)
    for _ in range(resamples):
        # Exponential weights, normalized, are a draw of Dirichlet's: Rubin's Bayesian bootstrap. 1 - draw is never 0.
        weights = [-log(1.0 - draw()) for _ in range(results)]
        found = [
            player.share(weights, *extra) for player, extra in zip(games, _imaginary(len(games), draw), strict=True)
        ]
        for rank, index in enumerate(sorted(range(len(names)), key=found.__getitem__, reverse=True), start=1):
            ranks[index].append(rank)
        _count_apart(found, apart)
    tail = (1 - _CONFIDENCE) / 2
    low, high = floor(tail * resamples), ceil((1 - tail) * resamples) - 1
    intervals = []
    for name, had in zip(names, ranks, strict=True):
        had.sort()
        intervals.append(RankInterval(name, shares[name], had[low], had[high]))
    needed = _CONFIDENCE * resamples
    return Ranking(tuple(intervals), _brackets(names, [count >= needed for count in apart]))


def _imaginary(players: int, draw: Callable[[], float]) -> list[tuple[float, float]]:
    """The weights of everybody's imaginary win and loss: what one of two partners wins, the other loses."""
    order = sorted(range(players), key=[draw() for _ in range(players)].__getitem__)
    found = [(0.0, 0.0)] * players
    for place in range(0, players, 2):
        won, lost = -log(1.0 - draw()), -log(1.0 - draw())
        found[order[place]] = (won, lost)
        if place + 1 < players:
            found[order[place + 1]] = (lost, won)
    return found


def _count_apart(shares: Sequence[float], apart: list[int]) -> None:
    """Count, for each place in the order, that everybody before it was ahead of everybody from it on."""
    best_below = [0.0] * len(shares)
    best = -1.0
    for index in reversed(range(len(shares))):
        best = max(best, shares[index])
        best_below[index] = best
    worst_above = 2.0
    for index, share in enumerate(shares):
        apart[index] += worst_above > best_below[index]
        worst_above = min(worst_above, share)


def _brackets(names: Sequence[str], begins: Sequence[bool]) -> tuple[tuple[str, ...], ...]:
    found: list[list[str]] = []
    for name, is_first in zip(names, begins, strict=True):
        if is_first or not found:
            found.append([])
        found[-1].append(name)
    return tuple(map(tuple, found))
