"""The rules of 3D Connect Four: against a slow twin, against counts, and against games that a real server played."""

from itertools import product
from pathlib import Path

import pytest

from games.connect_four_3d import GAME
from gameserver.game import IllegalMove, Turn
from tests.games.connect_four_3d_boards import DRAW, O_WINS, START, X_WINS, line_of, replay

PERFT = [
    (int(depth), int(played), int(won), moves)
    for line in (Path(__file__).parent / "perft" / "connect_four_3d.perft").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
    for depth, played, won, *moves in [line.split()]
]
"""Depth, ways to play so many moves, in how many of them the last one wins, and the moves before."""

# Games that the original server played, and what it reported. Its moves are as the mover's opponent was told them.
REAL_GAMES = {
    "upwards": ("a0 b0 a0 b0 a0 b0 a0", X_WINS, "000 001 002 003"),
    "along x": ("a0 d0 a1 d1 a2 d2 a3", X_WINS, "000 100 200 300"),
    "diagonal": ("a0 d0 b1 d1 c2 d2 d3", X_WINS, "000 110 220 330"),
    "along x and along y at once": ("a1 c2 a2 c2 a3 c1 b0 b2 c0 d2 d0 b1 a0", X_WINS, "000 100 200 300"),
    "draw": (
        """
        c1 b2 d3 c1 c3 c0 d0 b3 b2 c1 c3 d1 b3 c3 c0 b1 b0 c3 b0 b1 d3 d3 c2 c0 c0 c1 b3 b0 d0 d0 d2 d2
        b0 d1 d1 a0 a1 a0 a1 b1 b1 d3 a0 a0 a2 c2 c2 b2 b3 b2 a3 a3 a3 a3 d0 c2 d1 a1 a1 a2 a2 d2 a2 d2
        """,
        DRAW,
        "",
    ),
}


def slow_from(depth):
    marks = [pytest.mark.slow if row[0] >= depth and not row[3] else () for row in PERFT]
    ids = [f"depth {row[0]} after {len(row[3])}" for row in PERFT]
    return [pytest.param(*row, id=name, marks=mark) for row, name, mark in zip(PERFT, ids, marks, strict=True)]


@pytest.mark.parametrize(("moves", "outcome", "line"), REAL_GAMES.values(), ids=REAL_GAMES)
def test_real_games(moves, outcome, line):
    position = replay(moves)
    assert position.outcome == outcome
    assert line_of(position) == line
    assert position.turn == Turn(len(moves.split()), ())


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("moves", ["", "b2", *(moves for moves, _, _ in REAL_GAMES.values())])
def test_resignation_loses(seat, moves):
    assert replay(moves).resigned(seat) == (O_WINS, X_WINS)[seat]


@pytest.mark.parametrize(
    ("moves", "seat", "move", "why"),
    [
        ("a0 a0 a0 a0", 0, 0, "column a0 is full"),
        ("d3 d3 d3 d3 a0", 1, 15, "column d3 is full"),
        ("", 1, 0, "not your turn, X is to move"),
        ("a0", 0, 1, "not your turn, O is to move"),
        ("", 0, 16, "no such column"),
        ("", 0, -1, "no such column"),
        (REAL_GAMES["upwards"][0], 1, 5, "the game is over"),
        (REAL_GAMES["draw"][0], 0, 5, "the game is over"),
    ],
)
def test_refusals(moves, seat, move, why):
    position = replay(moves)
    assert move not in position.legal_moves(seat)
    with pytest.raises(IllegalMove, match=why):
        position.play(seat, move)


def test_each_move_has_one_spelling_and_one_number():
    for y, x in product(range(4), repeat=2):
        move = GAME.read_move("abcd"[y] + "0123"[x])
        assert move == GAME.move_number(move) == GAME.read_move(str(4 * y + x)) == 4 * y + x
        assert GAME.write_move(move) == "abcd"[y] + "0123"[x]


@pytest.mark.parametrize(
    "text",
    ["B2", "a4", "e0", "a", "aa", "a0xyz", "2b", " b2", "b2\n", "b\u0662", "", "16", "-1", "6.0", "1_0", "9" * 5000],
)
def test_texts_that_are_not_columns_are_refused(text):
    with pytest.raises(IllegalMove, match="lower-case letter from a to d and a digit from 0 to 3"):
        GAME.read_move(text)


def test_coordinates():
    # As the original reported stones: a1 is x=1, b0 is y=1, and the height comes by itself.
    assert replay("a1").view(None)["layers"][0][0] == ".X.."
    assert replay("b0").view(None)["layers"][0] == ["....", "X...", "....", "...."]
    assert [layer[0] for layer in replay("a0 a0 a0").view(None)["layers"]] == ["X...", "O...", "X...", "...."]


def test_text_board_shows_every_stone():
    won = replay(REAL_GAMES["along x and along y at once"][0])
    assert won.board(None).splitlines() == [
        "      bottom 0   layer 1    layer 2    top 3",
        "      0 1 2 3    0 1 2 3    0 1 2 3    0 1 2 3",
        "a  0  X X X X    . . . .    . . . .    . . . .",
        "b  4  X O O .    . . . .    . . . .    . . . .",
        "c  8  X O O .    . . O .    . . . .    . . . .",
        "d 12  X . O .    . . . .    . . . .    . . . .",
        "X has won with the line 000 100 200 300 (digit, row, layer, each from 0)",
    ]
    assert START.board(0).splitlines()[-1] == "X is to move (row b, digit 2 is b2, or 6)"
    assert replay("b2").board(0).splitlines()[-1].startswith("O is to move")
    assert replay(REAL_GAMES["draw"][0]).board(0).splitlines()[-1] == "a draw, the board is full"
