"""The 76 lines of 3D Connect Four: each can win, and of two at once the first is told."""

import random
from collections import Counter
from itertools import combinations, product

import pytest

from games.connect_four_3d import CELLS, COLUMNS, winning_line
from games.connect_four_3d_lines import all_lines
from tests.games.connect_four_3d_boards import LINES, O_WINS, X_WINS, replay
from tests.games.slow_connect_four_3d import DIRECTIONS, SlowConnectFour3D


def test_there_are_76_lines():
    assert len(LINES) == 76
    assert sorted(all_lines()) == sorted(sum(CELLS[cell] for cell in line) for line in LINES)
    assert sorted(Counter(LINES.values()).values()) == [1] * 4 + [4] * 6 + [16] * 3
    assert [sum(abs(along) for along in step) for step in DIRECTIONS] == [1] * 3 + [2] * 6 + [3] * 4
    through = Counter(sum(cell in line for line in LINES) for cell in product(range(4), repeat=3))
    assert through == {7: 16, 4: 48}


def cooperative_game(winner, wanted, last, chance):
    """Moves by which a seat makes the wanted lines at once with its stone on `last`, and none is made before."""
    cells = frozenset().union(*wanted)
    while True:
        slow, moves, made = SlowConnectFour3D(), [], []
        while not made and (choices := cooperative_moves(slow, winner, cells, last)):
            moves.append(chance.choice(choices))
            slow = slow.after(moves[-1])
            made = slow.lines_through_top(moves[-1])
        if sorted(made) == sorted(map(written, wanted)):
            return moves


def cooperative_moves(slow, winner, cells, last):
    """The columns where a stone does not spoil the plan; those that lead to it if there are any."""
    missing = {cell for cell in cells if not slow.at(*cell)}
    fine, good = [], []
    for move in slow.legal():
        cell = (move % 4, move // 4, len(slow.columns[move]))
        if cell in cells and (slow.mover() != winner or (cell == last and missing != {last})):
            continue
        fine.append(move)
        if any(cell[:2] == (x, y) for x, y, _ in missing):
            good.append(move)
    return good or fine


def written(line):
    return sorted("".join(map(str, cell)) for cell in line)


def replayed(moves):
    return replay(" ".join(COLUMNS[move] for move in moves))


@pytest.mark.parametrize("winner", [0, 1])
def test_every_line_can_win(winner):
    chance = random.Random(winner)
    for line in LINES:
        last = max(line, key=lambda cell: (cell[2], cell))
        position = replayed(cooperative_game(winner, [line], last, chance))
        assert position.outcome == (X_WINS, O_WINS)[winner]
        assert list(winning_line(position)) == written(line)


def test_first_of_two_completed_lines_is_told():
    chance, tried = random.Random(0), set()
    for one, other in combinations(sorted(LINES, key=LINES.get), 2):
        for last in one & other:
            if LINES[one] == 0 and last[2] < 3:
                continue  # an upright line is finished by its topmost stone
            winner = chance.randrange(2)
            position = replayed(cooperative_game(winner, [one, other], last, chance))
            assert position.outcome == (X_WINS, O_WINS)[winner]
            assert list(winning_line(position)) == written(one)
            tried.add((LINES[one], LINES[other]))
    crossing = {(LINES[one], LINES[other]) for one, other in product(LINES, repeat=2) if len(one & other) == 1}
    assert tried == {pair for pair in crossing if pair[0] < pair[1]}
