"""One guess compared with many codes at once: the solvers' inner loop.

The codes stand side by side in the bytes of one big integer, a lane for each. For every place and
value there is such an integer with a 1 in the lanes of the codes that have the value there, and for
every value and count one with the values that code and guess have in common. A guess is then
compared with all codes by adding as many of them as it has places and values, and Python adds big
integers at machine speed: 1296 codes take about 10 microseconds, where one feedback after the
other takes 2 milliseconds. No lane overflows into the next, since 100 places are the most.

Rejected: the table of all feedbacks (1296 times 1296 bytes), which is no faster than this, takes as
long to fill as a game takes to play, and ends at spaces of a few thousand codes; and numpy, which
would be 60 MB of dependency for one addition.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from games.mastermind.code import Code
from games.mastermind.feedback import Feedback

BYTE_SPAN = 256
COUNTING_PAYS = 4
"""Up to so many codes for each possible feedback, a tally of all is faster than a count of each feedback."""


class Lanes:
    """Codes of one length, to be compared with guesses. Each costs a byte for every column that guesses ask for."""

    __slots__ = ("_common", "_exact", "_numbers", "_stride", "codes")

    def __init__(self, codes: Sequence[Code], code_length: int) -> None:
        self.codes = codes
        self._stride = code_length + 1
        self._exact: dict[tuple[int, int], int] = {}
        self._common: dict[tuple[int, int], int] = {}
        self._numbers = tuple(_possible_numbers(code_length))

    def parts(self, guess: Code) -> Sequence[int]:
        """The number of codes for each feedback on this guess, in no order, without zeros."""
        numbers = self.numbers(guess)
        if isinstance(numbers, list) or len(numbers) < COUNTING_PAYS * len(self._numbers):
            return list(Counter(numbers).values())
        counts = map(numbers.count, self._numbers)
        return [count for count in counts if count]

    def fitting(self, guess: Code, feedback: Feedback) -> list[Code]:
        """The codes that would give this feedback on the guess, in their order."""
        wanted = feedback.exact * self._stride + feedback.exact + feedback.partial
        return [code for code, number in zip(self.codes, self.numbers(guess), strict=True) if number == wanted]

    def numbers(self, guess: Code) -> bytes | list[int]:
        """The feedback of each code on the guess as a number: the exact matches times the stride, plus all matches."""
        exact = sum(self._column(place, value) for place, value in enumerate(guess))
        common = sum(self._in_common(value, guess.count(value)) for value in dict.fromkeys(guess))
        lanes = len(self.codes)
        if self._stride**2 <= BYTE_SPAN:
            return (exact * self._stride + common).to_bytes(lanes, "little")
        pairs = zip(exact.to_bytes(lanes, "little"), common.to_bytes(lanes, "little"), strict=True)
        return [self._stride * both + either for both, either in pairs]

    def _column(self, place: int, value: int) -> int:
        """The lanes of the codes that have the value in this place."""
        column = self._exact.get((place, value))
        if column is None:
            column = _packed(code[place] == value for code in self.codes)
            self._exact[place, value] = column
        return column

    def _in_common(self, value: int, count: int) -> int:
        """The number of times that a guess with `count` of the value finds it in each code."""
        column = self._common.get((value, count))
        if column is None:
            column = _packed(min(count, code.count(value)) for code in self.codes)
            self._common[value, count] = column
        return column


def _packed(lanes: Iterable[int]) -> int:
    return int.from_bytes(bytes(lanes), "little")


def _possible_numbers(code_length: int) -> Iterator[int]:
    """The number of every feedback there can be. All but one in place, and the last elsewhere, cannot be."""
    for exact in range(code_length + 1):
        for common in range(exact, code_length + 1):
            if (exact, common) != (code_length - 1, code_length):
                yield exact * (code_length + 1) + common
