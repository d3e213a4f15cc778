"""Draws: the same for the same seed, unlike for anything else."""

from gameserver.core.referee import number_below, shuffled

SEED = "ab" * 32


def test_seed_purpose_match_and_number_all_matter() -> None:
    draws = {
        number_below(10**9, seed, purpose, match, n)
        for seed in (SEED, "cd" * 32)
        for purpose in ("draw", "seats")
        for match in (1, 11)
        for n in (1, 11)
    }
    assert len(draws) == 16


def test_published_draws_never_change() -> None:
    """Old journals are replayed with new code: the functions must never change."""
    assert [number_below(6, SEED, "draw", 1, n) for n in range(10)] == [1, 1, 0, 1, 5, 2, 3, 5, 0, 5]
    assert shuffled("abcdefgh", SEED, "seats", 1) == tuple("eacdgfhb")
