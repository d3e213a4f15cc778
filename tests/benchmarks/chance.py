"""`python -m tests.benchmarks.chance`: whether draws look like chance, and what the same dice in two games save.

Draws: dice by the rule of docs/fairness.md. Chi-square of the numbers, of pairs that follow each other without overlap,
and of the lengths of runs of one number. By chance each is within the printed bound 999 times of 1,000.

Luck: pairs of games with the seats changed. With the same dice in both, what luck gave to one seat it gives to the
other player in the second game. The error without that is found from the same games, paired with others: the first
game of each pair with the second one of the next, whose dice are others.
"""

import os
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import groupby
from statistics import NormalDist, correlation, mean, stdev

import click

from gameserver.chance import draw_key, match_key, number_below
from tests.benchmarks.opponents import GNUBG, gnubg_program
from tests.benchmarks.processes import note
from tests.benchmarks.strengths import NICENESS, Side, games, play_game

SEED = "5eed" * 16
SIDES = 6
_DRAWS_OF_MATCH = 1000
_RUN_MAX = 6
"""Longer runs are counted with these."""


def dice(matches: Sequence[int]) -> list[int]:
    """The draws of these matches, one match after the other."""
    keys = [draw_key(match_key(SEED, match), ()) for match in matches]
    return [number_below(SIDES, key, "draw", n) for key in keys for n in range(_DRAWS_OF_MATCH)]


def chi_square(found: Mapping[int, int], shares: Mapping[int, float]) -> float:
    """The distance of counts from what is expected: the sum of squares, each by its expectation."""
    total = sum(found.values())
    return sum((found.get(key, 0) - share * total) ** 2 / (share * total) for key, share in shares.items())


def bound(freedom: int) -> float:
    """The value that chi-square of so many degrees of freedom stays below 999 times of 1,000 (Wilson and Hilferty)."""
    part = 2 / (9 * freedom)
    return float(freedom * (1 - part + NormalDist().inv_cdf(0.999) * part**0.5) ** 3)


def tests_of_draws(count: int, workers: int) -> Iterator[str]:
    """A line for each test of so many draws."""
    numbers, pairs, runs = Counter[int](), Counter[int](), Counter[int]()
    matches = [range(first, first + 100) for first in range(1, count // _DRAWS_OF_MATCH + 1, 100)]
    with ProcessPoolExecutor(workers, initializer=partial(os.nice, NICENESS)) as pool:
        for drawn in pool.map(dice, matches):
            numbers.update(drawn)
            pairs.update(SIDES * one + other for one, other in zip(drawn[::2], drawn[1::2], strict=True))
            # The last run is cut off where the batch ends.
            lengths = [len(list(same)) for _, same in groupby(drawn)][:-1]
            runs.update(min(length, _RUN_MAX) for length in lengths)
    run_shares = {length: (1 - 1 / SIDES) * SIDES ** (1 - length) for length in range(1, _RUN_MAX)}
    run_shares[_RUN_MAX] = SIDES ** (1.0 - _RUN_MAX)
    yield f"{numbers.total():,} draws of {SIDES} numbers"
    for what, found, shares in (
        ("frequency", numbers, dict.fromkeys(range(SIDES), 1 / SIDES)),
        ("pairs", pairs, dict.fromkeys(range(SIDES**2), 1 / SIDES**2)),
        ("runs", runs, run_shares),
    ):
        freedom = len(shares) - 1
        square = chi_square(found, shares)
        verdict = "as by chance" if square < bound(freedom) else "NOT AS BY CHANCE"
        yield f"{what}: chi-square {square:.1f} of {freedom} degrees of freedom, bound {bound(freedom):.1f}: {verdict}"


class _Dice(random.Random):
    """The dice of a match by the rule of the server, for a game that draws."""

    def __init__(self, match: int) -> None:
        super().__init__(match)
        self._key, self._n = draw_key(match_key(SEED, match), ()), 0

    def randint(self, a: int, b: int) -> int:
        """The next draw; `a` is 1."""
        self._n += 1
        return a + number_below(b - a + 1, self._key, "draw", self._n - 1)


def play_pair(name: str, first: str, second: str, number: int) -> tuple[int, int]:
    """The first level's points in two games with the same dice and the seats changed, less those of the other."""
    game, found = games()[name.lower()], []
    sides = [Side(level, random.Random(f"{number}|{level}|{seat}"), []) for seat, level in enumerate((first, second))]
    for own in (0, 1):
        outcome, _ = play_game(game, game.options_type(), sides[:: 1 - 2 * own], str(number), _Dice(number))
        found.append(outcome.points[own] - outcome.points[1 - own])
    return found[0], found[1]


def luck(name: str, first: str, second: str, pairs: int, workers: int) -> Iterator[str]:
    """Lines that say what the same dice save between two levels of a game."""
    found: list[tuple[int, int]] = []
    with ProcessPoolExecutor(workers, initializer=partial(os.nice, NICENESS)) as pool:
        for points in pool.map(partial(play_pair, name, first, second), range(pairs)):
            found.append(points)
            if len(found) % 100 == 0:
                note(f"luck: {len(found)} of {pairs} pairs")
    one, other = ([float(pair[game]) for pair in found] for game in (0, 1))
    same = [(a + b) / 2 for a, b in zip(one, other, strict=True)]
    apart = [(a + b) / 2 for a, b in zip(one, other[1:] + other[:1], strict=True)]
    same_error, apart_error = (stdev(means) / pairs**0.5 for means in (same, apart))
    yield f"{name}, {first} - {second}, {pairs} pairs of games: {mean(same):+.3f} points a game for {first}"
    yield f"standard error with the same dice {same_error:.4f}, with other dice {apart_error:.4f}"
    saved = 1 - (same_error / apart_error) ** 2
    yield f"correlation of both games {correlation(one, other):+.2f}: the same dice save {100 * saved:.0f} % of games"


@click.command()
@click.option("--draws", default=10_000_000, show_default=True, help="Draws to test; 0 for none.")
@click.option("--pairs", default=1000, show_default=True, help="Pairs of games; 0 for none.")
@click.option("--game", default="Backgammon", show_default=True)
@click.option("--levels", default=f"{GNUBG},master", show_default=True, help="Two levels of the game.")
@click.option("--workers", default=max(1, (os.cpu_count() or 1) - 1), show_default=True)
def main(draws: int, pairs: int, game: str, levels: str, workers: int) -> None:
    """Test draws for chance, and measure what the same dice in both games of a pair save."""
    for line in tests_of_draws(draws, workers) if draws else ():
        click.echo(line)
    first, second = levels.split(",")
    if GNUBG in (first, second) and gnubg_program() is None:
        click.echo(f"{GNUBG} is not installed (Debian's gnubg): skipped")
    elif pairs:
        for line in luck(game, first, second, pairs, workers):
            click.echo(line)


if __name__ == "__main__":
    main()
