"""OpenSpiel's numbers of moves and its tensors of positions, for agents that learn its games here."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gameserver.game import Coding, Seat, State


class SpielCoding(Coding[str]):
    """A game of OpenSpiel in OpenSpiel's own numbers: an agent that was trained with pyspiel plays here as it is.

    A number means the same in every position, as OpenSpiel sees it: by the mover's side of the board in chess, and in
    Breakthrough and Lines of action another one if the move captures, which its word does not tell. The tensors do not
    say how near the limit of moves is, which only this server has. Their bounds are known to nobody.
    """

    text_decides = False
    low, high = -math.inf, math.inf

    def __init__(self, spiel: Any, first: int) -> None:
        self._first = first
        self.actions: int = spiel.num_distinct_actions()
        self.shape = tuple(spiel.observation_tensor_shape())

    def number(self, state: State[str], seat: Seat, move: str) -> int:
        """OpenSpiel's number of a word."""
        position: Any = state
        return int(position.words[move])

    def moves(self, state: State[str], seat: Seat) -> Mapping[int, str]:
        """OpenSpiel's legal actions with their words."""
        position: Any = state
        return {position.words[word]: word for word in state.legal_moves(seat)}

    def observation(self, state: State[str], seat: Seat) -> Sequence[float]:
        """OpenSpiel's tensor of a position as the seat sees it; a game that ended while dice were due has none."""
        position: Any = state
        live = position.live
        if live.is_chance_node():
            return (0.0,) * math.prod(self.shape)
        return tuple(live.observation_tensor(seat ^ self._first))
