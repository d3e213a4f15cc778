"""Games of stones on cells in numbers, for agents that learn. Reversi and 3D Connect Four are such games."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from gameserver.game import Coding, Seat, State


class StonesCoding(Coding[int]):
    """A game whose moves are numbers already, and whose position is a set of cells for each seat, as bits of a number.

    An observation is three boards of 0 and 1: the seat's own stones, the other's, and 1 everywhere if it is the seat's
    turn.
    """

    def __init__(self, actions: int, board: tuple[int, ...], stones: Callable[[Any], tuple[int, int]]) -> None:
        self.actions, self.shape = actions, (3, *board)
        self._cells, self._stones = range(prod(board)), stones

    def number(self, state: State[int], seat: Seat, move: int) -> int:
        """The number of a move: itself."""
        return move

    def observation(self, state: State[int], seat: Seat) -> Sequence[float]:
        """The stones of both sides on the cells, and whose turn it is."""
        stones = self._stones(state)
        own, other = ([stones[side] >> cell & 1 for cell in self._cells] for side in (seat, 1 - seat))
        return *own, *other, *(seat in state.turn.seats for _ in self._cells)
