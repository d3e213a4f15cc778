"""The contract, and the rules of Pig."""

from typing import Any

import pytest
from pig import GAME, PigOptions, PigState

from gameserver.game import Chance, IllegalMove, Turn
from gameserver.testing import check_game


def test_contract() -> None:
    """Everything that the server relies on."""
    check_game(GAME)


def rolled(state: PigState, *dice: int) -> PigState:
    """The position after these rolls."""
    for die in dice:
        state = state.play(state.seat, "roll").drawn((die,))
    return state


@pytest.fixture(name="start")
def a_start() -> PigState:
    """The start of a game to 100."""
    return GAME.start(PigOptions())


def test_rolls_add_up_within_one_turn(start: PigState) -> None:
    """The seat and the turn's number stay the same, so the clock runs on."""
    state = rolled(start, 3, 6)
    assert (state.total, state.scores, state.turn) == (9, (0, 0), Turn(0, (0,)))
    assert state.reaction(None) == "the die shows 6"
    assert state.prompt(0) == "total 9, you 0, other 0, target 100"


def test_nobody_acts_while_the_die_is_in_the_air(start: PigState) -> None:
    """The server draws."""
    state = start.play(0, "roll")
    assert (state.turn.seats, state.chance) == ((), Chance(1, 6))


def test_a_one_loses_the_total(start: PigState) -> None:
    """And the turn."""
    state = rolled(start, 5, 1)
    assert (state.total, state.scores, state.turn) == (0, (0, 0), Turn(1, (1,)))


def test_hold_banks_the_total(start: PigState) -> None:
    """And passes the die on."""
    state = rolled(start, 5, 4).play(0, "hold")
    assert (state.total, state.scores, state.turn) == (0, (9, 0), Turn(1, (1,)))


def test_there_must_be_something_to_hold(start: PigState) -> None:
    """Else two players who only hold would never end."""
    with pytest.raises(IllegalMove, match="roll first"):
        start.play(0, "hold")


def test_the_target_wins_at_once() -> None:
    """Without a hold."""
    outcome = rolled(GAME.start(PigOptions(target=10)), 6, 4).outcome
    assert outcome is not None
    assert (outcome.points, outcome.winners) == ((10, 0), (0,))


@pytest.mark.parametrize("target", [0, 1, 1001, 99.5])
def test_a_target_that_makes_no_sense_is_refused(target: Any) -> None:
    """The validators refuse such options."""
    with pytest.raises((ValueError, TypeError)):
        PigOptions(target=target)
