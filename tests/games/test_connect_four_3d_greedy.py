"""The greedy house player of 3D Connect Four: it wins, else blocks, else takes the best cell."""

from hypothesis import given, settings
from hypothesis import strategies as st

from games.connect_four_3d import greedy
from tests.games.connect_four_3d_boards import CHOICES, START, SYMMETRIES, moved
from tests.games.level_games import offered
from tests.games.slow_connect_four_3d import THROUGH, SlowConnectFour3D
from tests.support.examples import examples


def completing(slow, mark):
    """The columns where a stone of this mark would make a line, whoever is to move."""
    found = []
    for move in slow.legal():
        columns = list(slow.columns)
        columns[move] += mark
        if SlowConnectFour3D(tuple(columns)).lines_through_top(move):
            found.append(move)
    return found


def worth(slow, move, seat):
    """The worth of a column to the greedy player if nobody can make a line now."""
    if completing(slow.after(move), "XO"[1 - seat]):
        return -1
    cell = (move % 4, move // 4, len(slow.columns[move]))
    contents = ["".join(slow.at(*each) for each in line) for line in THROUGH[cell]]
    return sum(10 ** len(marks) for marks in contents if len(set(marks)) <= 1)


@settings(max_examples=examples(6), deadline=None)
@given(CHOICES, st.sampled_from([*SYMMETRIES.values()]))
def test_greedy_wins_else_blocks_else_takes_the_best_cell(choices, symmetry):
    position, other, slow = START, START, SlowConnectFour3D()
    for choice in choices:
        if position.outcome:
            break
        (seat,) = position.turn.seats
        found, legal = offered(greedy, position), position.legal_moves(seat)
        wins, blocks = (completing(slow, mark) for mark in ("XO"[seat], "XO"[1 - seat]))
        worths = {move: worth(slow, move, seat) for move in legal}
        best = [move for move in legal if worths[move] == max(worths.values())]
        assert found == (wins or blocks or best)
        assert sorted(moved(symmetry, move) for move in found) == offered(greedy, other)
        move = legal[choice % len(legal)]
        position, other, slow = position.play(seat, move), other.play(seat, moved(symmetry, move)), slow.after(move)
