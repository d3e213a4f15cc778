"""Round robins and gauntlets: everybody who must meet meets, nobody waits without need."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from gameserver.tournaments.acts import Begin, NoShow, RegisterEntrant, Report
from gameserver.tournaments.lifecycle.act_table import apply
from gameserver.tournaments.model import TournamentPhase, Verdict
from gameserver.tournaments.pairing.planner import next_pairings, startable
from gameserver.tournaments.plan import Effect, Format, Plan, RoundMode
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


def test_absent_players_are_waited_for_and_then_lose_and_then_are_out():
    plan = ROUND_ROBIN.changed(no_shows_max=2, withdrawal=Effect.FORFEIT)
    tournament = started(plan, 4)
    here = frozenset({"p01", "p02", "p03"})
    match = 0
    while tournament.phase is TournamentPhase.RUNNING:
        act = next_pairings(tournament, here, 0)
        tournament = tournament if act is None else apply(tournament, act)
        for pairing in startable(tournament, here):
            match += 1
            tournament = apply(tournament, Begin(pairing.number, match))
            tournament = apply(tournament, Report(pairing.number, match, Verdict.FIRST))
        for pairing in tournament.open:
            tournament = apply(tournament, NoShow(pairing.number, ("p04",)))
    assert tournament.entrant("p04").is_out
    assert sum(pairing.absent == ("p04",) for pairing in tournament.pairings) == 2
    rows = {row.name: row for row in standings(tournament)}
    assert rows["p04"].points == 0
    for name in here:
        assert rows[name].unplayed == 1, "a win without a game over p04, announced or not"
        assert rows[name].played == 2


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
