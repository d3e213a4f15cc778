"""Criteria for a guess. A good one cuts the codes that are still possible into many small parts.

A guess has a part for each feedback it may get: the codes that would give it. A criterion turns the
sizes of these parts into a number, the lower the better. Numbers are whole, because two guesses that
are equally good must compare as equal, or the choice between them would hang on how a float was
rounded; the published totals come out only so.
"""

from collections.abc import Callable, Sequence
from functools import cache
from math import prod

Criterion = Callable[[Sequence[int]], int]


def largest_part(parts: Sequence[int]) -> int:
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
