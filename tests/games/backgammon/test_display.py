"""The board as text."""

from games.backgammon.board import start_of
from games.backgammon.picture import board_lines, position_line
from games.backgammon.variants import BACKGAMMON, FEVGA, PLAKOTO
from tests.games.backgammon.positions import board_of

START = """\
+ 13  14  15  16  17  18 + 19  20  21  22  23  24 +
| O   .   .   .   X   .  | X   .   .   .   .   O  |
| O               X      | X                   O  |
| O               X      | X                      |
| O                      | X                      |
| O                      | X                      |
|                        |                        |
| X                      | O                      |
| X                      | O                      |
| X               O      | O                      |
| X               O      | O                   X  |
| X   .   .   .   O   .  | O   .   .   .   .   X  |
+ 12  11  10  9   8   7  + 6   5   4   3   2   1  +
white O: 0 on the bar, 0 off, 167 pips
black X: 0 on the bar, 0 off, 167 pips"""


def test_the_start_as_white_sees_it():
    assert board_lines(start_of(BACKGAMMON), 0) == START.split("\n")


def test_black_sees_the_same_with_the_colours_exchanged():
    lines = board_lines(start_of(BACKGAMMON), 1)
    exchanged = str.maketrans("OX", "XO")
    assert lines[:13] == [line.translate(exchanged) for line in START.split("\n")[:13]]
    assert lines[13].startswith("black X")


def test_high_stacks_are_counted():
    board = start_of(PLAKOTO)
    assert column(board, 0, 24) == ["O", "O", "O", "O", "15"]
    assert column(board, 0, 1) == ["X", "X", "X", "X", "15"]


def column(board, seat, point):
    lines = board_lines(board, seat)
    row = 1 + 4 * (point - 13) + (point >= 19) if point >= 13 else 1 + 4 * (12 - point) + (point <= 6)
    rows = lines[1:6] if point >= 13 else lines[11:6:-1]
    return [each[row : row + 4].strip() for each in rows]


def test_a_pinned_checker_lies_at_the_edge():
    board = board_of(PLAKOTO, ({24: 14}, {5: 7, 1: 8}), ({20: 1}, {}))
    assert column(board, 0, 20) == ["o", "X", "X", "X", "7"]
    board = board_of(PLAKOTO, ({24: 14}, {5: 2, 1: 13}), ({20: 1}, {}))
    assert column(board, 0, 20) == ["o", "X", "X", "", ""]


def test_fevga_goes_the_same_way_for_both():
    board = board_of(FEVGA, ({24: 1, 25: 14}, {24: 1, 25: 14}))
    assert (column(board, 0, 24), column(board, 0, 12)) == (["O", "", "", "", ""], ["X", "", "", "", ""])
    assert (column(board, 1, 24), column(board, 1, 12)) == (["X", "", "", "", ""], ["O", "", "", "", ""])


def test_the_position_in_a_line():
    board = board_of(BACKGAMMON, ({25: 1, 6: 12, 0: 2}, {25: 2, 24: 1, 1: 11, 0: 1}))
    assert position_line(board, 0) == "you bar:1 6:12 off:2 | other bar:2 24:11 1:1 off:1"
    assert position_line(board, 1) == "you bar:2 24:1 1:11 off:1 | other bar:1 19:12 off:2"
