"""The simulator finds what it is for: bugs that are planted in the server, each within a few seeds."""

import pytest
from attrs import evolve

from tests.simulation.mutants import MUTANTS, Mutant
from tests.simulation.run import Failure, simulate
from tests.simulation.shrink import shrink
from tests.simulation.standby_mutants import STANDBY_MUTANTS
from tests.simulation.tournament_mutants import TOURNAMENT_MUTANTS

SEEDS_MAX = 80
"""More than it takes; one bug of these shows in every tenth run at the least."""


def first_failure(mutant: Mutant) -> Failure:
    for seed in range(mutant.first_seed, mutant.first_seed + SEEDS_MAX):
        outcome = simulate(mutant.kind(seed, **mutant.wanted))
        if isinstance(outcome, Failure):
            return outcome
    raise AssertionError(f"{SEEDS_MAX} seeds do not show it")


ALL = {**MUTANTS, **TOURNAMENT_MUTANTS, **STANDBY_MUTANTS}


@pytest.mark.parametrize("name", ALL)
def test_a_planted_bug_is_found(name: str) -> None:
    mutant = ALL[name]
    with mutant.planted():
        found = first_failure(mutant)
    assert found.rule in mutant.rules, found.report()
    assert not isinstance(simulate(found.plan), Failure), "without the bug the same run is fine"


def test_a_failure_is_made_small() -> None:
    mutant = evolve(MUTANTS["a result is recorded twice"], first_seed=1)  # the first run of all does not get smaller
    with mutant.planted():
        found = first_failure(mutant)
        small = shrink(found, runs_max=40)
        assert simulate(small.plan) == small, "the command that is told shows it again"
    assert small.rule == found.rule
    assert small.plan.steps <= found.step
    assert small.plan.bots <= found.plan.bots
    assert len(small.plan.faults) < len(found.plan.faults)
