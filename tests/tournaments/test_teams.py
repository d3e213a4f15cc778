"""Teams: nobody meets their own before they must, team standings, and matches of teams on several boards."""

from collections import Counter
from itertools import chain, combinations, permutations, product

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from gameserver.tournaments.act_table import apply
from gameserver.tournaments.files import standings_csv, teams_csv
from gameserver.tournaments.history import are_mates
from gameserver.tournaments.knockout import seed_order
from gameserver.tournaments.model import (
    TEAM_LENGTH_MAX,
    ActRefused,
    RegisterEntrant,
    StartTournament,
    Tournament,
    TournamentPhase,
    Verdict,
    WithdrawEntrant,
)
from gameserver.tournaments.plan import Draw, Format, Plan, Stage
from gameserver.tournaments.presets import preset
from gameserver.tournaments.progress import progress
from gameserver.tournaments.stages import grouped
from gameserver.tournaments.teams import apart, field_of_teams, team_standings
from tests.support.examples import examples
from tests.tournaments.playing import SEED, World, announced, counting, decided

ARENA = Plan("arena", "Reversi", Format.ARENA, draw=Draw.ENTRY, duration_ms=60_000)
SWISS = Plan("swiss", "Reversi", Format.SWISS, draw=Draw.RATING)
TEAMS = st.lists(st.sampled_from(["A", "B", "C", ""]), min_size=2, max_size=8)
MATCHES = preset("teams", "cup", "Reversi", team_boards=2)


def in_teams(plan: Plan, teams: list[str]) -> Tournament:
    """A tournament that has begun with p0, p1, ... in these teams, the strongest first."""
    tournament = Tournament(plan, SEED)
    for number, team in enumerate(teams):
        tournament = apply(tournament, RegisterEntrant(f"p{number}", rating=3000 - number, team=team))
    return apply(tournament, StartTournament(0))


def mates_met(tournament: Tournament, pairs) -> int:
    return sum(are_mates(tournament.team_of, *pair) for pair in pairs)


def ways_to_pair(names: list[str]):
    """Every way to pair these; with an odd number, somebody with an empty name."""
    if len(names) % 2:
        names = [*names, ""]
    if not names:
        yield ()
    for other in names[1:]:
        yield from (((names[0], other), *rest) for rest in ways_to_pair([n for n in names[1:] if n != other]))


@settings(max_examples=examples(40), deadline=None)
@given(teams=TEAMS, seed=st.integers(0, 1000))
def test_swiss_pairs_team_mates_only_to_avoid_a_rematch(teams, seed):
    tournament = World(in_teams(evolve(SWISS, rounds=4), teams), seed).run()
    names = [one.name for one in tournament.entrants]
    before: Counter[tuple[str, str]] = Counter()

    def worth(pairs) -> tuple[int, int]:
        return sum(before[tuple(sorted(pair))] for pair in pairs), mates_met(tournament, pairs)

    for number in range(1, tournament.round + 1):
        pairs = [one.pair for one in tournament.pairings if one.round == number]
        pairs += [("", bye.player) for bye in tournament.byes if bye.round == number]
        assert worth(pairs) == min(map(worth, ways_to_pair(names)))
        before.update(tuple(sorted(pair)) for pair in pairs)


def meetings(names, teams, places) -> list[int]:
    """The number of meetings of team mates by the round in which they can come about."""
    at = dict(zip(names, places, strict=False))
    found = Counter((at[a] ^ at[b]).bit_length() for a, b in combinations(at, 2) if are_mates(teams, a, b))
    return [found[number] for number in range(5)]


@settings(max_examples=examples(100), deadline=None)
@given(teams=TEAMS, form=st.sampled_from([Stage(Format.KNOCKOUT), Stage(Format.ROUND_ROBIN, 3, 1)]))
def test_draw_has_team_mates_meet_as_late_as_players_of_like_seeds_allow(teams, form):
    names = [str(number) for number in range(len(teams))]
    team_of = {name: team for name, team in zip(names, teams, strict=True) if team}
    if form.group_size:
        groups = grouped(names, form)
        tiers = [names[start : start + len(groups)] for start in range(0, len(names), len(groups))]
        # The number of a group as a bit: two of one group meet in round 0, and all others alike.
        places = [next(index for index, own in enumerate(groups) if name in own) for name in names]
        ends = 1
    else:
        tiers, order, ends = [names[:1], names[1:2], names[2:4], names[4:]], seed_order(8), 5
        places = [order.index(number + 1) for number in range(len(names))]
    found = apart(names, (team_of,), form)
    orders = (list(chain(*order)) for order in product(*map(permutations, tiers)))
    assert meetings(found, team_of, places)[:ends] == min(meetings(one, team_of, places)[:ends] for one in orders)
    assert found == tuple(names) or meetings(found, team_of, places) < meetings(names, team_of, places)


def test_arena_has_team_mates_wait_for_others_who_are_playing_and_no_longer():
    tournament = announced(in_teams(ARENA, ["A", "A", "B", "B", "A", "B"]))
    assert len(tournament.open) == 3
    assert mates_met(tournament, [one.pair for one in tournament.open]) == 0
    tournament = announced(in_teams(ARENA, ["A", "B", "A", "A"]), ["p0", "p1"])
    assert len(announced(tournament, ["p2", "p3"]).open) == 2, "one opponent for two"
    more = announced(in_teams(ARENA, ["B", "B", "A", "A"]), ["p0", "p1"])
    assert announced(more, ["p2", "p3"]) is more, "an opponent for each"


@pytest.mark.parametrize("form", [Format.SWISS, Format.ARENA, Format.KNOCKOUT, Format.ROUND_ROBIN])
def test_team_of_everybody_plays_all_the_same(form):
    assert len(announced(in_teams(evolve(ARENA, format=form), ["A"] * 7)).open) == 3


def test_team_has_the_points_of_its_best_members_and_a_name_that_fits():
    plan = evolve(SWISS, rounds=1, team_best=1)
    tournament = announced(in_teams(plan, ["=Reds\n", "x" * 500, "=Reds\n", "x" * 500, ""]))
    for pairing in tournament.open:
        tournament = decided(tournament, pairing.number)
    reds, others = team_standings(tournament)
    assert (reds.team, others.team) == ("=Reds", "x" * TEAM_LENGTH_MAX)
    assert (reds.rank, others.rank, reds.points, others.points) == (1, 1, "1", "1")
    assert teams_csv(tournament).splitlines()[1].startswith("1,'=Reds,1,p")
    assert standings_csv(tournament).startswith("rank,player,team,")
    assert standings_csv(in_teams(SWISS, ["", ""])).startswith("rank,player,points,")


@pytest.mark.parametrize(
    ("plan", "teams", "why"),
    [
        ({}, ["A"] * 4, "two teams"),
        ({}, ["A", "A", "B", "C"], "team_boards=1"),
        ({"format": "knockout"}, [], "round-robin or a swiss"),
        ({"pacing": "continuous"}, [], "pacing=rounds"),
        ({"stand_in": "house-random"}, [], "bye"),
    ],
)
def test_impossible_team_match_is_refused_with_what_would_work(plan, teams, why):
    with pytest.raises((ActRefused, ValueError), match=why):
        in_teams(evolve(MATCHES, **plan), teams)


@settings(max_examples=examples(40), deadline=None)
@given(
    teams=st.lists(st.sampled_from(["A", "B", "C", "D", ""]), max_size=8).map(lambda more: ["A", "A", "B", "B", *more]),
    form=st.sampled_from([{}, {"cycles": 2, "games": 2}, {"format": Format.SWISS, "rounds": 2}]),
    seed=st.integers(0, 1000),
    faults=st.sampled_from([0.0, 0.1]),
)
def test_teams_meet_board_by_board_and_the_table_adds_up(teams, form, seed, faults):
    plan = evolve(MATCHES, no_shows_max=1000, **form)
    world = World(in_teams(plan, teams), seed, faults=faults)
    tournament = world.run()
    field = field_of_teams(tournament)
    for one in field.pairings:
        lead = one.points[0] - one.points[1]
        assert one.verdict is (Verdict.DRAW if lead == 0 else Verdict.FIRST if lead > 0 else Verdict.SECOND)
    if plan.format is Format.ROUND_ROBIN and not any(one.is_out for one in tournament.entrants):
        met = Counter(one.pair for one in field.pairings)
        assert set(met.values()) == {plan.cycles}
        assert len(met) == len(field.entrants) * (len(field.entrants) - 1) // 2
    assert mates_met(tournament, [one.pair for one in tournament.pairings]) == 0
    rows = team_standings(tournament)
    # Recomputed from the games and byes alone.
    points: Counter[str] = Counter()
    name_of = {one.name: one.team or one.name for one in tournament.entrants}
    for one in counting(tournament):
        halves = {"first": (2, 0), "second": (0, 2), "draw": (1, 1), "both lose": (0, 0)}[one.verdict.value]
        for name, half in zip(one.seats, halves, strict=True):
            points[name_of[name]] += half
    for bye in tournament.byes:
        points[name_of[bye.player]] += 2 * plan.games
    assert {row.team: float(row.points) for row in rows} == {team: points[team] / 2 for team in name_of.values()}
    won = sum(row.match_points for row in rows)
    assert won == 2 * len(field.pairings) + 2 * len(field.byes)
    assert [row.match_points for row in rows] == sorted((row.match_points for row in rows), reverse=True)


def test_reserve_takes_the_board_of_a_member_who_left_and_a_short_team_gives_byes():
    tournament = announced(in_teams(MATCHES, ["A", "B", "A", "B", "A"]))
    assert [one.seats for one in tournament.open] == [("p0", "p1"), ("p3", "p2")]
    assert progress(tournament).left == 2
    assert progress(in_teams(MATCHES, ["A", "B", "C", "A", "B", "C", ""])).left == 3 * (2 + 1)
    assert apply(tournament, RegisterEntrant("late", team="C")).rounds == 3, "a team that comes late meets all, too"
    tournament = in_teams(MATCHES, ["A", "B", "A", "B", "A"])
    for name in ("p0", "p1"):
        tournament = apply(tournament, WithdrawEntrant(name))
    tournament = announced(tournament)
    assert [one.seats for one in tournament.open] == [("p2", "p3")]
    assert [bye.player for bye in tournament.byes] == ["p4"]
    over = decided(tournament, 1)
    assert over.phase is TournamentPhase.OVER
    assert [(row.team, row.match_points, row.points) for row in team_standings(over)] == [("A", 2, "2"), ("B", 0, "0")]
