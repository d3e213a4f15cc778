"""Round robins and gauntlets: everybody who must meet meets, nobody waits without need."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from gameserver.tournaments.acts import RegisterEntrant
from gameserver.tournaments.model import TournamentPhase
from gameserver.tournaments.plan import Format, Plan, RoundMode
from gameserver.tournaments.scoring.standings import standings
from tests.support.examples import examples
from tests.tournaments.playing import World, counting, finished, seat_differences, started

ROUND_ROBIN = Plan("league", "Reversi", Format.ROUND_ROBIN)


@settings(max_examples=examples(60), deadline=None)
@given(
    players=st.integers(2, 9),
    late=st.integers(1, 4),
    cycles=st.integers(1, 2),
    pacing=st.sampled_from(RoundMode),
    seed=st.integers(0, 1000),
    data=st.data(),
)
def test_late_entrant_still_meets_everybody(players, late, cycles, pacing, seed, data):
    world = World(started(ROUND_ROBIN.changed(cycles=cycles, pacing=pacing), players), seed)
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


def test_a_house_player_takes_the_odd_place_and_no_rank():
    plan = ROUND_ROBIN.changed(stand_in="house-greedy")
    tournament = finished(plan, 5)
    assert len(counting(tournament)) == 15
    rows = standings(tournament)
    assert [row.rank for row in rows if row.name == "house-greedy"] == [None]
    assert all(row.played == 5 for row in rows)
    assert len(counting(finished(plan, 6))) == 15, "an even field needs none"


def test_two_champions_meet_all_challengers_but_not_each_other():
    plan = Plan("gauntlet", "Reversi", Format.GAUNTLET, champions=("p01", "p02"), games=2)
    tournament = finished(plan, 6)
    met = Counter(pairing.pair for pairing in tournament.pairings)
    assert met == {tuple(sorted((c, f"p{n:02}"))): 2 for c in ("p01", "p02") for n in range(3, 7)}
