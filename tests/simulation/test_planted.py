"""The simulator finds what it is for: bugs that are planted in the server, each in its share of the seeds."""

from collections.abc import Iterator
from itertools import islice

import pytest

from tests.simulation.planted import PLANTED
from tests.simulation.run import Failure, shrink, simulate

SEEDS = 20
OFTEN = 6
"""Found by so many of twenty seeds, a bug shows within a few of them."""
FEW = 9


def failures(name: str, seeds: int) -> Iterator[Failure]:
    """Yield the finds of a planted bug's first seeds. The edit is undone between them."""
    planted = PLANTED[name]
    for seed in range(planted.first_seed, planted.first_seed + seeds):
        with planted.edit.applied():
            outcome = simulate(planted.kind(seed, **planted.wanted))
        if isinstance(outcome, Failure):
            yield outcome


@pytest.mark.parametrize("name", PLANTED)
def test_edit_still_applies(name: str) -> None:
    with PLANTED[name].edit.applied():
        pass


@pytest.mark.parametrize("name", [name for name, planted in PLANTED.items() if planted.least >= OFTEN])
def test_planted_bug_is_found_soon(name: str) -> None:
    failure = next(failures(name, FEW), None)
    assert failure is not None, f"{FEW} seeds do not show it"
    assert not isinstance(simulate(failure.plan), Failure), "without the bug the same run is fine"


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_planted_bug_is_found_in_its_share_of_the_seeds(name: str) -> None:
    least = PLANTED[name].least
    assert len(list(islice(failures(name, SEEDS), least))) == least


def test_a_failure_is_made_small() -> None:
    large = next(failures("match-recorded-twice", FEW))
    with PLANTED["match-recorded-twice"].edit.applied():
        small = shrink(large, runs_max=40)
        assert simulate(small.plan) == small, "the command that is told shows it again"
    assert small.rule == large.rule
    assert small.plan.steps <= large.step
    assert small.plan.bots <= large.plan.bots
    assert len(small.plan.faults) < len(large.plan.faults)
