"""The simulator finds what it is for: bugs that are planted in the server, each in its share of the seeds."""

import pytest

from tests.simulation.planted import PLANTED
from tests.simulation.run import Failure, shrink, simulate

SEEDS = 20
OFTEN = 6
"""Found by so many of twenty seeds, a bug shows within a few of them."""
FEW = 9


def found(name: str, seeds: int) -> list[Failure]:
    planted = PLANTED[name]
    first = planted.first_seed
    with planted.edit.applied():
        outcomes = (simulate(planted.kind(seed, **planted.wanted)) for seed in range(first, first + seeds))
        return [outcome for outcome in outcomes if isinstance(outcome, Failure)]


@pytest.mark.parametrize("name", PLANTED)
def test_edit_still_applies(name: str) -> None:
    with PLANTED[name].edit.applied():
        pass


@pytest.mark.parametrize("name", [name for name, planted in PLANTED.items() if planted.least >= OFTEN])
def test_planted_bug_is_found_soon(name: str) -> None:
    planted = PLANTED[name]
    for seed in range(planted.first_seed, planted.first_seed + FEW):
        plan = planted.kind(seed, **planted.wanted)
        with planted.edit.applied():
            outcome = simulate(plan)
        if isinstance(outcome, Failure):
            assert not isinstance(simulate(plan), Failure), "without the bug the same run is fine"
            return
    raise AssertionError(f"{FEW} seeds do not show it")


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_planted_bug_is_found_in_its_share_of_the_seeds(name: str) -> None:
    assert len(found(name, SEEDS)) >= PLANTED[name].least


def test_a_failure_is_made_small() -> None:
    large = next(iter(found("match-recorded-twice", FEW)))
    with PLANTED["match-recorded-twice"].edit.applied():
        small = shrink(large, runs_max=40)
        assert simulate(small.plan) == small, "the command that is told shows it again"
    assert small.rule == large.rule
    assert small.plan.steps <= large.step
    assert small.plan.bots <= large.plan.bots
    assert len(small.plan.faults) < len(large.plan.faults)
