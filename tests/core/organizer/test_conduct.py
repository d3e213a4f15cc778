"""Acts of a teacher upon a tournament: voiding, pausing, finishing, entrants, corrections, and refusals."""

from gameserver.core.messages.commands import Void
from gameserver.core.messages.events import Accepted, Rejected
from gameserver.core.messages.rejections import Code
from gameserver.tournaments import acts
from gameserver.tournaments.model import PairingStatus, TournamentPhase, Verdict
from tests.support.tournament_hall import Hall, why


def test_a_void_match_ends_and_is_played_again(hall: Hall) -> None:
    hall.run("ann", "bob")
    (match,) = hall.matches
    assert "say why" in why(hall.act(acts.VoidPairing(1, by="teacher")))
    assert hall.act(acts.VoidPairing(1, by="teacher", why="the projector fell on ann")) == Accepted()
    (again,) = hall.matches
    assert again.id != match.id
    assert [pairing.status for pairing in hall.row.state.pairings] == [PairingStatus.VOID, PairingStatus.PLAYING]
    hall.play_out()
    assert hall.row.state.phase is TournamentPhase.OVER
    assert hall.row.state.rulings[0].by == "teacher"


def test_a_fault_of_ours_is_played_again_and_then_counts_as_a_draw(hall: Hall) -> None:
    hall.run("ann", "bob")
    for _ in range(3):
        (match,) = hall.matches
        hall.do(Void(match.id, "the game made a mistake"))
    assert hall.matches == []
    assert hall.row.state.pairings[-1].verdict is Verdict.DRAW
    assert hall.row.state.phase is TournamentPhase.OVER


def test_a_game_that_cannot_begin_does_not_hold_the_tournament_up(hall: Hall) -> None:
    hall.run("ann", "bob", game="Broken-start")
    assert hall.row.state.phase is TournamentPhase.OVER
    assert hall.row.state.pairings[-1].verdict is Verdict.DRAW


def test_a_paused_tournament_begins_nothing_and_goes_on(hall: Hall) -> None:
    hall.run("ann", "bob", "cyd")
    assert hall.act(acts.Pause(0, by="teacher", why="lunch")) == Accepted()
    hall.end(hall.matches[0], 0)
    assert hall.matches == []
    assert hall.row.due_ms is None
    assert hall.act(acts.Resume(0, by="teacher")) == Accepted()
    assert len(hall.matches) == 1
    assert [(ruling.what, ruling.why) for ruling in hall.row.state.rulings] == [("paused", "lunch"), ("resumed", "")]


def test_finish_lets_the_matches_end_and_stops(hall: Hall) -> None:
    hall.run("ann", "bob", "cyd")
    hall.act(acts.Finish(0, by="teacher"))
    assert hall.row.state.phase is TournamentPhase.FINISHING
    hall.end(hall.matches[0], 0)
    assert hall.row.state.phase is TournamentPhase.OVER
    hall.act(acts.Resume(0, by="teacher"))
    hall.play_out()
    assert len([pairing for pairing in hall.row.state.pairings if pairing.status is PairingStatus.DONE]) == 3


def test_players_are_added_dropped_and_disqualified(hall: Hall) -> None:
    hall.run("ann", "bob", "cyd")
    hall.come("dan")
    assert hall.act(acts.RegisterEntrant("dan", by="teacher")) == Accepted()
    assert any("dan" in match.players for match in hall.matches)
    assert hall.act(acts.WithdrawEntrant("cyd", by="teacher", why="ill")) == Accepted()
    assert hall.act(acts.Disqualify("bob", "teacher", "cheated")) == Accepted()
    hall.play_out()
    assert hall.row.state.phase is TournamentPhase.OVER


def test_a_result_is_corrected(hall: Hall) -> None:
    hall.run("ann", "bob")
    assert "being played" in why(hall.act(acts.Correct(1, Verdict.DRAW, "teacher", "x")))
    hall.play_out()
    assert hall.act(acts.Correct(1, Verdict.DRAW, "teacher", "both were right")) == Accepted()
    assert hall.row.state.pairings[0].verdict is Verdict.DRAW


def test_lobbys_own_acts_are_refused_from_others(hall: Hall) -> None:
    hall.run("ann", "bob")
    for act in (acts.Begin(1, 7), acts.Report(1, 1, Verdict.FIRST), acts.EndByTime(0)):
        assert "by themselves" in why(hall.act(act))


def test_refusals_say_what_is_wrong(hall: Hall) -> None:
    hall.come("ann", "bob")
    assert hall.create(game="Chess") == Rejected(Code.UNKNOWN_GAME, {"game": "Chess"})
    assert hall.act(acts.StartTournament(0), 7) == Rejected(Code.UNKNOWN_TOURNAMENT, {"tournament": "7"})
    hall.create()
    assert "choose another name" in why(hall.create())
    assert "no name" in why(hall.act(acts.RegisterEntrant(" ")))
    hall.act(acts.StartTournament(0))
    assert "running and cannot start" in why(hall.act(acts.StartTournament(0)))
