"""Tournaments of several stages: plans as text, groups, who goes on and where to, and what may change afterwards."""

import csv
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from gameserver.chance import lot
from gameserver.journal.codec import CONVERTER
from gameserver.records.tournament_record import CONVERTER as RECORDS
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.files import standings_csv, trf
from gameserver.tournaments.knockout import seed_order
from gameserver.tournaments.model import (
    ActRefused,
    Correct,
    Disqualify,
    NextStage,
    PairingStatus,
    RegisterEntrant,
    Resume,
    StartTournament,
    TournamentPhase,
    Verdict,
    VoidPairing,
    VoidStage,
    WithdrawEntrant,
)
from gameserver.tournaments.plan import Draw, Effect, Format, Plan, Stage, TieBreak, read_stages, stages_text
from gameserver.tournaments.planner import Planner
from gameserver.tournaments.stages import grouped, parts, stage_of
from gameserver.tournaments.standings import standings
from tests.support.examples import examples
from tests.support.tables import table
from tests.tournaments import trf_reader
from tests.tournaments.playing import SEED, World, announced, counting, decided, entered, started

CUP = "groups of 4, best 2 -> knockout"
PLANS = (CUP, "swiss 3 rounds, best 4 -> knockout", "groups of 3, best 2 -> groups of 3, best 1 -> round-robin")


def plan_of(text, **changes):
    stages = read_stages(text)
    kinds = (TieBreak.WINS, TieBreak.LOT)
    return Plan(
        "cup",
        "Reversi",
        stages[0].format,
        **{"stages": stages, "draw": Draw.RATING, "tie_breaks": kinds, "same_chance": False} | changes,
    )


def to_stage(stage, text=CUP, players=8, seed=0, **changes):
    """A tournament played until a stage, from 0, has begun; nothing of it is announced yet."""
    world = World(started(plan_of(text, **changes), players), seed)
    while world.tournament.stage < stage:
        world.tick()
    return world


def refused(tournament, act):
    """Why an act is refused; empty if it is not."""
    try:
        apply(tournament, act)
    except ActRefused as why:
        return str(why)
    return ""


@pytest.mark.parametrize(("text", "spelling"), table(__file__, "read"))
def test_stages_are_read_as_people_write_them(text, spelling):
    stages = read_stages(text)
    assert stages_text(stages) == spelling
    assert read_stages(spelling) == read_stages(list(map(str, stages))) == stages


@pytest.mark.parametrize(("text", "why"), table(__file__, "refused"))
def test_stages_that_cannot_be_are_refused_with_what_would_work(text, why):
    with pytest.raises(ValueError, match="is no plan of stages: ") as told:
        read_stages(text)
    assert f": {why}; write for example" in str(told.value)
    assert "\n" not in str(told.value)


@given(
    st.builds(
        Stage,
        format=st.just(Format.SWISS),
        best=st.integers(2, 99),
        rounds=st.integers(0, 200),
        games=st.integers(0, 100),
    )
    | st.integers(2, 50).flatmap(
        lambda size: st.builds(
            Stage,
            format=st.just(Format.ROUND_ROBIN),
            group_size=st.just(size),
            best=st.integers(1, size - 1),
            cycles=st.integers(0, 10),
        )
    )
)
def test_every_stage_is_read_back_from_its_text(stage):
    assert read_stages(f"{stage} -> knockout")[0] == stage


@pytest.mark.parametrize("converter", [CONVERTER, RECORDS])
def test_plans_are_journaled_with_their_stages_as_text_and_as_before_without(converter):
    plan = plan_of("swiss 5 rounds, best 8 -> knockout")
    raw = converter.unstructure(plan)
    assert raw["stages"] == ["swiss 5 rounds, best 8", "knockout"]
    assert converter.structure(raw, Plan) == plan
    assert "stages" not in converter.unstructure(Plan("cup", "Reversi", Format.SWISS))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"format": Format.SWISS}, "format must be that of the first stage, round-robin"),
        ({"stand_in": "house-random"}, "stand_in does not go with stages"),
        ({"stages": 5}, "5 is no plan of stages"),
        ({"stages": [5, "knockout"]}, "5 is no plan of stages"),
    ],
)
def test_plans_that_do_not_go_with_their_stages_are_refused(changes, why):
    with pytest.raises(ValueError, match=why):
        Plan("cup", "Reversi", **{"format": Format.ROUND_ROBIN, "stages": CUP} | changes)


@given(st.integers(2, 60), st.integers(2, 9))
def test_groups_share_players_and_seeds_alike(players, size):
    groups = grouped([str(number) for number in range(1, players + 1)], Stage(Format.ROUND_ROBIN, size, 1))
    assert sorted(int(name) for names in groups for name in names) == [*range(1, players + 1)]
    sizes = [len(names) for names in groups]
    assert 2 <= min(sizes) >= max(sizes) - 1
    assert max(sizes) <= max(size, 3), "rather a group of three than of one"
    assert [int(names[0]) for names in groups] == [*range(1, len(groups) + 1)], "the first seeds head the groups"


@pytest.mark.parametrize("text", PLANS)
@settings(max_examples=examples(12), deadline=None)
@given(
    players=st.integers(5, 14),
    seed=st.integers(0, 1_000_000),
    faults=st.sampled_from([0, 0.02, 0.1]),
    games=st.integers(1, 2),
    effect=st.sampled_from(Effect),
)
def test_tournaments_of_stages_end_whatever_goes_wrong(text, players, seed, faults, games, effect):
    plan = plan_of(text, games=games, withdrawal=effect)
    world = World(started(plan, players), seed, faults=faults)
    tournament = world.run()
    assert tournament.stage == len(plan.stages) - 1
    names = {entrant.name for entrant in tournament.entrants}
    rows = standings(tournament)
    assert Counter(row.name for row in rows) == Counter(names), "nobody is lost, nobody is there twice"
    last = parts(tournament)[-1].state
    ranked = [row.name for row in standings(last) if row.rank]
    assert [row.name for row in rows if row.rank][: len(ranked)] == ranked
    for stage, (draw, following) in enumerate(zip(tournament.draws, tournament.draws[1:], strict=False)):
        assert len(set(following.players)) == len(following.players)
        for group in draw.groups:
            assert len(set(group) & set(following.players)) <= plan.stages[stage].best
        if not faults and plan.stages[stage].format is Format.ROUND_ROBIN:
            met = Counter(one.pair for one in counting(tournament) if stage_of(tournament, one) == stage)
            pairs = [pair for group in draw.groups for pair in combinations(sorted(group), 2)]
            assert met == Counter(dict.fromkeys(pairs, games)), "in each group everybody meets everybody"
    again = started(plan, players)
    for act in world.acts:
        again = apply(again, act)
    assert again == tournament, "the same acts give the same tournament"
    assert CONVERTER.structure(CONVERTER.unstructure(tournament), type(tournament)) == tournament


@settings(max_examples=examples(12), deadline=None)
@given(players=st.integers(5, 16), seed=st.integers(0, 1_000_000), out=st.integers(0, 3))
def test_the_best_of_each_group_go_on_and_the_next_for_those_who_left(players, seed, out):
    """By a reference of its own: points, then games won, then the lot; who has left counts, but does not go on."""
    world = World(started(plan_of(CUP), players), seed)
    while not isinstance(Planner().next_pairings(world.tournament, world.free, 0), NextStage):
        world.tick()
    for name in [entrant.name for entrant in world.tournament.active][: min(out, players - 3)]:
        world.do(WithdrawEntrant(name))
    groups, before = world.tournament.draws[0].groups, world.tournament
    world.tick()
    expected = set()
    for names in groups:
        score = dict.fromkeys(names, Fraction())
        wins = Counter()
        for one in counting(before):
            for seat, name in enumerate(one.seats):
                if name in score:
                    won = one.verdict == ("first", "second")[seat]
                    wins[name] += won
                    score[name] += Fraction(1, 2) if one.verdict is Verdict.DRAW else won
        order = sorted(names, key=lambda name: (-score[name], -wins[name], lot(before.seed, "tie", name)))
        expected |= {*[name for name in order if not before.is_out(name)][:2]}
    assert set(world.tournament.draws[1].players) == expected


def test_house_players_go_on_only_where_nobody_else_is_left():
    tournament = entered(plan_of("groups of 3, best 2 -> knockout"), 3)
    for number in range(1, 4):
        tournament = apply(tournament, RegisterEntrant(f"house-{number}", rating=4000, house=True))
    world = World(apply(tournament, StartTournament(0)))
    while world.tournament.stage == 0:
        world.tick()
    people = {"p01", "p02", "p03"}
    (went_on,) = world.tournament.draws[1].groups
    assert people <= set(went_on)
    assert len(went_on) == 4


def test_house_players_go_on_by_the_standings_of_their_group_and_are_told_of_there():
    """Two of them are level on everything but the lot, which is for the one whose name comes later."""
    first = min((f"h{number}" for number in range(9)), key=lambda name: lot(SEED, "tie", name))
    tournament = entered(plan_of("groups of 2, best 1 -> knockout", games=2), 2)
    for name, rating in ((first, 4000), ("a-house", 1)):
        tournament = apply(tournament, RegisterEntrant(name, rating=rating, house=True))
    tournament = apply(tournament, StartTournament(0))
    while tournament.stage == 0:
        tournament = announced(tournament)
        for pairing in tournament.open:
            tournament = decided(tournament, pairing.number, Verdict.DRAW)
    assert first in tournament.draws[1].players
    assert [row.name for row in standings(parts(tournament, 0)[0].state)] == [first, "a-house"]
    comments = [line for line in trf(tournament).split("\n\n")[0].splitlines() if line.startswith("###")]
    assert comments == [
        "### round of each column: 1 1",
        f"### {first} came first in its group, outside the places",
    ]


def test_table_of_all_stages_has_reasons_and_notes_that_hold_in_it():
    """The house was before the first place of the Swiss only; the player after it left, and the next two went on."""
    world = World(started(plan_of("swiss 3 rounds, best 2 -> knockout"), 8), seed=1)
    while not isinstance(Planner().next_pairings(world.tournament, world.free, 0), NextStage):
        world.tick()
    house, left, *_ = (row.name for row in standings(world.tournament))
    world.tournament = world.tournament.with_entrant(evolve(world.tournament.entrant(house), house=True))
    world.do(WithdrawEntrant(left))
    world.run()
    swiss = {row.name: row for row in standings(parts(world.tournament, 0)[0].state)}
    rows = standings(world.tournament)
    assert (swiss[house].note, rows[-1].name, rows[-1].note) == ("house, outside the places", house, "house")
    assert [row.name for row in rows[2:4]] == [left, [*swiss][3]]
    assert rows[3].why == f"points: {swiss[rows[3].name].points}, after {swiss[left].points}"


def meetings_of_mates(order, groups):
    """For each round of the bracket, the first last, how many players of one group can meet there."""
    size = 1 << (len(order) - 1).bit_length()
    at = {seed - 1: index for index, seed in enumerate(seed_order(size))}
    found = Counter()
    for names in groups:
        for one, other in combinations([seed for seed, name in enumerate(order) if name in names], 2):
            found[(at[one] ^ at[other]).bit_length()] += 1
    return [found[number] for number in range(1, size.bit_length())]


@settings(max_examples=examples(12), deadline=None)
@given(groups=st.integers(2, 8), best=st.integers(2, 3), seed=st.integers(0, 1_000_000))
def test_players_of_a_group_meet_no_sooner_than_they_must(groups, best, seed):
    world = to_stage(1, f"groups of {best + 1}, best {best} -> knockout", groups * (best + 1), seed)
    (order,) = world.tournament.draws[1].groups
    mates = meetings_of_mates(order, world.tournament.draws[0].groups)
    assert mates[0] == 0, "nobody of one group meets in the first round"
    if best == 2 and len(order).bit_count() == 1:
        assert mates[:-1] == [0] * (len(mates) - 1), "the two of a group are in opposite halves"
    for half in (0, 1):
        halves = {name for index, name in enumerate(order) if (index % 4 in (0, 3)) is not bool(half)}
        counts = [len(halves & set(names) & set(order)) for names in world.tournament.draws[0].groups]
        if len(order).bit_count() == 1:
            assert max(counts) <= -(-best // 2), "each half has its share of every group"


@pytest.mark.parametrize(("groups", "best"), [(2, 2), (3, 2), (2, 3), (2, 4)])
@settings(max_examples=examples(10), deadline=None)
@given(seed=st.integers(0, 1_000_000))
def test_no_order_of_the_seeds_keeps_players_of_a_group_further_apart(groups, best, seed):
    """Beside every order of those who came second, those who came third, and so on."""
    world = to_stage(1, f"groups of {best + 1}, best {best} -> knockout", groups * (best + 1), seed)
    (order,) = world.tournament.draws[1].groups
    tiers = [order[first : first + groups] for first in range(0, len(order), groups)]
    drawn = world.tournament.draws[0].groups
    every = product([tiers[0]], *map(permutations, tiers[1:]))
    best_of_all = min(meetings_of_mates([name for tier in tiers for name in tier], drawn) for tiers in every)
    assert meetings_of_mates(order, drawn) == best_of_all


def test_players_of_a_group_are_put_in_different_groups_next():
    world = to_stage(1, "groups of 4, best 2 -> groups of 3, best 1 -> round-robin", 12)
    before, now = world.tournament.draws
    for group in now.groups:
        assert all(len(set(group) & set(names)) <= 1 for names in before.groups)


@settings(max_examples=examples(12), deadline=None)
@given(data=st.data(), text=st.sampled_from(PLANS), players=st.integers(6, 12), seed=st.integers(0, 1_000_000))
def test_nothing_changes_who_has_gone_on_before_the_stage_is_voided(data, text, players, seed):
    world = to_stage(1, text, players, seed)
    tournament = world.tournament
    wrong = data.draw(st.sampled_from([one for one in counting(tournament) if stage_of(tournament, one) == 0]))
    verdict = data.draw(st.sampled_from(Verdict))
    with pytest.raises(ActRefused, match="void that stage first"):
        apply(tournament, VoidPairing(wrong.number, "teacher", "why"))
    correction = Correct(wrong.number, verdict, "teacher", "the wrong bot was started")
    went_on = set(tournament.draws[1].players)
    refusal = refused(tournament, correction)
    is_allowed = refusal == ""
    assert is_allowed or ("changes who goes on from stage 1" in refusal and "first (void-stage)" in refusal)
    for _ in range(data.draw(st.integers(0, 3))):
        if world.tournament.stage == 1 and world.tournament.phase is TournamentPhase.RUNNING:
            world.tick()
    if world.tournament.stage == 1:
        world.do(VoidStage("teacher", "a result was wrong"))
        assert world.tournament.phase is TournamentPhase.PAUSED
        assert {one.status for one in world.tournament.pairings if stage_of(world.tournament, one) is None} <= {
            PairingStatus.VOID
        }
        with pytest.raises(ActRefused, match="too late"):
            world.do(RegisterEntrant("newcomer"))
        world.do(correction)
        world.do(Resume(0))
        while world.tournament.stage == 0:
            world.tick()
        assert (set(world.tournament.draws[1].players) == went_on) is is_allowed
    world.run()


def test_a_voided_stage_goes_back_to_the_one_before_as_often_as_there_are_any():
    world = to_stage(2, PLANS[2], 9)
    with pytest.raises(ActRefused, match="void the stages since, by void-stage 2 times"):
        world.do(VoidPairing(1, "teacher", "why"))
    world.do(VoidStage("teacher", "why"))
    world.do(VoidStage("teacher", "why"))
    with pytest.raises(ActRefused, match="no stage has been played before this one"):
        world.do(VoidStage("teacher", "why"))
    world.do(VoidPairing(1, "teacher", "why"))
    world.do(Resume(0))
    world.run()
    assert world.tournament.stage == 2


def test_a_swiss_that_is_gone_back_to_has_its_rounds_still():
    world = to_stage(1, "swiss 3 rounds, best 4 -> swiss 1 round", 8)
    world.pair()
    world.do(VoidStage("teacher", "why"))
    world.do(VoidPairing(world.tournament.pairings[0].number, "teacher", "why"))
    world.do(Resume(0))
    world.run()
    assert max(one.round for one in counting(world.tournament)) == 5, "the voided stage had round 4"


def test_leaving_or_cheating_in_a_later_stage_changes_the_earlier_one_only_where_the_plan_says_so():
    world = to_stage(1, withdrawal="annul", disqualification="reverse")
    one, other = (entrant.name for entrant in world.tournament.active[:2])
    before = standings(parts(world.tournament, 0)[0].state)
    world.do(WithdrawEntrant(one))
    assert standings(parts(world.tournament, 0)[0].state) == before
    with pytest.raises(ActRefused, match=rf"the disqualification of {other} changes who goes on from stage 1"):
        world.do(Disqualify(other, "teacher", "copied"))
    kept = to_stage(1, disqualification="forfeit")
    kept.do(Disqualify(other, "teacher", "copied"))
    kept.run()
    assert [row.note for row in standings(kept.tournament)][-1] == "disqualified"


def test_too_late_for_groups_and_for_a_stage_that_is_over():
    world = World(started(plan_of(CUP), 8))
    with pytest.raises(ActRefused, match="new is too late: the groups are fixed by the draw"):
        world.do(RegisterEntrant("new"))
    world.do(WithdrawEntrant("p01"))
    world.do(RegisterEntrant("p01"))
    later = to_stage(1)
    stopped = next(e.name for e in later.tournament.entrants if not later.tournament.is_in_stage(e.name))
    with pytest.raises(ActRefused, match="did not go on to this stage"):
        later.do(WithdrawEntrant(stopped))
    swiss = World(started(plan_of(PLANS[1]), 8))
    swiss.tick()
    swiss.do(RegisterEntrant("new"))
    assert "new" in [row.name for row in standings(swiss.run())]


@pytest.mark.parametrize(
    ("text", "players"), [("swiss, best 8 -> knockout", 6), ("groups of 3, best 2 -> knockout", 4)]
)
def test_everybody_goes_on_where_there_are_too_few_to_drop_out(text, players):
    assert len(to_stage(1, text, players).tournament.draws[1].players) == players


def test_a_plan_of_pairings_for_the_stage_before_is_out_of_date():
    world = to_stage(1)
    stale = evolve(NextStage(world.tournament.draws[1].groups, 3, 0))
    with pytest.raises(ActRefused, match="no stage follows"):
        apply(world.tournament, stale)
    world.do(VoidStage("teacher", "why"))
    world.do(Resume(0))
    with pytest.raises(ActRefused, match="out of date"):
        apply(world.tournament, stale)


def test_the_table_of_all_stages_goes_by_how_far_a_player_came():
    world = to_stage(1)
    world.run()
    rows = standings(world.tournament)
    went_on = set(world.tournament.draws[1].players)
    assert [row.rank for row in rows] == [*range(1, 9)]
    assert {row.name for row in rows[:4]} == went_on
    assert rows[4].why == "did not go on from 'groups of 4, best 2'"
    assert rows[6].why == "place 4 in the group"
    assert sum(row.units for row in rows) == 2 * len(counting(world.tournament))
    groups, bracket = map(trf_reader.read, trf(world.tournament).split("\n\n"))
    assert (len(groups.players), len(bracket.players)) == (8, 4)
    assert len({len(line) for line in csv.reader(standings_csv(world.tournament).splitlines())}) == 1
