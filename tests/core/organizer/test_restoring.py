"""Old tournaments, which leave the lobby and are restored."""

import pytest
from attrs import evolve

from gameserver.core.commands import EntryMode, RestoreTournament
from gameserver.core.events import Accepted, Code, Rejected
from gameserver.core.organizer import KEPT_MAX, MATCHES_KEPT_MAX
from gameserver.tournaments import model
from gameserver.tournaments.model import TournamentPhase, Verdict
from tests.support.tournament_hall import Hall


def test_a_restored_tournament_is_corrected_and_its_games_replayed(hall: Hall) -> None:
    hall.run("ann", "bob")
    hall.play_out()
    old = hall.row
    restoring = RestoreTournament(1, old.state, old.entry, old.created_wall_ms, old.started_wall_ms, old.ended_wall_ms)
    assert hall.do(restoring) == Accepted()
    assert hall.row is old, "the lobby has it"
    for number in range(2, KEPT_MAX + 3):
        hall.create(name=f"Cup {number}", entry=EntryMode.ROSTER)
        hall.act(model.Cancel("teacher"), number)
    assert 1 not in hall.lobby.tournaments
    assert hall.do(restoring) == Accepted()
    assert hall.lobby.tournaments[1].state == old.state
    assert len(hall.lobby.tournaments) == KEPT_MAX
    assert hall.act(model.Correct(1, Verdict.DRAW, "teacher", "the board shows it"), 1) == Accepted()
    assert hall.act(model.VoidPairing(1, "teacher", "wrong bot"), 1) == Accepted()
    assert len(hall.matches) == 1, "it is played again"
    assert hall.lobby.tournaments[1].state.phase is TournamentPhase.RUNNING


def test_matches_for_practice_take_no_place_of_an_event(hall: Hall) -> None:
    for number in range(1, KEPT_MAX + 1):
        hall.create(name=f"Cup {number}", entry=EntryMode.ROSTER)
        hall.act(model.Cancel("teacher"), number)
    for number in range(KEPT_MAX + 1, 3 * KEPT_MAX):
        hall.create(name=f"ann - bob {number}", entry=EntryMode.ROSTER, event=False)
        hall.act(model.Cancel("teacher"), number)
    kept = list(hall.lobby.tournaments)
    assert kept[:KEPT_MAX] == list(range(1, KEPT_MAX + 1)), "every event is there"
    assert len(kept) <= KEPT_MAX + MATCHES_KEPT_MAX + 1
    old = hall.lobby.tournaments[kept[-1]]
    for _ in range(MATCHES_KEPT_MAX + 1):
        hall.create(name="ann - bob", entry=EntryMode.ROSTER, event=False)
        hall.act(model.Cancel("teacher"), max(hall.lobby.tournaments))
    assert old.number not in hall.lobby.tournaments
    hall.do(RestoreTournament(old.number, old.state, old.entry))
    assert old.number in hall.lobby.tournaments, "one that is taken back stays for the act that needs it"


@pytest.mark.parametrize(("number", "phase"), [(9, TournamentPhase.OVER), (1, TournamentPhase.RUNNING)])
def test_only_what_was_and_is_over_is_restored(hall: Hall, number: int, phase: TournamentPhase) -> None:
    hall.create()
    state = evolve(hall.row.state, phase=phase)
    del hall.lobby.tournaments[1]
    assert hall.do(RestoreTournament(number, state)) == Rejected(Code.UNKNOWN_TOURNAMENT, {"tournament": str(number)})
    assert hall.lobby.tournaments == {}
