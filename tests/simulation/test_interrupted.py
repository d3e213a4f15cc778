"""Tournaments with kills, drops and no-shows end as those without; `--interrupted` holds more of them."""

from collections import Counter

import pytest
from attrs import evolve

from tests.simulation.interrupted import Held
from tests.simulation.interrupted_plan import Interrupted
from tests.simulation.plan import TEXT
from tests.simulation.run import Failure, Finished, hold_in_peace, interrupt, simulate
from tests.simulation.shrink import shrink

SEEDS = (14, 22, 25, 31, 42, 47)
"""Short ones, in which everything comes to pass."""
SEEDS_MORE = 60
SHRINK_RUNS = 12
KILLED_EVERYWHERE = 37
KILLED_EVERYWHERE_TOO = (31, 43, 12)
"""Short tournaments too, of other games and formats."""
DOOMS = ("before append", "after append", "send")

COMMON = {
    *("killed: now", "killed: before append", "killed: after append", "killed: send", "stopped", "snapshot"),
    *("fault: drop", "fault: reset", "fault: vanish", "fault: failing-commit", "fault: stall"),
    *("tournament over: round-robin", "tournament over: swiss", "tournament over: knockout"),
    *("tournament act: Pause", "tournament act: Resume", "tournament act: VoidPairing", "tournament played again"),
    *("ended: resigned", "ended: late", "ended: dropped", "ended: illegal move"),
    *("room opened", "room shown", "match opened", "match shown", "did not come"),
    *("hub match-started", "hub match-ended"),
}
"""What happens in these tournaments; if it did not, they would show nothing."""


def found_nothing(outcome: Finished | Failure) -> Finished:
    if isinstance(outcome, Failure):
        smallest = shrink(outcome, SHRINK_RUNS)
        pytest.fail(f"{smallest.report()}\nfound by: {outcome.plan.command()}", pytrace=False)
    return outcome


def test_interruptions_change_no_standings() -> None:
    finished = [found_nothing(simulate(Interrupted(seed))) for seed in SEEDS]
    marks = Counter[str]()
    for run in finished:
        marks += run.marks
    assert not COMMON - marks.keys(), "too little happened"


def test_a_kill_at_any_row_changes_no_standings() -> None:
    plan, peaceful = in_peace(KILLED_EVERYWHERE)
    for row in range(1, peaceful.journal_rows + 1):
        found_nothing(interrupt(evolve(plan, kill_after=row, doom=DOOMS[row % 3]), peaceful))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [KILLED_EVERYWHERE, *KILLED_EVERYWHERE_TOO])
def test_a_kill_at_any_step_of_any_row_changes_no_standings(seed: int) -> None:
    plan, peaceful = in_peace(seed)
    for row in range(1, peaceful.journal_rows + 1):
        for doom in DOOMS:
            found_nothing(interrupt(evolve(plan, kill_after=row, doom=doom), peaceful))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 100 + SEEDS_MORE))
def test_more_interruptions_change_no_standings(seed: int) -> None:
    found_nothing(simulate(Interrupted(seed)))


def in_peace(seed: int) -> tuple[Interrupted, Held]:
    plan = Interrupted(seed, protocols=(TEXT,))
    peaceful = hold_in_peace(plan)
    assert not isinstance(peaceful, Failure), peaceful.report()
    return plan, peaceful
