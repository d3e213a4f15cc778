"""Tie-breaks against tables that were worked out by hand; the sums stand beside them."""

import random

import pytest
from attrs import evolve

from gameserver.tournaments.plan import Format, Plan, TieBreak
from gameserver.tournaments.scoring.scores import Ledger
from gameserver.tournaments.scoring.standings import standings
from gameserver.tournaments.scoring.tie_breaks import figures, shown
from tests.tournaments.playing import finished
from tests.tournaments.tables import played

SWISS = Plan("swiss", "Reversi", Format.SWISS)
LEAGUE = Plan("league", "Reversi", Format.ROUND_ROBIN)

# Points: A 2.5, B 2, F 2, E 1.5, C 0.5, D 0.5.
SIX = played(
    SWISS,
    [
        "A-D 1-0, B-E 1/2, C-F 0-1",
        "F-A 1/2, E-D 1-0, B-C 1-0",
        "A-E 1-0, B-F 1/2, C-D 1/2",
    ],
)


@pytest.mark.parametrize(
    ("rounds", "points", "by_hand"),
    [
        (["A-B 1-0"], [(40, 24)], {"A": "16", "B": "-16"}),
        (["A-B 1-0", "C-A 1-0"], [(40, 24), (33, 31)], {"A": "14", "B": "-16", "C": "2"}),
        (["A-B +:-"], [(64, 0)], {"A": "0", "B": "0"}),
    ],
    ids=["one game", "from either seat", "without a game"],
)
def test_margin_adds_up_the_leads_in_the_games_that_were_played(rounds, points, by_hand):
    done = played(LEAGUE, rounds, byes={1: "D"})
    pairings = [evolve(pairing, points=each) for pairing, each in zip(done.pairings, points, strict=True)]
    ledger = Ledger.of(evolve(done, pairings=tuple(pairings)))
    found = figures(ledger, TieBreak.MARGIN, [*by_hand, "D"])
    assert {name: shown(ledger, TieBreak.MARGIN, figure) for name, figure in found.items()} == by_hand | {"D": "0"}


def test_the_direct_encounter_is_shown_as_it_counted_without_the_house():
    """A, B and the house are level; A has beaten B, and lost to the house, which B has beaten."""
    three = played(LEAGUE.changed(tie_breaks=(TieBreak.DIRECT_ENCOUNTER,)), ["A-B 1-0", "H-A 1-0", "B-H 1-0"])
    house = evolve(three.entrants[2], house=True)
    rows = standings(three.with_entrant(house))
    assert [(row.rank, row.name, row.tie_breaks) for row in rows] == [
        (1, "A", ("1",)),
        (2, "B", ("0",)),
        (None, "H", ("-",)),
    ]


@pytest.mark.parametrize("format_", [Format.ROUND_ROBIN, Format.SWISS])
def test_the_order_in_which_results_came_in_does_not_matter(format_):
    plan = Plan("any", "Reversi", format_, tie_breaks=tuple(TieBreak))
    tournament = finished(plan, 9, 5)
    before = standings(tournament)
    for seed in range(5):
        mixed = list(tournament.pairings)
        random.Random(seed).shuffle(mixed)
        assert standings(evolve(tournament, pairings=tuple(mixed))) == before


@pytest.mark.parametrize(
    ("kind", "by_hand"),
    [
        # A met D, F, E: 0.5 + 2 + 1.5; B met E, C, F: 1.5 + 0.5 + 2; C met F, B, D; D met A, E, C; ...
        (TieBreak.BUCHHOLZ, {"A": "4", "B": "4", "C": "4.5", "D": "4.5", "E": "5", "F": "5"}),
        (TieBreak.BUCHHOLZ_CUT_1, {"A": "3.5", "B": "3.5", "C": "4", "D": "4", "E": "4.5", "F": "4.5"}),
        (TieBreak.BUCHHOLZ_CUT_2, {"A": "2", "B": "2", "C": "2", "D": "2.5", "E": "2.5", "F": "2.5"}),
        (TieBreak.MEDIAN_BUCHHOLZ, {"A": "1.5", "B": "1.5", "C": "2", "D": "1.5", "E": "2", "F": "2"}),
        # A: D 0.5 + half of F 1 + E 1.5; B: half of E 0.75 + C 0.5 + half of F 1; F: C 0.5 + 1.25 + 1; ...
        (
            TieBreak.SONNEBORN_BERGER,
            {"A": "3", "B": "2.25", "C": "0.25", "D": "0.25", "E": "1.5", "F": "2.75"},
        ),
        (TieBreak.WINS, {"A": "2", "B": "1", "C": "0", "D": "0", "E": "1", "F": "1"}),
        (TieBreak.WINS_WORSE_SEAT, {"A": "0", "B": "0", "C": "0", "D": "0", "E": "0", "F": "1"}),
    ],
)
def test_six_players_in_three_rounds(kind, by_hand):
    ledger = Ledger.of(SIX)
    found = figures(ledger, kind, "ABCDEF")
    assert {name: shown(ledger, kind, figure) for name, figure in found.items()} == by_hand
