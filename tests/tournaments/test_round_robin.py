"""Round robins and gauntlets: everybody who must meet meets, nobody waits without need; and the printed tables."""

from collections import Counter

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import (
    Begin,
    NoShow,
    PairingStatus,
    RegisterEntrant,
    Report,
    StartTournament,
    Tournament,
    TournamentPhase,
    Verdict,
)
from gameserver.tournaments.plan import Effect, Format, Plan, RoundMode
from gameserver.tournaments.planner import Planner, startable
from gameserver.tournaments.round_robin import berger_table
from gameserver.tournaments.standings import standings
from tests.support.examples import examples
from tests.tournaments.playing import (
    SEED,
    World,
    announced,
    counting,
    decided,
    entered,
    finished,
    seat_differences,
    started,
)

ROUND_ROBIN = Plan("league", "Reversi", Format.ROUND_ROBIN)


@settings(max_examples=examples(40), deadline=None)
@given(
    players=st.integers(2, 14),
    cycles=st.integers(1, 3),
    games=st.integers(1, 3),
    pacing=st.sampled_from(RoundMode),
    seed=st.integers(0, 1000),
)
def test_each_pair_meets_as_often_as_planned_with_both_seats_alike(players, cycles, games, pacing, seed):
    plan = evolve(ROUND_ROBIN, cycles=cycles, games=games, pacing=pacing)
    tournament = finished(plan, players, seed)
    met = Counter(pairing.pair for pairing in counting(tournament))
    assert len(met) == players * (players - 1) // 2
    assert set(met.values()) == {cycles * games}
    assert max(map(abs, seat_differences(tournament).values())) <= 1
    for pair in met:
        seats = Counter(pairing.seats for pairing in counting(tournament) if pairing.pair == pair)
        assert max(seats.values()) - min(seats[pair], seats[pair[::-1]]) <= 1


def test_without_same_chance_every_game_has_its_own():
    tournament = finished(evolve(ROUND_ROBIN, cycles=2, same_chance=False), 5)
    assert len({pairing.chance for pairing in tournament.pairings}) == len(tournament.pairings)


def test_with_rounds_a_round_waits_for_the_one_before():
    world = World(started(evolve(ROUND_ROBIN, pacing=RoundMode.ROUNDS), 6), 4)
    while world.tournament.phase is not TournamentPhase.OVER:
        world.tick()
        assert len({pairing.round for pairing in world.tournament.open}) <= 1


def test_continuously_nobody_waits_for_a_slow_match():
    """p-slow's first match never ends; everybody else plays all their games meanwhile."""
    tournament = started(ROUND_ROBIN, 8)
    slow = None
    for match in range(1, 200):
        busy = {name for pairing in tournament.open for name in pairing.seats}
        free = {entrant.name for entrant in tournament.active} - busy
        tournament = announced(tournament, free)
        for pairing in startable(tournament, free):
            tournament = apply(tournament, Begin(pairing.number, match))
            slow = slow or pairing.number
        ending = [pairing for pairing in tournament.open if pairing.number != slow]
        if not ending:
            break
        tournament = apply(tournament, Report(ending[0].number, ending[0].match, Verdict.DRAW))
    stuck = tournament.pairings[slow - 1].seats
    others = [entrant.name for entrant in tournament.entrants if entrant.name not in stuck]
    done = Counter(pairing.pair for pairing in tournament.pairings if pairing.status is PairingStatus.DONE)
    assert sum(done.values()) == 6 * 5 // 2, f"all games among {others}"


def test_the_numbers_are_drawn_by_lot_from_the_seed():
    orders = set()
    for seed in ("11" * 32, "22" * 32, "33" * 32):
        tournament = started(ROUND_ROBIN, 12, seed)
        orders.add(tuple(entrant.name for entrant in tournament.entrants))
        assert sorted(entrant.number for entrant in tournament.entrants) == list(range(1, 13))
    assert len(orders) == 3


def test_the_order_of_entering_does_not_matter_for_the_lot():
    one = Tournament(ROUND_ROBIN, SEED)
    other = Tournament(ROUND_ROBIN, SEED)
    for name in ("ann", "bob", "cyd", "dan"):
        one = apply(one, RegisterEntrant(name))
    for name in ("dan", "bob", "ann", "cyd"):
        other = apply(other, RegisterEntrant(name))
    assert apply(one, StartTournament(0)) == apply(other, StartTournament(0))


@settings(max_examples=examples(40), deadline=None)
@given(
    players=st.integers(2, 9),
    late=st.integers(1, 4),
    cycles=st.integers(1, 2),
    pacing=st.sampled_from(RoundMode),
    seed=st.integers(0, 1000),
    data=st.data(),
)
def test_late_entrant_still_meets_everybody(players, late, cycles, pacing, seed, data):
    world = World(started(evolve(ROUND_ROBIN, cycles=cycles, pacing=pacing), players), seed)
    for number in range(late):
        for _ in range(data.draw(st.integers(0, 4))):
            if world.tournament.phase is TournamentPhase.RUNNING:
                world.tick()
        if world.tournament.phase is TournamentPhase.RUNNING:
            world.do(RegisterEntrant(f"late{number}"))
    everybody = len(world.tournament.entrants)
    tournament = world.run()
    met = Counter(pairing.pair for pairing in counting(tournament))
    assert len(met) == everybody * (everybody - 1) // 2
    assert set(met.values()) == {cycles}
    assert max(map(abs, seat_differences(tournament).values())) <= (2 * late + 1 if cycles == 1 else 0)


def test_absent_player_is_paired_only_with_players_without_other_games():
    tournament = started(ROUND_ROBIN, 4)
    here = frozenset({"p01", "p02", "p03"})
    first = Planner().next_pairings(tournament, here, 0)
    assert len(first.pairings) == 1
    assert set(first.pairings[0].seats) <= here
    tournament = apply(tournament, first)
    (third,) = here - set(first.pairings[0].seats)
    assert Planner().next_pairings(tournament, here, 0) is None, f"{third} will meet the two that play now"


def test_absent_players_are_waited_for_and_then_lose_and_then_are_out():
    plan = evolve(ROUND_ROBIN, no_shows_max=2, withdrawal=Effect.FORFEIT)
    tournament = started(plan, 4)
    here = frozenset({"p01", "p02", "p03"})
    while tournament.phase is TournamentPhase.RUNNING:
        tournament = announced(tournament, here)
        for pairing in startable(tournament, here):
            tournament = decided(tournament, pairing.number)
        for pairing in tournament.open:
            tournament = apply(tournament, NoShow(pairing.number, ("p04",)))
    assert tournament.entrant("p04").is_out
    assert sum(pairing.absent == ("p04",) for pairing in tournament.pairings) == 2
    rows = {row.name: row for row in standings(tournament)}
    assert rows["p04"].units == 0
    for name in here:
        assert rows[name].unplayed == 1, "a win without a game over p04, announced or not"
        assert rows[name].played == 2


def test_when_both_are_away_both_lose():
    tournament = announced(started(ROUND_ROBIN, 2), ())
    tournament = apply(tournament, NoShow(1, ("p01", "p02")))
    assert tournament.pairings[0].verdict is Verdict.BOTH_LOSE
    assert [row.units for row in standings(tournament)] == [0, 0]


def test_a_house_player_takes_the_odd_place_and_no_rank():
    plan = evolve(ROUND_ROBIN, stand_in="house-greedy")
    tournament = finished(plan, 5)
    assert len(counting(tournament)) == 15
    rows = standings(tournament)
    assert [row.rank for row in rows if row.name == "house-greedy"] == [None]
    assert all(row.played == 5 for row in rows)
    assert len(counting(finished(plan, 6))) == 15, "an even field needs none"


@pytest.mark.parametrize("players", [2, 3, 7, 20])
@pytest.mark.parametrize("games", [1, 2])
def test_a_gauntlet_is_the_first_against_everybody_else(players, games):
    tournament = finished(Plan("gauntlet", "Reversi", Format.GAUNTLET, games=games), players)
    champion = min(tournament.entrants, key=lambda entrant: entrant.number).name
    assert all(champion in pairing.seats for pairing in tournament.pairings)
    assert len(tournament.pairings) == games * (players - 1)
    assert abs(seat_differences(tournament)[champion]) <= 1


def test_a_house_champion_meets_everybody_at_once():
    plan = Plan("gauntlet", "Reversi", Format.GAUNTLET, champions=("house-minimax",))
    tournament = apply(apply(entered(plan, 9), RegisterEntrant("house-minimax", house=True)), StartTournament(0))
    free = frozenset(entrant.name for entrant in tournament.active)
    tournament = announced(tournament, free)
    assert len(startable(tournament, free)) == 9


def test_two_champions_meet_all_challengers_but_not_each_other():
    plan = Plan("gauntlet", "Reversi", Format.GAUNTLET, champions=("p01", "p02"), games=2)
    tournament = finished(plan, 6)
    met = Counter(pairing.pair for pairing in tournament.pairings)
    assert met == {tuple(sorted((c, f"p{n:02}"))): 2 for c in ("p01", "p02") for n in range(3, 7)}


def test_player_without_other_games_is_paired_with_the_absent_one():
    tournament = started(ROUND_ROBIN, 4)
    here = frozenset({"p01", "p02", "p03"})
    tournament = announced(tournament, here)
    one, other = tournament.pairings[0].seats
    (third,) = here - {one, other}
    tournament = announced(decided(tournament, 1, Verdict.DRAW), {one, third})
    tournament = announced(decided(tournament, 2, Verdict.DRAW), {other, third})
    tournament = apply(tournament, Begin(3, 3))
    act = Planner().next_pairings(tournament, frozenset({one}), 0)
    assert [pairing.pair for pairing in act.pairings] == [tuple(sorted((one, "p04")))]


# The tables as federations print them (FIDE Handbook C.05, annex 1): first number, first seat.
PRINTED = {
    4: "1-4 2-3 / 4-3 1-2 / 2-4 3-1",
    6: "1-6 2-5 3-4 / 6-4 5-3 1-2 / 2-6 3-1 4-5 / 6-5 1-4 2-3 / 3-6 4-2 5-1",
    8: (
        "1-8 2-7 3-6 4-5 / 8-5 6-4 7-3 1-2 / 2-8 3-1 4-7 5-6 / 8-6 7-5 1-4 2-3"
        " / 3-8 4-2 5-1 6-7 / 8-7 1-6 2-5 3-4 / 4-8 5-3 6-2 7-1"
    ),
}


def as_printed(players: int) -> str:
    return " / ".join(" ".join(f"{a}-{b}" for a, b in boards) for boards in berger_table(players))


@pytest.mark.parametrize("players", PRINTED)
def test_the_printed_tables(players):
    assert as_printed(players) == PRINTED[players]


def test_an_odd_field_is_the_table_above_it_without_its_last_number():
    assert as_printed(5) == "2-5 3-4 / 5-3 1-2 / 3-1 4-5 / 1-4 2-3 / 4-2 5-1"


@pytest.mark.parametrize("players", [0, 1])
def test_nobody_to_meet(players):
    assert berger_table(players) == ()


@pytest.mark.parametrize("players", range(2, 61))
def test_everybody_meets_everybody_once_with_balanced_seats(players):
    table = berger_table(players)
    pairs = Counter(frozenset(board) for boards in table for board in boards)
    assert len(pairs) == players * (players - 1) // 2
    assert set(pairs.values()) == {1}
    for boards in table:
        seated = [number for board in boards for number in board]
        assert len(seated) == len(set(seated)) == players - players % 2
    first = Counter(board[0] for boards in table for board in boards)
    second = Counter(board[1] for boards in table for board in boards)
    differences = [abs(first[number] - second[number]) for number in range(1, players + 1)]
    assert max(differences) == (0 if players % 2 else 1)
