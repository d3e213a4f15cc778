"""Measures Mastermind's breakers, and the cost of a guess: no server, no load, one process."""

import os
import random
import time
from collections.abc import Iterator

from attrs import frozen
from rich.console import Console
from rich.table import Table

from games.mastermind import BREAKERS, Board, Breaker, Configuration, random_code
from games.mastermind.solver.survey import survey

STANDARD = Configuration()
LARGE = Configuration(8, 12, 100)
SEEDS_OF_CHANCE = 10
"""How often a breaker that draws is surveyed; the others always come out the same."""


@frozen
class Sampled:
    """Games in a space too large to list."""

    guesses: list[int]
    """Of each game."""
    seconds: list[float]
    """CPU time of each guess."""


def measure(games: int) -> Iterator[Table]:
    """A table over all codes of 4 places and 6 values, and one over random codes of 8 places and 12 values."""
    everything = Table(title="All 1296 codes of 4 places and 6 values (the optimum is 5625, 4.340)")
    for title in ("breaker", "guesses", "average", "worst", "secrets by guesses", "s in all"):
        everything.add_column(title, justify="left" if title == "breaker" else "right")
    for name, breaker in BREAKERS.items():
        seeds = range(SEEDS_OF_CHANCE) if name == "consistent" else range(1)
        began = time.process_time()
        found = [survey(breaker, STANDARD, random.Random(seed).choice) for seed in seeds]
        took_s = (time.process_time() - began) / len(found)
        totals = sorted(each.total for each in found)
        total = str(totals[0]) if len(totals) == 1 else f"{totals[0]} to {totals[-1]}"
        average = sum(each.average for each in found) / len(found)
        counts = " ".join(f"{guesses}:{secrets}" for guesses, secrets in found[0].secrets_by_guesses.items())
        worst = max(each.worst for each in found)
        everything.add_row(name, total, f"{average:.3f}", str(worst), counts, f"{took_s:.2f}")
    yield everything
    some = Table(title=f"{games} random codes of 8 places and 12 values (430 million codes), by samples")
    for title in ("breaker", "average", "worst", "mean ms a guess", "slowest ms"):
        some.add_column(title, justify="left" if title == "breaker" else "right")
    for name, breaker in BREAKERS.items():
        played = _played(breaker, games)
        average, mean_s = sum(played.guesses) / games, sum(played.seconds) / len(played.seconds)
        slowest_ms = 1000 * max(played.seconds)
        some.add_row(name, f"{average:.2f}", str(max(played.guesses)), f"{1000 * mean_s:.1f}", f"{slowest_ms:.0f}")
    yield some


def _played(breaker: Breaker, games: int) -> Sampled:
    played = Sampled([], [])
    for seed in range(games):
        choose = random.Random(seed).choice
        board = Board(LARGE).with_secret(random_code(LARGE, choose))
        while not board.is_over:
            began = time.process_time()
            guess = breaker(LARGE, board.turns, choose)
            played.seconds.append(time.process_time() - began)
            board = board.guessed(guess)
        played.guesses.append(len(board.turns))
    return played


def main(games: int = 50) -> None:
    """Measure and print."""
    console = Console(width=None if os.isatty(1) else 130, highlight=False)
    for table in measure(games):
        console.print(table)


if __name__ == "__main__":
    main()
