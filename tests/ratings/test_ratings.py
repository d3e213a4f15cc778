"""Ratings, differences, ranks: right where the truth is known, finite and honest where there is little to go on."""

import math
import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import ThurstoneMostellerFull
from openskill.models.weng_lin.common import v, w

from gameserver.ratings import rating as rating_module
from gameserver.ratings.head_to_head import elo_difference, likelihood_of_superiority
from gameserver.ratings.rank_intervals import rank_intervals
from gameserver.ratings.rating import DEVIATION, MEAN, Rating, rated, ratings

counts = st.integers(0, 100_000)


def chance_of(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400))


def played(strengths: dict[str, float], games: int, seed: int) -> list[tuple[str, str, int]]:
    rng = random.Random(seed)
    found = []
    for _ in range(games):
        one, other = rng.sample(sorted(strengths), 2)
        found.append((one, other, 2 * (rng.random() < chance_of(strengths[one] - strengths[other]))))
    return found


# Elo difference


@given(counts, counts, counts)
def test_the_difference_is_always_finite_and_inside_its_interval(wins, draws, losses):
    found = elo_difference(wins, draws, losses)
    assert all(map(math.isfinite, (found.elo, found.low, found.high)))
    assert found.low < found.elo < found.high
    assert 0 <= found.superiority <= 1
    assert "nan" not in str(found)
    assert "inf" not in str(found)


@pytest.mark.parametrize(
    ("wins", "losses", "percent"), [(0, 0, 50), (1, 0, 75), (3, 0, 93.75), (2, 1, 68.75), (0, 3, 6.25)]
)
def test_the_likelihood_of_superiority_is_exact(wins, losses, percent):
    """Beta(wins + 1, losses + 1) above a half: for 3-0, 1 - 0.5 ** 4."""
    assert 100 * likelihood_of_superiority(wins, losses) == pytest.approx(percent)


@pytest.mark.parametrize("wins", [440, 500, 530])
def test_beyond_a_thousand_games_it_goes_on_smoothly(wins):
    exact, near = likelihood_of_superiority(wins, 999 - wins), likelihood_of_superiority(wins, 1000 - wins)
    middle = likelihood_of_superiority(wins - 1, 999 - wins + 1)
    assert middle - 1e-3 <= near <= exact + 1e-3


@pytest.mark.parametrize(("score", "elo"), [((640, 0, 360), 100), ((760, 0, 240), 200), ((909, 0, 91), 400)])
def test_many_games_give_the_elo_of_the_table(score, elo):
    assert elo_difference(*score).elo == pytest.approx(elo, abs=2)


def test_draws_narrow_the_interval():
    drawn, decided = elo_difference(10, 80, 10), elo_difference(50, 0, 50)
    assert drawn.high - drawn.low < (decided.high - decided.low) / 2


def test_numbers_below_zero_are_refused():
    with pytest.raises(ValueError, match="no fewer than no"):
        elo_difference(-1, 0, 0)


# ratings


def test_a_draw_draws_them_together():
    strong, weak = rated(Rating(1700, 60), Rating(1400, 60), 1)
    assert strong.mean < 1700
    assert weak.mean > 1400


@pytest.mark.parametrize(("players", "games", "deviation_max"), [(40, 1600, 120), (10, 1000, 90), (30, 100, 345)])
def test_the_intervals_hold_the_true_strengths(players, games, deviation_max):
    inside = total = 0
    for seed in range(5):
        rng = random.Random(seed)
        strengths = {f"p{n}": rng.gauss(0, 200) for n in range(players)}
        middle = sum(strengths.values()) / players
        found = ratings(played(strengths, games, seed + 100))
        drift = sum(rating.mean for rating in found.values()) / len(found) - 1500  # only differences mean anything
        for name in found:
            inside += found[name].low <= 1500 + drift + strengths[name] - middle <= found[name].high
            assert found[name].deviation < deviation_max
        total += len(found)
    assert inside / total >= 0.93


def test_ratings_go_on_from_what_was():
    results = played({"a": 0, "b": 100, "c": 200}, 60, 1)
    assert ratings(results[30:], ratings(results[:30])) == ratings(results)


def test_a_rating_is_never_shown_without_its_uncertainty():
    assert str(Rating()) == "1500 ± 686"


@pytest.mark.parametrize("result", [("a", "a", 2), ("a", "b", 3)])
def test_invalid_results_are_refused(result):
    for measure in (ratings, lambda results: rank_intervals(results, random.Random(1).random)):
        with pytest.raises(ValueError, match="not a result"):
            measure([result])


# rank intervals


def test_for_two_players_the_brackets_are_the_likelihood_of_superiority():
    """3-0 is 93.75 % and does not separate; 6-0 is 99.2 % and does."""
    assert rank_intervals([("a", "b", 2)] * 3, random.Random(1).random).brackets == (("a", "b"),)
    assert rank_intervals([("a", "b", 2)] * 6, random.Random(1).random).brackets == (("a",), ("b",))


def test_one_game_each_says_next_to_nothing():
    names = [f"p{n}" for n in range(6)]
    order = [(a, b, 2) for i, a in enumerate(names) for b in names[i + 1 :]][:5]
    ranking = rank_intervals(order, random.Random(1).random, order=names)
    assert len(ranking.brackets) == 1
    assert all(interval.worst > interval.best for interval in ranking.intervals)


def test_without_any_result_everybody_may_be_anywhere():
    ranking = rank_intervals([], random.Random(1).random, order=("a", "b", "c"))
    assert [str(interval) for interval in ranking.intervals] == ["1-3"] * 3
    assert ranking.brackets == (("a", "b", "c"),)
    assert rank_intervals([], random.Random(1).random).intervals == ()


def test_players_far_apart_are_told_apart_and_equals_are_not():
    results = played({"champion": 600, "x": 0, "y": 0, "z": 0}, 400, 5)
    ranking = rank_intervals(results, random.Random(2).random)
    assert ranking.brackets == (("champion",), tuple(interval.name for interval in ranking.intervals[1:]))
    assert str(ranking.intervals[0]) == "1"


def test_most_intervals_hold_the_true_rank():
    inside = total = 0
    for seed in range(20):
        rng = random.Random(seed)
        strengths = {f"p{n}": rng.gauss(0, 150) for n in range(8)}
        results = [
            (a, b, 2 * (rng.random() < chance_of(strengths[a] - strengths[b])))
            for a in strengths for b in strengths if a != b
        ]  # fmt: skip
        true = {name: rank for rank, name in enumerate(sorted(strengths, key=strengths.get, reverse=True), start=1)}
        for interval in rank_intervals(results, rng.random, resamples=300).intervals:
            inside += interval.best <= true[interval.name] <= interval.worst
            total += 1
    assert inside / total >= 0.9


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("efg"), st.sampled_from([0, 1, 2])), max_size=12))
def test_small_numbers_give_ranks_that_can_be(results):
    ranking = rank_intervals(results, random.Random(1).random, resamples=40)
    players = len(ranking.intervals)
    for interval in ranking.intervals:
        assert 1 <= interval.best <= interval.worst <= players
        assert 0 < interval.share < 1
    assert [name for bracket in ranking.brackets for name in bracket] == [one.name for one in ranking.intervals]
    shares = [interval.share for interval in ranking.intervals]
    assert all(above >= below for above, below in pairwise(shares))


STRENGTHS = st.builds(Rating, st.floats(0, 3000), st.floats(20, 350))


@given(STRENGTHS, STRENGTHS, st.sampled_from([0, 1, 2]))
def test_two_are_rated_as_the_library_rates_them(one: Rating, other: Rating, halves: int):
    model = ThurstoneMostellerFull(mu=MEAN, sigma=DEVIATION, beta=rating_module._BETA, tau=rating_module._TAU)
    teams = [[model.rating(mu=before.mean, sigma=before.deviation)] for before in (one, other)]
    expected = [after for (after,) in model.rate(teams, ranks=[2.0 - halves, float(halves)])]
    for found, after in zip(rated(one, other, halves), expected, strict=True):
        assert (found.mean, found.deviation, found.games) == (pytest.approx(after.mu), pytest.approx(after.sigma), 1)


@given(st.floats(-12, 12), st.floats(0, 0.01))
def test_a_win_counts_to_the_last_bit_as_by_the_librarys_own_functions(lead: float, draw_margin: float):
    assert rating_module._won(lead, draw_margin) == (v(lead, draw_margin), w(lead, draw_margin))
