"""The house player of sense: what it does where there is little doubt, and that it beats chance."""

import random

import pytest

from games.backgammon import GAME
from games.backgammon.cube import Cube
from games.backgammon.levels import at_random
from games.backgammon.notation import Word
from games.backgammon.options import GameOptions
from games.backgammon.rules import BackgammonFamily
from games.backgammon.strategy import steady
from games.backgammon.variants import BACKGAMMON, FEVGA, PLAKOTO, TAVLA
from tests.games.backgammon.test_state import after, state_on


def nobody(choices):
    raise AssertionError("it leaves nothing to chance")


def moved(state):
    return steady(state, state.turn.seats[0], nobody)


@pytest.mark.parametrize(
    ("dice", "play"),
    [((3, 1), ((8, 5), (6, 5))), ((4, 2), ((8, 4), (6, 4))), ((6, 1), ((13, 7), (8, 7)))],
)
def test_it_makes_the_points_that_everybody_makes(dice, play):
    assert moved(after(GAME.start(GameOptions(starter=0)), "roll", dice)) == play


def test_it_hits_rather_than_passes_by():
    state = state_on(TAVLA, {24: 2, 13: 5, 8: 3, 6: 5}, {24: 1, 18: 1, 13: 5, 8: 3, 6: 5}, dice=(6, 1))
    after_play = state.play(0, moved(state))
    assert after_play.position.count(1, 25) == 1


def test_it_pins_where_it_can():
    state = state_on(PLAKOTO, {24: 13, 9: 2}, {24: 12, 20: 1, 1: 2}, dice=(4, 1))
    assert state.play(0, moved(state)).position.pinned[1]


def test_it_bears_off_what_it_can():
    state = state_on(TAVLA, {4: 2, 3: 2, 0: 11}, {4: 2, 0: 13}, dice=(3, 4))
    assert state.play(0, moved(state)).position.count(0, 0) == 13


@pytest.mark.parametrize(
    ("mine", "theirs", "word"),
    [
        pytest.param({6: 5, 5: 5, 4: 5}, {6: 8, 5: 7}, Word.DOUBLE, id="ahead in a race"),
        pytest.param({6: 8, 5: 7}, {6: 8, 5: 7}, Word.ROLL, id="even"),
        pytest.param({6: 8, 5: 7}, {6: 5, 5: 5, 4: 5}, Word.ROLL, id="behind"),
        pytest.param({24: 2, 13: 5, 8: 3, 6: 5}, {24: 2, 13: 5, 8: 4, 6: 4}, Word.ROLL, id="the sides still meet"),
    ],
)
def test_when_it_doubles(mine, theirs, word):
    state = state_on(BACKGAMMON, {24: 15}, {24: 15}, dice=(6, 5), mover=1, cube=Cube())
    board = state_on(BACKGAMMON, mine, theirs).position
    state = after(state, "24/13")
    assert moved(type(state)(state.options, board, Cube(), state.phase, state.mover)) is word


@pytest.mark.parametrize(("behind_by", "word"), [(0, Word.TAKE), (7, Word.TAKE), (30, Word.DROP)])
def test_when_it_takes(behind_by, word):
    state = after(GAME.start(GameOptions(starter=0)), "double")
    far, near = divmod(behind_by, 5)
    board = state_on(BACKGAMMON, {5: 15}, {10: far, 5 + near: 1, 5 - 0: 14 - far} if near else {10: far, 5: 15 - far})
    assert moved(type(state)(state.options, board.position, Cube(), state.phase, 0, 1)) is word


@pytest.mark.parametrize("variant", [TAVLA, PLAKOTO, FEVGA], ids=lambda each: each.name)
def test_it_beats_chance(variant):
    game, chance, won = BackgammonFamily(variant), random.Random(7), 0
    for round_number in range(6):
        steady_seat = round_number % 2
        state = game.start(GameOptions())
        while state.outcome is None:
            if state.chance is not None:
                state = state.drawn((chance.randint(1, 6), chance.randint(1, 6)))
            else:
                (seat,) = state.turn.seats
                move = moved(state) if seat == steady_seat else chance.choice(state.legal_moves(seat))
                state = state.play(seat, move)
        won += state.outcome.winners == (steady_seat,)
    assert won >= 5


def test_random_neither_doubles_nor_undoes():
    chance, words = random.Random(5), set()
    state = BackgammonFamily(BACKGAMMON).start(GameOptions(starter=0, by_hand=(True, True)))
    while state.outcome is None:
        if state.chance is not None:
            state = state.drawn((chance.randint(1, 6), chance.randint(1, 6)))
            continue
        (seat,) = state.turn.seats
        move = at_random(state, seat, chance.choice)
        words.add(move if isinstance(move, Word) else None)
        state = state.play(seat, move)
    assert words == {None, Word.ROLL, Word.END}
