"""Boards of 3D Connect Four: games replayed, symmetries, and choices to play by."""

from hypothesis import strategies as st

from games.connect_four_3d import GAME, winning_line
from gameserver.game import NoOptions, Outcome, Turn

START = GAME.start(NoOptions())
X_WINS, O_WINS, DRAW = Outcome((1, -1), (0,)), Outcome((-1, 1), (1,)), Outcome((0, 0), ())


def replay(text):
    position = START
    for number, word in enumerate(text.split()):
        assert position.outcome is None
        assert position.turn == Turn(number, (number % 2,))
        position = position.play(number % 2, GAME.read_move(word))
    return position


def line_of(position):
    return " ".join(winning_line(position) or ())


CHOICES = st.lists(st.integers(0, 1000), min_size=64, max_size=64)

SYMMETRIES = {
    "none": lambda x, y: (x, y),
    "quarter turn": lambda x, y: (3 - y, x),
    "half turn": lambda x, y: (3 - x, 3 - y),
    "three quarters": lambda x, y: (y, 3 - x),
    "mirror in x": lambda x, y: (3 - x, y),
    "mirror in y": lambda x, y: (x, 3 - y),
    "diagonal": lambda x, y: (y, x),
    "other diagonal": lambda x, y: (3 - y, 3 - x),
}


def moved(symmetry, move):
    x, y = symmetry(move % 4, move // 4)
    return 4 * y + x
