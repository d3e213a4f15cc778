"""Mastermind in numbers, for agents that learn to make codes and to break them."""

from collections.abc import Mapping, Sequence
from functools import reduce
from math import prod
from typing import Any

from games.mastermind.board import Code, Configuration
from gameserver.game import Coding, Seat, State

_CODES_MAX = 10_000
"""The most codes of a Mastermind that has a coding: an agent has an output for each, and every turn masks them all.

A bigger game would have to be coded peg by peg, and a lobby's move is a whole code.
"""
_GUESSES_MAX = 100
"""The most guesses of a Mastermind that has a coding: each is a row of every observation."""


def coding_of(configuration: Configuration) -> "MastermindCoding | None":
    """Makes the coding of a Mastermind of this size; None if it is too big for one."""
    is_small = configuration.code_count <= _CODES_MAX and configuration.max_turns <= _GUESSES_MAX
    return MastermindCoding(configuration) if is_small else None


class MastermindCoding(Coding[Code]):
    """The numbers of a Mastermind of one size: a code, secret or guess, is its digits to the base of the values.

    An observation is a row for the secret, empty for all but its maker, and one for each guess. A row is the code, a 1
    among as many numbers as there are values for each place, and three numbers more: of a guess its exact and its
    partial matches as parts of the places, and a 1 if it was made; of the first row a 1 if the secret is shown, if the
    seat is to act, and if it makes the code.
    """

    def __init__(self, configuration: Configuration) -> None:
        self._places, self._values = configuration.code_length, configuration.value_count
        self.actions = configuration.code_count
        self.shape = (1 + configuration.max_turns, self._places * self._values + 3)

    def number(self, state: State[Code], seat: Seat, move: Code) -> int:
        """The number of a Mastermind code: `0123` of six values is 51."""
        return reduce(lambda number, value: number * self._values + value, move, 0)

    def moves(self, state: State[Code], seat: Seat) -> Mapping[int, Code]:
        """Every Mastermind code by its number, which is its place in their order."""
        return dict(enumerate(state.legal_moves(seat)))

    def observation(self, state: State[Code], seat: Seat) -> Sequence[float]:
        """The Mastermind board as `view` shows it to the seat."""
        view: Any = state.view(seat)
        secret, places = view["secret"], self._places
        rows: list[tuple[Sequence[int], Sequence[float]]] = [
            (secret or (), (secret is not None, seat in state.turn.seats, seat == 0))
        ]
        rows += [(turn["guess"], (turn["exact"] / places, turn["partial"] / places, 1)) for turn in view["turns"]]
        seen: list[float] = []
        for code, more in rows:
            ones = {place * self._values + value for place, value in enumerate(code)}
            seen += [*(cell in ones for cell in range(places * self._values)), *more]
        return *seen, *(0.0 for _ in range(prod(self.shape) - len(seen)))
