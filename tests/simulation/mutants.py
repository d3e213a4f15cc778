"""A bug planted by a patch: those of two servers over one database. All others are edits, in `planted`."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from attrs import Factory, frozen

from tests.simulation.plan import Plan


@frozen
class Mutant:
    """A planted bug. `rules` are the violations by which it may be found."""

    planted: Callable[[], AbstractContextManager[object]]
    rules: tuple[str, ...]
    wanted: Mapping[str, Any] = Factory(dict)
    """What plans to look with; where it says nothing, those that every seed gets."""
    kind: type[Plan] = Plan
    first_seed: int = 0
    """Where to begin to look, for what most runs have no occasion for."""
