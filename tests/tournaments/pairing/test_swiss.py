"""Swiss: no rematch and no second bye as long as that is possible, like meets like, seats in turn."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gameserver.tournaments.acts import Begin, Report, VoidPairing
from gameserver.tournaments.lifecycle.act_table import apply
from gameserver.tournaments.model import TournamentPhase, Verdict
from gameserver.tournaments.pairing.planner import next_pairings
from gameserver.tournaments.pairing.swiss import rounds_needed
from gameserver.tournaments.plan import Draw, Format, Plan
from tests.support.examples import examples
from tests.tournaments.fields import FIELDS
from tests.tournaments.playing import World, counting, finished, seat_differences, started

SWISS = Plan("swiss", "Reversi", Format.SWISS, draw=Draw.RATING)


@pytest.mark.parametrize("players", FIELDS)
def test_no_rematch_one_bye_at_most_and_seats_within_two_for_every_field(players):
    tournament = finished(SWISS, players, players, all_at_once=True)
    assert tournament.round == rounds_needed(players)
    assert set(Counter(pairing.pair for pairing in counting(tournament)).values()) == {1}
    assert max(Counter(bye.player for bye in tournament.byes).values(), default=0) <= 1
    assert max(map(abs, seat_differences(tournament).values())) <= 2


def test_the_first_round_is_the_upper_half_against_the_lower():
    tournament = started(SWISS, 8)
    act = next_pairings(tournament, frozenset(), 0)
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


def test_a_house_player_sits_in_the_odd_seat():
    tournament = finished(SWISS.changed(stand_in="house-greedy"), 7)
    assert tournament.byes == ()
    met = Counter(p.opponent("house-greedy") for p in tournament.pairings if "house-greedy" in p.seats)
    assert sum(met.values()) == tournament.rounds
    assert set(met.values()) == {1}, "each in turn"


@settings(max_examples=examples(60), deadline=None)
@given(players=st.integers(3, 12), seed=st.integers(0, 10_000), games=st.integers(1, 2), data=st.data())
def test_a_withdrawal_at_any_time_leaves_nobody_unpaired(players, seed, games, data):
    world = World(started(SWISS.changed(rounds=5, games=games), players), seed)
    world.withdraw_some(data, players - 2, 3)
    tournament = world.run()
    if len(tournament.active) >= 2:
        assert tournament.round == 5
        for entrant in tournament.active:
            rounds = {p.round for p in counting(tournament) if entrant.name in p.seats}
            rounds |= {bye.round for bye in tournament.byes if bye.player == entrant.name}
            assert rounds == {1, 2, 3, 4, 5}


def test_replays_of_one_player_are_played_one_after_the_other():
    """A teacher voids a game of the first round when the second is paired already, and then one of that."""
    tournament = finished(SWISS.changed(rounds=2), 4, 7)
    one = next(pairing for pairing in tournament.pairings if pairing.round == 1)
    other = next(
        pairing for pairing in tournament.pairings if pairing.round == 2 and set(pairing.seats) & set(one.seats)
    )
    for voided in (one, other):
        tournament = apply(tournament, VoidPairing(voided.number, by="teacher", why="once more"))
    names = [entrant.name for entrant in tournament.entrants]
    for place in (one, other):
        act = next_pairings(tournament, names, 0)
        assert [(again.round, again.board) for again in act.pairings] == [(place.round, place.board)]
        tournament = apply(tournament, act)
        assert next_pairings(tournament, names, 0) is None
        (again,) = tournament.open
        tournament = apply(tournament, Begin(again.number, 100 + again.number))
        tournament = apply(tournament, Report(again.number, 100 + again.number, Verdict.FIRST))
    assert tournament.phase is TournamentPhase.OVER
