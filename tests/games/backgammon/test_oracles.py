"""Backgammon against OpenSpiel: the sets of resulting positions, so that notation does not matter."""

import random
from itertools import count, islice

import pyspiel
import pytest

from games.backgammon.variants import BACKGAMMON
from tests.games.backgammon.positions import board_of

GAME = pyspiel.load_game("backgammon")
POSITIONS = pytest.mark.parametrize(
    "positions", [pytest.param(150, id="150"), pytest.param(12_000, id="12,000", marks=pytest.mark.slow)]
)


def board_in(state):
    """A state of OpenSpiel as a board of ours. Its x goes up from 0 as white does, and it numbers fields alike."""
    # The end of what player x observes.
    bar_x, score_x, _, bar_o, score_o = map(int, state.observation_tensor(0)[-8:-3])
    white = {24 - field: state.board(0, field) for field in range(24)} | {25: bar_x, 0: score_x}
    black = {field + 1: state.board(1, field) for field in range(24)} | {25: bar_o, 0: score_o}
    return board_of(BACKGAMMON, (white, black))


def turns(seed):
    """The turns of one random game: the state, before a double is split in two."""
    chance = random.Random(seed)
    state = GAME.new_initial_state()
    again = False
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(chance.choice([action for action, _ in state.chance_outcomes()]))
            continue
        if not again:
            yield state
        again = not again and is_double(state)
        mover = state.current_player()
        state.apply_action(chance.choice(state.legal_actions()))
        again = again and not state.is_terminal() and state.current_player() == mover


def ends(state, mover, *, double):
    """The boards that a turn can lead to: a double is two turns in a row."""
    found = set()
    for action in state.legal_actions():
        child = state.child(action)
        if double and not child.is_terminal() and child.current_player() == mover:
            found |= ends(child, mover, double=False)
        else:
            found.add(board_in(child))
    return found


def dice_of(state):
    return tuple(sorted(int(die) for die in state.observation_tensor(0)[-2:]))


def is_double(state):
    low, high = dice_of(state)
    return low == high


@POSITIONS
def test_the_same_boards_as_open_spiel(positions):
    for state in islice((state for seed in count() for state in turns(seed)), positions):
        mover, dice, double = state.current_player(), dice_of(state), is_double(state)
        board = board_in(state)
        plays = board.plays(mover, dice * 2 if double else dice)
        ours = {board.played(mover, sequence) for sequence in plays.values()}
        assert ours == ends(state, mover, double=double), str(state)
