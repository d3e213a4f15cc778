"""A lobby to hold tournaments in."""

import pytest

from tests.support.tournament_hall import GAMES, RULES, Hall


@pytest.fixture
def hall() -> Hall:
    return Hall(GAMES, RULES)
