"""A guess where there are too many codes to list: weigh a sample of those that are still possible.

All possible codes are searched first. Towards the end of a game they are few, and the guess is then as
good as a full search among them can make it. If there are more than are wanted, new searches from other
random beginnings give a sample that is spread over all of them.

The cost is bounded by steps, not by a clock, so that the same `choose` gives the same guess on any
machine: at most twice `STEPS_MAX` steps of search and `SAMPLE_MAX` times `GUESSES_MAX` comparisons, about
half a second together, and mostly far less. If the steps do not suffice to find any code that
fits (20 places of 10 values, say, after a dozen turns), the guess fits the latest turns only.
"""

from collections.abc import Sequence
from itertools import islice

from games.mastermind.board import Turn
from games.mastermind.code import Code, random_code
from games.mastermind.configuration import Configuration
from games.mastermind.solver.criteria import Criterion
from games.mastermind.solver.lanes import Lanes
from games.mastermind.solver.search import Demands, Search
from gameserver.game import Choose

STEPS_MAX = 300_000
SAMPLE_MAX = 400
GUESSES_MAX = 100
"""The most codes of the sample that are weighed as guesses."""

TURNS_FOR_FREE = 16

COMPARED_VALUES_MAX = 4_000_000
"""The most comparisons of a code's value with a guess's: this bounds the weighing of very long codes."""

SEARCHES_MIN = 4
"""A search whose beginning was unlucky can take any time; another one from elsewhere mostly does not."""

OF_ONE_SEARCH = 2
"""Codes taken from a search before the next begins: neighbours in a search resemble each other."""


class Contradiction(ValueError):
    """No code fits the turns, so some feedback must have been wrong."""

    def __init__(self) -> None:
        super().__init__("no code fits all the feedback so far, so some of it was wrong")


def sampled_guess(
    configuration: Configuration, turns: Sequence[Turn], choose: Choose[int], criterion: Criterion | None
) -> Code:
    """The best guess of a sample by a criterion; any code that fits where there is no criterion."""
    wanted = 1 if criterion is None else SAMPLE_MAX
    sample = possible_sample(configuration, turns, choose, wanted)
    if criterion is None or len(sample) == 1:
        return sample[choose(range(len(sample)))]
    weigh, lanes = criterion, Lanes(sample, configuration.code_length)
    guesses_max = max(2, min(GUESSES_MAX, COMPARED_VALUES_MAX // (len(sample) * configuration.code_length**2)))
    return min(sample[:guesses_max], key=lambda guess: (weigh(lanes.parts(guess)), guess))


def possible_sample(
    configuration: Configuration, turns: Sequence[Turn], choose: Choose[int], wanted: int, steps_max: int = STEPS_MAX
) -> list[Code]:
    """Codes that fit, unlike each other: all of them, or about as many as are wanted, or as the steps suffice for.

    Raises `Contradiction` where a search of all codes has found none.
    """
    if not turns:
        return list(dict.fromkeys(random_code(configuration, choose) for _ in range(wanted)))
    demands = Demands(configuration, turns)
    # The lanes of many turns are longer, and a step with them takes longer.
    steps_left = steps_max // (1 + len(turns) // TURNS_FOR_FREE)
    first = Search(demands, choose, steps_left // 2)
    found = dict.fromkeys(islice(first.codes(), wanted))
    if first.is_exhausted and len(found) < wanted:
        if not found:
            raise Contradiction
        return list(found)
    steps_left -= first.steps
    spread = dict.fromkeys(islice(found, OF_ONE_SEARCH))
    while steps_left > 0 and len(spread) < wanted:
        search = Search(demands, choose, steps_max // SEARCHES_MIN)
        spread.update(dict.fromkeys(islice(search.codes(), OF_ONE_SEARCH)))
        steps_left -= search.steps
    latest = turns[(len(turns) + 3) // 4 :]
    return list(spread) or possible_sample(configuration, latest, choose, 1, steps_max // 2)
