"""Tournaments with kills, drops and no-shows end as those without; `--interrupted` holds more of them."""

from collections import Counter

import pytest
from attrs import evolve

from tests.simulation.interrupted import Held
from tests.simulation.plan import TEXT, Interrupted
from tests.simulation.run import finished

SEEDS = (14, 22, 25, 31, 42, 47)
"""Short ones, in which everything comes to pass."""
SEEDS_MORE = 60
KILLED_EVERYWHERE = 59
OF_STAGES = 71
"""A short one of groups and a knockout."""
KILLED_EVERYWHERE_TOO = (31, 43, 12)
"""Short tournaments too, of other games and formats."""
DOOMS = ("before append", "after append", "send")

COMMON = {
    *("killed: now", "killed: before append", "killed: after append", "killed: send", "stopped", "snapshot"),
    *("fault: drop", "fault: reset", "fault: vanish", "fault: failing-commit", "fault: stall"),
    *("tournament over: round-robin", "tournament over: swiss", "tournament over: knockout"),
    *("tournament act: Pause", "tournament act: Resume", "tournament act: VoidPairing", "tournament played again"),
    "tournament act: FeaturePairing",
    *("ended: resigned", "ended: late", "ended: dropped", "ended: illegal move"),
    *("room opened", "room shown", "match opened", "match shown", "did not come"),
    *("hub match-started", "hub match-ended"),
}
"""Marks of these tournaments; without one of them they would show nothing."""


def test_interruptions_change_no_standings() -> None:
    marks = sum((finished(Interrupted(seed)).marks for seed in SEEDS), Counter[str]())
    assert not COMMON - marks.keys(), "too little happened"


def test_a_kill_at_any_row_changes_no_standings() -> None:
    plan, peaceful = in_peace(KILLED_EVERYWHERE)
    for row in range(1, peaceful.journal_rows + 1):
        finished(evolve(plan, kill_after=row, doom=DOOMS[row % 3]), peaceful)


def test_a_kill_around_the_passage_to_the_next_stage_changes_no_standings() -> None:
    plan, peaceful = in_peace(OF_STAGES)
    assert peaceful.next_stage_row
    for row in range(peaceful.next_stage_row - 1, peaceful.next_stage_row + 2):
        for doom in DOOMS:
            finished(evolve(plan, kill_after=row, doom=doom), peaceful)


# Some hundred runs: on a busy machine they took longer than the 300 s that a test has.
@pytest.mark.timeout(1800)
@pytest.mark.slow
@pytest.mark.parametrize("seed", [KILLED_EVERYWHERE, *KILLED_EVERYWHERE_TOO, OF_STAGES])
def test_a_kill_at_any_step_of_any_row_changes_no_standings(seed: int) -> None:
    plan, peaceful = in_peace(seed)
    for row in range(1, peaceful.journal_rows + 1):
        for doom in DOOMS:
            finished(evolve(plan, kill_after=row, doom=doom), peaceful)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 100 + SEEDS_MORE))
def test_more_interruptions_change_no_standings(seed: int) -> None:
    finished(Interrupted(seed))


def in_peace(seed: int) -> tuple[Interrupted, Held]:
    plan = Interrupted(seed, protocols=(TEXT,))
    held = finished(plan.in_peace()).held
    assert held is not None
    return plan, held
