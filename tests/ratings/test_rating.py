"""Ratings, and the sequential tests of which of two players is better."""

import math
import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import ThurstoneMostellerFull
from openskill.models.weng_lin.common import v, w

from gameserver.ratings import rating as rating_module
from gameserver.ratings.head_to_head import (
    SCORES,
    Counts,
    Hypothesis,
    Model,
    Sprt,
    elo_difference,
    likelihood_of_superiority,
    llr_of_scores,
    log_likelihood_ratio,
    pair_difference,
    pentanomial,
    run_sprt,
)
from gameserver.ratings.rank_intervals import rank_intervals
from gameserver.ratings.rating import DEVIATION, MEAN, Rating, rated, ratings
from tests.support.tables import table

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


count = st.integers(0, 500)
pair_counts = st.tuples(count, count, count, count, count).filter(any)
elos = st.tuples(st.integers(-200, 200), st.integers(-200, 200)).filter(lambda two: two[0] < two[1])
models = st.sampled_from(Model)


def fastchess_counts(ll: int, ld: int, wl: int, dd: int, wd: int, ww: int) -> Counts:
    """The counts in the order of fastchess's `Stats`, which keeps two draws and a win with a loss apart."""
    return (ll, ld, wl + dd, wd, ww)


@pytest.mark.parametrize(("stats", "elo0", "elo1", "model", "llr"), table(__file__, "pairs of games"))
def test_pairs_give_the_values_of_fastchess(stats, elo0, elo1, model, llr):
    found = log_likelihood_ratio(
        Sprt(float(elo0), float(elo1), Model(model)), fastchess_counts(*map(int, stats.split()))
    )
    assert found == pytest.approx(float(llr), abs=0.0051)


@pytest.mark.parametrize(("stats", "elo0", "elo1", "model", "llr"), table(__file__, "single games"))
def test_single_games_give_the_values_of_fastchess(stats, elo0, elo1, model, llr):
    """The three scores of a single game go through the same formula."""
    wins, losses, draws = map(int, stats.split())
    found = llr_of_scores(Sprt(float(elo0), float(elo1), Model(model)), (0.0, 0.5, 1.0), (losses, draws, wins))
    assert found == pytest.approx(float(llr), abs=0.0051)


def test_bounds_at_five_percent_are_those_of_fastchess():
    assert Sprt(0, 5).bounds == pytest.approx((-2.944, 2.944), abs=0.001)


@given(pair_counts, elos, models)
def test_the_ratio_is_finite_and_turns_with_the_sides(counts, both, model):
    elo0, elo1 = both
    found = log_likelihood_ratio(Sprt(elo0, elo1, model), counts)
    turned = log_likelihood_ratio(Sprt(-elo1, -elo0, model), counts[::-1])
    assert math.isfinite(found)
    # Normalized Elo is fitted by iteration that ends at a change below 1e-4.
    assert found == pytest.approx(-turned, rel=0.01, abs=0.02 if model is Model.NORMALIZED else 1e-6)


@given(pair_counts, st.integers(-200, 200), st.integers(1, 50), st.integers(1, 50), models)
def test_ratios_over_neighbouring_hypotheses_add_up(counts, elo, below, above, model):
    low, high = max(-200, elo - below), min(200, elo + above)
    if low < elo < high:
        parts = [log_likelihood_ratio(Sprt(*two, model), counts) for two in ((low, elo), (elo, high))]
        assert log_likelihood_ratio(Sprt(low, high, model), counts) == pytest.approx(sum(parts), rel=1e-9, abs=1e-6)


@given(st.lists(st.integers(0, 4), max_size=60), models)
def test_a_verdict_is_not_taken_back(scores, model):
    test = Sprt(0, 100, model)
    state = run_sprt(test, scores)
    assert state.verdict == test.verdict(state.llr)
    assert state.pairs <= len(scores)
    if state.verdict is None:
        assert state.pairs == len(scores)
    else:
        assert run_sprt(test, scores + [0] * 30) == run_sprt(test, scores + [4] * 30) == state
    assert state.llr == log_likelihood_ratio(test, pentanomial(scores[: state.pairs]))


def test_no_pair_says_nothing():
    state = run_sprt(Sprt(0, 5), [])
    assert (state.llr, state.pairs, state.verdict) == (0.0, 0, None)


@pytest.mark.parametrize("model", Model)
@pytest.mark.parametrize(("elo", "wrong"), [(0, Hypothesis.H1), (120, Hypothesis.H0)])
def test_it_is_wrong_no_more_often_than_promised(elo, wrong, model):
    """A wide test on short matches, 60 of each. Alpha and beta hold up to the overshoot of the last pair."""
    chance = random.Random(7)
    wins = 1 / (1 + 10 ** (-elo / 400))
    test, verdicts = Sprt(0, 120, model), []
    for _ in range(60):
        scores = [2 * (chance.random() < wins) + 2 * (chance.random() < wins) for _ in range(300)]
        verdicts.append(run_sprt(test, scores).verdict)
    assert None not in verdicts
    assert verdicts.count(wrong) / len(verdicts) < 0.08


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((5, 5), "5 is not less than 5"),
        ((0, 300), "normalized Elo, elo0 and elo1 must be from -200 to 200"),
        ((0, 5, Model.LOGISTIC, 0.6, 0.5), "together below 1"),
        ((0, 5, Model.LOGISTIC, 0, 0.5), "above 0"),
        ((math.nan, 5), "not less than"),
    ],
)
def test_a_test_that_cannot_be_is_refused(arguments, why):
    with pytest.raises(ValueError, match=why):
        Sprt(*arguments)


def test_scores_are_the_five_of_a_pair():
    assert SCORES == (0.0, 0.25, 0.5, 0.75, 1.0)


counts_of_pairs = st.tuples(*[st.integers(0, 10_000)] * 5).filter(lambda many: sum(map(bool, many)) > 1)


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


@given(counts_of_pairs)
def test_the_other_sides_view_is_the_same_turned_round(pairs):
    one, other = pair_difference(pairs), pair_difference(pairs[::-1])
    assert one.elo == pytest.approx(-other.elo, abs=1e-6)
    assert one.nelo == pytest.approx(-other.nelo, abs=1e-6)
    assert one.elo_error == pytest.approx(other.elo_error)
    assert one.superiority == pytest.approx(1 - other.superiority, abs=1e-9)
    assert all(map(math.isfinite, (one.elo, one.elo_error, one.nelo, one.nelo_error)))


@given(counts_of_pairs)
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
