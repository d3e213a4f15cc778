"""A bug ends a connection in a tournament: the match is played again once, and then the teacher decides."""

import pytest

from gameserver.core.messages.commands import Kick, Void
from gameserver.core.messages.events import Accepted
from gameserver.tournaments import acts
from gameserver.tournaments.model import PairingStatus, TournamentPhase, Verdict
from tests.support.faults import GRACE_MS, REASON, fault
from tests.support.tournament_hall import Hall, why


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


def test_pairing_voided_by_the_teacher_meanwhile_is_played_again(hall: Hall) -> None:
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
