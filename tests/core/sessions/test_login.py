"""Who is here: names, entering and leaving, messages, and the restart of the server."""

import pytest

from gameserver.core.messages.commands import Kick, Say
from gameserver.core.messages.events import Accepted, EndReason, GameEnded, MatchShown, Rejected, Said, TurnStarted
from gameserver.core.messages.rejections import Code
from gameserver.core.state.match import Cause, TurnClock
from gameserver.policies import ChatPolicy, Rules, SeatReturn
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness


def harness_with(**rules: object) -> LobbyHarness:
    return LobbyHarness(catalogue(Countdown()), Rules(first_move_pause_ms=0, **rules))


@pytest.mark.parametrize("name", ["ann", "Ann", "Zoë van Dijk", "x" * 64, "a,b", "'; --", "NULL", "42"])
def test_names_that_may_enter(name: str) -> None:
    harness = harness_with()
    assert harness.enter(1, name) == Accepted()


@pytest.mark.parametrize(
    "name",
    ["", " ", " ann", "ann ", "x" * 65, 'a"b', "a{b", "a}b", "a[b", "a]b", "a\nb", "a\tb", "a\x00b", "\u202eann"],
)
def test_names_that_break_the_rules(name: str) -> None:
    answer = harness_with().enter(1, name)
    assert isinstance(answer, Rejected)
    assert answer.code is Code.NAME_INVALID
    assert answer.facts["why"]


@pytest.mark.parametrize(
    "name",
    [
        "No player1 yet",
        "no PLAYER2 yet",
        "server",
        "house-random",
        "House-x",
        "mm-1",
        "gx-77",
        "281ccec7-0000-4000-8000-0123456789ab",
        "281CCEC7-0000-4000-8000-0123456789AB",
    ],
)
def test_names_that_are_reserved(name: str) -> None:
    assert harness_with().enter(1, name) == Rejected(Code.NAME_RESERVED, {"name": name})


def test_names_are_exact_in_case_and_single() -> None:
    harness = harness_with()
    harness.enter(1, "ann")
    assert harness.enter(2, "Ann") == Accepted()
    assert harness.enter(3, "ann") == Rejected(Code.NAME_TAKEN, {"name": "ann"})
    assert harness.enter(1, "other") == Rejected(Code.ALREADY_ENTERED)
    harness.leave(1)
    assert harness.enter(3, "ann") == Accepted()


def test_the_length_of_names_is_a_setting() -> None:
    assert isinstance(harness_with(name_length_max=3).enter(1, "anna"), Rejected)


def test_leaving_without_entering_changes_nothing() -> None:
    harness = harness_with()
    rows = len(harness.rows)
    assert harness.leave(5) == Rejected(Code.NOT_ENTERED)
    assert len(harness.rows) == rows


def test_messages_are_delivered_without_a_row() -> None:
    harness = harness_with()
    harness.enter(1, "ann")
    harness.enter(2, "bob")
    rows = len(harness.rows)
    assert harness.do(Say(1, "bob", "hello")) == Accepted()
    assert harness.hear(2) == [Said("ann", "hello")]
    assert len(harness.rows) == rows


@pytest.mark.parametrize(
    ("to", "code"),
    [("ann", Code.SAY_SELF), ("zed", Code.UNKNOWN_PLAYER), ("house-random", Code.CANNOT_RECEIVE)],
)
def test_messages_that_cannot_arrive(to: str, code: Code) -> None:
    harness = harness_with()
    harness.enter(1, "ann")
    answer = harness.do(Say(1, to, "hello"))
    assert isinstance(answer, Rejected)
    assert answer.code is code


@pytest.mark.parametrize(
    ("messages", "in_match", "arrives"),
    [
        (ChatPolicy.ALWAYS, True, True),
        (ChatPolicy.OUTSIDE_MATCHES, True, False),
        (ChatPolicy.OUTSIDE_MATCHES, False, True),
        (ChatPolicy.NEVER, False, False),
    ],
)
def test_when_messages_are_delivered_is_a_setting(messages: ChatPolicy, *, in_match: bool, arrives: bool) -> None:
    harness = harness_with(messages=messages)
    _, first, second = harness.opened()
    if not in_match:
        harness.resign(1)
    harness.heard.clear()
    harness.do(Say(1, "bob", "hello"))
    assert bool(harness.hear(2)) is arrives


def test_a_restart_keeps_matches_and_stops_their_clocks() -> None:
    harness = harness_with()
    match, first, second = harness.opened()
    harness.play(first, "2")
    harness.enter(3, "cyd")
    harness.seek(3, "Countdown")
    harness.challenge(3, match.players[0], "Countdown")
    harness.now_ms += 4_000
    harness.start()
    lobby = harness.lobby
    assert (lobby.players, lobby.sessions, lobby.queues, lobby.challenges) == ({}, {}, {}, {})
    assert harness.match().clock == TurnClock(left_ms=6_000)
    assert {holder.absence.cause for holder in harness.match().seats if holder.absence} == {Cause.RESTART}


def test_after_a_restart_the_clock_runs_when_the_mover_is_back() -> None:
    harness = harness_with()
    match, first, second = harness.opened()
    harness.play(first, "2")
    harness.now_ms += 4_000
    harness.start()
    harness.now_ms += 50_000
    harness.enter(11, match.players[0])
    assert [type(event) for event in harness.hear(11)] == [MatchShown]
    assert harness.match().clock == TurnClock(left_ms=6_000)
    harness.enter(12, match.players[1])
    shown, turn = harness.hear(12)
    assert isinstance(shown, MatchShown)
    assert isinstance(turn, TurnStarted)
    assert turn.deadline_ms == harness.now_ms + 6_000
    assert harness.play(12, "2") == Accepted()


def test_restarts_in_quick_succession_give_nobody_time() -> None:
    harness = LobbyHarness(catalogue(Countdown()), Rules(first_move_pause_ms=100))
    match, first, _ = harness.opened()
    harness.play(first, "2")
    for _ in range(5):
        harness.start()
        harness.enter(11, match.players[0])
        harness.enter(12, match.players[1])
        harness.now_ms += 20
    harness.start()
    assert harness.match().clock == TurnClock(left_ms=10_000)


def test_a_seat_that_stays_empty_after_a_restart_makes_the_match_void() -> None:
    harness = harness_with(restart_grace_ms=60_000)
    match, first, second = harness.opened()
    harness.start()
    harness.enter(11, match.players[0])
    harness.hear(11)
    harness.play(11, "1")
    harness.now_ms += 59_999
    harness.time_up()
    assert 1 in harness.lobby.matches
    harness.now_ms += 1
    harness.time_up()
    (end,) = [event for event in harness.hear(11) if isinstance(event, GameEnded)]
    assert end.reason is EndReason.VOID
    assert [seat.result for seat in harness.records[0].seats] == ["void", "void"]


@pytest.mark.parametrize("grace_ms", [0, 5_000])
def test_returning_and_leaving_before_the_others_are_back_decides_nothing(grace_ms: int) -> None:
    harness = harness_with(drop_grace_ms=grace_ms)
    match, _, _ = harness.opened()
    harness.start()
    harness.enter(11, match.players[0])
    harness.leave(11)
    assert list(harness.lobby.matches) == [1]
    harness.enter(12, match.players[1])
    harness.enter(13, match.players[0])
    assert harness.play(13, "1") == Accepted()


def test_house_matches_go_on_after_a_restart() -> None:
    harness = harness_with()
    harness.enter(1, "ann")
    harness.challenge(1, "house-random", "Countdown")
    while not harness.match().seats[harness.match().turn.seats[0]].is_house:
        harness.play(1, "1")
    harness.heard.clear()
    harness.start()
    (turn,) = harness.hear(0)
    assert isinstance(turn, TurnStarted)


def test_a_seat_may_be_taken_back_from_anywhere_where_the_setting_says_so() -> None:
    harness = harness_with(seat_return=SeatReturn.ANY_ADDRESS)
    match, _, _ = harness.opened()
    harness.start()
    assert harness.enter(11, match.players[0], "192.0.2.7") == Accepted()


def test_a_kick_is_a_lost_connection_that_the_teacher_made() -> None:
    harness = harness_with(drop_grace_ms=5_000)
    match, first, second = harness.opened()
    name = match.players[0]
    assert harness.do(Kick(name, "floods", "Ms Reed")) == Accepted()
    assert name not in harness.lobby.players
    assert harness.match().seats[0].absence is not None
    assert harness.leave(first) == Rejected(Code.NOT_ENTERED)
    assert harness.do(Kick(name, "floods", "Ms Reed")) == Rejected(Code.UNKNOWN_PLAYER, {"player": name})
    assert harness.enter(3, name) == Accepted()
    assert harness.match().seats[0].session == 3
