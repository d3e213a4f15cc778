"""Absent players: how long a tournament waits for them, and who is not counted as absent."""

from gameserver.core.messages.commands import TimeUp, TournamentTimeUp
from gameserver.core.messages.events import Rejected
from gameserver.core.messages.rejections import Code
from gameserver.core.messages.tournament_commands import EntryMode
from gameserver.tournaments import acts
from gameserver.tournaments.model import PairingStatus
from tests.support.tournament_hall import RULES, Hall


def test_absent_player_is_waited_for_and_loses_by_not_coming(hall: Hall) -> None:
    hall.come("ann", "bob")
    hall.create(
        entry=EntryMode.ROSTER, roster=tuple(map(acts.RegisterEntrant, ("ann", "bob", "cyd"))), no_show_ms=60_000
    )
    hall.act(acts.StartTournament(0))
    hall.play_out()
    (waiting,) = [pairing for pairing in hall.row.state.pairings if pairing.status is PairingStatus.ANNOUNCED]
    assert "cyd" in waiting.seats
    assert hall.row.due_ms == hall.now_ms + 60_000
    assert hall.do(TournamentTimeUp(1)) == Rejected(Code.STALE)
    hall.now_ms += 60_000
    hall.do(TournamentTimeUp(1))
    pairing = hall.row.state.pairings[waiting.number - 1]
    assert (pairing.absent, pairing.played, pairing.reason) == (("cyd",), False, "no-show")
    hall.come("cyd")
    assert len(hall.matches) == 1, "who comes after all plays what is left"


def test_a_no_show_is_waited_for_once_in_an_encounter(hall: Hall) -> None:
    hall.come("ann")
    hall.create(entry=EntryMode.ROSTER, roster=tuple(map(acts.RegisterEntrant, ("ann", "bob"))), games=3)
    hall.act(acts.StartTournament(0))
    began_ms = hall.now_ms
    while hall.row.due_ms is not None:
        hall.now_ms = hall.row.due_ms
        hall.do(TournamentTimeUp(1))
    assert [pairing.absent for pairing in hall.row.state.pairings] == [("bob",)] * 3
    assert hall.now_ms - began_ms == hall.row.state.plan.no_show_ms
    assert not hall.row.state.is_out("bob"), "one encounter that was missed is one no-show"


def test_an_absent_player_who_comes_plays_the_rest_of_an_encounter(hall: Hall) -> None:
    hall.come("ann")
    hall.create(entry=EntryMode.ROSTER, roster=tuple(map(acts.RegisterEntrant, ("ann", "bob"))), games=3)
    hall.act(acts.StartTournament(0))
    hall.now_ms += hall.row.state.plan.no_show_ms
    hall.do(TournamentTimeUp(1))
    hall.come("bob")
    hall.now_ms = hall.row.due_ms or hall.now_ms
    hall.do(TournamentTimeUp(1))
    assert [pairing.status for pairing in hall.row.state.pairings] == [PairingStatus.DONE, PairingStatus.PLAYING]


def test_player_in_another_match_is_not_called(hall: Hall) -> None:
    hall.come("ann", "bob", "zoe")
    hall.challenge(1, "zoe", "Countdown")
    hall.accept(3)
    hall.create(
        entry=EntryMode.ROSTER, roster=(acts.RegisterEntrant("ann"), acts.RegisterEntrant("bob")), no_show_ms=1_000
    )
    hall.act(acts.StartTournament(0))
    (practice,) = hall.matches
    assert practice.scheduled is None
    hall.now_ms += 1_000
    hall.do(TournamentTimeUp(1))
    assert hall.row.state.open, "a player in another match is not absent"
    hall.end(practice, 0)
    (match,) = hall.matches
    assert set(match.players) == {"ann", "bob"}


def test_player_who_does_not_come_back_voids_the_match_and_is_waited_for(hall: Hall) -> None:
    hall.run("ann", "bob", no_show_ms=1_000)
    (match,) = hall.matches
    hall.start()
    hall.enter(20, "ann")
    hall.now_ms += RULES.restart_grace_ms
    hall.do(TimeUp(match.id))
    assert [pairing.status for pairing in hall.row.state.pairings] == [PairingStatus.VOID, PairingStatus.ANNOUNCED]
    hall.now_ms += 1_000
    hall.do(TournamentTimeUp(1))
    assert hall.row.state.pairings[1].absent == ("bob",)
