"""Arena: until the time is up, whoever is free meets somebody near."""

from collections import Counter

import pytest
from attrs import evolve

from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import (
    Begin,
    EndByTime,
    Finish,
    PairingStatus,
    Pause,
    RegisterEntrant,
    Report,
    Resume,
    StartTournament,
    Tournament,
    TournamentPhase,
    Verdict,
)
from gameserver.tournaments.plan import Draw, Format, Plan
from gameserver.tournaments.planner import Planner, startable
from gameserver.tournaments.standings import standings
from tests.tournaments.fields import FIELDS
from tests.tournaments.playing import SEED, World, announced, decided, finished, seat_differences, started

ARENA = Plan("arena", "Reversi", Format.ARENA, duration_ms=60_000, draw=Draw.RATING)


@pytest.mark.parametrize("players", FIELDS)
def test_it_goes_on_until_the_time_is_up_and_no_longer(players):
    plan = evolve(ARENA, duration_ms=8_000)
    world = World(started(plan, players), players)
    world.run()
    assert world.now_ms >= 8_000
    assert len(world.tournament.pairings) >= players // 2
    assert all(pairing.status is PairingStatus.DONE for pairing in world.tournament.pairings)


def test_nobody_is_paired_after_the_end():
    tournament = started(ARENA, 4)
    free = frozenset(entrant.name for entrant in tournament.active)
    assert Planner().next_pairings(tournament, free, 59_999) is not None
    assert Planner().next_pairings(tournament, free, 60_000) is None
    assert apply(tournament, EndByTime(59_999)) == tournament
    assert apply(tournament, EndByTime(60_000)).phase is TournamentPhase.OVER


def test_a_match_that_is_played_at_the_end_still_counts():
    tournament = started(ARENA, 2)
    tournament = announced(tournament)
    tournament = apply(apply(tournament, Begin(1, 1)), EndByTime(60_000))
    assert tournament.phase is TournamentPhase.FINISHING
    tournament = apply(tournament, Report(1, 1, Verdict.FIRST))
    assert tournament.phase is TournamentPhase.OVER
    assert standings(tournament)[0].units == 2


@pytest.mark.parametrize("again", [Resume(60_001), Resume(90_000)])
def test_an_arena_whose_time_is_over_begins_nothing_when_it_is_resumed(again):
    tournament = announced(started(ARENA, 4), {"p01", "p02"})
    tournament = apply(apply(tournament, Begin(1, 1)), EndByTime(60_000))
    tournament = apply(tournament, again)
    assert Planner().next_pairings(tournament, frozenset({"p03", "p04"}), again.now_ms) is None
    assert apply(tournament, Report(1, 1, Verdict.FIRST)).phase is TournamentPhase.OVER


def test_an_arena_that_is_paused_at_its_last_moment_is_over_when_it_is_resumed():
    tournament = apply(started(ARENA, 4), Pause(60_000))
    assert apply(tournament, Resume(61_000)).phase is TournamentPhase.OVER


def test_nobody_meets_the_same_a_third_time_running_while_others_play():
    world = World(started(ARENA, 8), 3)
    world.run()
    met: dict[str, list[tuple[str, int]]] = {}
    for pairing in world.tournament.pairings:
        for name in pairing.seats:
            met.setdefault(name, []).append(pairing.opponent(name))
    runs = [
        opponents[index : index + 3]
        for opponents in met.values()
        for index in range(len(opponents) - 2)
        if len(set(opponents[index : index + 3])) == 1
    ]
    assert not runs


def test_two_players_alone_play_on_with_seats_in_turn_and_the_same_chance_twice():
    tournament = finished(ARENA, 2)
    assert len(tournament.pairings) >= 50
    assert max(map(abs, seat_differences(tournament).values())) <= 1
    assert max(Counter(pairing.chance for pairing in tournament.pairings).values()) == 2


def test_near_in_score_meet():
    """Four have won and four have lost: winners meet winners."""
    tournament = started(ARENA, 8)
    free = frozenset(entrant.name for entrant in tournament.active)
    tournament = announced(tournament, free)
    winners = set()
    for pairing in startable(tournament, free):
        tournament = decided(tournament, pairing.number)
        winners.add(pairing.seats[0])
    act = Planner().next_pairings(tournament, free, 0)
    assert [len(winners.intersection(pairing.seats)) in (0, 2) for pairing in act.pairings] == [True] * 4


def test_in_an_odd_crowd_everybody_waits_alike():
    """The strongest win everything, so scores alone would always leave the same one over."""
    tournament = started(ARENA, 5)
    free = frozenset(entrant.name for entrant in tournament.active)
    waits: Counter[str] = Counter()
    for _ in range(20):
        act = Planner().next_pairings(tournament, free, 0)
        waits.update(free - {name for pairing in act.pairings for name in pairing.seats})
        tournament = apply(tournament, act)
        for pairing in act.pairings:
            verdict = Verdict.FIRST if pairing.seats[0] < pairing.seats[1] else Verdict.SECOND
            tournament = decided(tournament, pairing.number, verdict)
    assert set(waits.values()) == {4}


def test_its_clock_stands_in_a_pause():
    tournament = apply(apply(started(ARENA, 2), Pause(20_000)), Resume(100_000))
    assert tournament.ends_ms == 140_000
    stopped = apply(tournament, Finish(120_000))
    assert stopped.phase is TournamentPhase.OVER
    assert apply(stopped, Resume(500_000)).ends_ms == 520_000


def test_late_entries_join_at_once():
    tournament = apply(started(ARENA, 2), RegisterEntrant("late"))
    act = Planner().next_pairings(tournament, frozenset({"late", "p02"}), 0)
    assert act.pairings[0].pair == ("late", "p02")


def test_a_house_player_takes_part_as_one_player():
    tournament = Tournament(ARENA, SEED)
    for name in ("ann", "bob", "house-one"):
        tournament = apply(tournament, RegisterEntrant(name, house=name.startswith("house")))
    tournament = apply(tournament, StartTournament(0))
    tournament = announced(tournament, {"ann"})
    assert [pairing.pair for pairing in tournament.pairings] == [("ann", "house-one")]
    assert Planner().next_pairings(tournament, {"bob"}, 0) is None
