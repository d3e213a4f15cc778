"""What is said of games that share their dice."""

import pytest

from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import (
    Begin,
    RegisterEntrant,
    Report,
    StartTournament,
    Tournament,
    Verdict,
    VoidPairing,
)
from gameserver.tournaments.plan import Plan
from gameserver.tournaments.planner import next_pairings
from gameserver.tournaments.presets import preset
from gameserver.tournaments.view import WARNING, tournament_view
from tests.tournaments.playing import SEED, finished


def of_house(plan: Plan, *people: str) -> Tournament:
    tournament = Tournament(plan, SEED)
    for name in ("house-random", "house-greedy"):
        tournament = apply(tournament, RegisterEntrant(name, house=True))
    for name in people:
        tournament = apply(tournament, RegisterEntrant(name))
    return tournament


def warnings(tournament: Tournament) -> tuple[str, ...]:
    return tournament_view(tournament).warnings


@pytest.mark.parametrize("which", ["league", "swiss"])
def test_the_view_tells_which_games_had_the_same_dice(which):
    shared = finished(preset(which, "Cup", "Tavla", same_chance=True), 4)
    assert {(one.same_dice, one.side_by_side) for one in tournament_view(shared).pairings} == {(True, False)}
    assert warnings(shared) == (WARNING,)
    own = finished(preset(which, "Cup", "Tavla"), 4)
    assert {one.same_dice for one in tournament_view(own).pairings} == {False}
    assert warnings(own) == ()


def test_a_replay_began_after_its_counterpart():
    tournament = apply(of_house(preset("league", "Cup", "Tavla", same_chance=True)), StartTournament(0))
    tournament = apply(tournament, next_pairings(tournament, (), 0))
    for number in (1, 2):
        tournament = apply(tournament, Begin(number, number, side_by_side=True))
    assert [one.side_by_side for one in tournament_view(tournament).pairings] == [True, True]
    tournament = apply(tournament, VoidPairing(2, why="a fault of ours"))
    tournament = apply(tournament, Report(1, 1, Verdict.FIRST))
    tournament = apply(tournament, next_pairings(tournament, (), 0))
    tournament = apply(tournament, Begin(3, 3))
    shown = [(one.status, one.same_dice, one.side_by_side) for one in tournament_view(tournament).pairings]
    assert shown == [("done", True, False), ("void", False, False), ("playing", True, False)]


def test_nobody_is_warned_where_only_house_players_take_part():
    plan = preset("league", "Cup", "Tavla", same_chance=True)
    assert warnings(of_house(plan)) == (WARNING,), "until it has begun others may come"
    assert warnings(apply(of_house(plan), StartTournament(0))) == ()
    assert warnings(apply(of_house(plan, "ann"), StartTournament(0))) == (WARNING,)
    rounds = preset("swiss", "Cup", "Tavla", same_chance=True)
    assert warnings(apply(of_house(rounds), StartTournament(0))) == (WARNING,), (
        "a Swiss plays its games one after the other"
    )
