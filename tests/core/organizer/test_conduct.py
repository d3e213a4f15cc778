"""Acts of a teacher upon a tournament: entrants and refusals."""

from gameserver.core.messages.events import Accepted, Rejected
from gameserver.core.messages.rejections import Code
from gameserver.tournaments import acts
from gameserver.tournaments.model import TournamentPhase, Verdict
from tests.support.tournament_hall import Hall, why


def test_a_game_that_cannot_begin_does_not_hold_the_tournament_up(hall: Hall) -> None:
    hall.run("ann", "bob", game="Broken-start")
    assert hall.row.state.phase is TournamentPhase.OVER
    assert hall.row.state.pairings[-1].verdict is Verdict.DRAW


def test_players_are_added_dropped_and_disqualified(hall: Hall) -> None:
    hall.run("ann", "bob", "cyd")
    hall.come("dan")
    assert hall.act(acts.RegisterEntrant("dan", by="teacher")) == Accepted()
    assert any("dan" in match.players for match in hall.matches)
    assert hall.act(acts.WithdrawEntrant("cyd", by="teacher", why="ill")) == Accepted()
    assert hall.act(acts.Disqualify("bob", "teacher", "cheated")) == Accepted()
    hall.play_out()
    assert hall.row.state.phase is TournamentPhase.OVER


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
