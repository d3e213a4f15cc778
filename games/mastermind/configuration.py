"""What is fixed before a game begins: how long a code is, what it is made of, how often may be guessed."""

from attrs import field, frozen, validators

CODE_LENGTH_MAX = 100
VALUE_COUNT_MAX = 1_000
TURNS_MAX = 10_000
"""Beyond what any known client asks for, and little enough that no game weighs on the server."""


def _whole_number(least: int, most: int) -> list[object]:
    return [validators.instance_of(int), validators.ge(least), validators.le(most)]


@frozen
class Configuration:
    """The size of a game. Raises ValueError, or TypeError for what is no whole number, on one that cannot be.

    The document's `value_range`, the possible values, is given by their number, so that a
    configuration is three integers wherever it is saved or sent.
    """

    code_length: int = field(default=4, validator=_whole_number(1, CODE_LENGTH_MAX))
    value_count: int = field(default=6, validator=_whole_number(1, VALUE_COUNT_MAX))
    max_turns: int = field(default=12, validator=_whole_number(1, TURNS_MAX))

    @property
    def value_range(self) -> range:
        """The possible values of each place of a code: from 0."""
        return range(self.value_count)

    @property
    def code_count(self) -> int:
        """How many codes there are."""
        return int(self.value_count**self.code_length)
