"""A bug ends a connection in a tournament: the match is played again once, and then the teacher decides."""

import pytest

from gameserver.core.messages.commands import Kick
from gameserver.core.messages.events import Accepted
from gameserver.tournaments import acts
from gameserver.tournaments.model import PairingStatus, TournamentPhase, Verdict
from tests.support.faults import GRACE_MS, fault
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


def test_teacher_sets_result_of_held_match(held: Hall) -> None:
    assert held.act(acts.Correct(2, Verdict.SECOND, "teacher", "ann provoked it")) == Accepted()
    assert held.row.state.pairings[1].verdict is Verdict.SECOND
    assert held.row.state.phase is TournamentPhase.OVER


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
