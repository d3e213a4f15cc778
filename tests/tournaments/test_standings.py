"""Tie-breaks against tables that were worked out by hand; the sums stand beside them."""

import random

import pytest
from attrs import evolve

from gameserver.tournaments.plan import Format, Plan, Scoring, TieBreak
from gameserver.tournaments.standings import EXPLANATIONS, Ledger, explanations, figures, in_units, shown, standings
from tests.tournaments.playing import finished
from tests.tournaments.tables import played

SWISS = Plan("swiss", "Reversi", Format.SWISS)
LEAGUE = Plan("league", "Reversi", Format.ROUND_ROBIN)
CUP = Plan("cup", "Reversi", Format.KNOCKOUT, extra_games_max=0)

# Points: A 2.5, B 2, F 2, E 1.5, C 0.5, D 0.5.
SIX = played(SWISS, ["A-D 1-0, B-E 1/2, C-F 0-1", "F-A 1/2, E-D 1-0, B-C 1-0", "A-E 1-0, B-F 1/2, C-D 1/2"])


@pytest.mark.parametrize(
    ("kind", "by_hand"),
    [
        # A met D, F, E: 0.5 + 2 + 1.5; B met E, C, F: 1.5 + 0.5 + 2; C met F, B, D; D met A, E, C; ...
        (TieBreak.BUCHHOLZ, {"A": "4", "B": "4", "C": "4.5", "D": "4.5", "E": "5", "F": "5"}),
        (TieBreak.BUCHHOLZ_CUT_1, {"A": "3.5", "B": "3.5", "C": "4", "D": "4", "E": "4.5", "F": "4.5"}),
        (TieBreak.BUCHHOLZ_CUT_2, {"A": "2", "B": "2", "C": "2", "D": "2.5", "E": "2.5", "F": "2.5"}),
        (TieBreak.MEDIAN_BUCHHOLZ, {"A": "1.5", "B": "1.5", "C": "2", "D": "1.5", "E": "2", "F": "2"}),
        # A: D 0.5 + half of F 1 + E 1.5; B: half of E 0.75 + C 0.5 + half of F 1; F: C 0.5 + 1.25 + 1; ...
        (TieBreak.SONNEBORN_BERGER, {"A": "3", "B": "2.25", "C": "0.25", "D": "0.25", "E": "1.5", "F": "2.75"}),
        (TieBreak.WINS, {"A": "2", "B": "1", "C": "0", "D": "0", "E": "1", "F": "1"}),
        (TieBreak.WINS_WORSE_SEAT, {"A": "0", "B": "0", "C": "0", "D": "0", "E": "0", "F": "1"}),
    ],
)
def test_six_players_in_three_rounds(kind, by_hand):
    ledger = Ledger.of(SIX)
    found = figures(ledger, kind, "ABCDEF")
    assert {name: shown(ledger, kind, figure) for name, figure in found.items()} == by_hand


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


@pytest.mark.parametrize(
    ("plan", "rounds", "house", "shown_in_order"),
    [
        # Level are A, who beat B, and the house, which B beat and A lost to.
        (LEAGUE, ["A-B 1-0", "H-A 1-0", "B-H 1-0"], "H", "1 A 1, 2 B 0, None H -"),
        # All are level: A beat B, and K beat H.
        (LEAGUE, ["A-B 1-0, H-K 0-1", "H-A 1-0, K-B 0-1"], "HK", "1 A 1, 2 B 0, None K 1, None H 0"),
        # A and D drew and have as many points, but A came further, as the better seed.
        (CUP, ["A-D 1/2, B-C 1-0", "A-B 0-1"], "", "1 B -, 2 A -, 3 C -, 3 D -"),
    ],
    ids=["without the house", "the house by itself", "bracket"],
)
def test_the_direct_encounter_is_shown_as_it_counted(plan, rounds, house, shown_in_order):
    done = played(evolve(plan, tie_breaks=(TieBreak.DIRECT_ENCOUNTER,)), rounds)
    done = evolve(done, entrants=tuple(evolve(one, house=one.name in house) for one in done.entrants))
    assert ", ".join(f"{row.rank} {row.name} {row.tie_breaks[0]}" for row in standings(done)) == shown_in_order


def test_the_order_of_the_six_and_what_decided():
    kinds = (TieBreak.DIRECT_ENCOUNTER, TieBreak.SONNEBORN_BERGER, TieBreak.BUCHHOLZ)
    rows = standings(evolve(SIX, plan=evolve(SWISS, tie_breaks=kinds)))
    assert [(row.rank, row.name, row.why) for row in rows] == [
        (1, "A", ""),
        (2, "F", "points: 2, after 2.5"),
        (3, "B", "Sonneborn-Berger: 2.25, after 2.75"),
        (4, "E", "points: 1.5, after 2"),
        (5, "C", "points: 0.5, after 1.5"),
        (5, "D", ""),
    ]


def test_a_bye_counts_as_an_opponent_with_ones_own_points():
    """A beats B, rests, beats C: 3 points. Opponents: B 0, itself 3, C 1 (who beat B)."""
    tournament = played(SWISS, ["A-B 1-0", "C-B 1-0", "A-C 1-0"], {1: "C", 2: "A", 3: "B"})
    ledger = Ledger.of(tournament)
    # Points: A 1 + bye + 1 = 3; C bye + 1 + 0 = 2; B 0 + 0 + bye = 1.
    assert {name: shown(ledger, TieBreak.BUCHHOLZ, ledger.points[name]) for name in "ABC"} == {
        "A": "3",
        "B": "1",
        "C": "2",
    }
    found = figures(ledger, TieBreak.BUCHHOLZ, "ABC")
    assert {name: shown(ledger, TieBreak.BUCHHOLZ, found[name]) for name in "ABC"} == {
        "A": "6",  # B 1, itself 3, C 2
        "B": "6",  # A 3, C 2, itself 1
        "C": "6",  # itself 2, B 1, A 3
    }


def test_walkover_is_no_win_and_has_a_dummy_opponent_in_a_swiss():
    for plan, expected in ((SWISS, "1"), (LEAGUE, "0")):
        ledger = Ledger.of(played(plan, ["A-B +:-"]))
        assert shown(ledger, TieBreak.BUCHHOLZ, figures(ledger, TieBreak.BUCHHOLZ, "A")["A"]) == expected
        assert figures(ledger, TieBreak.WINS, "A")["A"] == 0


def test_the_direct_encounter_of_two():
    tournament = played(
        evolve(LEAGUE, tie_breaks=(TieBreak.DIRECT_ENCOUNTER,)),
        ["A-D 1-0, B-C 1-0", "D-C 1-0, A-B 0-1", "B-D 0-1, C-A 0-1"],
    )
    # A, B and D have 2 each: among them A beat D, B beat A, D beat B - a circle, which separates nobody.
    assert [(row.rank, row.name) for row in standings(tournament)] == [(1, "A"), (1, "B"), (1, "D"), (4, "C")]
    two = played(evolve(LEAGUE, tie_breaks=(TieBreak.DIRECT_ENCOUNTER,)), ["A-B 0-1", "A-C 1-0", "C-B 1-0"])
    assert [row.rank for row in standings(two)] == [1, 1, 1]


def test_direct_encounter_is_repeated_among_players_still_tied():
    """Four with 3 points of 5 each. Among them: A 2, B 2, C 1, D 1; then A beat B, and D beat C."""
    tournament = played(
        evolve(LEAGUE, tie_breaks=(TieBreak.DIRECT_ENCOUNTER,)),
        [
            "A-B 1-0, A-C 1-0, D-A 1-0",
            "B-C 1-0, B-D 1-0, D-C 0-1",
            "E-A 0-1, E-B 0-1, F-C 0-1, F-D 0-1",
            "A-F 0-1, B-F 0-1, C-E 1-0, D-E 1-0",
        ],
    )
    rows = standings(tournament)
    assert [(row.name, row.points) for row in rows[:4]] == [("A", "3"), ("B", "3"), ("C", "3"), ("D", "3")]
    assert [row.rank for row in rows[:4]] == [1, 2, 3, 4]
    assert rows[1].why == "direct encounter: 0, after 1"


def test_the_direct_encounter_says_nothing_where_not_all_have_met():
    ledger = Ledger.of(SIX)
    assert figures(ledger, TieBreak.DIRECT_ENCOUNTER, "AB") == {"A": None, "B": None}


def test_the_lot_separates_everybody_alike_in_any_order_and_anew_by_each_seed():
    ledger = Ledger.of(SIX)
    lots = figures(ledger, TieBreak.LOT, "ABCDEF")
    assert len(set(lots.values())) == 6
    assert figures(ledger, TieBreak.LOT, "FEDCBA") == lots
    assert figures(Ledger.of(evolve(SIX, seed="f" * 64)), TieBreak.LOT, "ABCDEF") != lots


def test_three_points_for_a_win():
    tournament = evolve(SIX, plan=evolve(SWISS, scoring=Scoring(win=3, draw=1, loss=0, bye=3, unit=1)))
    assert {row.name: row.points for row in standings(tournament)} == {
        "A": "7", "B": "5", "F": "5", "E": "4", "C": "1", "D": "1",
    }  # fmt: skip


def test_every_criterion_is_explained():
    assert set(EXPLANATIONS) == set(TieBreak)
    plan = evolve(SWISS, tie_breaks=(TieBreak.BUCHHOLZ,))
    assert explanations(evolve(SIX, plan=plan)) == (
        "points",
        "Buchholz: the sum of the opponents' points",
        "those who are still level share the place",
    )


@pytest.mark.parametrize(
    ("amount", "unit", "text"),
    [(3, 2, "1.5"), (4, 2, "2"), (1, 4, "0.25"), (-3, 2, "-1.5"), (1, 3, "0.33"), (0, 2, "0")],
)
def test_amounts(amount, unit, text):
    assert in_units(amount, unit) == text


@pytest.mark.parametrize("format_", [Format.ROUND_ROBIN, Format.SWISS])
def test_the_order_in_which_results_came_in_does_not_matter(format_):
    plan = Plan("any", "Reversi", format_, tie_breaks=tuple(TieBreak))
    tournament = finished(plan, 9, 5)
    before = standings(tournament)
    for seed in range(5):
        mixed = list(tournament.pairings)
        random.Random(seed).shuffle(mixed)
        assert standings(evolve(tournament, pairings=tuple(mixed))) == before
