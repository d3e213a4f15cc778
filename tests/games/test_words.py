"""Moves and endings as pages tell them to people."""

import random
import re
from typing import Any

import pytest

from games.backgammon import BACKGAMMON, PLAKOTO
from games.backgammon.match import GameOptions
from games.backgammon.notation import split_said
from games.connect_four_3d import GAME as CONNECT_FOUR
from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver.game import Game, State

UPRIGHT = "a0 a1 a0 a1 a0 a1 a0"
FLAT = "a0 d0 a1 d1 a2 d2 a3"
SLANTING = "a0 b1 b1 c2 d3 c2 c2 d3 d0 d3 d3"
WIPED_OUT = "44 29 20 45 38 43 52 37 34"


@pytest.mark.parametrize(
    ("game", "moves", "words", "ending"),
    [
        (TIC_TAC_TOE, "4", "middle", ""),
        (TIC_TAC_TOE, "0 1 3 2 6", "bottom left", "three in the left column"),
        (TIC_TAC_TOE, "0 1 2 4 3 5 7 6 8", "bottom right", "the board is full"),
        (REVERSI, "19", "d3", ""),
        (REVERSI, WIPED_OUT, "c5", "13 discs to 0"),
        (CONNECT_FOUR, "b1 b1", "column 5, level 2", ""),
        (CONNECT_FOUR, UPRIGHT, "column 0, level 4", "four upright in column 0"),
        (CONNECT_FOUR, FLAT, "column 3, level 1", "four on level 1, from column 0 to column 3"),
        (CONNECT_FOUR, SLANTING, "column 15, level 4", "four from column 0, level 1 to column 15, level 4"),
    ],
)
def test_moves_and_endings_have_words(game: Game[Any], moves: str, words: str, ending: str) -> None:
    state, move = game.start(game.options_type()), None
    for text in moves.split():
        move = game.read_move(text)
        state = state.play(state.turn.seats[0], move)
    assert (game.move_words(state, move), state.ending) == (words, ending)


def test_steps_are_told_once_and_in_the_order_of_play() -> None:
    move = BACKGAMMON.read_move("6/5 8/5")
    state = rolled(BACKGAMMON, 3, 1).play(0, move)
    assert (BACKGAMMON.move_words(state, move), state.reaction_words(None)) == ("6 to 5, 8 to 5", "")
    roll = BACKGAMMON.read_move("roll")
    state = state.play(1, roll)
    assert BACKGAMMON.move_words(state, roll) == ""
    assert state.drawn((6, 5)).reaction_words(None) == "black rolls 6 5"


def rolled(game: Game[Any], *dice: int) -> State[Any]:
    state = game.start(GameOptions(starter=0))
    if state.turn.seats:
        state = state.play(0, game.read_move("roll"))
    return state.drawn(dice)


@pytest.mark.parametrize(
    ("said", "starred", "split"),
    [
        ("", "hit", ("", "")),
        ("24/20* 20/18, white rolls 6 1", "hit", ("24 to 20 with a hit, 20 to 18", "white rolls 6 1")),
        ("bar/22 6/off", "hit", ("bar to 22, 6 to off", "")),
        ("24/20*", "pin", ("24 to 20 with a pin", "")),
        ("6 5 cannot be played", "hit", ("", "6 5 cannot be played")),
        ("white rolls 4, black 4", "hit", ("", "white rolls 4, black 4")),
    ],
)
def test_what_a_turn_says_is_split(said: str, starred: str, split: tuple[str, str]) -> None:
    assert split_said(said, starred) == split


def test_end_tells_what_the_loser_had_left() -> None:
    state, dice = rolled(PLAKOTO, 3, 1), random.Random(4)
    while state.outcome is None:
        assert state.ending == ""
        state = state.drawn((dice.randint(1, 6), dice.randint(1, 6))) if state.chance else first_move(state)
    assert re.fullmatch("(white is off, black|black is off, white) has [0-9]+ left", state.ending)


def first_move(state: State[Any]) -> State[Any]:
    (seat,) = state.turn.seats
    return state.play(seat, state.legal_moves(seat)[0])
