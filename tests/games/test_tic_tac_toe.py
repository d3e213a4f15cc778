"""The rules of Tic-tac-toe, counted through, and the house player that never loses."""

from collections import Counter
from functools import cache

import pytest

from games.tic_tac_toe import GAME, Position, club, master, novice, perfect
from gameserver.game import IllegalMove, NoOptions, Outcome
from tests.games.level_games import offered

START = GAME.start(NoOptions())
X_WINS, O_WINS, DRAW = Outcome((1, -1), (0,)), Outcome((-1, 1), (1,)), Outcome((0, 0), ())


def played(*moves):
    position = START
    for number, move in enumerate(moves):
        position = position.play(number % 2, move)
    return position


@cache
def ends(position):
    """Counts the games that end in each way."""
    if position.outcome:
        return Counter([position.outcome])
    (seat,) = position.turn.seats
    return sum((ends(position.play(seat, move)) for move in position.legal_moves(seat)), Counter())


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("moves", [(), (4,), (0, 3, 1, 4, 2)])
def test_resignation_loses(seat, moves):
    assert played(*moves).resigned(seat) == (O_WINS, X_WINS)[seat]


@pytest.mark.parametrize(
    ("moves", "seat", "move", "why"),
    [
        ((4,), 1, 4, "cell 4 is taken"),
        ((4,), 0, 0, "not your turn, O is to move"),
        ((), 1, 0, "not your turn, X is to move"),
        ((0, 3, 1, 4, 2), 1, 5, "the game is over"),
    ],
)
def test_refusals(moves, seat, move, why):
    with pytest.raises(IllegalMove, match=why):
        played(*moves).play(seat, move)


@pytest.mark.parametrize("text", ["4", "04", "+4", "0" * 50 + "4"])
def test_a_number_as_java_reads_it(text):
    assert GAME.read_move(text) == 4


@pytest.mark.parametrize(
    "text", ["4.0", "٤", "²", "", " 4", "4 ", "4\n", "1_0", "9", "-1", "--1", "+", "0x4", "9" * 5000]
)
def test_texts_that_are_not_cells_are_refused(text):
    with pytest.raises(IllegalMove, match="must be a cell from 0 to 8"):
        GAME.read_move(text)


def test_text_board_and_picture_show_the_position():
    position = played(0, 4)
    assert position.board(None) == "X | 1 | 2\n--+---+--\n3 | O | 5\n--+---+--\n6 | 7 | 8"
    assert position.view(0) == {"cells": ["X", ".", ".", ".", "O", ".", ".", ".", "."]}


@pytest.mark.parametrize("strategy", [perfect, master])
@pytest.mark.parametrize("house", [0, 1])
def test_the_best_players_never_lose(house, strategy):
    seen = set()
    waiting = [START]
    while waiting:
        position = waiting.pop()
        if position in seen:
            continue
        seen.add(position)
        if position.outcome:
            assert 1 - house not in position.outcome.winners, position.board(None)
            continue
        (seat,) = position.turn.seats
        moves = offered(strategy, position, seat) if seat == house else position.legal_moves(seat)
        waiting += [position.play(seat, move) for move in moves]
    assert any(position.outcome == (X_WINS, O_WINS)[house] for position in seen), "nor is it harmless"


@pytest.mark.parametrize(
    ("strategy", "cells", "seat", "moves"),
    [
        (perfect, "XX.OO....", 0, [2]),  # wins as soon as it can
        (perfect, "XX.O.....", 1, [2]),
        (novice, "XX.OO....", 0, [2]),  # sees its own line and nothing else
        (novice, "XX.O.....", 1, [2, 4, 5, 6, 7, 8]),
        (club, "XX.OO....", 0, [2]),  # makes a line, else stops one
        (club, "XX.O.....", 1, [2]),
        (club, "X...O...X", 1, [1, 2, 3, 5, 6, 7]),  # does not see that a corner loses
        (master, ".........", 0, [0, 2, 6, 8]),  # all openings draw; of the answers to these the most lose
    ],
)
def test_levels_see_what_they_should(strategy, cells, seat, moves):
    assert offered(strategy, Position(cells), seat) == moves


@cache
def expected_points(first, second, position=START):
    """The points of seat 0 on average, with every move that the players may pick as likely as the others."""
    if position.outcome:
        return position.outcome.points[0]
    (seat,) = position.turn.seats
    moves = offered((first, second)[seat], position, seat)
    return sum(expected_points(first, second, position.play(seat, move)) for move in moves) / len(moves)


def anything(position, seat, choose):
    return choose(position.legal_moves(seat))


@pytest.mark.parametrize(("better", "worse"), [(master, club), (club, novice), (novice, anything)])
def test_each_level_takes_more_than_half_from_the_one_below(better, worse):
    lead = (expected_points(better, worse) - expected_points(worse, better)) / 2
    assert lead > 0.3, "that is 65 % of the points"


def test_the_games_and_how_they_end():
    assert ends(START) == {X_WINS: 131184, O_WINS: 77904, DRAW: 46080}
    assert ends(START).total() == 255168
