"""When whoever pairs is to look at a tournament: where something changed, where somebody may be free, after a start."""

import pytest

from gameserver.core.messages.commands import Challenge, Drain
from gameserver.core.messages.events import Accepted
from gameserver.tournaments import acts
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


def test_tournament_of_a_freed_player_is_reconsidered(hall: Hall) -> None:
    hall.leave(hall.sessions["cyd"])
    assert hall.woken == ()
    before = hall.row
    hall.enter(10, "cyd")
    assert hall.woken == (1,)
    assert hall.row is before, "a look changes nothing"


def test_player_outside_the_tournament_wakes_nobody(hall: Hall) -> None:
    hall.leave(9)
    hall.enter(11, "yan")
    assert hall.woken == ()


def test_the_end_of_any_match_of_its_players_has_it_looked_at(hall: Hall) -> None:
    hall.do(Challenge(9, "cyd", "Dice"))
    assert hall.accept(hall.sessions["cyd"]) == Accepted()
    assert hall.woken == ()
    assert hall.resign(9) == Accepted()
    assert hall.woken == (1,)


def test_every_change_wakes_the_tournament(hall: Hall) -> None:
    assert hall.act(acts.Pause(0, "teacher")) == Accepted()
    assert hall.woken == (1,)


def test_before_a_stop_nothing_is_to_be_paired(hall: Hall) -> None:
    hall.leave(hall.sessions["cyd"])
    hall.do(Drain(60_000, "teacher", "updates"))
    hall.enter(10, "cyd")
    assert hall.woken == ()


def test_a_start_has_all_of_them_looked_at(hall: Hall) -> None:
    hall.create(name="Cup of June")
    hall.act(acts.Pause(0, "teacher"))
    hall.start()
    assert hall.woken == (1, 2)
