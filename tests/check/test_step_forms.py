"""The ways in which steps are written."""

import re

import pytest

from gameserver.check.steps import FORMS, Step, read_step
from tests.support.tables import table


@pytest.mark.parametrize(("text", "step"), table(__file__, "steps"))
def test_step_is_read(text: str, step: str) -> None:
    assert repr(read_step(text)) == step


@pytest.mark.parametrize(("text", "why"), table(__file__, "texts that are no step"))
def test_step_that_is_none_is_explained(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        read_step(text)


def test_every_step_can_be_written() -> None:
    assert {form.step.__name__ for form in FORMS} | {"Repeat"} == {step.__name__ for step in Step.__subclasses__()}
