"""A game that is not there any more: its plug-in is gone, or its rules changed, with or without a new version.

A journal may hold matches of it. They are kept as they are, with `LOST` in the place of the game's
own position, until the server voids them right after the start: nobody loses by an upgrade.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gameserver.game import Game, Outcome, Seat, State, Turn


class LostState(State[str]):
    """Any position of a lost game. It accepts every move and never ends."""

    __slots__ = ()

    @property
    def turn(self) -> Turn:
        """Seat 0, for ever."""
        return Turn(0, (0,))

    def legal_moves(self, seat: Seat) -> Sequence[str]:
        """None that we know."""
        return ()

    def play(self, seat: Seat, move: str) -> "LostState":
        """The same."""
        return self

    @property
    def outcome(self) -> Outcome | None:
        """None that we know."""
        return None

    def resigned(self, seat: Seat) -> Outcome:
        """Nobody wins a game that nobody knows."""
        return Outcome((0, 0), ())

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        """Nothing."""
        return {}

    def board(self, viewer: Seat | None) -> str:
        """Nothing."""
        return ""


LOST = LostState()


class LostGame(Game[str]):
    """The place-holder of one lost game."""

    def __init__(self, name: str, version: int) -> None:
        self.name = name
        self.version = version

    def start(self, options: Any) -> LostState:
        """The one position there is."""
        return LOST

    def read_move(self, text: str) -> str:
        """Any text."""
        return text

    def write_move(self, move: str) -> str:
        """The same text."""
        return move
