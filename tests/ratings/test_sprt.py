"""The sequential test: the values that fastchess has, and the properties that any such test must have."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.ratings.head_to_head import (
    SCORES,
    Counts,
    Hypothesis,
    Model,
    Sprt,
    llr_of_scores,
    log_likelihood_ratio,
    pentanomial,
    run_sprt,
)
from tests.support.tables import table

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
