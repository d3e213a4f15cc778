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


@pytest.mark.parametrize("format_", [Format.ROUND_ROBIN, Format.SWISS])
def test_the_order_in_which_results_came_in_does_not_matter(format_):
    plan = Plan("any", "Reversi", format_, tie_breaks=tuple(TieBreak))
    tournament = finished(plan, 9, 5)
    before = standings(tournament)
    for seed in range(5):
        mixed = list(tournament.pairings)
        random.Random(seed).shuffle(mixed)
        assert standings(evolve(tournament, pairings=tuple(mixed))) == before
