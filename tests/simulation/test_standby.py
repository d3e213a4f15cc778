"""Two servers over one database under everything that goes wrong between them."""

from collections import Counter

import pytest

from tests.simulation.elsewhere import diverging
from tests.simulation.plan import FAULTS as FAULTS_OF_ONE
from tests.simulation.run import Failure, Finished, simulate
from tests.simulation.shrink import shrink
from tests.simulation.standby_plan import FAULTS, StandbyPlan

SEEDS = (*range(60), 330, 371)
"""In 371 rows are lost; 330 was a false alarm once."""
SEEDS_MORE = 2_000
CHUNK = 100
SHRINK_RUNS = 40

COMMON = {
    *(f"fault: {kind}" for kind in FAULTS),
    *("killed: now", "killed: decided", "killed: committed", "killed: released to some", "killed: stopped"),
    *("killed: journal broken", "killed: journal failed", "commit failed", "stopped in the midst of a call"),
    *("commit in doubt was made", "commit in doubt was never made", "commit visible before the replica has it"),
    *("frozen when a commit was sent", "frozen when a commit was answered"),
    *("taken over from one that lives", "own old session ended", "left a server of the past", "rows lost"),
    *("match opened", "match shown", "ended: played", "ended: late", "ended: resigned", "ended: dropped"),
}
"""What happens in these runs; if it did not, they would show nothing."""


def test_whoever_leads_nothing_is_lost_and_nothing_told_twice() -> None:
    finished = [finished_run(seed) for seed in SEEDS]
    marks = Counter[str]()
    for run in finished:
        marks += run.marks
    assert not COMMON - marks.keys(), "too little happened"
    assert diverging(finished) == [], "another process comes to other lobbies"


def test_a_seed_is_a_run() -> None:
    first, second = finished_run(4), finished_run(4)
    assert first == second


def test_plans_have_faults_that_others_lack() -> None:
    assert set(FAULTS) - set(FAULTS_OF_ONE) == {*StandbyPlan(0).rates()} - set(FAULTS_OF_ONE)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 1_000 + SEEDS_MORE, CHUNK))
def test_more_seeds(first: int) -> None:
    assert diverging([finished_run(seed) for seed in range(first, first + CHUNK)]) == []


def finished_run(seed: int) -> Finished:
    outcome = simulate(StandbyPlan(seed))
    if isinstance(outcome, Failure):
        smallest = shrink(outcome, SHRINK_RUNS)
        pytest.fail(f"{smallest.report()}\nfound by: {outcome.plan.command()}", pytrace=False)
    return outcome
