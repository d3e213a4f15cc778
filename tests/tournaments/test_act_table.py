"""Every phase with every act: it leads to a phase, or is refused with a sentence and changes nothing."""

import itertools
import re
from pathlib import Path

import attrs
import pytest
from attrs import evolve

from gameserver.tournaments import model
from gameserver.tournaments.act_table import ACTS, apply, spec_of, teacher_acts
from gameserver.tournaments.model import (
    Act,
    ActRefused,
    Begin,
    Cancel,
    Correct,
    Disqualify,
    EndByTime,
    FeaturePairing,
    Finish,
    HoldPairing,
    NextStage,
    NoShow,
    Pair,
    PairingStatus,
    Pause,
    RegisterEntrant,
    Report,
    Resume,
    StartTournament,
    TournamentPhase,
    Verdict,
    VoidPairing,
    VoidStage,
    WithdrawEntrant,
)
from gameserver.tournaments.plan import Effect, Format, Plan
from gameserver.tournaments.planner import Planner, startable
from gameserver.tournaments.standings import standings
from tests.tournaments.playing import announced, check, decided, entered, started

PLAN = Plan("league", "Reversi", Format.ROUND_ROBIN)


def running(players=4, plan=PLAN):
    """Pairing 1 is being played as match 1, pairing 2 is announced."""
    return apply(announced(started(plan, players)), Begin(1, 1))


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
    FeaturePairing(1, "teacher"),
    Pause(9),
    Resume(9),
    Finish(9),
    EndByTime(9),
    Cancel("teacher"),
    NextStage((), 3, 0),
    VoidStage("teacher", "why"),
]


def test_every_act_has_one_row_and_an_example():
    ours = {kind for kind in vars(model).values() if isinstance(kind, type) and issubclass(kind, Act)} - {Act}
    assert {spec.type for spec in ACTS.values()} == ours
    assert {type(act) for act in EXAMPLES} == ours
    assert len({spec.tag for spec in ACTS.values()}) == len({spec.type for spec in ACTS.values()}) == len(ACTS)


def test_fields_of_rows_are_fields_of_their_acts():
    for name, spec in teacher_acts().items():
        asked = {field.name for field in spec.fields} | {"by", "why"}
        assert asked <= set(attrs.fields_dict(spec.type)), name


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
        if isinstance(act, NextStage | VoidStage):
            with pytest.raises(ActRefused, match="stage"):  # a tournament of one stage
                apply(tournament, act)
        else:
            check(apply(tournament, act))
    else:
        with pytest.raises(ActRefused, match=r"league .* and cannot .* now"):
            apply(tournament, act)


def test_a_pause_lets_matches_go_on_and_begins_none():
    tournament = apply(running(), Pause(0))
    assert startable(tournament, frozenset({"p01", "p02", "p03", "p04"})) == ()
    assert Planner().next_pairings(tournament, frozenset({"p01", "p02", "p03", "p04"}), 0) is None
    tournament = apply(tournament, Report(1, 1, Verdict.FIRST))
    assert apply(tournament, Resume(0)).phase is TournamentPhase.RUNNING


def test_finish_then_stop_then_go_on():
    tournament = apply(apply(running(), Finish(0)), Report(1, 1, Verdict.FIRST))
    assert tournament.phase is TournamentPhase.OVER
    assert [pairing.status for pairing in tournament.pairings] == [PairingStatus.DONE, PairingStatus.VOID]
    tournament = apply(tournament, Resume(0))
    everybody = frozenset(entrant.name for entrant in tournament.active)
    dropped = tournament.pairings[1]
    assert dropped.pair in [pairing.pair for pairing in Planner().next_pairings(tournament, everybody, 0).pairings]


def test_a_stop_with_nothing_being_played_is_at_once():
    assert apply(started(PLAN, 4), Finish(0)).phase is TournamentPhase.OVER


def test_a_result_of_an_earlier_attempt_does_not_count():
    tournament = apply(running(), VoidPairing(1, why="the game's code failed"))
    with pytest.raises(ActRefused, match="not being played as match 1"):
        apply(tournament, Report(1, 1, Verdict.FIRST))
    with pytest.raises(ActRefused, match="not being played as match 7"):
        apply(running(), Report(1, 7, Verdict.FIRST))


def test_a_voided_match_is_played_again_in_the_same_seats():
    tournament = apply(apply(running(), Report(1, 1, Verdict.FIRST)), VoidPairing(1, "teacher", "power cut"))
    everybody = frozenset(entrant.name for entrant in tournament.active)
    again = Planner().next_pairings(tournament, everybody, 0).pairings[0]
    old = tournament.pairings[0]
    assert (again.seats, again.round, again.board, again.meeting) == (old.seats, old.round, old.board, old.meeting)
    assert again.chance != old.chance, "both have seen the old dice"
    assert tournament.rulings[-1].why == "power cut"


def test_a_replay_has_the_old_dice_if_the_other_seat_order_was_played_with_them():
    tournament = announced(decided(running(2, evolve(PLAN, games=2)), 1))
    tournament = apply(apply(tournament, Begin(2, 2)), VoidPairing(1, "teacher", "wrong bot"))
    tournament = apply(tournament, Report(2, 2, Verdict.FIRST))
    again = Planner().next_pairings(tournament, frozenset({"p01", "p02"}), 0).pairings[0]
    assert again.meeting == 1
    assert again.chance == tournament.pairings[1].chance


def test_the_servers_faults_do_not_go_on_for_ever():
    tournament = running(2, evolve(PLAN, voids_max=3))
    for match in (1, 2, 3):
        tournament = apply(tournament, VoidPairing(match, why="the game's code failed"))
        if match < 3:
            assert tournament.phase is TournamentPhase.RUNNING
            tournament = apply(announced(tournament), Begin(match + 1, match + 1))
    assert tournament.phase is TournamentPhase.OVER
    assert [row.units for row in standings(tournament)] == [1, 1], "a server's fault costs nobody the match"


def test_voiding_a_match_after_the_end_takes_the_tournament_up_again():
    tournament = apply(running(2), Report(1, 1, Verdict.FIRST))
    assert tournament.phase is TournamentPhase.OVER
    tournament = apply(tournament, VoidPairing(1, "teacher", "wrong bot"))
    assert tournament.phase is TournamentPhase.RUNNING


def test_a_match_that_is_held_says_why():
    tournament = apply(running(2), HoldPairing(1, "a bug again", "p01"))
    ruling = tournament.rulings[-1]
    assert (ruling.what, ruling.why, ruling.player) == ("held for the teacher to decide", "a bug again", "p01")


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
    act = Planner().next_pairings(tournament, everybody, 0)
    with pytest.raises(ActRefused, match="out of date"):
        apply(apply(tournament, act), act)
    gone = apply(tournament, WithdrawEntrant(act.pairings[0].seats[0]))
    with pytest.raises(ActRefused, match="work the pairings out again"):
        apply(gone, act)


@pytest.mark.parametrize(
    ("effect", "points"),
    [
        # ann beats bob, cyd beats ann, ann is out before she meets dan; nobody else has played.
        (Effect.KEEP, {"ann": 2, "bob": 0, "cyd": 2, "dan": 0}),
        (Effect.FORFEIT, {"ann": 2, "bob": 0, "cyd": 2, "dan": 2}),
        (Effect.HALF, {"ann": 2, "bob": 0, "cyd": 2, "dan": 2}),
        (Effect.ANNUL, {"ann": 0, "bob": 0, "cyd": 0, "dan": 0}),
        (Effect.REVERSE, {"ann": 0, "bob": 2, "cyd": 2, "dan": 2}),
    ],
)
def test_effects_of_a_disqualification_on_the_results(effect, points):
    tournament = entered(evolve(PLAN, disqualification=effect, draw="entry"), 0)
    for act in (*map(RegisterEntrant, ("ann", "bob", "cyd", "dan")), StartTournament(0)):
        tournament = apply(tournament, act)
    for match, (winner, other) in enumerate((("ann", "bob"), ("cyd", "ann")), start=1):
        tournament = announced(tournament, {winner, other})
        is_first = tournament.pairings[-1].seats[0] == winner
        tournament = decided(tournament, match, Verdict.FIRST if is_first else Verdict.SECOND)
    tournament = apply(tournament, Disqualify("ann", "teacher", "copied"))
    rows = standings(tournament)
    assert {row.name: row.units for row in rows} == points
    assert (rows[-1].name, rows[-1].rank, rows[-1].note) == ("ann", None, "disqualified")


def test_with_fewer_than_half_of_the_games_half_strikes_out():
    tournament = apply(running(5, evolve(PLAN, withdrawal=Effect.HALF)), Report(1, 1, Verdict.FIRST))
    winner = tournament.pairings[0].seats[0]
    row = next(row for row in standings(apply(tournament, WithdrawEntrant(winner))) if row.name == winner)
    assert (row.note, row.units, row.rank) == ("withdrawn, results struck out", 0, None)


def test_with_just_half_of_the_games_half_keeps_them():
    tournament = apply(running(3, evolve(PLAN, withdrawal=Effect.HALF)), Report(1, 1, Verdict.FIRST))
    winner, loser = tournament.pairings[0].seats
    rows = {row.name: row for row in standings(apply(tournament, WithdrawEntrant(winner)))}
    assert {name: row.units for name, row in rows.items() if name != loser} == dict.fromkeys(rows.keys() - {loser}, 2)


def test_withdrawn_player_may_return_with_all_results():
    tournament = apply(running(5, evolve(PLAN, withdrawal=Effect.ANNUL)), Report(1, 1, Verdict.FIRST))
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
        (
            lambda: apply(apply(running(), Disqualify("p01", "teacher", "copied")), Disqualify("p01", "teacher", "so")),
            r"is out of this tournament already \(disqualified\)",
        ),
        (lambda: apply(running(4, evolve(PLAN, late_entry=False)), RegisterEntrant("late")), "is too late"),
        (lambda: apply(running(4, evolve(PLAN, format=Format.KNOCKOUT)), RegisterEntrant("late")), "is too late"),
        (lambda: apply(entered(evolve(PLAN, stand_in="house-x"), 2), RegisterEntrant("house-x")), "stands in"),
        (
            lambda: apply(entered(evolve(PLAN, format=Format.GAUNTLET, champions=("ghost",)), 2), StartTournament(0)),
            "against ghost, who did not enter",
        ),
    ],
)
def test_refusals_say_what_is_wrong(make, words):
    with pytest.raises(ActRefused, match=words):
        make()


def test_a_cancelled_tournament_goes_on_with_the_games_that_were_cut_off():
    tournament = apply(in_phase(TournamentPhase.CANCELLED), Resume(9, "teacher", "the wrong button"))
    assert tournament.phase is TournamentPhase.RUNNING
    assert (tournament.rulings[-1].what, tournament.rulings[-1].why) == ("resumed", "the wrong button")
    cut_off = tournament.pairings[0]
    everybody = frozenset(entrant.name for entrant in tournament.active)
    assert cut_off.status is PairingStatus.VOID
    assert cut_off.pair in [pairing.pair for pairing in Planner().next_pairings(tournament, everybody, 0).pairings]


def test_a_tournament_cancelled_before_its_start_gathers_again():
    tournament = apply(apply(entered(PLAN, 4), Cancel("teacher")), Resume(9))
    assert tournament.phase is TournamentPhase.GATHERING
    assert len(tournament.entrants) == 4


def test_a_cancelled_arena_goes_on_with_the_time_that_was_left():
    arena = started(Plan("arena", "Reversi", Format.ARENA, duration_ms=60_000), 4)
    cancelled = apply(arena, Cancel("teacher", now_ms=20_000))
    assert (cancelled.ends_ms, cancelled.left_ms) == (None, 40_000)
    assert apply(cancelled, Resume(100_000)).ends_ms == 140_000


ROOT = Path(__file__).parents[2]
STATES = {
    row[1]: set(re.findall(r"`([a-z-]+)`", row[2]))
    for row in re.finditer(r"^\| (\w+).*? \| (.+) \|$", (ROOT / "docs/tournaments.md").read_text("utf-8"), re.MULTILINE)
}


@pytest.mark.parametrize("phase", list(TournamentPhase))
def test_the_page_about_tournaments_names_what_is_possible(phase: TournamentPhase) -> None:
    assert STATES[phase] == {name for name, act in teacher_acts().items() if phase in act.phases}
