"""When whoever pairs is to look at a tournament: where something changed, where somebody may be free, after a start."""

import pytest

from tests.support.tournament_hall import GAMES, RULES, Hall


@pytest.fixture
def hall() -> Hall:
    """A tournament of three, of whom cyd waits for the others, and somebody who is not in it."""
    hall = Hall(GAMES, RULES)
    hall.run("ann", "bob", "cyd", challenges=True)
    hall.pairs = False
    hall.enter(9, "zoe")
    (match,) = hall.matches
    assert match.players == ("ann", "bob")
    return hall


def test_player_outside_the_tournament_wakes_nobody(hall: Hall) -> None:
    hall.leave(9)
    hall.enter(11, "yan")
    assert hall.woken == ()
