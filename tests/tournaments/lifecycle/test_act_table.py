"""Every phase with every act: it leads to a phase, or is refused with a sentence and changes nothing."""

import itertools

import attrs
import pytest

from gameserver.tournaments import acts
from gameserver.tournaments.acts import (
    Act,
    ActRefused,
    Begin,
    Cancel,
    Correct,
    Disqualify,
    EndByTime,
    Finish,
    HoldPairing,
    NoShow,
    Pair,
    Pause,
    RegisterEntrant,
    Report,
    Resume,
    StartTournament,
    VoidPairing,
    WithdrawEntrant,
)
from gameserver.tournaments.lifecycle.act_table import ACTS, apply, spec_of
from gameserver.tournaments.model import TournamentPhase, Verdict
from gameserver.tournaments.pairing.planner import next_pairings
from gameserver.tournaments.plan import Effect, Format, Plan
from gameserver.tournaments.scoring.standings import standings
from tests.tournaments.playing import check, entered, started

PLAN = Plan("league", "Reversi", Format.ROUND_ROBIN)


def running(players=4, plan=PLAN):
    """Pairing 1 is being played as match 1, pairing 2 is announced."""
    tournament = started(plan, players)
    everybody = frozenset(entrant.name for entrant in tournament.active)
    return apply(apply(tournament, next_pairings(tournament, everybody, 0)), Begin(1, 1))


def in_phase(phase):
    tournament = running()
    return {
        TournamentPhase.GATHERING: lambda: entered(PLAN, 4),
        TournamentPhase.RUNNING: lambda: tournament,
        TournamentPhase.PAUSED: lambda: apply(tournament, Pause(5)),
        TournamentPhase.FINISHING: lambda: apply(tournament, Finish(5)),
        TournamentPhase.OVER: lambda: apply(apply(tournament, Finish(5)), Report(1, 1, Verdict.FIRST)),
        TournamentPhase.CANCELLED: lambda: apply(tournament, Cancel("teacher")),
    }[phase]()


EXAMPLES: list[Act] = [
    RegisterEntrant("new"),
    WithdrawEntrant("p01"),
    Disqualify("p01", "teacher", "copied"),
    StartTournament(0),
    Pair(()),
    Begin(2, 2),
    Report(1, 1, Verdict.DRAW),
    NoShow(2, ("p01", "p02", "p03", "p04")),
    VoidPairing(1, "teacher", "why"),
    HoldPairing(1, "a bug again", "p01"),
    Correct(2, Verdict.DRAW, "teacher", "why"),
    Pause(9),
    Resume(9),
    Finish(9),
    EndByTime(9),
    Cancel("teacher"),
]


def test_every_act_has_one_row_and_an_example():
    ours = {kind for kind in vars(acts).values() if isinstance(kind, type) and issubclass(kind, Act)} - {Act}
    assert {spec.type for spec in ACTS.values()} == ours
    assert {type(act) for act in EXAMPLES} == ours
    assert len({spec.tag for spec in ACTS.values()}) == len({spec.type for spec in ACTS.values()}) == len(ACTS)


@pytest.mark.parametrize(
    ("phase", "act"),
    list(itertools.product(TournamentPhase, EXAMPLES)),
    ids=lambda value: getattr(value, "value", type(value).__name__),
)
def test_every_pair(phase, act):
    tournament = in_phase(phase)
    if phase in spec_of(act).phases:
        if (phase, type(act)) == (TournamentPhase.OVER, Correct):
            act = attrs.evolve(act, pairing=1)  # pairing 2 was dropped at the stop
        check(apply(tournament, act))
    else:
        with pytest.raises(ActRefused, match=r"league .* and cannot .* now"):
            apply(tournament, act)


def test_a_result_of_an_earlier_attempt_does_not_count():
    tournament = apply(running(), VoidPairing(1, why="the game's code failed"))
    with pytest.raises(ActRefused, match="not being played as match 1"):
        apply(tournament, Report(1, 1, Verdict.FIRST))
    with pytest.raises(ActRefused, match="not being played as match 7"):
        apply(running(), Report(1, 7, Verdict.FIRST))


def test_a_replay_has_the_old_dice_if_the_other_seat_order_was_played_with_them():
    plan = PLAN.changed(games=2)
    tournament = running(2, plan)
    tournament = apply(tournament, Report(1, 1, Verdict.FIRST))
    tournament = apply(tournament, next_pairings(tournament, frozenset({"p01", "p02"}), 0))
    tournament = apply(apply(tournament, Begin(2, 2)), VoidPairing(1, "teacher", "wrong bot"))
    tournament = apply(tournament, Report(2, 2, Verdict.FIRST))
    again = next_pairings(tournament, frozenset({"p01", "p02"}), 0).pairings[0]
    assert again.meeting == 1
    assert again.chance == tournament.pairings[1].chance


def test_the_servers_faults_do_not_go_on_for_ever():
    tournament = running(2, PLAN.changed(voids_max=3))
    for match in (1, 2, 3):
        tournament = apply(tournament, VoidPairing(match, why="the game's code failed"))
        if match < 3:
            assert tournament.phase is TournamentPhase.RUNNING
            tournament = apply(tournament, next_pairings(tournament, frozenset({"p01", "p02"}), 0))
            tournament = apply(tournament, Begin(match + 1, match + 1))
    assert tournament.phase is TournamentPhase.OVER
    assert [row.points for row in standings(tournament)] == [1, 1], "a server's fault costs nobody the match"


def test_a_corrected_result_says_who_and_why():
    tournament = apply(running(2), Report(1, 1, Verdict.FIRST))
    tournament = apply(tournament, Correct(1, Verdict.SECOND, "teacher", "the board shows it"))
    assert standings(tournament)[0].name == tournament.pairings[0].seats[1]
    assert (tournament.rulings[-1].by, tournament.rulings[-1].why) == ("teacher", "the board shows it")
    with pytest.raises(ActRefused, match="say why"):
        apply(tournament, Correct(1, Verdict.SECOND, "teacher", " "))


def test_stale_pairings_are_refused():
    tournament = started(PLAN, 4)
    everybody = frozenset(entrant.name for entrant in tournament.active)
    act = next_pairings(tournament, everybody, 0)
    with pytest.raises(ActRefused, match="out of date"):
        apply(apply(tournament, act), act)
    gone = apply(tournament, WithdrawEntrant(act.pairings[0].seats[0]))
    with pytest.raises(ActRefused, match="work the pairings out again"):
        apply(gone, act)


def test_withdrawn_player_may_return_with_all_results():
    tournament = apply(running(5, PLAN.changed(withdrawal=Effect.ANNUL)), Report(1, 1, Verdict.FIRST))
    winner = tournament.pairings[0].seats[0]
    before = standings(tournament)
    assert standings(apply(apply(tournament, WithdrawEntrant(winner)), RegisterEntrant(winner))) == before


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: apply(entered(PLAN, 1), StartTournament(0)), "needs at least two players"),
        (lambda: apply(entered(PLAN, 2), RegisterEntrant("p01")), "in this tournament already"),
        (lambda: apply(running(), WithdrawEntrant("nobody")), "nobody is not in this tournament"),
        (lambda: apply(running(), Begin(99, 1)), "no pairing 99"),
        (lambda: apply(running(), Disqualify("p01", "teacher", "")), "say why"),
        (lambda: apply(running(), NoShow(2, ("ghost",))), "name the absent player"),
        (lambda: apply(running(), Begin(1, 5)), "only an announced one"),
        (lambda: apply(running(), VoidPairing(2, "teacher", "why")), "nothing to void"),
        (lambda: apply(running(), Correct(1, Verdict.DRAW, "teacher", "why")), "being played"),
        (
            lambda: apply(apply(running(), Disqualify("p01", "teacher", "copied")), RegisterEntrant("p01")),
            "disqualified from this tournament",
        ),
        (lambda: apply(running(4, PLAN.changed(late_entry=False)), RegisterEntrant("late")), "is too late"),
        (lambda: apply(running(4, PLAN.changed(format=Format.KNOCKOUT)), RegisterEntrant("late")), "is too late"),
        (lambda: apply(entered(PLAN.changed(stand_in="house-x"), 2), RegisterEntrant("house-x")), "stands in"),
        (
            lambda: apply(entered(PLAN.changed(format=Format.GAUNTLET, champions=("ghost",)), 2), StartTournament(0)),
            "against ghost, who did not enter",
        ),
    ],
)
def test_refusals_say_what_is_wrong(make, words):
    with pytest.raises(ActRefused, match=words):
        make()


def test_a_tournament_cancelled_before_its_start_gathers_again():
    tournament = apply(apply(entered(PLAN, 4), Cancel("teacher")), Resume(9))
    assert tournament.phase is TournamentPhase.GATHERING
    assert len(tournament.entrants) == 4
