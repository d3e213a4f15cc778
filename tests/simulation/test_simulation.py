"""Some seeds of the simulator. `python -m tests.simulation` runs more of them."""

from collections import Counter

import pytest

from tests.simulation.faults import FAULTS_BY_KIND
from tests.simulation.plan import Plan
from tests.simulation.power import POINTS
from tests.simulation.run import Finished, diverging, finished, simulate

SEEDS = (2, 3, 4, 6, 7, 9, 15, 16, 19, 20, 21, 22, 24, 31, 34)
"""Short ones, in which everything comes to pass, and nearly everything twice."""
HASHED = 3
SEEDS_MORE = 400
CHUNK = 25
"""On a slow machine that does other things too, a hundred seeds took longer than the 300 s that a test has."""

COMMON = {
    *(f"fault: {kind}" for kind in FAULTS_BY_KIND),
    *(f"killed: {point}" for point in ("now", *POINTS) if "snapshot" not in point),  # those are seldom
    *("stopped", "snapshot", "committed on the event loop", "committed in the thread", "data file opened"),
    *("ended: played", "ended: resigned", "ended: late", "ended: illegal move", "ended: dropped", "ended: void"),
    *("match opened", "match shown", "commit failed", "move ok", "move refused", "accept ok", "challenge ok"),
    *("room opened", "room shown", "room overtaken", "room answered late", "room game over", "room error"),
    *("mastermind answered", "mastermind ended", "mastermind accepted", "mastermind guess refused", "ended: abandoned"),
    *("tournament act: StartTournament", "tournament over: round-robin"),
    *("a match with banks", "a bank is charged", "a bank is used up"),
    *("join 200", "join 400", "JoinMatch ok", "StartGame ok", "Move ok", "EndTurn ok", "hub match-ended"),
}
"""Marks of these runs; without one of them they would show nothing."""


def test_seeds() -> None:
    runs = [finished(Plan(seed)) for seed in SEEDS]
    assert not COMMON - sum((run.marks for run in runs), Counter[str]()).keys(), "too little happened"
    assert diverging(runs[:HASHED]) == [], "another process came to something else"


@pytest.mark.slow  # a few find what a change breaks, and more of them what nobody has thought of
@pytest.mark.parametrize("first", range(1_000, 1_000 + SEEDS_MORE, CHUNK))
def test_more_seeds(first: int) -> None:
    for seed in range(first, first + CHUNK):
        finished(Plan(seed))


@pytest.mark.slow
def test_another_process_comes_to_the_same() -> None:
    assert diverging([finished(Plan(seed)) for seed in range(40)]) == []


def test_a_smaller_run_is_the_same_run_up_to_its_end() -> None:
    """Shrinking relies on it: what is left out changes nothing for those who did not notice."""
    whole, part = Plan(4), Plan(4, steps=50)
    assert whole.bots == part.bots
    assert whole.rules() == part.rules()
    assert whole.rates() == part.rates()
    assert isinstance(simulate(part), Finished)
