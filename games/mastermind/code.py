"""A code: a tuple of whole numbers, each from the configuration's range, in an order that counts.

A plain tuple was chosen over a class of our own because the solvers handle millions of them.

Written, a code is its digits, `0123`, where every value is below 10. A code with a greater value has
its values in decimal with hyphens between them, `3-11-0-7`, and a code of a single such value ends
with the hyphen, `11-`, or it would read as two values. Commas were rejected for hyphens because
clients of the text protocol cut their lines at commas; they are understood, as blanks are.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import overload

from games.mastermind.configuration import CODE_LENGTH_MAX, Configuration
from gameserver.game import Choose

Code = tuple[int, ...]

TEXT_LENGTH_MAX = 8 * CODE_LENGTH_MAX
"""The longest text that is parsed. No code needs more, and a regular expression must not be fed megabytes."""

_DIGITS = re.compile(r"[0-9]+")
_VALUES = re.compile(r"[0-9]{1,6}(?:(?: *[-,] *| +)[0-9]{1,6})*(?: *[-,])?")
_GAP = re.compile(r"[-, ]+")


class CodeError(ValueError):
    """The value is no code, or no code of this configuration. The text says what would be one."""


def write_code(code: Code) -> str:
    """The code in its one spelling; `read_code` reads it back. Raises `CodeError` on what is no code at all."""
    if not _is_code(code):
        raise _no_code(code)
    if max(code) < 10:
        return "".join(map(str, code))
    return "-".join(map(str, code)) + ("-" if len(code) == 1 else "")


def read_code(text: str) -> Code:
    """The code that was written, of any configuration; raises `CodeError` if it is a code of none."""
    if type(text) is str and len(text) <= TEXT_LENGTH_MAX:
        if _DIGITS.fullmatch(text):
            return tuple(map(int, text))
        if _VALUES.fullmatch(text):
            return tuple(int(value) for value in _GAP.split(text) if value)
    raise CodeError("a code is written as digits, such as 0123, or as numbers with hyphens, such as 3-11-0-7")


def check_code(configuration: Configuration, code: Code) -> Code:
    """The same code; raises `CodeError` if it does not fit the configuration."""
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
    """Any code, all as likely as each other if `choose` is fair."""
    return tuple(choose(configuration.value_range) for _ in range(configuration.code_length))


class CodeSpace(Sequence[Code]):
    """Every code of a configuration, from the lowest. None is stored.

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
    """An example of a code of this configuration, for messages. A long one is cut to its beginning."""
    shown = min(configuration.code_length, 8)
    text = write_code(tuple([place % configuration.value_count for place in range(shown)]))
    return text if shown == configuration.code_length else f"{text}..."
