"""Code breakers: given the turns so far, the next guess.

| breaker | guesses over all 1296 codes of 4 places and 6 values | average | most | cost of a guess |
|---|---|---|---|---|
| `consistent` | 5899 to 6734, by chance; 6017 on average | 4.643 | 8 | codes |
| `knuth` | 5801 | 4.476 | 5 | codes times possible codes |
| `expected_size` | 5696 | 4.395 | 6 | the same |
| `entropy` | 5722 | 4.415 | 6 | the same |
| `most_parts` | 5668 | 4.373 | 6 | the same |
| (the optimum) | 5625 | 4.340 | 6 | a search of days |

`consistent` was measured with the seeds 0 to 209. Its standard deviation is 96, and 95 in 100 totals lie between 5914
and 6189: all 1296 secrets share their first guess, so one bad draw costs each of them.

A guess that is as good as another is chosen by one rule: a code that may still be the secret first, then the lowest.
With it the totals come out exactly as published (`tests/games/mastermind/test_solver.py`).

`consistent` takes a millisecond for a guess, the others up to 20 ms, of the 1296 codes. They weigh every code as a
guess, whether it can be the secret or not; above `_WEIGHED_PAIRS_MAX` only possible ones. If there are too many codes
even to list, they weigh a sample of those that are still possible, found by search. That takes a bounded number of
steps however many codes there are: 60 ms on average and 0.4 s at most for 8 places of 12 values.

Nothing here draws by itself: `choose` picks one of several, such as `random.Random(7).choice`, and the same `choose`
gives the same guesses.

Codes that fit the turns so far are found, where there are too many to list, by two searches in depth, one within the
other. The outer one decides how often each value occurs: that settles how many values a code has in common with each
guess. The inner one puts these values into places, which settles the exact matches. To search place by place for both
at once was tried first: it took twenty times the steps, because what a code has in common with a guess shows late
there.

The demands of the turns stand in the bytes of one integer, a lane for each turn with a guard bit on top. Taking a value
is one subtraction, and a look at the guards tells for all turns at once whether one has got more than it asks for, or
can no longer get as much. A step takes less than a microsecond, however many turns there were.

Both searches try first what a code drawn at random has, so that what they find is spread over all that fits. `choose`
draws that code and the orders; nothing else is left to chance.

The inner loop compares one guess with many codes at once. The codes stand side by side in the bytes of one big integer,
a lane for each. For every place and value there is such an integer with a 1 in the lanes of the codes that have the
value there, and for every value and count one with the values that code and guess have in common. A guess is then
compared with all codes by adding as many of them as it has places and values, and Python adds big integers at machine
speed: 1296 codes take about 10 microseconds, where one feedback after the other takes 2 milliseconds. No lane overflows
into the next, since 100 places are the most.

Rejected: the table of all feedbacks (1296 times 1296 bytes), which is no faster than this, takes as long to fill as a
game takes to play, and ends at spaces of a few thousand codes; and numpy, which would be 60 MB of dependency for one
addition.

A good guess cuts the codes that are still possible into many small parts.

A guess has a part for each feedback it may get: the codes that would give it. A criterion turns the sizes of these
parts into a number, the lower the better. Numbers are whole, because two guesses that are equally good must compare as
equal, or the choice between them would hang on how a float was rounded; the published totals come out only so.

Where there are too many codes to list, a sample of those that are still possible is weighed. All possible codes are
searched first. Towards the end of a game they are few, and the guess is then as good as a full search among them can
make it. If there are more than are wanted, new searches from other random beginnings give a sample that is spread over
all of them.

The cost is bounded by steps, not by a clock, so that the same `choose` gives the same guess on any machine: at most
twice `STEPS_MAX` steps of search and `_SAMPLE_MAX` times `_GUESSES_MAX` comparisons, about half a second together, and
mostly far less. If the steps do not suffice to find any code that fits (20 places of 10 values, say, after a dozen
turns), the guess fits the latest turns only.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from math import prod

from attrs import define, field, frozen

from games.mastermind.board import Code, CodeSpace, Configuration, Feedback, Turn, random_code, read_code
from gameserver.game import Choose

_BYTE_SPAN = 256
_COUNTING_PAYS = 4
"""Up to so many codes for each possible feedback, a tally of all is faster than a count of each feedback."""


class Lanes:
    """Mastermind codes of one length, to be compared with guesses, a byte for every column that guesses ask for."""

    __slots__ = ("_common", "_exact", "_numbers", "_stride", "codes")

    def __init__(self, codes: Sequence[Code], code_length: int) -> None:
        self.codes = codes
        self._stride = code_length + 1
        self._exact: dict[tuple[int, int], int] = {}
        self._common: dict[tuple[int, int], int] = {}
        self._numbers = tuple(_possible_numbers(code_length))

    def parts(self, guess: Code) -> Sequence[int]:
        """Counts Mastermind codes for each feedback on this guess, in no order, without zeros."""
        numbers = self.numbers(guess)
        # A tally visits each code once. Counting visits each code once for every feedback, but at the speed of C.
        if isinstance(numbers, list) or len(numbers) < _COUNTING_PAYS * len(self._numbers):
            return list(Counter(numbers).values())
        counts = map(numbers.count, self._numbers)
        return [count for count in counts if count]

    def fitting(self, guess: Code, feedback: Feedback) -> list[Code]:
        """Picks the Mastermind codes that would give this feedback on the guess, in their order."""
        wanted = feedback.exact * self._stride + feedback.exact + feedback.partial
        return [code for code, number in zip(self.codes, self.numbers(guess), strict=True) if number == wanted]

    def numbers(self, guess: Code) -> bytes | list[int]:
        """Numbers each Mastermind code's feedback on the guess: exact matches times the stride, plus all matches."""
        exact = sum(self._column(place, value) for place, value in enumerate(guess))
        common = sum(self._in_common(value, guess.count(value)) for value in dict.fromkeys(guess))
        lanes = len(self.codes)
        # One byte holds both counts up to 15 places; beyond, each has a byte of its own.
        if self._stride**2 <= _BYTE_SPAN:
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


Criterion = Callable[[Sequence[int]], int]


def _largest_part(parts: Sequence[int]) -> int:
    """Knuth's minimax (1976): the worst case counts."""
    return max(parts)


def _irving(parts: Sequence[int]) -> int:
    """Irving (1978): the size of the part in which the secret will be, on average, times the number of codes."""
    return sum(size * size for size in parts)


def _neuwirth(parts: Sequence[int]) -> int:
    """Neuwirth (1982): the information that the feedback carries, the more the better.

    It is log n minus the sum of size/n * log(size), so the least product of size**size has the most.
    """
    return prod(map(_to_itself, parts))


def _kooi(parts: Sequence[int]) -> int:
    """Kooi (2005): as many different answers as can be."""
    return -len(parts)


@cache
def _to_itself(size: int) -> int:
    return int(size**size)


_WRITTEN = """
0532 1053 1055 1155 1222 1252 1255 1503 1522 1532 1545 2005 2025 2055 2211 2414 2434 2443 2444 2504
2505 2550 2551 3104 3105 3215 3230 3233 3240 3252 3310 3323 3331 3332 3352 3503 3504 3505 3513 3515
3521 3522 3530 3531 3550 4015 4024 4041 4042 4101 4122 4124 4142 4202 4204 4211 4214 4222 4225 4233
4235 4240 4241 4303 4304 4320 4340 4341 4345 4350 4402 4403 4410 4412 4413 4423 4424 4430 4432 4452
4532 5003 5011 5012 5015 5020 5021 5025 5030 5031 5042 5110 5122 5125 5133 5141 5142 5153 5200 5203
5210 5211 5212 5214 5222 5223 5233 5303 5304 5310 5311 5313 5320 5322 5325 5340 5341 5344 5345 5351
5401 5402 5403 5404 5405 5410 5415 5421 5422 5424 5430 5431 5432 5452 5520 5521 5522 5530 5531 5534
5542
"""

HARD_CODES: tuple[Code, ...] = tuple(read_code(word) for word in _WRITTEN.split())
"""141 codes of 1296. A test works them out again."""


_GUARD = 128
"""The highest bit of a lane's byte. What stands below it is at most the 100 places of a code."""

_SHUFFLE_STEPS = 4
"""The cost of preparing a value or a place for a search, in steps."""

_NOTHING = -1
"""The mark of a place that is still free."""


class Demands:
    """The demands of the Mastermind turns on a code, in lanes; shared by all searches for the same turns."""

    __slots__ = ("_exact", "_in_common", "common", "configuration", "exact", "guards", "turn_count")

    def __init__(self, configuration: Configuration, turns: Sequence[Turn]) -> None:
        self.configuration = configuration
        self.turn_count = len(turns)
        self.guards = lanes(_GUARD for _ in turns)
        self.exact = lanes(turn.feedback.exact for turn in turns)
        self.common = lanes(turn.feedback.exact + turn.feedback.partial for turn in turns)
        self._exact: list[dict[int, int]] = [{} for _ in range(configuration.code_length)]
        for number, turn in enumerate(turns):
            for column, value in zip(self._exact, turn.guess, strict=True):
                column[value] = column.get(value, 0) + (1 << 8 * number)
        guessed = dict.fromkeys(value for turn in turns for value in turn.guess)
        self._in_common = {value: _in_common(value, turns) for value in guessed}

    def exact_in(self, place: int) -> dict[int, int]:
        """The Mastermind turns of which a value in this place is an exact match, by value; others are of none."""
        return self._exact[place]

    def in_common(self, value: int) -> Sequence[int]:
        """The values in common with the guesses, for a code that has a value 0, 1, 2, ... times; more add none."""
        return self._in_common.get(value, (0,))

    def is_guessed(self, value: int) -> bool:
        """True if the value is in any Mastermind guess: only such values can contradict a turn."""
        return value in self._in_common

    def are_open(self, left: int, most: int) -> bool:
        """True if no lane of `left`, guards set before it was reduced, fell below zero or asks for more than `most`."""
        guards = self.guards
        return left & guards == guards and ((most | guards) - (left ^ guards)) & guards == guards


@define
class CodeSearch:
    """One search over all Mastermind codes, from a random beginning. `steps_max` bounds its cost."""

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
        self.steps = _SHUFFLE_STEPS * (configuration.value_count + configuration.code_length)

    def codes(self) -> Iterator[Code]:
        """Finds each Mastermind code that fits, once, until the steps are used up or there is none left."""
        for counts in self._counts():
            yield from self._arrangements(counts)
        self.is_exhausted = self.steps < self.steps_max

    def _counts(self) -> Iterator[dict[int, int]]:
        """Every possible count of each value, as far as the values in common decide it."""
        demands, levels = self.demands, self._levels()
        ones = demands.guards // _GUARD
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
        order = _shuffled(range(demands.configuration.code_length), self.choose)
        values = _shuffled(tuple(stock), self.choose)
        self.steps += _SHUFFLE_STEPS * (len(order) + len(values))
        to_come = self._exact_to_come(order, stock)
        options: list[Iterator[int]] = [iter(())] * len(order)
        asked = [demands.exact] * len(order)
        code = [_NOTHING] * len(order)
        options[0] = self._values_for(order[0], values)
        depth = 0
        while depth >= 0 and self.steps < self.steps_max:
            place = order[depth]
            if code[place] != _NOTHING:
                stock[code[place]] += 1
                code[place] = _NOTHING
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
        order = _shuffled(demands.configuration.value_range, self.choose)
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


def _shuffled(items: Sequence[int], choose: Choose[int]) -> list[int]:
    """The items in a random order (Fisher and Yates)."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = choose(range(last + 1))
        order[last], order[other] = order[other], order[last]
    return order


def lanes(values: Iterable[int]) -> int:
    """Puts numbers below 256 side by side into the bytes of one, as the lanes of a code breaker's search."""
    return int.from_bytes(bytes(values), "little")


def _in_common(value: int, turns: Sequence[Turn]) -> Sequence[int]:
    counts = [turn.guess.count(value) for turn in turns]
    return [lanes(min(count, each) for each in counts) for count in range(max(counts) + 1)]


# Measured with `_SAMPLE_MAX` and `_GUESSES_MAX`: 60 ms on average and 0.4 s at most for 8 places of 12 values.
STEPS_MAX = 300_000
_SAMPLE_MAX = 400
_GUESSES_MAX = 100
"""The most codes of the sample that are weighed as guesses."""

_TURNS_FOR_FREE = 16

_COMPARED_VALUES_MAX = 4_000_000
"""The most comparisons of a code's value with a guess's: this bounds the weighing of very long codes."""

_SEARCHES_MIN = 4
"""A search whose beginning was unlucky can take any time; another one from elsewhere mostly does not."""

_OF_ONE_SEARCH = 2
"""Codes taken from a search before the next begins: neighbours in a search resemble each other."""


class Contradiction(ValueError):
    """No Mastermind code fits the turns, so some feedback must have been wrong."""

    def __init__(self) -> None:
        super().__init__("no code fits all the feedback so far, so some of it was wrong")


def _sampled_guess(
    configuration: Configuration, turns: Sequence[Turn], choose: Choose[int], criterion: Criterion | None
) -> Code:
    """The best guess of a sample by a criterion; any code that fits where there is no criterion."""
    wanted = 1 if criterion is None else _SAMPLE_MAX
    sample = possible_sample(configuration, turns, choose, wanted)
    if criterion is None or len(sample) == 1:
        return sample[choose(range(len(sample)))]
    weigh, lanes = criterion, Lanes(sample, configuration.code_length)
    guesses_max = max(2, min(_GUESSES_MAX, _COMPARED_VALUES_MAX // (len(sample) * configuration.code_length**2)))
    return min(sample[:guesses_max], key=lambda guess: (weigh(lanes.parts(guess)), guess))


def possible_sample(
    configuration: Configuration, turns: Sequence[Turn], choose: Choose[int], wanted: int, steps_max: int = STEPS_MAX
) -> list[Code]:
    """Samples Mastermind codes that fit, unlike each other: all, or as many as are wanted or the steps allow.

    Raises `Contradiction` where a search of all codes has found none.
    """
    # Nothing is known, so any codes are as good as others.
    if not turns:
        return list(dict.fromkeys(random_code(configuration, choose) for _ in range(wanted)))
    demands = Demands(configuration, turns)
    # The lanes of many turns are longer, and a step with them takes longer.
    steps_left = steps_max // (1 + len(turns) // _TURNS_FOR_FREE)
    first = CodeSearch(demands, choose, steps_left // 2)
    found = dict.fromkeys(islice(first.codes(), wanted))
    if first.is_exhausted and len(found) < wanted:
        if not found:
            raise Contradiction
        return list(found)
    steps_left -= first.steps
    spread = dict.fromkeys(islice(found, _OF_ONE_SEARCH))
    while steps_left > 0 and len(spread) < wanted:
        search = CodeSearch(demands, choose, steps_max // _SEARCHES_MIN)
        spread.update(dict.fromkeys(islice(search.codes(), _OF_ONE_SEARCH)))
        steps_left -= search.steps
    # The oldest quarter is forgotten: a guess that fits the latest turns is better than none.
    latest = turns[(len(turns) + 3) // 4 :]
    return list(spread) or possible_sample(configuration, latest, choose, 1, steps_max // 2)


Breaker = Callable[[Configuration, Sequence[Turn], Choose[int]], Code]
"""`(configuration, turns, choose) -> guess`. Raises `Contradiction` where no code fits the turns."""

LISTED_CODES_MAX = 20_000
"""Up to so many codes all of them are listed: a few megabytes, and milliseconds to sift."""

_WEIGHED_PAIRS_MAX = 4_000_000
"""Up to so many pairs of guess and possible code are weighed for one guess: a third of a second at most."""


def possible_codes(configuration: Configuration, turns: Sequence[Turn]) -> Sequence[Code]:
    """Lists every Mastermind code that would have got the same feedback, for spaces that can be listed."""
    lanes = _all_codes(configuration)
    codes = lanes.codes
    for turn in turns:
        lanes = lanes if codes is lanes.codes else Lanes(codes, configuration.code_length)
        codes = lanes.fitting(turn.guess, turn.feedback)
    if not codes:
        raise Contradiction
    return codes


def consistent(configuration: Configuration, turns: Sequence[Turn], choose: Choose[int]) -> Code:
    """Guesses any Mastermind code that may still be the secret: how people play, and hardly worse than the best."""
    if configuration.code_count > LISTED_CODES_MAX:
        return _sampled_guess(configuration, turns, choose, None)
    codes = possible_codes(configuration, turns)
    return codes[choose(range(len(codes)))]


@frozen
class _Weighing:
    """A breaker that takes the best guess by a criterion."""

    criterion: Criterion

    def __call__(self, configuration: Configuration, turns: Sequence[Turn], choose: Choose[int]) -> Code:
        """The best guess. It draws only where the codes are too many to be listed."""
        if configuration.code_count > LISTED_CODES_MAX:
            return _sampled_guess(configuration, turns, choose, self.criterion)
        possible = possible_codes(configuration, turns)
        if len(possible) == 1:
            return possible[0]
        guesses = _patterns(configuration) if not turns else self._affordable(configuration, possible)
        return self._best(guesses, possible, configuration)

    def _affordable(self, configuration: Configuration, possible: Sequence[Code]) -> Sequence[Code]:
        """All codes as guesses; only possible ones, evenly spread, where all are too many to weigh."""
        guesses_max = max(1, _WEIGHED_PAIRS_MAX // len(possible))
        if configuration.code_count <= guesses_max:
            return _all_codes(configuration).codes
        return possible[:: -(-len(possible) // guesses_max)]

    def _best(self, guesses: Sequence[Code], possible: Sequence[Code], configuration: Configuration) -> Code:
        lanes = Lanes(possible, configuration.code_length)
        criterion, parts, still = self.criterion, lanes.parts, frozenset(possible)
        # Of equally good guesses one that may win, then the lowest: the published totals come out only so.
        return min(guesses, key=lambda guess: (criterion(parts(guess)), guess not in still, guess))


knuth = _Weighing(_largest_part)
expected_size = _Weighing(_irving)
entropy = _Weighing(_neuwirth)
most_parts = _Weighing(_kooi)

BREAKERS: Mapping[str, Breaker] = {
    "consistent": consistent,
    "knuth": knuth,
    "expected-size": expected_size,
    "entropy": entropy,
    "most-parts": most_parts,
}
"""All of them, by the names under which they can be chosen."""


@lru_cache(maxsize=4)
def _all_codes(configuration: Configuration) -> Lanes:
    return Lanes(tuple(CodeSpace(configuration)), configuration.code_length)


def _patterns(configuration: Configuration) -> Sequence[Code]:
    """The first guesses that differ: 0000, 0001, 0011, 0012 and 0123 for four places.

    While nothing is known, any exchange of values or places leaves a guess as good as it was. Each
    pattern is the lowest code of its kind, so that nothing changes but the time it takes.
    """
    return [
        tuple(value for value, count in enumerate(counts) for _ in range(count))
        for counts in _descending(configuration.code_length, configuration.code_length)
        if len(counts) <= configuration.value_count
    ]


def _descending(total: int, most: int) -> list[tuple[int, ...]]:
    """Every way to write `total` as a sum of descending numbers, none above `most`."""
    if total == 0:
        return [()]
    return [(first, *rest) for first in range(min(total, most), 0, -1) for rest in _descending(total - first, first)]
