"""The rules of the simulator that have an arithmetic of their own."""

import pytest

from gameserver.engine.alarm import PATIENCE_MS
from gameserver.engine.clock import HEARTBEAT_MS
from tests.simulation.invariants import DECIDED_WITHIN_MS, over_by_ms

DEADLINE_MS, MARGIN_MS = 10_000, 200
FINAL_MS = DEADLINE_MS + MARGIN_MS + PATIENCE_MS + HEARTBEAT_MS
"""From this time on, the alarm ends the turn at its next look."""


@pytest.mark.parametrize("looks_ms", [[], [9_000, FINAL_MS - HEARTBEAT_MS, FINAL_MS]])
def test_turn_may_be_told_again_while_the_alarm_rests(looks_ms: list[int]) -> None:
    now_ms = FINAL_MS + 990
    assert over_by_ms(DEADLINE_MS, MARGIN_MS, looks_ms, now_ms) == now_ms


@pytest.mark.parametrize("rested_ms", [1, 1_000])
def test_turn_is_over_soon_after_the_first_look_that_ends_it(rested_ms: int) -> None:
    looks_ms = [9_000, FINAL_MS, FINAL_MS + rested_ms, FINAL_MS + rested_ms + HEARTBEAT_MS]
    over_ms = over_by_ms(DEADLINE_MS, MARGIN_MS, looks_ms, now_ms=FINAL_MS + 9_000)
    assert over_ms == FINAL_MS + rested_ms + DECIDED_WITHIN_MS
