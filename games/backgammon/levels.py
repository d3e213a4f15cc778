"""The house players of the family by name."""

from collections.abc import Mapping

from games.backgammon.notation import Move, Word
from games.backgammon.state import GameState
from games.backgammon.strategy import steady
from gameserver.game import Choose, Seat, Strategy

_NEVER_AT_RANDOM = {Word.DOUBLE, Word.UNDO}


def at_random(state: GameState, seat: Seat, choose: Choose[Move]) -> Move:
    """Any legal move that goes on with the game. Doubles and undone plays at random are a nuisance to opponents."""
    return choose([move for move in state.legal_moves(seat) if move not in _NEVER_AT_RANDOM])


STRATEGIES: Mapping[str, Strategy] = {"random": at_random, "steady": steady}
