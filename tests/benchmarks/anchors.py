"""Opponents from outside of the house, by which its levels can be told from those of other servers.

* Backgammon: GNU Backgammon at 0 plies, the setting that other bots are compared with. Needs Debian's `gnubg`.
* Reversi and 3D Connect Four: the search that a student hands in, alpha-beta to three plies, by the difference of discs
  or by open lines. It uses nothing of `games/search.py`, only what every `State` answers.
* Tic-tac-toe: the same search to the end of the game, which is perfect play.
* Mastermind: Knuth's strategy of 1976, as published: 5,801 guesses for the 1,296 codes, at most 5 for one
  (`tests/games/mastermind/test_solver.py` holds it to that).
"""

import atexit
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from games.connect_four_3d_lines import LINES
from games.mastermind.rules import Mastermind
from gameserver.game import Choose, Seat, State, Strategy
from tests.benchmarks import gnubg

Value = Callable[[Any, Seat], int]

WON = 1_000_000
PLIES = 3


def discs(position: Any, seat: Seat) -> int:
    """The value of a position of Reversi."""
    return position.discs[seat].bit_count() - position.discs[1 - seat].bit_count()


def open_lines(position: Any, seat: Seat) -> int:
    """The value of a position of 3D Connect Four: ten times as much for each stone in a line that can be filled."""
    own, other = position.stones[seat], position.stones[1 - seat]
    return sum(
        0 if line & own and line & other else 10 ** (line & own).bit_count() - 10 ** (line & other).bit_count()
        for line in LINES
    )


def even(position: Any, seat: Seat) -> int:
    """The value of a position of which nothing is known."""
    return 0


def search(value: Value, plies: int, state: State[Any], seat: Seat, choose: Choose[Any]) -> Any:
    """One of the best moves by alpha-beta, in the form of a `Strategy`."""
    best, found = -WON - 1, []
    for move in state.legal_moves(seat):
        worth = _worth(value, plies - 1, state.play(seat, move), seat, best - 1, WON + 1)
        if worth > best:
            best, found = worth, []
        if worth == best:
            found.append(move)
    return choose(found)


def _worth(value: Value, plies: int, state: State[Any], seat: Seat, low: int, high: int) -> int:
    """The value to `seat`, exact between the bounds."""
    outcome = state.outcome
    if outcome is not None:
        return 0 if not outcome.winners else WON if seat in outcome.winners else -WON
    if not plies:
        return value(state, seat)
    mover = state.turn.seats[0]
    for move in state.legal_moves(mover):
        worth = _worth(value, plies - 1, state.play(mover, move), seat, low, high)
        if mover == seat:
            low = max(low, worth)
        else:
            high = min(high, worth)
        if low >= high:
            break
    return low if mover == seat else high


@cache
def _gnubg() -> gnubg.GnuBackgammon:
    """One process of it in each of ours."""
    player = gnubg.GnuBackgammon()
    atexit.register(player.close)
    return player


def _gnubg_move(state: Any, seat: Seat, choose: Choose[Any]) -> Any:
    return _gnubg().move(state, seat)


GNUBG, SEARCH, PERFECT, KNUTH = "gnubg 0-ply", "a 3-ply search", "perfect play", "Knuth 1976"

ANCHORS: Mapping[tuple[str, str], Strategy] = {
    ("Backgammon", GNUBG): _gnubg_move,
    ("Reversi", SEARCH): partial(search, discs, PLIES),
    ("Connect-four-3D", SEARCH): partial(search, open_lines, PLIES),
    ("Tic-tac-toe", PERFECT): partial(search, even, 9),
    ("Mastermind", KNUTH): Mastermind.strategies["knuth"],
}
"""Strategies by the name of the game and their own."""


def anchors_of(game: str) -> tuple[str, ...]:
    """The outside opponents of a game that can play here."""
    return tuple(name for of, name in ANCHORS if of == game and (name != GNUBG or gnubg.program() is not None))
