"""Bugs planted in what two servers over one database do are found within a few seeds."""

import pytest

from tests.simulation.mutants import Mutant
from tests.simulation.run import Failure, simulate
from tests.simulation.standby_mutants import STANDBY_MUTANTS

SEEDS_MAX = 80
"""More than it takes; one bug of these shows in every tenth run at the least."""


def first_failure(mutant: Mutant) -> Failure:
    for seed in range(mutant.first_seed, mutant.first_seed + SEEDS_MAX):
        outcome = simulate(mutant.kind(seed, **mutant.wanted))
        if isinstance(outcome, Failure):
            return outcome
    raise AssertionError(f"{SEEDS_MAX} seeds do not show it")


@pytest.mark.parametrize("name", STANDBY_MUTANTS)
def test_a_planted_bug_is_found(name: str) -> None:
    mutant = STANDBY_MUTANTS[name]
    with mutant.planted():
        found = first_failure(mutant)
    assert found.rule in mutant.rules, found.report()
    assert not isinstance(simulate(found.plan), Failure), "without the bug the same run is fine"
