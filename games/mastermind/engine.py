"""The engine: asks the code maker for a secret, then the code breaker for guesses, until the board says it is over.

`GameIO` is the document's interface to the outside: the terminal is one, tests bring others. A player can make a code,
answer a guess, and guess; it may be a person or a computer.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from attrs import frozen

from games.mastermind.board import Board, Code, Configuration, Feedback, Turn, feedback_of, random_code
from games.mastermind.solver import Breaker, most_parts
from gameserver.game import Choose


class GameIO(ABC):
    """Shows Mastermind to people and asks them for codes; maps values to whatever they see in their place.

    `ask_secret_code` and `ask_guess` return codes that fit the configuration. Wrong input is explained
    and asked for again in here, and costs no turn.
    """

    @abstractmethod
    def ask_secret_code(self, configuration: Configuration, name: str) -> Code:
        """Asks the person of this name for Mastermind's secret."""

    @abstractmethod
    def ask_guess(self, configuration: Configuration, turns: Sequence[Turn], name: str) -> Code:
        """Asks the person of this name for a Mastermind guess."""

    @abstractmethod
    def show_board(self, board: Board) -> None:
        """Shows people the Mastermind turns so far; not the secret, which the board holds."""

    @abstractmethod
    def show_outcome(self, board: Board) -> None:
        """Shows people the end of Mastermind: who won, in how many turns, and the secret."""


class Player(ABC):
    """A Mastermind code maker or breaker; the engine asks it for what its role needs."""

    name: str

    @abstractmethod
    def secret_code(self, configuration: Configuration) -> Code:
        """Makes a secret, asked of Mastermind's code maker once."""

    @abstractmethod
    def guess(self, configuration: Configuration, turns: Sequence[Turn]) -> Code:
        """Makes the next guess, asked of Mastermind's code breaker, given the turns so far."""

    def feedback(self, guess: Code, secret_code: Code) -> Feedback:
        """Answers a guess, asked of Mastermind's code maker; worked out, unless somebody gives it by hand."""
        return feedback_of(guess, secret_code)


@frozen
class ComputerPlayer(Player):
    """A computer that makes any Mastermind code, and breaks one by a strategy; `choose` is its chance."""

    name: str
    choose: Choose[int]
    breaker: Breaker = most_parts

    def secret_code(self, configuration: Configuration) -> Code:
        """Makes any Mastermind code, each as likely as the other."""
        return random_code(configuration, self.choose)

    def guess(self, configuration: Configuration, turns: Sequence[Turn]) -> Code:
        """Guesses by a Mastermind strategy; raises `Contradiction` if some feedback was wrong."""
        return self.breaker(configuration, turns, self.choose)


@frozen
class HumanPlayer(Player):
    """A person who plays Mastermind at a `GameIO`, which explains wrong input and asks again."""

    name: str
    io: GameIO

    def secret_code(self, configuration: Configuration) -> Code:
        """Asks a person for the Mastermind code to hide."""
        return self.io.ask_secret_code(configuration, self.name)

    def guess(self, configuration: Configuration, turns: Sequence[Turn]) -> Code:
        """Asks a person for a Mastermind guess."""
        return self.io.ask_guess(configuration, turns, self.name)


@frozen
class GameEngine:
    """The engine of one Mastermind game between two players of any kind."""

    configuration: Configuration
    io: GameIO
    code_maker: Player
    code_breaker: Player

    def run(self) -> Board:
        """Plays a Mastermind game to its end, showing the board before each guess; gives the last board.

        A code that does not fit raises `CodeError`; a wrong feedback raises ValueError. Both are bugs of
        the player's author.
        """
        board = Board(self.configuration)
        secret_code = self.code_maker.secret_code(self.configuration)
        board = board.with_secret(secret_code)
        while not board.is_over:
            self.io.show_board(board)
            guess = self.code_breaker.guess(self.configuration, board.turns)
            board = board.with_turn(Turn(guess, self.code_maker.feedback(guess, secret_code)))
        self.io.show_outcome(board)
        return board
