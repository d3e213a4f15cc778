"""Code breakers: given the turns so far, the next guess.

| breaker | guesses over all 1296 codes of 4 places and 6 values | average | most | cost of a guess |
|---|---|---|---|---|
| `consistent` | 5899 to 6734, by chance; 6017 on average | 4.643 | 8 | codes |
| `knuth` | 5801 | 4.476 | 5 | codes times possible codes |
| `expected_size` | 5696 | 4.395 | 6 | the same |
| `entropy` | 5722 | 4.415 | 6 | the same |
| `most_parts` | 5668 | 4.373 | 6 | the same |
| (the optimum) | 5625 | 4.340 | 6 | a search of days |

`consistent` was measured with the seeds 0 to 209. Its standard deviation is 96, and 95 in 100 totals lie
between 5914 and 6189: all 1296 secrets share their first guess, so one bad draw costs each of them.

A guess that is as good as another is chosen by one rule: a code that may still be the secret first,
then the lowest. With it the totals come out exactly as published (`tests/games/mastermind/test_solver.py`).

`consistent` takes a millisecond for a guess, the others up to 20 ms, of the 1296 codes. They weigh
every code as a guess, whether it can be the secret or not; above `WEIGHED_PAIRS_MAX` only possible
ones. If there are too many codes even to list, they weigh a sample of those that are still
possible, found by search (`games.mastermind.solver.sampling`). That takes a bounded number of steps
however many codes there are: 60 ms on average and 0.4 s at most for 8 places of 12 values.

Nothing here draws by itself: `choose` picks one of several, such as `random.Random(7).choice`, and the
same `choose` gives the same guesses.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from attrs import frozen

from games.mastermind.board import Turn
from games.mastermind.code import Code, CodeSpace
from games.mastermind.configuration import Configuration
from games.mastermind.solver import criteria
from games.mastermind.solver.criteria import Criterion
from games.mastermind.solver.lanes import Lanes
from games.mastermind.solver.sampling import Contradiction, sampled_guess
from gameserver.game import Choose

Breaker = Callable[[Configuration, Sequence[Turn], Choose[int]], Code]
"""`(configuration, turns, choose) -> guess`. Raises `Contradiction` where no code fits the turns."""

LISTED_CODES_MAX = 20_000
"""Up to so many codes all of them are listed: a few megabytes, and milliseconds to sift."""

WEIGHED_PAIRS_MAX = 4_000_000
"""Up to so many pairs of guess and possible code are weighed for one guess: a third of a second at most."""


def possible_codes(configuration: Configuration, turns: Sequence[Turn]) -> Sequence[Code]:
    """Every code that would have got the same feedback, from the lowest. For spaces that can be listed."""
    lanes = _all_codes(configuration)
    codes = lanes.codes
    for turn in turns:
        lanes = lanes if codes is lanes.codes else Lanes(codes, configuration.code_length)
        codes = lanes.fitting(turn.guess, turn.feedback)
    if not codes:
        raise Contradiction
    return codes


def consistent(configuration: Configuration, turns: Sequence[Turn], choose: Choose[int]) -> Code:
    """Any code that may still be the secret: how people play, and hardly worse than the best."""
    if configuration.code_count > LISTED_CODES_MAX:
        return sampled_guess(configuration, turns, choose, None)
    codes = possible_codes(configuration, turns)
    return codes[choose(range(len(codes)))]


@frozen
class Weighing:
    """A breaker that takes the best guess by a criterion."""

    criterion: Criterion

    def __call__(self, configuration: Configuration, turns: Sequence[Turn], choose: Choose[int]) -> Code:
        """The best guess. It draws only where the codes are too many to be listed."""
        if configuration.code_count > LISTED_CODES_MAX:
            return sampled_guess(configuration, turns, choose, self.criterion)
        possible = possible_codes(configuration, turns)
        if len(possible) == 1:
            return possible[0]
        guesses = _patterns(configuration) if not turns else self._affordable(configuration, possible)
        return self._best(guesses, possible, configuration)

    def _affordable(self, configuration: Configuration, possible: Sequence[Code]) -> Sequence[Code]:
        """All codes as guesses; only possible ones, evenly spread, where all are too many to weigh."""
        guesses_max = max(1, WEIGHED_PAIRS_MAX // len(possible))
        if configuration.code_count <= guesses_max:
            return _all_codes(configuration).codes
        return possible[:: -(-len(possible) // guesses_max)]

    def _best(self, guesses: Sequence[Code], possible: Sequence[Code], configuration: Configuration) -> Code:
        lanes = Lanes(possible, configuration.code_length)
        criterion, parts, still = self.criterion, lanes.parts, frozenset(possible)
        return min(guesses, key=lambda guess: (criterion(parts(guess)), guess not in still, guess))


knuth = Weighing(criteria.largest_part)
expected_size = Weighing(criteria._irving)
entropy = Weighing(criteria._neuwirth)
most_parts = Weighing(criteria._kooi)

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
