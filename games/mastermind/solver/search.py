"""Finding codes that fit the turns so far, where there are too many codes to list.

Two searches in depth, one within the other. The outer one decides how often each value occurs: that
settles how many values a code has in common with each guess. The inner one puts these values into
places, which settles the exact matches. To search place by place for both at once was tried first:
it took twenty times the steps, because what a code has in common with a guess shows late there.

What each turn still asks for stands in the bytes of one integer, a lane for each turn with a guard
bit on top. Taking a value is one subtraction, and a look at the guards tells for all turns at once
whether one has got more than it asks for, or can no longer get as much. A step takes less than a
microsecond, however many turns there were.

Both searches try first what a code drawn at random has, so that what they find is spread over all
that fits. `choose` draws that code and the orders; nothing else is left to chance.
"""

from collections.abc import Iterable, Iterator, Sequence

from attrs import define, field

from gameserver.game import Choose
from games.mastermind.board import Turn
from games.mastermind.code import Code, random_code
from games.mastermind.configuration import Configuration

GUARD = 128
"""The highest bit of a lane's byte. What stands below it is at most the 100 places of a code."""


@define
class Search:
    """One search over all codes, from a random beginning. `steps_max` bounds its cost."""

    configuration: Configuration
    turns: Sequence[Turn]
    choose: Choose[int]
    steps_max: int
    steps: int = 0
    is_exhausted: bool = False
    """Whether every code that fits has been found."""

    _first: Code = field(init=False)
    _guards: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._first = random_code(self.configuration, self.choose)
        self._guards = _lanes(GUARD for _ in self.turns)

    def codes(self) -> Iterator[Code]:
        """Each code that fits, once, until the steps are used up or there is none left."""
        for counts in self._counts():
            yield from self._arrangements(counts)
        self.is_exhausted = self.steps < self.steps_max

    def _counts(self) -> Iterator[dict[int, int]]:
        """Every way how often each value may occur, as far as the values in common tell."""
        levels = self._levels()
        options: list[Iterator[int]] = [iter(())] * len(levels)
        asked = [0] * (len(levels) + 1)
        places = [0] * (len(levels) + 1)
        counts = [0] * len(levels)
        asked[0] = _lanes(turn.feedback.exact + turn.feedback.partial for turn in self.turns)
        places[0] = self.configuration.code_length
        options[0] = levels[0].options(places[0])
        depth = 0
        while depth >= 0 and self.steps < self.steps_max:
            count = next(options[depth], None)
            if count is None:
                depth -= 1
                continue
            self.steps += 1
            level = levels[depth]
            left = (asked[depth] | self._guards) - level.in_common[min(count, len(level.in_common) - 1)]
            free = places[depth] - count
            if not self._is_open(left, level.to_come) or not self._is_open(left, self._guards // GUARD * free):
                continue
            counts[depth] = count
            if level.is_last:
                yield {level.value: each for level, each in zip(levels, counts, strict=True) if each}
                continue
            depth += 1
            asked[depth], places[depth] = left ^ self._guards, free
            options[depth] = levels[depth].options(free)

    def _arrangements(self, stock: dict[int, int]) -> Iterator[Code]:
        """Every order of these values that fits."""
        order = shuffled(range(self.configuration.code_length), self.choose)
        values = shuffled(tuple(stock), self.choose)
        to_come = self._exact_to_come(order, stock)
        length = len(order)
        options: list[Iterator[int]] = [iter(())] * length
        asked = [0] * (length + 1)
        code = [-1] * length
        asked[0] = _lanes(turn.feedback.exact for turn in self.turns)
        options[0] = iter(self._ordered(values, order[0]))
        columns = [self._exact_column(place, values) for place in order]
        depth = 0
        while depth >= 0 and self.steps < self.steps_max:
            place = order[depth]
            if code[place] >= 0:
                stock[code[place]] += 1
                code[place] = -1
            value = next(options[depth], None)
            if value is None:
                depth -= 1
                continue
            if not stock[value]:
                continue
            self.steps += 1
            left = (asked[depth] | self._guards) - columns[depth][value]
            if not self._is_open(left, to_come[depth]):
                continue
            code[place] = value
            stock[value] -= 1
            if depth + 1 == length:
                yield tuple(code)
                continue
            depth += 1
            asked[depth] = left ^ self._guards
            options[depth] = iter(self._ordered(values, order[depth]))

    def _is_open(self, left: int, most: int) -> bool:
        """Whether no lane has gone below zero, and none asks for more than it has in `most`."""
        guards = self._guards
        return left & guards == guards and ((most | guards) - (left ^ guards)) & guards == guards

    def _ordered(self, values: Sequence[int], place: int) -> Sequence[int]:
        """The values, that of the first code in this place before the others."""
        first = self._first[place]
        return (first, *(value for value in values if value != first)) if first in values else values

    def _exact_column(self, place: int, values: Iterable[int]) -> dict[int, int]:
        return {value: _lanes(turn.guess[place] == value for turn in self.turns) for value in values}

    def _exact_to_come(self, order: Sequence[int], stock: dict[int, int]) -> list[int]:
        """For each depth, how many exact matches each turn can still get behind it."""
        to_come = [0] * len(order)
        for depth in range(len(order) - 2, -1, -1):
            place = order[depth + 1]
            to_come[depth] = to_come[depth + 1] + _lanes(turn.guess[place] in stock for turn in self.turns)
        return to_come

    def _levels(self) -> "list[_Level]":
        """The values in a random order, those that were guessed first: only they can contradict a turn."""
        guessed = {value for turn in self.turns for value in turn.guess}
        order = sorted(shuffled(self.configuration.value_range, self.choose), key=lambda value: value not in guessed)
        levels: list[_Level] = []
        to_come = 0
        for value in reversed(order):
            counts = [turn.guess.count(value) for turn in self.turns]
            most = max(counts, default=0)
            in_common = [_lanes(min(count, each) for each in counts) for count in range(most + 1)]
            levels.append(_Level(value, self._first.count(value), in_common, to_come, is_last=not levels))
            to_come += in_common[-1]
        return levels[::-1]


@define
class _Level:
    """One value of the outer search."""

    value: int
    first: int
    """How often the first code has it."""
    in_common: list[int]
    """By how often a code has it, at most as often as a guess: what it has in common with each guess."""
    to_come: int
    """What the values behind this one may have in common with each guess at most."""
    is_last: bool

    def options(self, places: int) -> Iterator[int]:
        """How often it may occur in so many free places, from what the first code has outwards."""
        if self.is_last:
            return iter((places,))
        return iter(sorted(range(places + 1), key=lambda count: abs(count - self.first)))


def shuffled(items: Sequence[int], choose: Choose[int]) -> list[int]:
    """The items in a random order (Fisher and Yates)."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = choose(range(last + 1))
        order[last], order[other] = order[other], order[last]
    return order


def _lanes(values: Iterable[int]) -> int:
    return int.from_bytes(bytes(values), "little")
