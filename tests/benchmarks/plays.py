"""`python -m tests.benchmarks.plays`: the play generator of the backgammon family, with OpenSpiel's beside it.

Positions come from random games, which spread the checkers wider than people do and so have more
plays. Each is timed three times in a row and the best counts, in time of the processor, because others
use the machine too.
OpenSpiel is a library in C++ and knows Backgammon only; it lists the plays of two dice at once, and
a double as two turns, the second one after every play of the first.

    sequences  every order of steps, as GammonX sends them
    thinned    those few of them that tell a client as much
    plays      the different boards at the end of the turn, as a house player wants them
    first play the steps of the first play, found from its hops as a player sends them
"""

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import click
from rich.console import Console
from rich.table import Column, Table

from games.backgammon.board import Board, shared_search
from games.backgammon.search import Dice
from games.backgammon.thinning import thinned
from games.backgammon.variants import VARIANTS
from tests.games.backgammon.positions import played_at_random
from tests.games.backgammon.test_oracles import Oracle, dice_of, is_double

Position = tuple[Board, int, Dice]


def best_of_three_us(work: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        shared_search.cache_clear()
        began = time.thread_time_ns()
        work()
        times.append(time.thread_time_ns() - began)
    return min(times) / 1000


def first_play(position: Position) -> Callable[[], object]:
    board, seat, dice = position
    sequence = next(iter(board.plays(seat, dice).values()))
    hops = tuple(sorted((step.hop for step in sequence), reverse=True))
    return lambda: board.search(seat).resolve(board.checkers[seat], dice, hops)


def few(board: Board, seat: int, dice: Dice) -> object:
    return thinned(board.search(seat), board.checkers[seat], dice)


WORK: dict[str, Callable[[Position], Callable[[], object]]] = {
    "sequences": lambda position: lambda: position[0].sequences(*position[1:]),
    "thinned": lambda position: lambda: few(*position),
    "plays": lambda position: lambda: position[0].plays(*position[1:]),
    "first play": first_play,
}


def listed(state: Any, *, double: bool) -> int:
    """Let OpenSpiel list what `plays` lists."""
    actions = state.legal_actions()
    if not double:
        return len(actions)
    mover = state.current_player()
    children = [state.child(action) for action in actions]
    return sum(len(child.legal_actions()) for child in children if child.current_player() == mover)


def open_spiel(positions: int) -> Iterator[tuple[Position, float]]:
    """Positions of its games, and how long it takes over each; nothing where it is not installed."""
    try:
        import pyspiel  # noqa: PLC0415 - a dependency of the tests that not everybody has
    except ImportError:
        return
    oracle, seen, seed = Oracle(pyspiel), 0, 0
    while seen < positions:
        for state in oracle.turns(seed):
            double, dice = is_double(state), dice_of(state)
            its_us = best_of_three_us(lambda state=state, double=double: listed(state, double=double))
            yield (oracle.board(state), state.current_player(), dice * 2 if double else dice), its_us
            seen += 1
        seed += 1


def row(table: Table, *cells: str, times_us: list[float]) -> None:
    ordered = sorted(times_us)
    figures = (median(ordered), ordered[int(len(ordered) * 0.99)], ordered[-1])
    table.add_row(*cells, str(len(ordered)), *(f"{figure:,.0f}" for figure in figures))


def new_table(title: str, *names: str) -> Table:
    figures = [Column(name, justify="right") for name in ("positions", "median us", "p99 us", "worst us")]
    return Table(*names, *figures, title=title, title_justify="left")


@click.command()
@click.option("--games", default=40, show_default=True, help="Random games of each variant.")
@click.option("--positions", default=2000, show_default=True, help="Positions of OpenSpiel's games.")
def main(games: int, positions: int) -> None:
    console = Console(width=110, highlight=False)
    table = new_table("Every variant", "variant", "roll", "work")
    for name, variant in VARIANTS.items():
        met = [position for seed in range(games) for position in played_at_random(variant, seed)]
        for roll, dice_count in (("two dice", 2), ("double", 4)):
            chosen = [position for position in met if len(position[2]) == dice_count]
            for work, prepare in WORK.items():
                row(table, name, roll, work, times_us=[best_of_three_us(prepare(each)) for each in chosen])
    console.print(table)
    beside = list(open_spiel(positions))
    if not beside:
        console.print("OpenSpiel is not installed: pip install open-spiel")
        return
    table = new_table("Backgammon, the same positions", "roll", "who")
    for roll, dice_count in (("two dice", 2), ("double", 4)):
        chosen = [(position, its_us) for position, its_us in beside if len(position[2]) == dice_count]
        ours = [best_of_three_us(WORK["plays"](position)) for position, _ in chosen]
        theirs = [its_us for _, its_us in chosen]
        row(table, roll, "ours (plays)", times_us=ours)
        row(table, roll, "OpenSpiel", times_us=theirs)
        console.print(f"{roll}: ours / OpenSpiel, of the medians: {median(ours) / median(theirs):.1f}")
    console.print(table)


if __name__ == "__main__":
    main()
