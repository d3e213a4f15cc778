"""Opponents from outside of the house, by which its levels can be told from those of other servers.

* Backgammon: GNU Backgammon at 0 plies, the setting that other bots are compared with. Needs Debian's `gnubg`.
* Reversi and 3D Connect Four: the search that a student hands in, alpha-beta to three plies, by the difference of discs
  or by open lines. It uses nothing of `games/search.py`, only what every `State` answers.
* Tic-tac-toe: the same search to the end of the game, which is perfect play.
* Mastermind: Knuth's strategy of 1976, as published: 5,801 guesses for the 1,296 codes, at most 5 for one
  (`tests/games/mastermind/test_solver.py` holds it to that).
"""

import atexit
import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from games.backgammon.notation import Move, Word
from games.backgammon.phases import TurnPhase
from games.backgammon.state import GameState
from games.backgammon.variants import count_at
from games.connect_four_3d_lines import LINES
from games.mastermind.rules import Mastermind
from gameserver.game import Choose, Seat, State, Strategy

Value = Callable[[Any, Seat], int]

BRIDGE = Path(__file__).with_name("gnubg_bridge.py")
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


def gnubg_program() -> str | None:
    """GNU Backgammon, if it is installed. Debian puts games where not every PATH has them."""
    return shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")


class GnuBackgammon:
    """GNU Backgammon as a player."""

    def __init__(self) -> None:
        found = gnubg_program()
        assert found is not None, "apt-get install gnubg"
        self._process = subprocess.Popen(
            [found, "-t", "-q", "-p", str(BRIDGE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()

    def move(self, state: GameState, seat: int, choose: object = None) -> Move:
        """Its move, as a strategy has it."""
        if state.phase is TurnPhase.MOVING:
            found = self._ask(state, seat, dice=list(state.rolled[:2]))
            pairs = zip(found[::2], found[1::2], strict=True)
            return tuple(sorted(((source, target) for source, target in pairs if source), reverse=True))
        if state.phase is TurnPhase.ENDING:
            return Word.END
        if state.phase is TurnPhase.DOUBLED:
            _, _, taken, _ = self._ask(state, 1 - seat)
            return Word.TAKE if taken <= 1 else Word.DROP
        if not state.may_double:
            return Word.ROLL
        _, kept, taken, dropped = self._ask(state, seat)
        return Word.DOUBLE if min(taken, dropped) > kept else Word.ROLL

    def _ask(self, state: GameState, roller: int, **more: Any) -> list[float]:
        cube = state.cube
        owner = -1 if cube is None or cube.owner is None else int(cube.owner == roller)
        sides = [[count_at(state.position.checkers[seat], place) for place in range(1, 26)] for seat in (0, 1)]
        board = [sides[1 - roller], sides[roller]]
        asked = {"board": board, "cube": 1 if cube is None else cube.value, "owner": owner, **more}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("ANSWER "):
                return json.loads(line.removeprefix("ANSWER "))
        raise AssertionError("gnubg has ended")


@cache
def _gnubg() -> GnuBackgammon:
    """One process of it in each of ours."""
    player = GnuBackgammon()
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
    return tuple(name for of, name in ANCHORS if of == game and (name != GNUBG or gnubg_program() is not None))
