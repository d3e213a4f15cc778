"""The game's interface to the outside: the document's GameIO. The terminal is one; tests bring others."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from games.mastermind.board import Board, Turn
from games.mastermind.code import Code
from games.mastermind.configuration import Configuration


class GameIO(ABC):
    """Shows the game to people and asks them for codes; maps values to whatever they see in their place.

    `ask_secret_code` and `ask_guess` return codes that fit the configuration. Wrong input is explained
    and asked for again in here, and costs no turn.
    """

    @abstractmethod
    def ask_secret_code(self, configuration: Configuration, name: str) -> Code:
        """Ask the person of this name for a secret."""

    @abstractmethod
    def ask_guess(self, configuration: Configuration, turns: Sequence[Turn], name: str) -> Code:
        """Ask the person of this name for a guess."""

    @abstractmethod
    def show_board(self, board: Board) -> None:
        """Show the turns so far; not the secret, which the board holds."""

    @abstractmethod
    def show_outcome(self, board: Board) -> None:
        """Show the end: who won, in how many turns, and the secret."""
