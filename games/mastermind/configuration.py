"""The configuration of a game: the length of a code, the number of values, the number of turns."""

from collections.abc import Callable
from typing import Any

from attrs import Attribute, field, frozen

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
    """The size of a game. Raises ValueError, with a sentence for the user, on one that cannot be.

    The document's `value_range`, the possible values, is given by their number, so that a
    configuration is three integers wherever it is saved or sent.
    """

    code_length: int = field(default=4, validator=_from_1_to(CODE_LENGTH_MAX))
    value_count: int = field(default=6, validator=_from_1_to(VALUE_COUNT_MAX))
    max_turns: int = field(default=12, validator=_from_1_to(TURNS_MAX))

    @property
    def value_range(self) -> range:
        """The possible values of each place of a code: from 0."""
        return range(self.value_count)

    @property
    def code_count(self) -> int:
        """The number of codes."""
        return int(self.value_count**self.code_length)
