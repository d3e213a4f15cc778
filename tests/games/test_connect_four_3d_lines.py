"""The 76 lines of 3D Connect Four: each can win, and of two at once the first is told."""

from collections import Counter
from itertools import product

from games.connect_four_3d import CELLS
from games.connect_four_3d_lines import all_lines
from tests.games.connect_four_3d_boards import LINES
from tests.games.slow_connect_four_3d import DIRECTIONS


def test_there_are_76_lines():
    assert len(LINES) == 76
    assert sorted(all_lines()) == sorted(sum(CELLS[cell] for cell in line) for line in LINES)
    assert sorted(Counter(LINES.values()).values()) == [1] * 4 + [4] * 6 + [16] * 3
    assert [sum(abs(along) for along in step) for step in DIRECTIONS] == [1] * 3 + [2] * 6 + [3] * 4
    through = Counter(sum(cell in line for line in LINES) for cell in product(range(4), repeat=3))
    assert through == {7: 16, 4: 48}
