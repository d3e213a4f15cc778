"""The difference that pairs of games show, beside the values that fastchess has for the same pairs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.ratings.head_to_head import pair_difference, pentanomial

counts = st.tuples(*[st.integers(0, 10_000)] * 5).filter(lambda many: sum(map(bool, many)) > 1)


@pytest.mark.parametrize(
    ("pairs", "elo", "elo_error", "nelo", "nelo_error", "superiority"),
    [
        ((34, 54, 63, 64, 75), 55.58, 27.65, 57.94, 28.28, 100.00),
        ((332, 433, 498, 333, 334), -8.64, 10.33, -9.17, 10.96, 5.05),
        ((7895, 8757, 5685, 568, 9999), -21.04, 2.95, -19.01, 2.65, 0.0),
    ],
)
def test_the_values_are_those_of_fastchess(pairs, elo, elo_error, nelo, nelo_error, superiority):
    """From fastchess's `app/tests/elo_test.cpp`, within the 1 % that it allows."""
    found = pair_difference(pairs)
    assert (found.elo, found.elo_error) == (pytest.approx(elo, rel=0.01), pytest.approx(elo_error, rel=0.01))
    assert (found.nelo, found.nelo_error) == (pytest.approx(nelo, rel=0.01), pytest.approx(nelo_error, rel=0.01))
    assert 100 * found.superiority == pytest.approx(superiority, abs=0.01)


@given(counts)
def test_the_other_sides_view_is_the_same_turned_round(pairs):
    one, other = pair_difference(pairs), pair_difference(pairs[::-1])
    assert one.elo == pytest.approx(-other.elo, abs=1e-6)
    assert one.nelo == pytest.approx(-other.nelo, abs=1e-6)
    assert one.elo_error == pytest.approx(other.elo_error)
    assert one.superiority == pytest.approx(1 - other.superiority, abs=1e-9)
    assert all(map(math.isfinite, (one.elo, one.elo_error, one.nelo, one.nelo_error)))


@given(counts)
def test_four_times_as_many_pairs_halve_the_errors(pairs):
    once, more = pair_difference(pairs), pair_difference(tuple(4 * count for count in pairs))
    assert more.elo == pytest.approx(once.elo, abs=1e-9)
    assert more.elo_error == pytest.approx(once.elo_error / 2)
    assert more.nelo_error == pytest.approx(once.nelo_error / 2)


@pytest.mark.parametrize("pairs", [(0, 0, 0, 0, 0), (0, 0, 9, 0, 0), (0, 0, 0, 0, 3)])
def test_pairs_without_spread_give_no_error_bars(pairs):
    assert pair_difference(pairs) is None


@given(st.lists(st.integers(0, 4)))
def test_every_pair_is_counted_at_its_score(scores):
    assert pentanomial(scores) == tuple(scores.count(score) for score in range(5))


@pytest.mark.parametrize("score", [-1, 5])
def test_a_pair_has_at_most_four_half_points(score):
    with pytest.raises(ValueError, match="0 to 4 half points"):
        pentanomial([2, score])
