"""Who is here: names, entering and leaving, messages, and the restart of the server."""

import pytest

from gameserver.core.messages.commands import Kick, Say
from gameserver.core.messages.events import Accepted, EndReason, GameEnded, MatchShown, Rejected, Said, TurnStarted
from gameserver.core.messages.rejections import Code
from gameserver.core.state.match import Cause, TurnClock
from gameserver.policies import ChatPolicy, Rules, SeatReturn
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import Table


def table_with(**rules: object) -> Table:
    return Table(catalogue(Countdown()), Rules(first_move_pause_ms=0, **rules))


@pytest.mark.parametrize("name", ["ann", "Ann", "Zoë van Dijk", "x" * 64, "a,b", "'; --", "NULL", "42"])
def test_names_that_may_enter(name: str) -> None:
    table = table_with()
    assert table.enter(1, name) == Accepted()


@pytest.mark.parametrize(
    "name",
    ["", " ", " ann", "ann ", "x" * 65, 'a"b', "a{b", "a}b", "a[b", "a]b", "a\nb", "a\tb", "a\x00b", "\u202eann"],
)
def test_names_that_break_the_rules(name: str) -> None:
    answer = table_with().enter(1, name)
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
    assert table_with().enter(1, name) == Rejected(Code.NAME_RESERVED, {"name": name})


def test_names_are_exact_in_case_and_single() -> None:
    table = table_with()
    table.enter(1, "ann")
    assert table.enter(2, "Ann") == Accepted()
    assert table.enter(3, "ann") == Rejected(Code.NAME_TAKEN, {"name": "ann"})
    assert table.enter(1, "other") == Rejected(Code.ALREADY_ENTERED)
    table.leave(1)
    assert table.enter(3, "ann") == Accepted()


def test_the_length_of_names_is_a_setting() -> None:
    assert isinstance(table_with(name_length_max=3).enter(1, "anna"), Rejected)


def test_leaving_without_entering_changes_nothing() -> None:
    table = table_with()
    rows = len(table.rows)
    assert table.leave(5) == Rejected(Code.NOT_ENTERED)
    assert len(table.rows) == rows


def test_messages_are_delivered_without_a_row() -> None:
    table = table_with()
    table.enter(1, "ann")
    table.enter(2, "bob")
    rows = len(table.rows)
    assert table.do(Say(1, "bob", "hello")) == Accepted()
    assert table.hear(2) == [Said("ann", "hello")]
    assert len(table.rows) == rows


@pytest.mark.parametrize(
    ("to", "code"),
    [("ann", Code.SAY_SELF), ("zed", Code.UNKNOWN_PLAYER), ("house-random", Code.CANNOT_RECEIVE)],
)
def test_messages_that_cannot_arrive(to: str, code: Code) -> None:
    table = table_with()
    table.enter(1, "ann")
    answer = table.do(Say(1, to, "hello"))
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
    table = table_with(messages=messages)
    _, first, second = table.opened()
    if not in_match:
        table.resign(1)
    table.heard.clear()
    table.do(Say(1, "bob", "hello"))
    assert bool(table.hear(2)) is arrives


def test_a_restart_keeps_matches_and_stops_their_clocks() -> None:
    table = table_with()
    match, first, second = table.opened()
    table.play(first, "2")
    table.enter(3, "cyd")
    table.seek(3, "Countdown")
    table.challenge(3, match.players[0], "Countdown")
    table.now_ms += 4_000
    table.start()
    lobby = table.lobby
    assert (lobby.players, lobby.sessions, lobby.queues, lobby.challenges) == ({}, {}, {}, {})
    assert table.match().clock == TurnClock(left_ms=6_000)
    assert {holder.absence.cause for holder in table.match().seats if holder.absence} == {Cause.RESTART}


def test_after_a_restart_the_clock_runs_when_the_mover_is_back() -> None:
    table = table_with()
    match, first, second = table.opened()
    table.play(first, "2")
    table.now_ms += 4_000
    table.start()
    table.now_ms += 50_000
    table.enter(11, match.players[0])
    assert [type(event) for event in table.hear(11)] == [MatchShown]
    assert table.match().clock == TurnClock(left_ms=6_000)
    table.enter(12, match.players[1])
    shown, turn = table.hear(12)
    assert isinstance(shown, MatchShown)
    assert isinstance(turn, TurnStarted)
    assert turn.deadline_ms == table.now_ms + 6_000
    assert table.play(12, "2") == Accepted()


def test_restarts_in_quick_succession_give_nobody_time() -> None:
    table = Table(catalogue(Countdown()), Rules(first_move_pause_ms=100))
    match, first, _ = table.opened()
    table.play(first, "2")
    for _ in range(5):
        table.start()
        table.enter(11, match.players[0])
        table.enter(12, match.players[1])
        table.now_ms += 20
    table.start()
    assert table.match().clock == TurnClock(left_ms=10_000)


def test_a_seat_that_stays_empty_after_a_restart_makes_the_match_void() -> None:
    table = table_with(restart_grace_ms=60_000)
    match, first, second = table.opened()
    table.start()
    table.enter(11, match.players[0])
    table.hear(11)
    table.play(11, "1")
    table.now_ms += 59_999
    table.time_up()
    assert 1 in table.lobby.matches
    table.now_ms += 1
    table.time_up()
    (end,) = [event for event in table.hear(11) if isinstance(event, GameEnded)]
    assert end.reason is EndReason.VOID
    assert [seat.result for seat in table.records[0].seats] == ["void", "void"]


def test_after_a_return_a_drop_is_a_drop_again() -> None:
    table = table_with()
    match, _, _ = table.opened()
    table.start()
    table.enter(11, match.players[0])
    table.enter(12, match.players[1])
    table.leave(12)
    assert table.records[0].reason == "dropped"


@pytest.mark.parametrize("grace_ms", [0, 5_000])
def test_who_comes_back_and_leaves_before_the_others_are_back_decides_nothing(grace_ms: int) -> None:
    table = table_with(drop_grace_ms=grace_ms)
    match, _, _ = table.opened()
    table.start()
    table.enter(11, match.players[0])
    table.leave(11)
    assert list(table.lobby.matches) == [1]
    table.enter(12, match.players[1])
    table.enter(13, match.players[0])
    assert table.play(13, "1") == Accepted()


def test_house_matches_go_on_after_a_restart() -> None:
    table = table_with()
    table.enter(1, "ann")
    table.challenge(1, "house-random", "Countdown")
    while not table.match().seats[table.match().turn.seats[0]].is_house:
        table.play(1, "1")
    table.heard.clear()
    table.start()
    (turn,) = table.hear(0)
    assert isinstance(turn, TurnStarted)


def test_a_seat_may_be_taken_back_from_anywhere_where_the_setting_says_so() -> None:
    table = table_with(seat_return=SeatReturn.ANY_ADDRESS)
    match, _, _ = table.opened()
    table.start()
    assert table.enter(11, match.players[0], "192.0.2.7") == Accepted()


def test_a_kick_is_a_lost_connection_that_the_teacher_made() -> None:
    table = table_with(drop_grace_ms=5_000)
    match, first, second = table.opened()
    name = match.players[0]
    assert table.do(Kick(name, "floods", "Ms Reed")) == Accepted()
    assert name not in table.lobby.players
    assert table.match().seats[0].absence is not None
    assert table.leave(first) == Rejected(Code.NOT_ENTERED)
    assert table.do(Kick(name, "floods", "Ms Reed")) == Rejected(Code.UNKNOWN_PLAYER, {"player": name})
    assert table.enter(3, name) == Accepted()
    assert table.match().seats[0].session == 3
