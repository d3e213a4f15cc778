"""A game of 3D Connect Four as one client sees it."""

from attrs import define

from games.connect_four_3d import GAME, Position
from tests.simulation.told import Told
from tests.simulation.wire import MatchTold, TurnTold


@define
class LateAnswer:
    """An answer to a question that the server has answered, and when the client has found it."""

    move: str
    due_ms: int


@define
class Board:
    """A game as the client sees it."""

    meant: MatchTold
    told: Told
    state: Position | None
    """None where the client cannot know any more which of its moves counted."""
    pending: str | None = None
    """A move of its own that nothing was heard of yet."""
    turn: TurnTold | None = None
    reply_due_ms: int | None = None
    reply_end: int | None = None
    may_hear_turn_again: bool = False
    late: LateAnswer | None = None

    def play(self, move: str) -> None:
        """Follow a move."""
        if self.state is not None:
            self.state = self.state.play(self.state.turn.seats[0], GAME.read_move(move))
