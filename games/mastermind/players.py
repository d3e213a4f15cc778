"""Players: each can make a code, answer a guess, and guess. A player may be a person or a computer."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from attrs import frozen

from games.mastermind.board import Turn
from games.mastermind.code import Code, random_code
from games.mastermind.configuration import Configuration
from games.mastermind.feedback import Feedback, feedback_of
from games.mastermind.game_io import GameIO
from games.mastermind.solver.breakers import Breaker, most_parts
from gameserver.game import Choose


class Player(ABC):
    """A code maker or a code breaker; the engine asks it for what its role needs."""

    name: str

    @abstractmethod
    def secret_code(self, configuration: Configuration) -> Code:
        """A secret, asked of the code maker once."""

    @abstractmethod
    def guess(self, configuration: Configuration, turns: Sequence[Turn]) -> Code:
        """The next guess, asked of the code breaker, given the turns so far."""

    def feedback(self, guess: Code, secret_code: Code) -> Feedback:
        """The answer to a guess, asked of the code maker. Worked out, unless somebody wants to give it by hand."""
        return feedback_of(guess, secret_code)


@frozen
class ComputerPlayer(Player):
    """Makes any code, and breaks one by a strategy. `choose` is its chance, such as `random.Random().choice`."""

    name: str
    choose: Choose[int]
    breaker: Breaker = most_parts

    def secret_code(self, configuration: Configuration) -> Code:
        """Any code, each as likely as the other."""
        return random_code(configuration, self.choose)

    def guess(self, configuration: Configuration, turns: Sequence[Turn]) -> Code:
        """The strategy's guess; raises `Contradiction` if some feedback was wrong."""
        return self.breaker(configuration, turns, self.choose)


@frozen
class HumanPlayer(Player):
    """A person at a `GameIO`, which explains wrong input and asks again."""

    name: str
    io: GameIO

    def secret_code(self, configuration: Configuration) -> Code:
        """The code that the person makes."""
        return self.io.ask_secret_code(configuration, self.name)

    def guess(self, configuration: Configuration, turns: Sequence[Turn]) -> Code:
        """The code that the person guesses."""
        return self.io.ask_guess(configuration, turns, self.name)
