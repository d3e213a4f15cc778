"""The breakers: the published totals, guesses that fit, and a bounded cost where codes are too many to list."""

import random
from collections import Counter
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.mastermind import (
    BREAKERS,
    Board,
    CodeSpace,
    Configuration,
    Contradiction,
    Feedback,
    Turn,
    feedback_of,
    possible_codes,
    random_code,
)
from games.mastermind.solver import (
    CodeSearch,
    Demands,
    consistent,
    entropy,
    expected_size,
    knuth,
    most_parts,
    possible_sample,
)
from tests.support.examples import examples

STANDARD = Configuration()
LARGE = Configuration(8, 12, 40)


def chance(seed=0):
    return random.Random(seed).choice


def draws_nothing(items):
    raise AssertionError("nothing may be drawn")


def guesses_by_secret(breaker, configuration, choose):
    """Let a breaker find every secret. Those that have answered alike so far are found by the same guesses."""
    found, waiting = {}, [((), list(CodeSpace(configuration)))]
    while waiting:
        turns, secrets = waiting.pop()
        guess = breaker(configuration, turns, choose)
        alike = {}
        for secret in secrets:
            alike.setdefault(feedback_of(guess, secret), []).append(secret)
        for feedback, rest in alike.items():
            if feedback.exact < configuration.code_length:
                waiting.append(((*turns, Turn(guess, feedback)), rest))
            else:
                found.update(dict.fromkeys(rest, len(turns) + 1))
    return found


@pytest.mark.parametrize(
    ("breaker", "total", "worst"),
    [
        pytest.param(knuth, 5801, 5, id="knuth"),
        pytest.param(expected_size, 5696, 6, id="expected size"),
        pytest.param(entropy, 5722, 6, id="entropy"),
    ],
)
@pytest.mark.slow  # 7 s each: below, the same rules are compared with every code weighed, on smaller boards
def test_the_published_totals_over_all_secrets(breaker, total, worst):
    found = guesses_by_secret(breaker, STANDARD, draws_nothing).values()
    assert (len(found), sum(found), max(found)) == (1296, total, worst)
    if breaker is knuth:  # as his paper of 1976 has it
        assert Counter(found) == {1: 1, 2: 6, 3: 62, 4: 533, 5: 694}


def test_first_guesses():
    """As published: 1122 of Knuth, 1123 of Irving and Kooi, 1234 of Neuwirth."""
    first = [breaker(STANDARD, (), draws_nothing) for breaker in (knuth, expected_size, most_parts, entropy)]
    assert first == [(0, 0, 1, 1), (0, 0, 1, 2), (0, 0, 1, 2), (0, 1, 2, 3)]


def test_random_consistent_guesses_are_little_worse():
    assert 5801 < sum(guesses_by_secret(consistent, STANDARD, chance(1)).values()) < 6300


def best_of_all(breaker, configuration, turns):
    """The rule without any short cut: every code is weighed, possible ones first, the lowest of them."""
    codes = list(CodeSpace(configuration))
    possible = [code for code in codes if all(feedback_of(code, turn.guess) == turn.feedback for turn in turns)]

    def rank(guess):
        answers = [feedback_of(guess, code) for code in possible]
        parts = [answers.count(each) for each in set(answers)]
        return breaker.criterion(parts), guess not in possible, guess

    return min(codes, key=rank)


@settings(deadline=None, max_examples=examples(40))
@given(st.data(), st.sampled_from([knuth, expected_size, entropy, most_parts]))
def test_a_weighed_guess_is_the_best_of_all(data, breaker):
    configuration = Configuration(data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4)))
    codes = CodeSpace(configuration)
    board = Board(configuration).with_secret(data.draw(st.sampled_from(codes)))
    for guess in data.draw(st.lists(st.sampled_from(codes), max_size=3)):
        board = board if board.is_over else board.guessed(guess)
    if not board.is_over:
        assert breaker(configuration, board.turns, draws_nothing) == best_of_all(breaker, configuration, board.turns)


@pytest.mark.parametrize("name", BREAKERS)
@pytest.mark.parametrize("configuration", [STANDARD, Configuration(5, 9)], ids=["listed", "sampled"])
def test_feedback_that_fits_no_code_is_said_to_be_wrong(name, configuration):
    guess = (0,) * configuration.code_length
    turns = (Turn(guess, Feedback(1, 0)), Turn(guess, Feedback(2, 0)))
    with pytest.raises(Contradiction, match="no code fits all the feedback so far"):
        BREAKERS[name](configuration, turns, chance())


@pytest.mark.parametrize("name", BREAKERS)
def test_eight_places_of_twelve_colours_are_solved(name):
    choose = chance(1)
    board = Board(LARGE).with_secret(random_code(LARGE, choose))
    while not board.is_over:
        guess = BREAKERS[name](LARGE, board.turns, choose)
        assert all(feedback_of(guess, turn.guess) == turn.feedback for turn in board.turns), "a guess that can be right"
        board = board.guessed(guess)
    assert len(board.turns) <= 14


@settings(deadline=None, max_examples=examples(40))
@given(st.data())
def test_a_search_finds_every_code_that_fits_and_no_other(data):
    configuration = Configuration(data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5)), 100)
    codes = CodeSpace(configuration)
    board = Board(configuration).with_secret(data.draw(st.sampled_from(codes)))
    for guess in data.draw(st.lists(st.sampled_from(codes), max_size=4)):
        board = board if board.is_over else board.guessed(guess)
    search = CodeSearch(Demands(configuration, board.turns), chance(data.draw(st.integers(0, 99))), 10**9)
    found = list(search.codes())
    assert search.is_exhausted
    assert sorted(found) == list(possible_codes(configuration, board.turns))


def test_a_search_stops_at_its_limit():
    turns = Board(LARGE).with_secret((0, 1, 2, 3, 4, 5, 6, 7)).guessed((0, 0, 1, 1, 2, 2, 3, 3)).turns
    search = CodeSearch(Demands(LARGE, turns), chance(), 2_000)
    assert list(search.codes())
    assert not search.is_exhausted
    assert search.steps < 2_100


def test_a_sample_is_all_there_is_or_spread_over_it():
    few = Board(LARGE).with_secret((0, 1, 2, 3, 4, 5, 6, 7))
    choose = chance(3)
    while len(few.turns) < 7:
        few = few.guessed(consistent(LARGE, few.turns, choose))
    search = CodeSearch(Demands(LARGE, few.turns), choose, 10**7)
    fitting = sorted(search.codes())
    assert search.is_exhausted
    assert len(fitting) < 400
    assert sorted(possible_sample(LARGE, few.turns, choose, 400)) == fitting

    many = possible_sample(LARGE, few.turns[:1], choose, 400)
    assert len(many) == len(set(many)) >= 400
    assert all(feedback_of(code, few.turns[0].guess) == few.turns[0].feedback for code in many)
    assert len({code[:4] for code in many}) > 300, "neighbours in one search would share their beginnings"


def test_where_no_code_is_found_in_time_a_guess_fits_the_latest_turns():
    configuration = Configuration(30, 30)
    choose = chance(1)
    board = Board(configuration).with_secret(random_code(configuration, choose))
    for _ in range(12):
        board = board.guessed(random_code(configuration, choose))
    guess = possible_sample(configuration, board.turns, choose, 1)[0]
    fits = [feedback_of(guess, turn.guess) == turn.feedback for turn in board.turns]
    assert not all(fits), "or the case tests nothing"
    assert all(fits[-2:])


@pytest.mark.parametrize(("length", "values"), [(100, 1000), (100, 2), (1, 1000), (5, 7), (20, 20)])
def test_every_size_gets_a_guess_that_fits_the_board(length, values):
    configuration = Configuration(length, values)
    choose = chance()
    board = Board(configuration).with_secret(random_code(configuration, choose))
    for breaker in islice(BREAKERS.values(), 2):
        board = board.guessed(breaker(configuration, board.turns, choose))
    assert len(board.turns) in {1, 2}
