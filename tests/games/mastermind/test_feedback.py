"""Feedback against the document's rules, carried out mark by mark."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.mastermind import Feedback, feedback_of
from games.mastermind.solver import Lanes


def marked(guess, secret):
    """The five rules as they are written: marks on both codes, exact matches first."""
    guess, secret = list(guess), list(secret)
    exact = partial = 0
    for place, value in enumerate(guess):
        if secret[place] == value:
            exact += 1
            guess[place] = secret[place] = None
    for value in guess:
        if value is not None and value in secret:
            partial += 1
            secret[secret.index(value)] = None
    return Feedback(exact, partial)


@st.composite
def codes(draw, count=2):
    length = draw(st.integers(1, 100))
    values = st.integers(0, draw(st.sampled_from([0, 1, 5, 11, 299, 999])))
    return [tuple(draw(st.lists(values, min_size=length, max_size=length))) for _ in range(count)]


@settings(deadline=None)
@given(codes())
def test_feedback_equals_independent_marking(pair):
    assert feedback_of(*pair) == marked(*pair)


@pytest.mark.parametrize(
    ("guess", "exact", "partial"),
    [
        ((1, 3, 4, 1, 2, 3), 1, 3),  # the worked example of the Type|JSON document
        ((1, 1, 1, 1, 1, 1), 3, 0),  # and the vectors of its server's own test
        ((0, 1, 2, 3, 1, 3), 3, 1),
        ((1, 0, 4, 2, 1, 3), 0, 5),
        ((0, 1, 2, 1, 4, 1), 6, 0),
    ],
)
def test_published_examples(guess, exact, partial):
    assert feedback_of(guess, (0, 1, 2, 1, 4, 1)) == Feedback(exact, partial)


def test_codes_of_unlike_length_cannot_be_compared():
    with pytest.raises(ValueError, match="a guess of 3 values cannot be compared with a secret of 4"):
        feedback_of((0, 1, 2), (0, 1, 2, 3))


@given(st.integers(0, 100), st.integers(0, 100))
def test_its_text_reads_back(exact, partial):
    assert Feedback.read(Feedback(exact, partial).text) == Feedback(exact, partial)


@pytest.mark.parametrize("text", ["", "1 exact", "1 exact, 2 partial", "-1 exact 2 partial", "1 exact 2 partial "])
def test_other_texts_are_no_feedback(text):
    with pytest.raises(ValueError, match="is no feedback"):
        Feedback.read(text)


@settings(deadline=None)
@given(codes(count=6))
def test_lanes_say_of_many_codes_what_is_said_of_each(drawn):
    guess, *others = drawn
    lanes = Lanes(others, len(guess))
    alone = [feedback_of(guess, code) for code in others]
    for feedback in alone:
        assert lanes.fitting(guess, feedback) == [
            code for code, each in zip(others, alone, strict=True) if each == feedback
        ]
    assert sorted(lanes.parts(guess)) == sorted(alone.count(feedback) for feedback in set(alone))
