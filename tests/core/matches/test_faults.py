"""A bug in a protocol ends a connection: it costs nobody the match, and nobody gains by provoking one."""

import pytest
from attrs import evolve

from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Arrive, Book, Enter, Leave
from gameserver.core.messages.events import (
    Accepted,
)
from gameserver.core.messages.identity import Proof
from gameserver.core.state.match import Cause
from gameserver.policies import Rules
from tests.support.faults import GRACE_MS, fault
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness

RULES = Rules(first_move_pause_ms=0, restart_grace_ms=GRACE_MS, room_game="Countdown")


def harness_with(**rules: int) -> LobbyHarness:
    return LobbyHarness(catalogue(Countdown()), evolve(RULES, **rules))


def opened(harness: LobbyHarness) -> tuple[str, str, int, int]:
    match, first, second = harness.opened()
    return (*match.players, first, second)


def faulty(**rules: int) -> tuple[LobbyHarness, str, str, int, int]:
    """A match whose mover has just lost its connection by a bug: the harness, then the same as of `opened`."""
    harness = harness_with(**rules)
    mover, other, first, second = opened(harness)
    fault(harness, first)
    return harness, mover, other, first, second


def test_all_bugs_of_a_match_share_one_grace() -> None:
    """Whoever provokes them does not gain more time to think than by one."""
    harness = harness_with()
    mover, _, session, _ = opened(harness)
    for round_number in range(1, 4):
        fault(harness, session)
        harness.now_ms += 20_000 - 1
        session = 10 + round_number
        harness.enter(session, mover)
    fault(harness, session)
    assert harness.match().seats[0].absence.return_by_ms == harness.now_ms + 3
    harness.now_ms += 3
    harness.time_up()
    assert harness.records[0].reason == "void"


def test_player_who_was_gone_before_the_return_was_told_is_not_back() -> None:
    harness, mover, _, first, _ = faulty()
    absence = harness.match().seats[0].absence
    harness.now_ms += 1_000
    harness.enter(11, mover)
    harness.do(Leave(11, unheard=True))
    assert harness.match().seats[0].absence == absence
    harness.enter(12, mover)
    assert harness.play(12, "1") == Accepted()


def test_bug_after_grace_is_used_up_voids_at_once() -> None:
    harness, _, _, first, _ = faulty(restart_grace_ms=0)
    assert harness.records[0].reason == "void"


def test_opponent_who_leaves_meanwhile_does_not_void_the_match() -> None:
    harness, mover, other, first, second = faulty()
    harness.now_ms += 1_000
    harness.leave(second)
    assert harness.records == []
    harness.now_ms += 1_000
    harness.enter(11, mover)
    harness.time_up()
    (record,) = harness.records
    assert record.reason == "dropped"
    assert {seat.player: seat.result for seat in record.seats} == {mover: "win", other: "loss"}


def come_again_by_rooms(harness: LobbyHarness, session: int, name: str) -> None:
    """Show on another connection who one is, and do not sit down."""
    again = Enter(session, name, "any", "10.0.0.1", (Capability.ROOMS,), standing=Proof.PROVEN)
    assert harness.do(again) == Accepted()


@pytest.mark.parametrize("is_aside_first", [True, False])
def test_opponent_absent_on_another_connection_does_not_void_the_match(is_aside_first: bool) -> None:
    harness = harness_with()
    for session, name in ((1, "ann"), (2, "bob")):
        harness.enter_by_rooms(session, name)
        harness.sit(session)
    for session in (1, 2):
        harness.ready(session)
    steps = [lambda: fault(harness, 1), lambda: come_again_by_rooms(harness, 3, "bob")]
    for step in reversed(steps) if is_aside_first else steps:
        step()
        harness.now_ms += 1_000
    harness.now_ms += 40_000
    harness.time_up()
    assert harness.records == []
    harness.enter_by_rooms(4, "ann")
    harness.sit(4)
    harness.ready(4)
    harness.now_ms += 30_000
    harness.time_up()
    (record,) = harness.records
    assert {seat.player: seat.result for seat in record.seats} == {"ann": "win", "bob": "loss"}


def test_grace_for_a_drop_stands_while_the_other_is_away_through_bug() -> None:
    """The player who dropped would lose; a bug of ours, which meets the other, must not save them."""
    harness = harness_with(drop_grace_ms=5_000)
    mover, other, first, second = opened(harness)
    harness.leave(first)
    harness.now_ms += 4_000
    fault(harness, second)
    harness.now_ms += 30_000
    harness.time_up()
    assert harness.records == []
    harness.enter(12, other)
    harness.now_ms += 999
    harness.time_up()
    assert harness.records == [], "one second of the five is left"
    harness.now_ms += 1
    harness.time_up()
    (record,) = harness.records
    assert {seat.player: seat.result for seat in record.seats} == {mover: "loss", other: "win"}


@pytest.mark.parametrize("restarts", [False, True])
def test_nobody_has_more_grace_for_a_drop_after_the_other_one_s_bug(*, restarts: bool) -> None:
    harness = harness_with(drop_grace_ms=5_000)
    mover, _, first, second = opened(harness)
    harness.leave(first)
    harness.now_ms += 4_000
    fault(harness, second)
    harness.now_ms += 1_000
    if restarts:
        harness.start()
    assert harness.enter(11, mover) == Accepted()
    assert harness.match().seats[0].grace_left_ms == 1_000


def test_both_may_meet_with_bugs() -> None:
    harness, mover, other, first, second = faulty()
    harness.now_ms += 10_000
    fault(harness, second)
    harness.enter(11, mover)
    harness.enter(12, other)
    assert harness.play(11, "1") == Accepted()
    assert harness.play(12, "1") == Accepted()


def test_bug_after_restart_changes_nothing() -> None:
    harness = harness_with()
    mover, other, _, _ = opened(harness)
    harness.start()
    harness.enter(11, mover)
    fault(harness, 11)
    harness.enter(12, other)
    harness.enter(13, mover)
    assert harness.play(13, "1") == Accepted()


def test_restart_while_player_is_away_through_bug() -> None:
    harness, mover, other, first, _ = faulty()
    harness.now_ms += 40_000
    harness.start()
    assert harness.match().seats[0].absence.cause is Cause.RESTART
    assert harness.match().seats[0].fault_left_ms == 20_000
    harness.enter(11, mover)
    harness.enter(12, other)
    assert harness.play(11, "1") == Accepted()


def test_seat_waits_for_player_who_had_not_heard_of_the_match() -> None:
    """A plain departure voids a match that has not begun; after a bug its player may come back to it."""
    harness = harness_with()
    harness.do(Book(90, "t1", "gx-ann", "gx-ann", "10.0.0.1", "Countdown", open_to_queue=True))
    harness.do(Arrive(1, "t1", "gx-ann", "gammonx", "10.0.0.1", (Capability.READY,)))
    harness.enter(2, "bob")
    harness.seek(2, "Countdown")
    fault(harness, 2)
    harness.enter(12, "bob")
    harness.ready(1)
    assert harness.match().phase == "playing"
