"""Moves and endings as pages tell them to people."""

import random
import re
from typing import Any

import pytest

from games.backgammon import BACKGAMMON, PLAKOTO
from games.backgammon.match import GameOptions
from games.backgammon.notation import split_said
from gameserver.game import Game, State
from tests.support.own_plugins import OWN
from tests.support.tables import table


@pytest.mark.parametrize(
    ("name", "moves", "words", "ending"),
    table(__file__, "games, moves, the last move in words, and how the game ended"),
)
def test_moves_and_endings_have_words(name: str, moves: str, words: str, ending: str) -> None:
    game = OWN.games[name.lower()]
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
    ("said", "starred", "moves", "rest"), table(__file__, "what a turn says, what a star means, and both parts")
)
def test_what_a_turn_says_is_split(said: str, starred: str, moves: str, rest: str) -> None:
    assert split_said(said, starred) == (moves, rest)


def test_end_tells_what_the_loser_had_left() -> None:
    state, dice = rolled(PLAKOTO, 3, 1), random.Random(4)
    while state.outcome is None:
        assert state.ending == ""
        state = state.drawn((dice.randint(1, 6), dice.randint(1, 6))) if state.chance else first_move(state)
    assert re.fullmatch("(white is off, black|black is off, white) has [0-9]+ left", state.ending)


def first_move(state: State[Any]) -> State[Any]:
    (seat,) = state.turn.seats
    return state.play(seat, state.legal_moves(seat)[0])
