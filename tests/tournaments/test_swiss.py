"""Swiss: no rematch and no second bye as long as that is possible, like meets like, seats in turn."""

from collections import Counter
from itertools import combinations

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import NoShow, RegisterEntrant, TournamentPhase, VoidPairing
from gameserver.tournaments.plan import Draw, Format, Plan
from gameserver.tournaments.planner import Planner
from gameserver.tournaments.standings import Ledger
from gameserver.tournaments.swiss import rounds_needed
from tests.support.examples import examples
from tests.tournaments.fields import FIELDS
from tests.tournaments.playing import World, announced, counting, decided, finished, seat_differences, started

SWISS = Plan("swiss", "Reversi", Format.SWISS, draw=Draw.RATING)


def pairing_possible(players: list[str], met: set[tuple[str, str]], rested: set[str]) -> bool:
    """Try whether everybody can be paired without a rematch and a second bye."""
    if not players:
        return True
    one, others = players[0], players[1:]
    if len(players) % 2 and one not in rested and pairing_possible(others, met, rested):
        return True
    return any(
        tuple(sorted((one, other))) not in met
        and pairing_possible([name for name in others if name != other], met, rested)
        for other in others
    )


@settings(max_examples=examples(80), deadline=None)
@given(players=st.integers(2, 9), rounds=st.integers(1, 9), seed=st.integers(0, 100_000))
def test_rematches_and_second_byes_are_a_last_resort(players, rounds, seed):
    tournament = finished(evolve(SWISS, rounds=rounds), players, seed)
    names = [entrant.name for entrant in tournament.entrants]
    met: set[tuple[str, str]] = set()
    rested: set[str] = set()
    for number in range(1, rounds + 1):
        pairs = [pairing.pair for pairing in tournament.pairings if pairing.round == number]
        byes = [bye.player for bye in tournament.byes if bye.round == number]
        assert len(pairs) * 2 + len(byes) == players
        assert len(byes) == players % 2
        if pairing_possible(names, met, rested):
            assert not met.intersection(pairs), f"a needless rematch in round {number}"
            assert not rested.intersection(byes), f"a needless second bye in round {number}"
        met.update(pairs)
        rested.update(byes)


@pytest.mark.parametrize("players", FIELDS)
def test_no_rematch_one_bye_at_most_and_seats_within_two_for_every_field(players):
    tournament = finished(SWISS, players, players, all_at_once=True)
    assert tournament.round == rounds_needed(players)
    assert set(Counter(pairing.pair for pairing in counting(tournament)).values()) == {1}
    assert max(Counter(bye.player for bye in tournament.byes).values(), default=0) <= 1
    assert max(map(abs, seat_differences(tournament).values())) <= 2


@pytest.mark.parametrize(("players", "seed"), [(10, 9), (14, 17)])
def test_nobody_has_one_seat_three_times_oftener_than_the_other(players, seed):
    """FIDE's limit (C.04.1). In these two, looking only for three times the same seat in a row would cross it."""
    assert max(map(abs, seat_differences(finished(evolve(SWISS, rounds=7), players, seed)).values())) <= 2


@pytest.mark.parametrize(
    ("players", "rounds"), [(2, 1), (3, 3), (4, 3), (5, 3), (6, 3), (8, 4), (9, 5), (16, 5), (30, 6)]
)
def test_how_many_rounds(players, rounds):
    assert rounds_needed(players) == rounds


@settings(max_examples=examples(20), deadline=None)
@given(players=st.integers(2, 20), seed=st.integers(0, 1000))
def test_with_two_games_a_round_everybody_has_both_seats_alike_and_the_same_chance(players, seed):
    tournament = finished(evolve(SWISS, games=2), players, seed)
    assert set(seat_differences(tournament).values()) == {0}
    for pairing in tournament.pairings:
        twin = next(p for p in tournament.pairings if p.pair == pairing.pair and p.meeting == 3 - pairing.meeting)
        assert twin.chance == pairing.chance
        assert twin.seats == pairing.seats[::-1]
        assert (twin.round, twin.board) == (pairing.round, pairing.board)


def test_the_first_round_is_the_upper_half_against_the_lower():
    tournament = started(SWISS, 8)
    act = Planner().next_pairings(tournament, frozenset(), 0)
    assert [tuple(sorted(p.seats)) for p in act.pairings] == [
        ("p01", "p05"),
        ("p02", "p06"),
        ("p03", "p07"),
        ("p04", "p08"),
    ]
    assert [p.seats[0] in ("p01", "p02", "p03", "p04") for p in act.pairings] in (
        [True, False, True, False],
        [False, True, False, True],
    ), "seats change from board to board"


def test_the_last_seed_has_the_first_bye():
    act = Planner().next_pairings(started(SWISS, 7), frozenset(), 0)
    assert [bye.player for bye in act.byes] == ["p07"]


def test_a_win_without_a_game_counts_as_a_bye():
    tournament = announced(started(evolve(SWISS, rounds=3), 5))
    tournament = announced(apply(apply(tournament, NoShow(1, ("p01",))), NoShow(2, ("p04",))))
    tournament = announced(apply(decided(tournament, 3), NoShow(4, ("p03",))))
    assert [bye.player for bye in tournament.byes] == ["p05", "p04", "p01"], "p03, the last, has won without a game"


@settings(max_examples=examples(30), deadline=None)
@given(players=st.integers(6, 24), seed=st.integers(0, 10_000))
def test_scores_meet_scores_as_near_as_nobody_could_better_by_a_swap(players, seed):
    """Exchanging partners between two boards never lowers the sum of squared differences without a rematch."""
    world = World(started(evolve(SWISS, games=2), players), seed, all_at_once=True)
    while world.tournament.phase is not TournamentPhase.OVER:
        before = world.tournament
        world.tick()
        fresh = [p for p in world.tournament.pairings[len(before.pairings) :] if p.round > before.round]
        points = Ledger.of(before).points
        met = {p.pair for p in before.pairings}

        def cost(a, b, points=points):
            return (points[a] - points[b]) ** 2

        for one, other in combinations(fresh, 2):
            (a, b), (c, d) = one.seats, other.seats
            now = cost(a, b) + cost(c, d)
            for swap in (((a, c), (b, d)), ((a, d), (b, c))):
                if not any(tuple(sorted(pair)) in met for pair in swap):
                    assert sum(cost(*pair) for pair in swap) >= now


def test_a_house_player_sits_in_the_odd_seat():
    tournament = finished(evolve(SWISS, stand_in="house-greedy"), 7)
    assert tournament.byes == ()
    met = Counter(p.opponent("house-greedy") for p in tournament.pairings if "house-greedy" in p.seats)
    assert sum(met.values()) == tournament.rounds
    assert set(met.values()) == {1}, "each in turn"


def test_late_entrant_plays_from_the_next_round_on():
    world = World(started(evolve(SWISS, rounds=4), 7), all_at_once=True)
    world.tick()
    world.do(RegisterEntrant("late"))
    tournament = world.run()
    assert tournament.entrant("late").from_round == 2
    assert {p.round for p in tournament.pairings if "late" in p.seats} == {2, 3, 4}
    assert len(tournament.byes) == 1


@settings(max_examples=examples(60), deadline=None)
@given(players=st.integers(3, 12), seed=st.integers(0, 10_000), games=st.integers(1, 2), data=st.data())
def test_a_withdrawal_at_any_time_leaves_nobody_unpaired(players, seed, games, data):
    world = World(started(evolve(SWISS, rounds=5, games=games), players), seed)
    world.withdraw_some(data, players - 2, 3)
    tournament = world.run()
    if len(tournament.active) >= 2:
        assert tournament.round == 5
        for entrant in tournament.active:
            rounds = {p.round for p in counting(tournament) if entrant.name in p.seats}
            rounds |= {bye.round for bye in tournament.byes if bye.player == entrant.name}
            assert rounds == {1, 2, 3, 4, 5}


def test_a_big_field_is_paired_without_a_rematch():
    tournament = finished(evolve(SWISS, rounds=3), 100, all_at_once=True)
    assert set(Counter(pairing.pair for pairing in counting(tournament)).values()) == {1}


def test_replays_of_one_player_are_played_one_after_the_other():
    """A teacher voids a game of the first round when the second is paired already, and then one of that."""
    tournament = finished(evolve(SWISS, rounds=2), 4, 7)
    one = next(pairing for pairing in tournament.pairings if pairing.round == 1)
    other = next(
        pairing for pairing in tournament.pairings if pairing.round == 2 and set(pairing.seats) & set(one.seats)
    )
    for voided in (one, other):
        tournament = apply(tournament, VoidPairing(voided.number, by="teacher", why="once more"))
    names = [entrant.name for entrant in tournament.entrants]
    for place in (one, other):
        act = Planner().next_pairings(tournament, names, 0)
        assert [(again.round, again.board) for again in act.pairings] == [(place.round, place.board)]
        tournament = apply(tournament, act)
        assert Planner().next_pairings(tournament, names, 0) is None
        (again,) = tournament.open
        tournament = decided(tournament, again.number)
    assert tournament.phase is TournamentPhase.OVER
