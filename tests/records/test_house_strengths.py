"""The table of the house players' strength: it can be read, is what was written, and is seen from either level."""

import json

import pytest

from gameserver.ratings.head_to_head import elo_difference
from gameserver.ratings.rating import MEAN
from gameserver.records import house_strengths
from gameserver.records.house_strengths import Encounter, encounters_of, fixed_rating, read_encounters, written

LADDER = Encounter("Reversi", "club", "novice", 170, 10, 20, "2026-11-01")


def test_what_is_written_is_read_again() -> None:
    outside = Encounter("Reversi", "club", "a 3-ply search", 170, 10, 20, "2026-11-01", is_outside=True)
    table = json.loads(json.dumps(written([LADDER, outside], "0.1.0")))
    assert table["version"] == house_strengths.VERSION
    assert {Encounter(**row) for row in table["encounters"]} == {LADDER, outside}


def test_the_package_has_a_table_whose_rows_are_unique() -> None:
    pairs = [(each.game, frozenset((each.first, each.second))) for each in read_encounters()]
    assert len(set(pairs)) == len(pairs)
    assert all(each.games > 0 for each in read_encounters())


def test_both_levels_see_an_encounter_from_their_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house_strengths, "read_encounters", lambda: (LADDER,))
    encounters_of.cache_clear()
    try:
        (stronger,), (weaker,) = encounters_of("club"), encounters_of("novice")
        assert encounters_of("master") == ()
    finally:
        encounters_of.cache_clear()
    assert (stronger.second, stronger.wins, stronger.losses) == ("novice", 170, 20)
    assert (weaker.second, weaker.wins, weaker.losses) == ("club", 20, 170)
    assert stronger.score == pytest.approx(0.875)
    assert weaker.lead.elo == pytest.approx(-stronger.lead.elo)
    assert not stronger.is_short


def test_fixed_ratings_follow_from_the_games_between_the_levels() -> None:
    club, novice, master = (fixed_rating("Reversi", f"house-{level}") for level in ("club", "novice", "master"))
    assert club.mean == MEAN, "where everybody begins"
    assert round(club.mean - novice.mean) == round(elo_difference(195, 0, 5).elo)
    assert fixed_rating("Reversi", "house-random").mean < novice.mean < master.mean
    assert fixed_rating("Reversi", "house-other") is fixed_rating("Ludo", "house-club") is None
    assert fixed_rating("Reversi", "club") is None, "a player's name"
