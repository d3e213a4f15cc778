"""Whole tournaments with everything going wrong that can: drops, no-shows, withdrawals, returns, faults, pauses."""

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from gameserver.tournaments.act_table import apply
from gameserver.tournaments.files import trf
from gameserver.tournaments.history import History
from gameserver.tournaments.knockout import champion
from gameserver.tournaments.model import TournamentPhase
from gameserver.tournaments.plan import FIXTURE_FORMATS, Draw, Effect, Format, Plan, RoundMode
from gameserver.tournaments.planner import Planner, is_complete
from gameserver.tournaments.presets import LEAGUE_TIE_BREAKS
from gameserver.tournaments.round_robin import Schedule
from gameserver.tournaments.standings import crosstable, standings
from tests.support.examples import examples
from tests.tournaments.fields import FIELDS
from tests.tournaments.playing import SEED, World, entered, finished, started


def plan_of(format_: Format, **changes) -> Plan:
    plan = Plan("any", "Reversi", format_, draw=Draw.RATING, duration_ms=15_000, tie_breaks=LEAGUE_TIE_BREAKS)
    return evolve(plan, **changes)


# A field of 60 has 1770 games in a round robin; the other formats' own tests go through every field.
@pytest.mark.parametrize(
    ("format_", "players"),
    [
        *(pytest.param(format_, *one.values, marks=one.marks) for format_ in FIXTURE_FORMATS for one in FIELDS[:-1]),
        *((format_, players) for format_ in Format if format_ not in FIXTURE_FORMATS for players in (2, 7, 16)),
    ],
)
def test_every_format_ends_for_every_field(format_, players):
    tournament = finished(plan_of(format_), players, players, all_at_once=True)
    assert is_complete(tournament)
    rows = standings(tournament)
    assert sorted(row.name for row in rows) == sorted(entrant.name for entrant in tournament.entrants)
    if format_ in (Format.ROUND_ROBIN, Format.SWISS):
        points = sum(row.units for row in rows)
        assert points == 2 * len(tournament.pairings) + 2 * len(tournament.byes)
    crosstable(tournament, rows)
    trf(tournament)


@pytest.mark.parametrize("format_", Format)
@settings(max_examples=examples(30), deadline=None)
@given(
    players=st.integers(2, 14),
    seed=st.integers(0, 1_000_000),
    faults=st.sampled_from([0.02, 0.1, 0.3]),
    games=st.integers(1, 3),
    pacing=st.sampled_from(RoundMode),
    at_once=st.sampled_from([0, 1, 3]),
    stand_in=st.sampled_from(["", "house-greedy"]),
    effect=st.sampled_from(Effect),
)
def test_every_tournament_ends_whatever_goes_wrong(
    format_, players, seed, faults, games, pacing, at_once, stand_in, effect
):
    plan = plan_of(format_, games=games, pacing=pacing, matches_at_once_max=at_once, stand_in=stand_in)
    if plan.has_fixtures:
        plan = evolve(plan, withdrawal=effect)
    world = World(started(plan, players), seed, faults=faults)
    tournament = world.run()
    assert tournament.phase is TournamentPhase.OVER
    assert is_complete(tournament)
    standings(tournament)
    again = entered(plan, players)
    for act in world.acts:
        again = (
            apply(again, act) if again.phase is not TournamentPhase.GATHERING else apply(started(plan, players), act)
        )
    assert again == tournament, "the same acts give the same tournament"
    if plan.is_bracket:
        assert champion(History.of(tournament)) is not None


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("pacing", RoundMode)
@pytest.mark.parametrize("format_", FIXTURE_FORMATS)
def test_an_index_that_grows_is_the_one_of_the_whole(format_, pacing, seed):
    """Through no-shows, withdrawals, late entries and voided games, each of which may come between two questions."""
    plan = plan_of(format_, pacing=pacing, cycles=3, games=2, matches_at_once_max=seed)
    world = World(started(plan, 8), seed, faults=0.1)
    planner, asked = Planner(), 0
    while world.tournament.phase is not TournamentPhase.OVER:
        world.tick()
        if world.tournament.phase is TournamentPhase.RUNNING and world.rng.random() < 0.7:
            asked += 1
            whole = Planner().next_pairings(world.tournament, world.free, world.now_ms)
            assert planner.next_pairings(world.tournament, world.free, world.now_ms) == whole
            assert planner._schedule == Schedule.of(History.of(world.tournament))
    assert asked > 3


def test_the_seed_of_a_tournament_is_not_shown():
    assert SEED not in repr(started(plan_of(Format.SWISS), 2))
