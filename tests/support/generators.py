"""Generators that work in steps, for tests that want the result alone."""

from collections.abc import Generator
from typing import Any


def drained(steps: Generator[Any, None, Any]) -> Any:
    """The result of a generator whose steps matter to nobody."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value
