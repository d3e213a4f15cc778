"""Configurations and codes: what they may be, and how codes are written and read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.mastermind import Board, CodeError, CodeSpace, Configuration, check_code, read_code, write_code
from games.mastermind.board import example_code, feedback_of
from tests.support.tables import table


@pytest.mark.parametrize(
    ("code", "text"), [((0, 1, 2, 3), "0123"), ((9,), "9"), ((10,), "10-"), ((0, 10), "0-10"), ((1, 2, 12), "1-2-12")]
)
def test_the_one_spelling(code, text):
    assert write_code(code) == text


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ((0, 1, 2), "a code has 4 values here and not 3, such as 0123"),
        ((0, 1, 2, 3, 4), "4 values here and not 5"),
        ((0, 1, 2, 6), "go from 0 to 5 and 6 is not"),
        ((0, 1, -1, 2), "and -1 is not"),
    ],
)
def test_a_code_that_does_not_fit(code, why):
    with pytest.raises(CodeError, match=why):
        check_code(Configuration(), code)


@pytest.mark.parametrize(
    "wrong", ["0123", [0, 1, 2, 3], None, 7, (0, 1, 2, "3"), (0.0, 1, 2, 3), (True, 1, 2, 3), object()]
)
def test_values_that_are_not_codes_are_refused_everywhere(wrong):
    board = Board().with_secret((0, 1, 2, 3))
    asked = (
        lambda: check_code(Configuration(), wrong),
        lambda: write_code(wrong),
        lambda: Board().with_secret(wrong),
        lambda: board.guessed(wrong),
        lambda: board.feedback_on(wrong),
    )
    for ask in asked:
        with pytest.raises(CodeError, match=r"a code is a tuple of whole numbers, such as \(0, 1, 2, 3\), not"):
            ask()


@pytest.mark.parametrize("wrong", [None, 123, b"0123", (0, 1, 2, 3)])
def test_a_code_is_read_from_text(wrong):
    with pytest.raises(CodeError, match="a code is written as digits"):
        read_code(wrong)


@pytest.mark.parametrize("wrong", ["0123", [0, 1, 2, 3], None, 7])
def test_feedback_is_of_codes(wrong):
    for pair in ((wrong, (0, 1, 2, 3)), ((0, 1, 2, 3), wrong)):
        with pytest.raises(CodeError, match="a code is a tuple"):
            feedback_of(*pair)


def test_examples_fit_what_they_are_for():
    assert example_code(Configuration(4, 6)) == "0123"
    assert example_code(Configuration(3, 2)) == "010"
    assert example_code(Configuration(20, 100)) == "01234567..."


@pytest.mark.parametrize(("field", "most"), [("code_length", 100), ("value_count", 1_000), ("max_turns", 10_000)])
def test_a_configuration_has_limits_and_names_them(field, most):
    for right in (1, most):
        assert getattr(Configuration(**{field: right}), field) == right
    for wrong in (0, most + 1, -1, True, 2.0, "4", None):
        with pytest.raises(ValueError, match=f"{field} must be a whole number from 1 to {most}"):
            Configuration(**{field: wrong})


def test_the_documents_defaults():
    configuration = Configuration()
    assert (configuration.code_length, configuration.value_range, configuration.max_turns) == (4, range(6), 12)
    assert configuration.code_count == 1296


@given(st.integers(1, 4), st.integers(1, 5))
def test_code_space_lists_every_code(length, values):
    configuration = Configuration(length, values)
    space = CodeSpace(configuration)
    codes = list(space)
    assert len(space) == len(codes) == len(set(codes)) == configuration.code_count
    assert codes == sorted(codes) == [space[index] for index in range(len(space))]
    assert space[-1] == codes[-1] == (values - 1,) * length
    assert list(space[:3]) == codes[:3]
    assert all(code in space for code in codes)
    assert (0,) * (length + 1) not in space
    assert (values,) * length not in space
    assert "0" * length not in space
    with pytest.raises(IndexError):
        space[len(codes)]


def test_a_space_too_large_for_len_still_answers():
    space = CodeSpace(Configuration(100, 1000))
    with pytest.raises(OverflowError):
        len(space)
    assert (999,) * 100 in space
    assert space[5][-1] == 5


@pytest.mark.parametrize(
    ("text", "code"), [(text, tuple(map(int, code.split()))) for text, code in table(__file__, "ways to write a code")]
)
def test_forms_that_are_understood(text, code):
    assert read_code(text) == code


@pytest.mark.parametrize(
    "text",
    ["", " ", "-1", "1--2", "1,,2", "1-2-x", "red", "+1", "1.0", "٤", "1\n", "1234567-1", "0" * 801, "-", "1 - - 2"],
)
def test_texts_that_are_not_codes_are_refused(text):
    with pytest.raises(CodeError, match="digits, such as 0123, or as numbers with hyphens"):
        read_code(text)
