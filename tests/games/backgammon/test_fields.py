"""The numbers of GammonX: fields, bars and exits, both colours, and the view that black has of itself as white."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.backgammon.board import start_of
from games.backgammon.fields import fields_of, numbering, pinned_fields_of, place_of, view_of
from games.backgammon.variants import BACKGAMMON, FEVGA, PLAKOTO, VARIANTS
from tests.games.backgammon.positions import set_up_at_random

EVERY_VARIANT = pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)


@pytest.mark.parametrize(
    ("variant", "seat", "places"),
    [
        (BACKGAMMON, 0, {25: -1, 24: 0, 1: 23, 6: 18, 0: -100}),
        (BACKGAMMON, 1, {25: 24, 24: 23, 1: 0, 6: 5, 0: 100}),
        (FEVGA, 0, {25: -1, 24: 0, 1: 23, 6: 18, 0: -100}),
        (FEVGA, 1, {25: 24, 24: 12, 13: 23, 12: 0, 6: 6, 1: 11, 0: 100}),
    ],
)
def test_places_and_fields(variant, seat, places):
    assert {place: numbering(variant, seat)[place] for place in places} == places


@pytest.mark.parametrize("field", [-2, 25, 99, -99, 1000])
def test_other_numbers_are_no_places(field):
    assert place_of(BACKGAMMON, 0, field) is None


def test_opponents_bar_is_not_a_source():
    assert [place_of(BACKGAMMON, 0, field) for field in (24, 100)] == [None, None]
    assert [place_of(BACKGAMMON, 1, field) for field in (-1, -100)] == [None, None]


@EVERY_VARIANT
@given(seed=st.integers(0, 2**32 - 1))
def test_the_swapped_board_is_the_board_as_black_numbers_it(variant, seed):
    board = set_up_at_random(variant, random.Random(seed))
    swapped = board.swapped()
    for fields, theirs in (
        (fields_of(board), fields_of(swapped)),
        (pinned_fields_of(board), pinned_fields_of(swapped)),
    ):
        for field, count in enumerate(fields or ()):
            assert theirs[(field + 12) % 24 if variant is FEVGA else 23 - field] == -count
    one, other = view_of(board), view_of(swapped)
    assert all(one[each] == other[each][::-1] for each in ("bar", "off", "pips"))


@EVERY_VARIANT
def test_the_start(variant):
    at_start = view_of(start_of(variant))
    if variant is FEVGA:
        fields, bar, pips = {0: -1, 12: 1}, [14, 14], [360, 360]
    elif variant is PLAKOTO:
        fields, bar, pips = {0: -15, 23: 15}, [0, 0], [360, 360]
    else:
        fields, bar, pips = {0: -2, 5: 5, 7: 3, 11: -5, 12: 5, 16: -3, 18: -5, 23: 2}, [0, 0], [167, 167]
    assert {field: count for field, count in enumerate(at_start["fields"]) if count} == fields
    assert (at_start["bar"], at_start["off"], at_start["pips"]) == (bar, [0, 0], pips)
    assert at_start["pinned"] == ((0,) * 24 if variant is PLAKOTO else None)
