"""Who is told why a match was lost, and what."""

import pytest

from gameserver.core.messages.events import Accepted, GameEnded, Why
from gameserver.core.state.match import AFTER_RESTART
from gameserver.policies import ReasonPolicy, Rules
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness


def ended(harness: LobbyHarness, session: int) -> GameEnded:
    (found,) = [event for event in harness.hear(session) if isinstance(event, GameEnded)]
    return found


def harness_with(reasons: ReasonPolicy) -> LobbyHarness:
    return LobbyHarness(catalogue(Countdown()), Rules(first_move_pause_ms=0, reasons=reasons))


def test_a_move_that_was_late_is_told_with_how_late_it_was() -> None:
    harness = harness_with(ReasonPolicy.ALWAYS)
    _, first, _ = harness.opened()
    harness.now_ms += 10_400
    harness.play(first, "1")
    assert ended(harness, first).why == Why(turn_time_ms=10_000, late_ms=400)


@pytest.mark.parametrize(
    ("before", "after", "is_first"),
    [
        ("11", "", True),
        ("11", "11", False),
        ("", "", False),  # nothing of its own was told again
        ("", "11", False),
    ],
)
def test_first_own_move_after_restart_is_named_as_such(before: str, after: str, *, is_first: bool) -> None:
    harness = harness_with(ReasonPolicy.ALWAYS)
    _, first, second = harness.opened()
    names = [harness.match().players[seat] for seat in (0, 1)]
    for turn, move in enumerate(before):
        harness.play((first, second)[turn % 2], move)
    harness.start()
    again = (11, 12)
    for session, name in zip(again, names, strict=True):
        harness.enter(session, name)
    harness.check_restored()
    for turn, move in enumerate(after):
        assert harness.play(again[turn % 2], move) == Accepted()
    harness.hear(again[0])
    harness.play(again[0], "7")
    told = ended(harness, again[0])
    assert told.why is not None
    assert told.why.after_restart is is_first
    note = f"'7': {told.why.rule}"
    assert harness.records[-1].why == (f"{AFTER_RESTART}, {note}" if is_first else note)
    assert told.winners == (1,), "the loss stands"
