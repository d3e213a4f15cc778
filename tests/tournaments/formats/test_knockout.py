"""Knockouts: one winner, byes for the best seeds, nobody out before their time."""

from collections import Counter

import pytest

from gameserver.tournaments.acts import (
    ActRefused,
    Begin,
    Correct,
    Report,
    VoidPairing,
)
from gameserver.tournaments.formats.history import History
from gameserver.tournaments.formats.knockout import From, champion, nodes_now, tree
from gameserver.tournaments.lifecycle.act_table import apply
from gameserver.tournaments.model import TournamentPhase, Verdict
from gameserver.tournaments.pairing.planner import next_pairings
from gameserver.tournaments.plan import Draw, Format, Plan
from gameserver.tournaments.scoring.standings import standings
from tests.tournaments.fields import FIELDS
from tests.tournaments.playing import finished, started

CUP = Plan("cup", "Reversi", Format.KNOCKOUT, draw=Draw.RATING, tie_breaks=())
DOUBLE = CUP.changed(format=Format.DOUBLE_ELIMINATION)
BRACKETS = pytest.mark.parametrize("plan", [CUP, DOUBLE], ids=["knockout", "double"])


def encounters_lost(tournament):
    return Counter(now.loser for now in nodes_now(History.of(tournament)) if now.loser and not now.node.third_place)


def decided(tournament, verdicts):
    """Play what is announced, by verdicts in the order of the pairings."""
    tournament = apply(tournament, next_pairings(tournament, frozenset(), 0))
    for pairing in tournament.open:
        tournament = apply(tournament, Begin(pairing.number, pairing.number))
        tournament = apply(tournament, Report(pairing.number, pairing.number, next(verdicts)))
    return tournament


def better_seed_wins(tournament):
    """Play to the end, the better seed winning everything."""
    numbers = {entrant.name: entrant.number for entrant in tournament.entrants}
    while tournament.phase is TournamentPhase.RUNNING:
        tournament = apply(tournament, next_pairings(tournament, frozenset(), 0))
        for pairing in tournament.open:
            tournament = apply(tournament, Begin(pairing.number, pairing.number))
            first, second = (numbers[name] for name in pairing.seats)
            verdict = Verdict.FIRST if first < second else Verdict.SECOND
            tournament = apply(tournament, Report(pairing.number, pairing.number, verdict))
    return tournament


@BRACKETS
@pytest.mark.parametrize("players", FIELDS)
def test_one_winner_and_everybody_else_lost_as_often_as_it_takes(plan, players):
    tournament = finished(plan, players, players, all_at_once=True)
    winner = champion(History.of(tournament))
    lost = encounters_lost(tournament)
    lives = 1 if plan is CUP else 2
    assert winner is not None
    assert lost[winner] < lives
    assert all(lost[entrant.name] == lives for entrant in tournament.entrants if entrant.name != winner)
    rows = standings(tournament)
    assert [row.name for row in rows if row.rank == 1] == [winner]


def test_double_elimination_when_the_better_seed_always_wins():
    tournament = better_seed_wins(started(DOUBLE, 8))
    rows = standings(tournament)
    assert [row.name for row in rows[:4]] == ["p01", "p02", "p03", "p04"]
    assert len(tournament.pairings) == 2 * 8 - 2, "no deciding final where nobody beat the unbeaten"


@pytest.mark.parametrize(
    ("games", "verdicts", "played"),
    [
        (3, ["first", "second"], 2),  # seats change: the same player wins both
        (3, ["first", "first", "first"], 3),
        (1, ["draw", "second", "first"], 3),  # a level encounter goes on in twos
        (1, ["draw", "first", "first", "draw", "first"], 5),
        (2, ["first", "draw"], 2),
    ],
)
def test_how_long_an_encounter_lasts(games, verdicts, played):
    """Game 1 has p01 in the first seat, and seats change with each game."""
    tournament = started(CUP.changed(games=games, extra_games_max=4), 2)
    verdicts = iter(map(Verdict, verdicts))
    while tournament.phase is TournamentPhase.RUNNING:
        tournament = decided(tournament, verdicts)
    assert len(tournament.pairings) == played
    assert champion(History.of(tournament)) == "p01"


def test_a_result_that_others_rest_on_is_not_changed_under_them():
    tournament = started(CUP, 4)
    tournament = decided(tournament, iter([Verdict.FIRST] * 2))
    tournament = decided(tournament, iter([Verdict.FIRST]))
    for act in (VoidPairing(1, "teacher", "wrong board"), Correct(1, Verdict.SECOND, "teacher", "wrong board")):
        with pytest.raises(ActRefused, match="void pairing 3 first"):
            apply(tournament, act)
    tournament = apply(tournament, VoidPairing(3, "teacher", "wrong board"))
    tournament = apply(tournament, VoidPairing(1, "teacher", "wrong board"))
    again = next_pairings(tournament, frozenset(), 0)
    assert [(p.number, p.round, p.board) for p in again.pairings] == [(4, 1, 1)]


def test_final_paired_while_a_semi_final_was_annulled_is_not_begun():
    tournament = decided(started(CUP, 4), iter([Verdict.FIRST, Verdict.FIRST]))
    final = next_pairings(tournament, frozenset(), 0)
    assert final is not None
    struck_out = apply(tournament, VoidPairing(1, "teacher", "the wrong bot"))
    with pytest.raises(ActRefused, match="out of date"):
        apply(struck_out, final)
    assert apply(tournament, final).open


@pytest.mark.parametrize("size", [8, 16, 32, 64])
def test_player_who_drops_to_the_lower_bracket_does_not_meet_a_player_they_beat_at_once(size):
    nodes = tree(Format.DOUBLE_ELIMINATION, size, third_place=False)

    def seeds(source):
        if source.kind is From.SEED:
            return {source.index}
        return seeds(nodes[source.index].first) | seeds(nodes[source.index].second)

    meetings = [node for node in nodes if node.stage == "Losers' round 2"]
    assert len(meetings) == size // 4
    for node in meetings:
        assert not seeds(node.first) & seeds(node.second)
