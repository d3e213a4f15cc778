"""Who is told why a match was lost, and what."""

import pytest

from gameserver.core.messages.commands import Challenge
from gameserver.core.messages.events import EndReason, GameEnded, Why
from gameserver.policies import ReasonPolicy, Rules
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness


def ended(harness: LobbyHarness, session: int) -> GameEnded:
    (found,) = [event for event in harness.hear(session) if isinstance(event, GameEnded)]
    return found


def harness_with(reasons: ReasonPolicy) -> LobbyHarness:
    return LobbyHarness(catalogue(Countdown()), Rules(first_move_pause_ms=0, reasons=reasons))


def test_the_rule_that_was_broken_is_told_in_the_words_of_the_game() -> None:
    harness = harness_with(ReasonPolicy.ALWAYS)
    _, first, second = harness.opened()
    harness.play(first, "7")
    told = ended(harness, first)
    assert told.reason is EndReason.ILLEGAL
    assert told.why is not None
    assert told.why.rule
    assert "7" not in told.why.rule.split(":")[0]
    assert harness.records[-1].why == f"'7': {told.why.rule}"
    assert ended(harness, second).why == told.why


def test_a_move_that_was_late_is_told_with_how_late_it_was() -> None:
    harness = harness_with(ReasonPolicy.ALWAYS)
    _, first, _ = harness.opened()
    harness.now_ms += 10_400
    harness.play(first, "1")
    assert ended(harness, first).why == Why(turn_time_ms=10_000, late_ms=400)


@pytest.mark.parametrize(
    ("reasons", "against_house", "against_person"),
    [(ReasonPolicy.ALWAYS, True, True), (ReasonPolicy.HOUSE, True, False), (ReasonPolicy.NEVER, False, False)],
)
def test_the_rules_say_in_which_matches(reasons: ReasonPolicy, *, against_house: bool, against_person: bool) -> None:
    harness = harness_with(reasons)
    _, first, _ = harness.opened()
    harness.play(first, "7")
    assert (ended(harness, first).why is not None) == against_person
    harness.do(Challenge(first, "house-random", "Countdown"))
    harness.resign(first)
    assert (ended(harness, first).why is not None) == against_house


def test_a_journal_from_before_there_were_reasons_has_none() -> None:
    assert Rules().reasons is ReasonPolicy.NEVER
