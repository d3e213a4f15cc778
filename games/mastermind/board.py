"""The board: the secret, the turns so far, and the winner. A value: each turn makes a new one.

A code is a tuple of whole numbers, each from the configuration's range, in an order that counts. A plain tuple was
chosen over a class of our own because the solvers handle millions of them.

Written, a code is its digits, `0123`, where every value is below 10. A code with a greater value has its values in
decimal with hyphens between them, `3-11-0-7`, and a code of a single such value ends with the hyphen, `11-`, or it
would read as two values. Commas were rejected for hyphens because clients of the text protocol cut their lines at
commas; they are understood, as blanks are.

Feedback tells how near a guess is to the secret, by the design document's five rules:

1. Each value of the guess counts once: as an exact match, a partial match, or none. 2. Each value of the secret is
matched once. 3. Exact matches come first. 4. Exact: the same value in the same place. 5. Partial: a value left over in
the guess that equals a value left over in the secret.

Marking values off place by place, as the rules read, is not needed. However the marks are set, a value that the guess
has g times and the secret s times is matched min(g, s) times in all, exact matches among them. So the partial matches
are what the values have in common, less the exact ones; `tests/games/mastermind` holds this against the marks. The
count is symmetric: who guesses whom makes no difference.

To compare one guess with many codes at once, see `games.mastermind.solver`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from itertools import product
from operator import eq
from typing import Any, overload

from attrs import Attribute, evolve, field, frozen, validators

from gameserver.game import Choose

# A lane of the solver is a byte: 100 places, each exact and in common, still fit.
CODE_LENGTH_MAX = 100
VALUE_COUNT_MAX = 1_000
TURNS_MAX = 10_000
"""The most turns of a game: more than any known client asks for, and few enough for the server to bear."""


def _from_1_to(most: int) -> "Callable[[object, Attribute[Any], object], None]":
    def check(_: object, attribute: "Attribute[Any]", number: object) -> None:
        if type(number) is not int or not 1 <= number <= most:
            message = f"{attribute.name} must be a whole number from 1 to {most}, not {number!r}"
            raise ValueError(message)

    return check


@frozen
class Configuration:
    """The size of a Mastermind game. Raises ValueError, with a sentence for the user, on one that cannot be.

    The document's `value_range`, the possible values, is given by their number, so that a
    configuration is three integers wherever it is saved or sent.
    """

    code_length: int = field(default=4, validator=_from_1_to(CODE_LENGTH_MAX))
    value_count: int = field(default=6, validator=_from_1_to(VALUE_COUNT_MAX))
    max_turns: int = field(default=12, validator=_from_1_to(TURNS_MAX))

    @property
    def value_range(self) -> range:
        """The possible values of each place of a Mastermind code: from 0."""
        return range(self.value_count)

    @property
    def code_count(self) -> int:
        """The number of codes of a Mastermind game."""
        return int(self.value_count**self.code_length)


Code = tuple[int, ...]

# By judgement: six digits, a hyphen and a blank for each value.
_TEXT_LENGTH_MAX = 8 * CODE_LENGTH_MAX
"""The longest text that is parsed. No code needs more, and a regular expression must not be fed megabytes."""

_DIGITS = re.compile(r"[0-9]+")
_VALUES = re.compile(r"[0-9]{1,6}(?:(?: *[-,] *| +)[0-9]{1,6})*(?: *[-,])?")
_GAP = re.compile(r"[-, ]+")


class CodeError(ValueError):
    """The value is no Mastermind code, or none of this configuration. The text says what would be one."""


def write_code(code: Code) -> str:
    """Writes a code of a Mastermind board in its one spelling; `read_code` reads it back. Raises `CodeError`."""
    if not _is_code(code):
        raise _no_code(code)
    # Digits alone where they are clear, as people write them.
    if max(code) < 10:
        return "".join(map(str, code))
    return "-".join(map(str, code)) + ("-" if len(code) == 1 else "")


def read_code(text: str) -> Code:
    """Reads a written code of a Mastermind board, of any configuration; raises `CodeError` if it is a code of none."""
    if type(text) is str and len(text) <= _TEXT_LENGTH_MAX:
        if _DIGITS.fullmatch(text):
            return tuple(map(int, text))
        if _VALUES.fullmatch(text):
            return tuple(int(value) for value in _GAP.split(text) if value)
    raise CodeError("a code is written as digits, such as 0123, or as numbers with hyphens, such as 3-11-0-7")


def check_code(configuration: Configuration, code: Code) -> Code:
    """Gives a code back that fits the Mastermind board's configuration; raises `CodeError` if it does not."""
    if not isinstance(code, tuple):
        raise _no_code(code)
    wanted, got = configuration.code_length, len(code)
    if got != wanted:
        values = "1 value" if wanted == 1 else f"{wanted} values"
        raise CodeError(f"a code has {values} here and not {got}, such as {example_code(configuration)}")
    if not _is_code(code):
        raise _no_code(code)
    for value in code:
        if not 0 <= value < configuration.value_count:
            raise CodeError(f"the values go from 0 to {configuration.value_count - 1} and {value} is not among them")
    return code


def _is_code(code: object) -> bool:
    """True if the types are those of a code: whole numbers. A bool is an int to Python, but no colour."""
    return isinstance(code, tuple) and set(map(type, code)) == {int}


def _no_code(code: object) -> CodeError:
    return CodeError(f"a code is a tuple of whole numbers, such as (0, 1, 2, 3), not {code!r:.100}")


def random_code(configuration: Configuration, choose: Choose[int]) -> Code:
    """Draws a code of a Mastermind board's length and values, all as likely as each other with a fair `choose`."""
    return tuple(choose(configuration.value_range) for _ in range(configuration.code_length))


class CodeSpace(Sequence[Code]):
    """Every Mastermind code of a configuration, from the lowest. None is stored.

    `len()` raises OverflowError where there are more than fit an index: `Configuration.code_count`
    tells how many there are, and `random_code` can draw from all of them.
    """

    __slots__ = ("_configuration",)

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration

    def __len__(self) -> int:
        return self._configuration.code_count

    def __contains__(self, code: object) -> bool:
        if not isinstance(code, tuple) or len(code) != self._configuration.code_length:
            return False
        return all(type(value) is int and 0 <= value < self._configuration.value_count for value in code)

    def __iter__(self) -> Iterator[Code]:
        return product(self._configuration.value_range, repeat=self._configuration.code_length)

    @overload
    def __getitem__(self, index: int) -> Code: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Code]: ...

    def __getitem__(self, index: int | slice) -> Code | Sequence[Code]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        count = self._configuration.code_count
        rest = index + count if index < 0 else index
        if not 0 <= rest < count:
            message = f"there are {count} codes"
            raise IndexError(message)
        values = []
        for _ in range(self._configuration.code_length):
            rest, value = divmod(rest, self._configuration.value_count)
            values.append(value)
        return tuple(reversed(values))


def example_code(configuration: Configuration) -> str:
    """Makes an example of a code that a Mastermind board takes, for messages. A long one is cut to its beginning."""
    shown = min(configuration.code_length, 8)
    text = write_code(tuple([place % configuration.value_count for place in range(shown)]))
    return text if shown == configuration.code_length else f"{text}..."


_WRITTEN = re.compile(r"([0-9]{1,3}) exact ([0-9]{1,3}) partial")


@frozen
class Feedback:
    """The feedback on a Mastermind guess: right values in their place (`exact`), and elsewhere (`partial`)."""

    exact: int = field(validator=validators.ge(0))
    partial: int = field(validator=validators.ge(0))

    @property
    def text(self) -> str:
        """Says Mastermind feedback in words, without a comma, at which clients cut lines: `1 exact 2 partial`."""
        return f"{self.exact} exact {self.partial} partial"

    @classmethod
    def read(cls, text: str) -> "Feedback":
        """Reads the Mastermind feedback that `text` tells, for protocols with another form. ValueError on others."""
        found = _WRITTEN.fullmatch(text)
        if found is None:
            message = f"{text!r} is no feedback"
            raise ValueError(message)
        return cls(int(found[1]), int(found[2]))


def feedback_of(guess: Code, secret: Code) -> Feedback:
    """Works out the feedback that a guess gets on the Mastermind board.

    Its cost grows with the length times the values.

    Both codes have the same length; raises `CodeError` where they have not, or are no tuples.
    """
    for code in (guess, secret):
        if not isinstance(code, tuple):
            raise CodeError(f"a code is a tuple of whole numbers, such as (0, 1, 2, 3), not {code!r:.100}")
    if len(guess) != len(secret):
        message = f"a guess of {len(guess)} values cannot be compared with a secret of {len(secret)}"
        raise CodeError(message)
    exact = sum(map(eq, guess, secret))
    common = 0
    for value in set(guess):
        common += min(guess.count(value), secret.count(value))
    return Feedback(exact, common - exact)


class Winner(StrEnum):
    """The winner of a Mastermind game: the code maker or the code breaker."""

    MAKER = "code maker"
    BREAKER = "code breaker"


@frozen
class Turn:
    """A Mastermind guess, and the feedback that it got."""

    guess: Code
    feedback: Feedback


@frozen
class Board:
    """One Mastermind board. The secret is None until the code maker has set it, and never in the board's repr."""

    configuration: Configuration = field(factory=Configuration)
    secret_code: Code | None = field(default=None, repr=False)
    turns: tuple[Turn, ...] = ()

    def with_secret(self, secret_code: Code) -> "Board":
        """Hides a secret on a Mastermind board; raises `CodeError` where it does not fit."""
        if self.secret_code is not None:
            raise ValueError("the secret is set already")
        return evolve(self, secret_code=check_code(self.configuration, secret_code))

    def guessed(self, guess: Code) -> "Board":
        """Makes the Mastermind board after a guess and its feedback; `CodeError` where the guess does not fit."""
        if self.is_over:
            raise ValueError("the game is over")
        return evolve(self, turns=(*self.turns, Turn(guess, self.feedback_on(guess))))

    def with_turn(self, turn: Turn) -> "Board":
        """Makes the Mastermind board after a turn; ValueError where its feedback is a lie of the code maker."""
        after = self.guessed(turn.guess)
        right = after.turns[-1].feedback
        if turn.feedback != right:
            message = f"the feedback on that guess is {right.text}, not {turn.feedback.text}"
            raise ValueError(message)
        return after

    def feedback_on(self, guess: Code) -> Feedback:
        """Works out the feedback that this guess would get on a Mastermind board."""
        if self.secret_code is None:
            raise ValueError("there is no secret yet")
        return feedback_of(check_code(self.configuration, guess), self.secret_code)

    @property
    def winner(self) -> Winner | None:
        """The winner of a Mastermind board: the breaker by the secret, the maker if no turns are left, or None."""
        if self.turns and self.turns[-1].feedback.exact == self.configuration.code_length:
            return Winner.BREAKER
        if len(self.turns) >= self.configuration.max_turns:
            return Winner.MAKER
        return None

    @property
    def is_over(self) -> bool:
        """True if the game on a Mastermind board has ended."""
        return self.winner is not None

    @property
    def turns_left(self) -> int:
        """Counts the guesses left on a Mastermind board."""
        return self.configuration.max_turns - len(self.turns)
