"""Knockouts: one winner, byes for the best seeds, nobody out before their time, rounds with names."""

from collections import Counter

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from gameserver.tournaments.act_table import apply
from gameserver.tournaments.history import History
from gameserver.tournaments.knockout import From, champion, nodes_now, round_name, tree
from gameserver.tournaments.model import (
    ActRefused,
    Correct,
    NoShow,
    RegisterEntrant,
    StartTournament,
    Tournament,
    TournamentPhase,
    Verdict,
    VoidPairing,
    WithdrawEntrant,
)
from gameserver.tournaments.plan import Draw, Format, Plan
from gameserver.tournaments.planner import Planner
from gameserver.tournaments.presets import preset
from gameserver.tournaments.standings import standings
from tests.support.examples import examples
from tests.tournaments.fields import FIELDS
from tests.tournaments.playing import SEED, World, announced, decided, finished, started

CUP = Plan("cup", "Reversi", Format.KNOCKOUT, draw=Draw.RATING, tie_breaks=())
DOUBLE = evolve(CUP, format=Format.DOUBLE_ELIMINATION)
BRACKETS = pytest.mark.parametrize("plan", [CUP, DOUBLE], ids=["knockout", "double"])


def encounters_lost(tournament):
    return Counter(now.loser for now in nodes_now(History.of(tournament)) if now.loser and not now.node.third_place)


def played(tournament, *verdicts):
    """Play what is announced, by verdicts in the order of the pairings."""
    tournament = announced(tournament)
    for pairing, verdict in zip(tournament.open, verdicts, strict=True):
        tournament = decided(tournament, pairing.number, verdict)
    return tournament


def better_seed_wins(tournament):
    """Play to the end, the better seed winning everything."""
    numbers = {entrant.name: entrant.number for entrant in tournament.entrants}
    while tournament.phase is TournamentPhase.RUNNING:
        tournament = announced(tournament)
        for pairing in tournament.open:
            first, second = (numbers[name] for name in pairing.seats)
            tournament = decided(tournament, pairing.number, Verdict.FIRST if first < second else Verdict.SECOND)
    return tournament


@BRACKETS
@pytest.mark.parametrize("players", FIELDS)
def test_one_winner_and_everybody_else_lost_as_often_as_it_takes(plan, players):
    tournament = finished(plan, players, players, all_at_once=True)
    winner = champion(History.of(tournament))
    lost = encounters_lost(tournament)
    lives = 1 if plan is CUP else 2
    assert winner is not None
    assert lost[winner] < lives
    assert all(lost[entrant.name] == lives for entrant in tournament.entrants if entrant.name != winner)
    rows = standings(tournament)
    assert [row.name for row in rows if row.rank == 1] == [winner]


@pytest.mark.parametrize("players", FIELDS)
def test_the_best_seeds_have_the_byes(players):
    tournament = announced(started(CUP, players))
    size = 1 << (players - 1).bit_length()
    first = {name for p in tournament.pairings if p.round == 1 for name in p.seats}
    resting = sorted(entrant.name for entrant in tournament.entrants if entrant.name not in first)
    assert resting == [f"p{number:02}" for number in range(1, size - players + 1)]


@pytest.mark.parametrize("players", [4, 8, 16, 32])
def test_when_the_better_seed_always_wins_the_order_is_that_of_the_seeds(players):
    rows = standings(better_seed_wins(started(evolve(CUP, third_place=True), players)))
    assert [row.name for row in rows[:4]] == ["p01", "p02", "p03", "p04"]
    assert [row.rank for row in rows[:4]] == [1, 2, 3, 4]
    if players > 4:
        assert {row.rank for row in rows[4:8]} == {5}, "who lost in the same round shares the place"


def test_double_elimination_when_the_better_seed_always_wins():
    tournament = better_seed_wins(started(DOUBLE, 8))
    rows = standings(tournament)
    assert [row.name for row in rows[:4]] == ["p01", "p02", "p03", "p04"]
    assert len(tournament.pairings) == 2 * 8 - 2, "no deciding final where nobody beat the unbeaten"


def test_grand_final_is_replayed_if_the_unbeaten_player_loses():
    tournament = announced(played(started(DOUBLE, 2), Verdict.FIRST))
    loser = tournament.pairings[0].seats[1]
    final = tournament.pairings[1]
    tournament = decided(tournament, 2, Verdict.FIRST if final.seats[0] == loser else Verdict.SECOND)
    assert tournament.phase is TournamentPhase.RUNNING
    tournament = announced(tournament)
    assert tournament.pairings[2].round == 3


def test_nothing_waits_for_the_end_of_a_round():
    tournament = announced(started(CUP, 8))
    for number in (1, 2):
        tournament = decided(tournament, number)
    act = Planner().next_pairings(tournament, frozenset(), 0)
    assert [pairing.round for pairing in act.pairings] == [2]


@pytest.mark.parametrize(
    ("games", "verdicts", "length"),
    [
        (3, ["first", "second"], 2),  # seats change: the same player wins both
        (3, ["first", "first", "first"], 3),
        (1, ["draw", "second", "first"], 3),  # a level encounter goes on in twos
        (1, ["draw", "first", "first", "draw", "first"], 5),
        (2, ["first", "draw"], 2),
    ],
)
def test_how_long_an_encounter_lasts(games, verdicts, length):
    """Game 1 has p01 in the first seat, and seats change with each game."""
    tournament = started(evolve(CUP, games=games, extra_games_max=4), 2)
    verdicts = iter(map(Verdict, verdicts))
    while tournament.phase is TournamentPhase.RUNNING:
        tournament = played(tournament, next(verdicts))
    assert len(tournament.pairings) == length
    assert champion(History.of(tournament)) == "p01"


def test_a_level_encounter_ends_with_the_better_seed():
    tournament = started(evolve(CUP, games=2, extra_games_max=2), 2)
    while tournament.phase is TournamentPhase.RUNNING:
        tournament = played(tournament, Verdict.DRAW)
    assert len(tournament.pairings) == 4
    assert champion(History.of(tournament)) == "p01"


def test_walkover_of_a_withdrawn_player_is_not_undone_later():
    tournament = played(started(CUP, 4), Verdict.FIRST, Verdict.FIRST)
    one, other = (pairing.seats[0] for pairing in tournament.pairings)
    tournament = announced(apply(tournament, WithdrawEntrant(one)))
    assert tournament.pairings[-1].walkover
    assert tournament.phase is TournamentPhase.OVER
    assert champion(History.of(tournament)) == other


def test_a_result_that_others_rest_on_is_not_changed_under_them():
    tournament = played(played(started(CUP, 4), Verdict.FIRST, Verdict.FIRST), Verdict.FIRST)
    for act in (VoidPairing(1, "teacher", "wrong board"), Correct(1, Verdict.SECOND, "teacher", "wrong board")):
        with pytest.raises(ActRefused, match="void pairing 3 first"):
            apply(tournament, act)
    tournament = apply(tournament, VoidPairing(3, "teacher", "wrong board"))
    tournament = apply(tournament, VoidPairing(1, "teacher", "wrong board"))
    again = Planner().next_pairings(tournament, frozenset(), 0)
    assert [(p.number, p.round, p.board) for p in again.pairings] == [(4, 1, 1)]


def test_final_paired_while_a_semi_final_was_annulled_is_not_begun():
    tournament = played(started(CUP, 4), Verdict.FIRST, Verdict.FIRST)
    final = Planner().next_pairings(tournament, frozenset(), 0)
    assert final is not None
    struck_out = apply(tournament, VoidPairing(1, "teacher", "the wrong bot"))
    with pytest.raises(ActRefused, match="out of date"):
        apply(struck_out, final)
    assert apply(tournament, final).open


def test_a_voided_game_is_played_again_in_the_same_seats():
    tournament = started(evolve(CUP, games=2), 2)
    for _ in range(2):
        tournament = played(tournament, Verdict.FIRST)
    for voided in ((1,), (2,), (1, 2)):
        again = tournament
        for number in voided:
            again = apply(again, VoidPairing(number, "teacher", "wrong board"))
        for _ in voided:
            again = played(again, Verdict.FIRST)
        replayed = [(one.game, one.meeting, one.seats) for one in again.pairings[2:]]
        assert replayed == [(one.game, one.meeting, one.seats) for one in tournament.pairings if one.number in voided]


def test_double_no_show_still_leaves_a_player_to_advance():
    tournament = started(evolve(CUP, extra_games_max=0, no_shows_max=5), 2)
    tournament = apply(announced(tournament), NoShow(1, ("p01", "p02")))
    assert champion(History.of(tournament)) == "p01"


@BRACKETS
@settings(max_examples=examples(60), deadline=None)
@given(players=st.integers(2, 16), seed=st.integers(0, 10_000), games=st.sampled_from([1, 2, 3]), data=st.data())
def test_withdrawals_at_any_time_leave_one_winner(plan, players, seed, games, data):
    world = World(started(evolve(plan, games=games), players), seed)
    world.withdraw_some(data, players, 3)
    tournament = world.run()
    winner = champion(History.of(tournament))
    assert winner is not None
    lost = encounters_lost(tournament)
    lives = 1 if plan.format is Format.KNOCKOUT else 2
    assert all(lost[entrant.name] == lives for entrant in tournament.entrants if entrant.name != winner)


@pytest.mark.parametrize("size", [8, 16, 32, 64])
def test_player_who_drops_to_the_lower_bracket_does_not_meet_a_player_they_beat_at_once(size):
    nodes = tree(Format.DOUBLE_ELIMINATION, size, third_place=False)

    def seeds(source):
        if source.kind is From.SEED:
            return {source.number}
        return seeds(nodes[source.number - 1].first) | seeds(nodes[source.number - 1].second)

    meetings = [node for node in nodes if node.round_name == "Losers' round 2"]
    assert len(meetings) == size // 4
    for node in meetings:
        assert not seeds(node.first) & seeds(node.second)


def test_one_walkover_decides_the_best_of_three():
    tournament = announced(apply(started(evolve(CUP, games=3), 2), WithdrawEntrant("p01")))
    assert tournament.phase is TournamentPhase.OVER
    assert len(tournament.pairings) == 1
    assert champion(History.of(tournament)) == "p02"


def test_house_players_play_one_game_of_an_encounter_after_the_other():
    tournament = Tournament(CUP, SEED)
    for name in ("house-one", "house-two"):
        tournament = apply(tournament, RegisterEntrant(name, house=True))
    tournament = apply(tournament, StartTournament(0))
    for _ in range(3):
        tournament = announced(tournament, ())
    assert len(tournament.pairings) == 1


@pytest.mark.parametrize(
    ("name", "changes", "names"),
    [
        ("cup", {"games": 1}, {"Semi-final", "Final", "Match for third place"}),
        ("swiss", {"games": 1, "rounds": 2}, {"round 1", "round 2"}),
        ("league", {"cycles": 1}, {"round 1", "round 2", "round 3"}),
        ("arena", {"duration_ms": 60_000}, {""}),
    ],
)
def test_a_round_has_the_name_that_the_bracket_gives_it(name: str, changes: dict[str, int], names: set[str]) -> None:
    tournament = World(started(preset(name, "Cup", "Reversi", **changes), 4)).run()
    assert {round_name(tournament, one) for one in tournament.pairings} == names
