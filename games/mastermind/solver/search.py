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

from games.mastermind.board import Turn
from games.mastermind.code import Code, random_code
from games.mastermind.configuration import Configuration
from gameserver.game import Choose

GUARD = 128
"""The highest bit of a lane's byte. What stands below it is at most the 100 places of a code."""

SHUFFLE_STEPS = 4
"""The cost of preparing a value or a place for a search, in steps."""

NOTHING = -1
"""The mark of a place that is still free."""


class Demands:
    """The demands of the turns on a code, in lanes; shared by all searches for the same turns."""

    __slots__ = ("_exact", "_in_common", "common", "configuration", "exact", "guards", "turn_count")

    def __init__(self, configuration: Configuration, turns: Sequence[Turn]) -> None:
        self.configuration = configuration
        self.turn_count = len(turns)
        self.guards = lanes(GUARD for _ in turns)
        self.exact = lanes(turn.feedback.exact for turn in turns)
        self.common = lanes(turn.feedback.exact + turn.feedback.partial for turn in turns)
        self._exact: list[dict[int, int]] = [{} for _ in range(configuration.code_length)]
        for number, turn in enumerate(turns):
            for column, value in zip(self._exact, turn.guess, strict=True):
                column[value] = column.get(value, 0) + (1 << 8 * number)
        guessed = dict.fromkeys(value for turn in turns for value in turn.guess)
        self._in_common = {value: _in_common(value, turns) for value in guessed}

    def exact_in(self, place: int) -> dict[int, int]:
        """The turns of which a value in this place is an exact match, by value; others are of none."""
        return self._exact[place]

    def in_common(self, value: int) -> Sequence[int]:
        """The values in common with the guesses, for a code that has a value 0, 1, 2, ... times; more add none."""
        return self._in_common.get(value, (0,))

    def is_guessed(self, value: int) -> bool:
        """True if the value is in any guess: only such values can contradict a turn."""
        return value in self._in_common

    def are_open(self, left: int, most: int) -> bool:
        """True if no lane of `left`, guards set before it was reduced, fell below zero or asks for more than `most`."""
        guards = self.guards
        return left & guards == guards and ((most | guards) - (left ^ guards)) & guards == guards


@define
class Search:
    """One search over all codes, from a random beginning. `steps_max` bounds its cost."""

    demands: Demands
    choose: Choose[int]
    steps_max: int
    steps: int = field(init=False)
    """The cost so far, in steps of the search. The shuffling at its beginning counts as some steps."""

    is_exhausted: bool = False
    """True if every code that fits has been found."""

    _first: Code = field(init=False)

    def __attrs_post_init__(self) -> None:
        configuration = self.demands.configuration
        self._first = random_code(configuration, self.choose)
        self.steps = SHUFFLE_STEPS * (configuration.value_count + configuration.code_length)

    def codes(self) -> Iterator[Code]:
        """Each code that fits, once, until the steps are used up or there is none left."""
        for counts in self._counts():
            yield from self._arrangements(counts)
        self.is_exhausted = self.steps < self.steps_max

    def _counts(self) -> Iterator[dict[int, int]]:
        """Every possible count of each value, as far as the values in common decide it."""
        demands, levels = self.demands, self._levels()
        ones = demands.guards // GUARD
        options: list[Iterator[int]] = [iter(())] * len(levels)
        asked = [demands.common] * len(levels)
        places = [demands.configuration.code_length] * len(levels)
        counts = [0] * len(levels)
        options[0] = levels[0].options(places[0])
        depth = 0
        while depth >= 0 and self.steps < self.steps_max:
            count = next(options[depth], None)
            if count is None:
                depth -= 1
                continue
            self.steps += 1
            level = levels[depth]
            left = (asked[depth] | demands.guards) - level.in_common[min(count, len(level.in_common) - 1)]
            free = places[depth] - count
            if not demands.are_open(left, level.to_come) or not demands.are_open(left, ones * free):
                continue
            counts[depth] = count
            if level.is_last:
                yield {level.value: each for level, each in zip(levels, counts, strict=True) if each}
                continue
            depth += 1
            asked[depth], places[depth] = left ^ demands.guards, free
            options[depth] = levels[depth].options(free)

    def _arrangements(self, stock: dict[int, int]) -> Iterator[Code]:
        """Every order of these values that fits."""
        demands = self.demands
        order = shuffled(range(demands.configuration.code_length), self.choose)
        values = shuffled(tuple(stock), self.choose)
        self.steps += SHUFFLE_STEPS * (len(order) + len(values))
        to_come = self._exact_to_come(order, stock)
        options: list[Iterator[int]] = [iter(())] * len(order)
        asked = [demands.exact] * len(order)
        code = [NOTHING] * len(order)
        options[0] = self._values_for(order[0], values)
        depth = 0
        while depth >= 0 and self.steps < self.steps_max:
            place = order[depth]
            if code[place] != NOTHING:
                stock[code[place]] += 1
                code[place] = NOTHING
            value = next((value for value in options[depth] if stock[value]), None)
            if value is None:
                depth -= 1
                continue
            self.steps += 1
            left = (asked[depth] | demands.guards) - demands.exact_in(place).get(value, 0)
            if not demands.are_open(left, to_come[depth]):
                continue
            code[place] = value
            stock[value] -= 1
            if depth + 1 == len(order):
                yield tuple(code)
                continue
            depth += 1
            asked[depth] = left ^ demands.guards
            options[depth] = self._values_for(order[depth], values)

    def _values_for(self, place: int, values: Sequence[int]) -> Iterator[int]:
        """The values, that of the first code in this place before the others."""
        first = self._first[place]
        return iter((first, *(value for value in values if value != first)) if first in values else values)

    def _exact_to_come(self, order: Sequence[int], stock: dict[int, int]) -> list[int]:
        """For each depth, how many exact matches each turn can still get behind it."""
        to_come = [0] * len(order)
        for depth in range(len(order) - 2, -1, -1):
            column = self.demands.exact_in(order[depth + 1])
            to_come[depth] = to_come[depth + 1] + sum(turns for value, turns in column.items() if value in stock)
        return to_come

    def _levels(self) -> "list[_Level]":
        """The values in a random order. The values that can contradict a turn come first."""
        demands = self.demands
        order = shuffled(demands.configuration.value_range, self.choose)
        order.sort(key=lambda value: not demands.is_guessed(value))
        levels: list[_Level] = []
        to_come = 0
        for value in reversed(order):
            in_common = demands.in_common(value)
            levels.append(_Level(value, self._first.count(value), in_common, to_come, is_last=not levels))
            to_come += in_common[-1]
        return levels[::-1]


@define
class _Level:
    """One value of the outer search."""

    value: int
    first: int
    """The number of times that the first code has it."""
    in_common: Sequence[int]
    to_come: int
    """The most that the values behind this one may have in common with each guess."""
    is_last: bool

    def options(self, places: int) -> Iterator[int]:
        """The counts that it may have in so many free places, from the first code's count outwards."""
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


def lanes(values: Iterable[int]) -> int:
    """Numbers below 256 side by side in the bytes of one."""
    return int.from_bytes(bytes(values), "little")


def _in_common(value: int, turns: Sequence[Turn]) -> Sequence[int]:
    counts = [turn.guess.count(value) for turn in turns]
    return [lanes(min(count, each) for each in counts) for count in range(max(counts) + 1)]
