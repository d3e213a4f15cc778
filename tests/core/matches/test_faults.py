"""A bug in a protocol ends a connection: it costs nobody the match, and nobody gains by provoking one."""

import pytest
from attrs import evolve

from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Arrive, Book, Enter, Kick, Leave, Void
from gameserver.core.messages.events import (
    Accepted,
    GameEnded,
    MatchEnded,
    MatchShown,
    SeatDropped,
    SeatReturned,
    TurnStarted,
)
from gameserver.core.messages.identity import Proof
from gameserver.core.state.match import Cause, TurnClock
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest, read_snapshot, write_snapshot
from gameserver.policies import Rules
from gameserver.records.loss_explanation import blame, explanation
from gameserver.tournaments import acts
from gameserver.tournaments.model import PairingStatus, TournamentPhase, Verdict
from tests.core.organizer.test_conduct import GAMES as HALL_GAMES
from tests.core.organizer.test_conduct import RULES as HALL_RULES
from tests.core.organizer.test_conduct import Hall, why
from tests.support.games import Countdown, catalogue
from tests.support.journals import RowsOnly
from tests.support.lobbies import Table

MODULE = "bots.chat"
REASON = f"a bug in the server ({MODULE}) ended the connection"
GRACE_MS = 60_000
RULES = Rules(first_move_pause_ms=0, restart_grace_ms=GRACE_MS, table_game="Countdown")


def table_with(**rules: int) -> Table:
    return Table(catalogue(Countdown()), evolve(RULES, **rules))


def fault(table: Table, session: int) -> None:
    assert table.do(Leave(session, "closed", fault=MODULE)) == Accepted()


def opened(table: Table) -> tuple[str, str, int, int]:
    match, first, second = table.opened()
    return (*match.players, first, second)


def faulty(**rules: int) -> tuple[Table, str, str, int, int]:
    """A match whose mover has just lost its connection by a bug: the table, then the same as of `opened`."""
    table = table_with(**rules)
    mover, other, first, second = opened(table)
    fault(table, first)
    return table, mover, other, first, second


@pytest.mark.parametrize("grace_ms", [0, 5_000])
def test_player_keeps_seat_and_time_after_bug(grace_ms: int) -> None:
    table = table_with(drop_grace_ms=grace_ms)
    mover, _, first, second = opened(table)
    table.now_ms += 4_000
    fault(table, first)
    assert table.match().clock == TurnClock(left_ms=6_000)
    assert table.match().seats[0].absence.cause is Cause.FAULT
    assert table.hear(second) == [SeatDropped(1, 0, mover, table.now_ms + GRACE_MS)], "no word of an end"
    table.now_ms += GRACE_MS - 1
    table.time_up()
    assert 1 in table.lobby.matches
    assert table.enter(11, mover) == Accepted()
    shown, turn = table.hear(11)
    assert isinstance(shown, MatchShown)
    assert isinstance(turn, TurnStarted)
    assert turn.deadline_ms == table.now_ms + 6_000
    assert [type(event) for event in table.hear(second)] == [SeatReturned]
    assert table.play(11, "2") == Accepted()


def test_match_is_void_if_player_does_not_return_after_bug() -> None:
    table, mover, _, first, second = faulty()
    table.hear(second)
    table.now_ms += GRACE_MS
    table.time_up()
    game, match = table.hear(second)
    assert isinstance(game, GameEnded)
    assert isinstance(match, MatchEnded)
    (record,) = table.records
    assert [seat.result for seat in record.seats] == ["void", "void"]
    said = f"nobody lost, the match is void: {REASON} of {mover}, who did not come back in time"
    assert said in blame(record)
    assert said in explanation(record)


def test_opponent_plays_on_while_player_is_away_through_bug() -> None:
    """The opponent's own time runs: they are here."""
    table = table_with()
    mover, _, first, second = opened(table)
    table.play(first, "1")
    fault(table, first)
    table.now_ms += 1_000
    assert table.play(second, "1") == Accepted()
    assert table.match().clock == TurnClock(left_ms=10_000)
    table.enter(11, mover)
    assert table.play(11, "1") == Accepted()


def test_all_bugs_of_a_match_share_one_grace() -> None:
    """Whoever provokes them does not gain more time to think than by one."""
    table = table_with()
    mover, _, session, _ = opened(table)
    for round_number in range(1, 4):
        fault(table, session)
        table.now_ms += 20_000 - 1
        session = 10 + round_number
        table.enter(session, mover)
    fault(table, session)
    assert table.match().seats[0].absence.return_by_ms == table.now_ms + 3
    table.now_ms += 3
    table.time_up()
    assert table.records[0].reason == "void"


def test_player_who_was_gone_before_the_return_was_told_is_not_back() -> None:
    table, mover, _, first, _ = faulty()
    absence = table.match().seats[0].absence
    table.now_ms += 1_000
    table.enter(11, mover)
    table.do(Leave(11, unheard=True))
    assert table.match().seats[0].absence == absence
    table.enter(12, mover)
    assert table.play(12, "1") == Accepted()


def test_bug_after_grace_is_used_up_voids_at_once() -> None:
    table, _, _, first, _ = faulty(restart_grace_ms=0)
    assert table.records[0].reason == "void"


def test_opponent_who_leaves_meanwhile_does_not_void_the_match() -> None:
    table, mover, other, first, second = faulty()
    table.now_ms += 1_000
    table.leave(second)
    assert table.records == []
    table.now_ms += 1_000
    table.enter(11, mover)
    table.time_up()
    (record,) = table.records
    assert record.reason == "dropped"
    assert {seat.player: seat.result for seat in record.seats} == {mover: "win", other: "loss"}


def test_opponent_who_leaves_meanwhile_may_come_back() -> None:
    table, mover, other, first, second = faulty()
    table.leave(second)
    assert table.enter(12, other) == Accepted()
    assert table.enter(11, mover) == Accepted()
    assert table.play(11, "1") == Accepted()


def come_again_by_tables(table: Table, session: int, name: str) -> None:
    """Show on another connection who one is, and do not sit down."""
    again = Enter(session, name, "any", "10.0.0.1", (Capability.ROOMS,), standing=Proof.PROVEN)
    assert table.do(again) == Accepted()


@pytest.mark.parametrize("is_aside_first", [True, False])
def test_opponent_who_does_not_come_back_on_another_connection_does_not_void_the_match(is_aside_first: bool) -> None:
    table = table_with()
    for session, name in ((1, "ann"), (2, "bob")):
        table.enter_by_tables(session, name)
        table.sit(session)
    for session in (1, 2):
        table.ready(session)
    steps = [lambda: fault(table, 1), lambda: come_again_by_tables(table, 3, "bob")]
    for step in reversed(steps) if is_aside_first else steps:
        step()
        table.now_ms += 1_000
    table.now_ms += 40_000
    table.time_up()
    assert table.records == []
    table.enter_by_tables(4, "ann")
    table.sit(4)
    table.ready(4)
    table.now_ms += 30_000
    table.time_up()
    (record,) = table.records
    assert {seat.player: seat.result for seat in record.seats} == {"ann": "win", "bob": "loss"}


def test_match_is_void_if_both_are_away_when_time_for_the_bug_ends() -> None:
    table, mover, _, first, second = faulty()
    table.now_ms += 50_000
    table.leave(second)
    table.now_ms += 10_000
    table.time_up()
    (record,) = table.records
    assert record.reason == "void"
    assert mover in record.why


def test_grace_for_a_drop_stands_while_the_other_is_away_through_bug() -> None:
    """The player who dropped would lose; a bug of ours, which meets the other, must not save them."""
    table = table_with(drop_grace_ms=5_000)
    mover, other, first, second = opened(table)
    table.leave(first)
    table.now_ms += 4_000
    fault(table, second)
    table.now_ms += 30_000
    table.time_up()
    assert table.records == []
    table.enter(12, other)
    table.now_ms += 999
    table.time_up()
    assert table.records == [], "one second of the five is left"
    table.now_ms += 1
    table.time_up()
    (record,) = table.records
    assert {seat.player: seat.result for seat in record.seats} == {mover: "loss", other: "win"}


@pytest.mark.parametrize("restarts", [False, True])
def test_nobody_has_more_grace_for_a_drop_after_the_other_one_s_bug(*, restarts: bool) -> None:
    table = table_with(drop_grace_ms=5_000)
    mover, _, first, second = opened(table)
    table.leave(first)
    table.now_ms += 4_000
    fault(table, second)
    table.now_ms += 1_000
    if restarts:
        table.start()
    assert table.enter(11, mover) == Accepted()
    assert table.match().seats[0].grace_left_ms == 1_000


def test_both_may_meet_with_bugs() -> None:
    table, mover, other, first, second = faulty()
    table.now_ms += 10_000
    fault(table, second)
    table.enter(11, mover)
    table.enter(12, other)
    assert table.play(11, "1") == Accepted()
    assert table.play(12, "1") == Accepted()


def test_bug_after_restart_changes_nothing() -> None:
    table = table_with()
    mover, other, _, _ = opened(table)
    table.start()
    table.enter(11, mover)
    fault(table, 11)
    table.enter(12, other)
    table.enter(13, mover)
    assert table.play(13, "1") == Accepted()


def test_restart_while_player_is_away_through_bug() -> None:
    table, mover, other, first, _ = faulty()
    table.now_ms += 40_000
    table.start()
    assert table.match().seats[0].absence.cause is Cause.RESTART
    assert table.match().seats[0].fault_left_ms == 20_000
    table.enter(11, mover)
    table.enter(12, other)
    assert table.play(11, "1") == Accepted()


def test_practice_is_abandoned_without_loser_and_says_why() -> None:
    table = table_with()
    table.enter_anonymously(1)
    table.practise(1, "Countdown")
    fault(table, 1)
    (record,) = table.records
    assert record.reason == "abandoned"
    assert REASON in record.why
    assert {seat.result for seat in record.seats} == {"void"}, "nobody loses practice"


def test_room_is_kept_for_player_who_met_with_bug() -> None:
    table = table_with()
    for session, name in ((1, "ann"), (2, "bob")):
        table.enter_by_tables(session, name)
        table.sit(session)
    table.ready(1)
    table.ready(2)
    fault(table, 1)
    assert table.enter_by_tables(11, "ann") == Accepted()
    assert table.sit(11) == Accepted()
    assert table.ready(11) == Accepted()
    assert table.match().seats[0].session == 11
    assert table.play(11, "1") == Accepted()


def test_ticket_leads_back_to_the_seat_after_bug() -> None:
    table = table_with()
    for session, name in ((1, "gx-ann"), (2, "gx-bob")):
        table.do(Book(90, f"t{session}", name, name, "10.0.0.1", "Countdown"))
        table.do(Arrive(session, f"t{session}", name, "gammonx", "10.0.0.1", (Capability.READY,)))
    table.ready(1)
    fault(table, 2)
    assert table.match().clock.deadline_ms is None, "nobody is late while a bug keeps them away"
    table.now_ms += GRACE_MS - 1
    assert table.do(Arrive(12, "t2", "gx-bob", "gammonx", "10.0.0.1", (Capability.READY,))) == Accepted()
    table.ready(12)
    assert table.match().phase == "playing"


def test_seat_waits_for_player_who_had_not_heard_of_the_match() -> None:
    """A plain departure voids a match that has not begun; after a bug its player may come back to it."""
    table = table_with()
    table.do(Book(90, "t1", "gx-ann", "gx-ann", "10.0.0.1", "Countdown", open_to_queue=True))
    table.do(Arrive(1, "t1", "gx-ann", "gammonx", "10.0.0.1", (Capability.READY,)))
    table.enter(2, "bob")
    table.seek(2, "Countdown")
    fault(table, 2)
    table.enter(12, "bob")
    table.ready(1)
    assert table.match().phase == "playing"


def test_seat_after_bug_survives_snapshot_and_replay() -> None:
    table, mover, _, first, _ = faulty()
    journal = RowsOnly()
    journal.append(table.rows, ())
    assert digest(replay(journal, table.games).lobby) == digest(table.lobby)
    again = read_snapshot(write_snapshot(table.lobby, len(table.rows), table.now_ms), table.games)
    assert digest(again) == digest(table.lobby)
    assert again.matches[1].seats[0].absence.why == REASON


# In a tournament.


@pytest.fixture
def hall() -> Hall:
    return Hall(HALL_GAMES, HALL_RULES)


def leave_by_fault(hall: Hall, name: str) -> None:
    """Have a bug end a player's connection in a match, and let the time to come back pass."""
    fault(hall, hall.sessions[name])
    hall.now_ms += GRACE_MS
    for match in hall.matches:
        hall.time_up(match.id)


def back(hall: Hall, name: str) -> None:
    hall.sessions[name] = max(hall.sessions.values()) + 1
    assert hall.enter(hall.sessions[name], name) == Accepted()


def held_at(hall: Hall) -> list[int]:
    return [pairing.number for pairing in hall.row.state.held]


@pytest.fixture
def held(hall: Hall) -> Hall:
    """The first match is played again after a bug, and the second one waits for the teacher."""
    hall.run("ann", "bob", pause_ms=0)
    leave_by_fault(hall, "ann")
    assert [pairing.status for pairing in hall.row.state.pairings] == [PairingStatus.VOID, PairingStatus.ANNOUNCED]
    back(hall, "ann")
    leave_by_fault(hall, "ann")
    assert held_at(hall) == [2]
    return hall


def test_teacher_is_asked_the_second_time(held: Hall) -> None:
    assert held.matches == []
    back(held, "ann")
    assert held.matches == [], "it is not played again by itself"
    assert held.row.state.phase is TournamentPhase.RUNNING, "nor does the tournament end before it is decided"
    ruling = held.row.state.rulings[-1]
    assert (ruling.pairing, ruling.player) == (2, "ann")
    assert REASON in ruling.why


def test_teacher_has_held_match_played_again(held: Hall) -> None:
    back(held, "ann")
    assert held.act(acts.VoidPairing(2, by="teacher", why="it was our bug")) == Accepted()
    assert len(held.matches) == 1
    held.play_out()
    assert held.row.state.phase is TournamentPhase.OVER


def test_teacher_sets_result_of_held_match(held: Hall) -> None:
    assert held.act(acts.Correct(2, Verdict.SECOND, "teacher", "ann provoked it")) == Accepted()
    assert held.row.state.pairings[1].verdict is Verdict.SECOND
    assert held.row.state.phase is TournamentPhase.OVER


def test_held_match_outlasts_finish_and_ends_with_cancel(held: Hall) -> None:
    held.act(acts.Finish(0, by="teacher"))
    assert held.row.state.phase is TournamentPhase.FINISHING
    assert held_at(held) == [2]
    held.act(acts.Cancel(by="teacher", why="enough"))
    assert held.row.state.phase is TournamentPhase.CANCELLED


def test_held_match_does_not_hold_up_the_others(hall: Hall) -> None:
    hall.run("ann", "bob", "cyd", "dan", pause_ms=0)
    for _ in range(2):
        mine = next(match for match in hall.matches if "ann" in match.players)
        fault(hall, hall.sessions["ann"])
        hall.now_ms += GRACE_MS
        hall.time_up(mine.id)
        back(hall, "ann")
    assert len(held_at(hall)) == 1
    hall.play_out()
    assert all(
        pairing.status in (PairingStatus.DONE, PairingStatus.VOID, PairingStatus.HELD)
        for pairing in hall.row.state.pairings
    )
    counted = [pairing for pairing in hall.row.state.pairings if pairing.status is PairingStatus.DONE]
    assert len(counted) == 4 * 3 // 2 * hall.row.state.plan.games * hall.row.state.plan.cycles - 1


def test_several_bugs_in_one_match_count_as_one(hall: Hall) -> None:
    """A client that comes back at once meets with the same bug at every move."""
    hall.run("ann", "bob", pause_ms=0)
    for _ in range(5):
        fault(hall, hall.sessions["ann"])
        hall.now_ms += 1_000
        back(hall, "ann")
    leave_by_fault(hall, "ann")
    assert held_at(hall) == []
    assert hall.row.state.pairings[0].status is PairingStatus.VOID


def test_bugs_of_two_players_are_counted_apart(hall: Hall) -> None:
    hall.run("ann", "bob", pause_ms=0)
    leave_by_fault(hall, "ann")
    back(hall, "ann")
    leave_by_fault(hall, "bob")
    assert held_at(hall) == []


def test_teacher_who_voids_meanwhile_has_it_played_again(hall: Hall) -> None:
    hall.run("ann", "bob", pause_ms=0)
    leave_by_fault(hall, "ann")
    back(hall, "ann")
    fault(hall, hall.sessions["ann"])
    hall.do(Void(hall.matches[0].id, "the game made a mistake"))
    assert held_at(hall) == []


def test_kicked_player_is_no_victim_of_a_bug(hall: Hall) -> None:
    hall.run("ann", "bob", pause_ms=0)
    hall.do(Kick("ann", "enough", by="teacher"))
    assert hall.row.faults == {}
    assert hall.row.state.pairings[0].status is PairingStatus.DONE


def test_nobody_holds_a_match_from_outside(hall: Hall) -> None:
    hall.run("ann", "bob", pause_ms=0)
    assert "by themselves" in why(hall.act(acts.HoldPairing(1, "so there", "ann")))


@pytest.mark.parametrize("which", ["swiss", "cup"])
def test_rounds_that_rest_on_the_result_wait_for_the_decision(hall: Hall, which: str) -> None:
    hall.run("ann", "bob", "cyd", "dan", which=which, pause_ms=0)
    for _ in range(2):
        mine = next(match for match in hall.matches if "ann" in match.players)
        fault(hall, hall.sessions["ann"])
        hall.now_ms += GRACE_MS
        hall.time_up(mine.id)
        back(hall, "ann")
    (number,) = held_at(hall)
    hall.play_out()
    assert held_at(hall) == [number]
    assert hall.row.state.phase is TournamentPhase.RUNNING
    assert hall.act(acts.Correct(number, Verdict.FIRST, "teacher", "seen it")) == Accepted()
    hall.play_out()
    assert hall.row.state.phase is TournamentPhase.OVER
