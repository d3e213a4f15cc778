"""Draws: the same for the same seed, unlike for anything else, and fair."""

import hmac
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from gameserver.core.matches.chance import number_below, shuffled

SEED = "ab" * 32


@given(st.integers(1, 1_000_000), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_draw_is_in_range_and_repeatable(limit: int, match: int, n: int) -> None:
    drawn = number_below(limit, SEED, "draw", match, n)
    assert 0 <= drawn < limit
    assert drawn == number_below(limit, SEED, "draw", match, n)


def test_seed_purpose_match_and_number_all_matter() -> None:
    draws = {
        number_below(10**9, seed, purpose, match, n)
        for seed in (SEED, "cd" * 32)
        for purpose in ("draw", "seats")
        for match in (1, 11)
        for n in (1, 11)
    }
    assert len(draws) == 16


def test_published_draw_never_changes() -> None:
    """Old journals are replayed with new code: the function must never change."""
    assert [number_below(6, SEED, "draw", 1, n) for n in range(10)] == [1, 1, 0, 1, 5, 2, 3, 5, 0, 5]


def test_dice_are_fair() -> None:
    counts = Counter(number_below(6, SEED, "draw", 1, n) for n in range(12_000))
    expected = 2_000
    chi_square = sum((counts[face] - expected) ** 2 / expected for face in range(6))
    assert chi_square < 20.5  # five degrees of freedom, one in a thousand


@given(st.lists(st.integers(), max_size=8), st.integers(0, 99))
def test_shuffling_keeps_everything(items: list[int], match: int) -> None:
    assert sorted(shuffled(items, SEED, "seats", match)) == sorted(items)


@settings(max_examples=20)
@given(st.binary(max_size=200), st.integers(1, 10**9), st.text(st.characters(codec="utf-8")), st.integers(0, 10**6))
def test_a_draw_is_made_of_the_hmac_that_the_standard_library_makes(
    key: bytes, match: int, purpose: str, n: int
) -> None:
    digest = hmac.digest(key, f"{purpose}|{match}|{n}|0".encode(), "sha256")
    assert number_below(1 << 64, key.hex(), purpose, match, n) == int.from_bytes(digest[:8])
