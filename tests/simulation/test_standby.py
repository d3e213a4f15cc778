"""Servers over one database: one that takes over from the other, and halls side by side."""

from collections import Counter
from typing import Any

import pytest

from tests.simulation.faults import STANDBY_FAULTS_BY_KIND
from tests.simulation.plan import ASYNCHRONOUS, STANDBY_FAULTS, TEXT, HallsPlan, StandbyPlan
from tests.simulation.run import Finished, diverging, finished

SEEDS = (1, 4, 8, 10, 12, 13, 16, 19, 22, 29, 31, 39, 371)
"""Short ones, in which everything comes to pass, and nearly everything twice; in the last one rows are lost."""
HASHED = 2
SEEDS_MORE = 400
CHUNK = 25
"""On a slow machine that does other things too, a hundred seeds took longer than the 300 s that a test has."""
HALLS_SEEDS = (3, 8)

COMMON = {
    *(f"fault: {kind}" for kind in STANDBY_FAULTS),
    *("killed: now", "killed: send", "killed: after append", "killed while another one asked"),
    *("killed: journal broken", "killed: journal failed", "stopped", "stopped in the midst of a call", "snapshot"),
    *("commit in doubt was made", "commit in doubt was never made", "commit visible before the replica has it"),
    *("frozen when a commit was sent", "frozen when a commit was answered", "killed between questions of another one"),
    *("taken over from one that lives", "own old session ended", "left a server of the past"),
    *("match opened", "match shown", "ended: played", "ended: late", "ended: resigned", "ended: dropped"),
}
"""Marks of these runs; without one of them they would show nothing."""
COMMON_IN_HALLS = {
    *("fault: roster", "fault: slow-commit", "a hall is gone", "match of another hall shown"),
    *("rating of several halls", "ended: played", "ended: resigned", "ended: late", "killed: now"),
}


def test_whoever_leads_nothing_is_lost_and_nothing_told_twice() -> None:
    runs = [finished_run(seed) for seed in SEEDS]
    assert not COMMON - sum((run.marks for run in runs), Counter[str]()).keys(), "too little happened"
    assert diverging(runs[:HASHED]) == [], "another process came to something else"
    replicas = {run.plan.replica for run in runs if "rows lost" in run.marks}
    assert replicas == {ASYNCHRONOUS}, "only such a replica lacks rows"


def test_halls_side_by_side_share_ratings_records_and_the_roster() -> None:
    runs = [finished_run(seed, HallsPlan) for seed in HALLS_SEEDS]
    short = [finished_run(seed, HallsPlan, protocols=(TEXT,), bots=2) for seed in HALLS_SEEDS]
    assert not COMMON_IN_HALLS - sum((run.marks for run in runs + short), Counter[str]()).keys(), "too little happened"
    assert diverging(runs[:1]) == [], "another process came to something else"


@pytest.mark.slow
@pytest.mark.parametrize("kind", [StandbyPlan, HallsPlan])
def test_another_process_comes_to_the_same(kind: type[StandbyPlan]) -> None:
    assert diverging([finished_run(seed, kind) for seed in range(40)]) == []


def test_plans_know_all_faults() -> None:
    assert set(STANDBY_FAULTS) == set(STANDBY_FAULTS_BY_KIND)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 1_000 + SEEDS_MORE, CHUNK))
def test_more_seeds(first: int) -> None:
    for seed in range(first, first + CHUNK):
        finished_run(seed, HallsPlan if seed % 4 == 0 else StandbyPlan)


def finished_run(seed: int, kind: type[StandbyPlan] = StandbyPlan, **wanted: Any) -> Finished:
    return finished(kind(seed, **wanted))
