"""The board: the secret, the turns so far, and the winner. A value: each turn makes a new one."""

from enum import StrEnum

from attrs import evolve, field, frozen

from games.mastermind.code import Code, check_code
from games.mastermind.configuration import Configuration
from games.mastermind.feedback import Feedback, feedback_of


class Winner(StrEnum):
    """The winner of a game."""

    MAKER = "code maker"
    BREAKER = "code breaker"


@frozen
class Turn:
    """A guess, and the feedback that it got."""

    guess: Code
    feedback: Feedback


@frozen
class Board:
    """One position. The secret is None until the code maker has set it, and never in the board's repr."""

    configuration: Configuration = field(factory=Configuration)
    secret_code: Code | None = field(default=None, repr=False)
    turns: tuple[Turn, ...] = ()

    def with_secret(self, secret_code: Code) -> "Board":
        """The board on which this secret is to be found; raises `CodeError` where it does not fit."""
        if self.secret_code is not None:
            raise ValueError("the secret is set already")
        return evolve(self, secret_code=check_code(self.configuration, secret_code))

    def guessed(self, guess: Code) -> "Board":
        """The board after a guess and its feedback; raises `CodeError` where the guess does not fit."""
        if self.is_over:
            raise ValueError("the game is over")
        return evolve(self, turns=(*self.turns, Turn(guess, self.feedback_on(guess))))

    def with_turn(self, turn: Turn) -> "Board":
        """The board after a turn; raises ValueError where its feedback is wrong: a code maker must not lie."""
        after = self.guessed(turn.guess)
        right = after.turns[-1].feedback
        if turn.feedback != right:
            message = f"the feedback on that guess is {right.text}, not {turn.feedback.text}"
            raise ValueError(message)
        return after

    def feedback_on(self, guess: Code) -> Feedback:
        """The feedback that this guess would get."""
        if self.secret_code is None:
            raise ValueError("there is no secret yet")
        return feedback_of(check_code(self.configuration, guess), self.secret_code)

    @property
    def winner(self) -> Winner | None:
        """The breaker if the last guess is the secret; else the maker if no turns are left; else None."""
        if self.turns and self.turns[-1].feedback.exact == self.configuration.code_length:
            return Winner.BREAKER
        if len(self.turns) >= self.configuration.max_turns:
            return Winner.MAKER
        return None

    @property
    def is_over(self) -> bool:
        """True if the game has ended."""
        return self.winner is not None

    @property
    def turns_left(self) -> int:
        """The number of guesses left."""
        return self.configuration.max_turns - len(self.turns)
