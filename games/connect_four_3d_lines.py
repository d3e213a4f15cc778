"""The cells and lines of 3D Connect Four as integers with a bit for each cell, bit 4 * column + z.

A column is four neighbouring bits, filled from the lowest, and adding 1 to them gives the bit where the
next stone comes to lie. A stone completes a line if the seat's stones cover one of the 4 to 7 masks
of the lines through its cell.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product

# Four bits a column, so that the cell above is one shift away, and 64 bits in all.
CELLS = {(x, y, z): 1 << 4 * (4 * y + x) + z for x, y, z in product(range(4), repeat=3)}
"""Each cell's bit."""

TOP_CELLS = sum(bit for (_, _, z), bit in CELLS.items() if z == 3)

# The direction of a line decides which one is told where a stone completes two: upright first.
_ALONG_AXES = ((0, 0, 1), (1, 0, 0), (0, 1, 0))
_ACROSS_PLANES = ((1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1))
_THROUGH_THE_CUBE = ((1, 1, 1), (1, 1, -1), (1, -1, 1), (-1, 1, 1))
_DIRECTIONS = (*_ALONG_AXES, *_ACROSS_PLANES, *_THROUGH_THE_CUBE)
"""The steps in x, y and z that lines are made of.

The order matters: of several lines that a stone completes clients are told the first. The original
server looks upwards, along x, along y, and then at diagonals; the order among these is ours.
"""


def all_lines() -> Iterator[int]:
    """Lists the cells of each of the 76 lines of 3D Connect Four, by direction."""
    for step in _DIRECTIONS:
        for start in CELLS:
            line = [tuple(at + way * along for at, along in zip(start, step, strict=True)) for way in range(4)]
            if line[-1] in CELLS:  # what lies between is then on the board, too
                yield sum(CELLS[x, y, z] for x, y, z in line)


LINES = tuple(all_lines())
LINES_THROUGH = {bit: tuple(line for line in LINES if line & bit) for bit in CELLS.values()}


def landing(taken: int, move: int) -> int:
    """Finds, as a bit, the cell of a 3D Connect Four column where a stone comes to lie; 0 if it is full."""
    lowest = 1 << 4 * move
    return (taken + lowest) & 0xF * lowest


def line_made(own: int, stone: int) -> int:
    """Finds the line that a 3D Connect Four stone completes: the first by direction, 0 if there is none."""
    own |= stone
    for line in LINES_THROUGH[stone]:
        if own & line == line:
            return line
    return 0


@cache
def open_columns(taken_tops: int) -> tuple[int, ...]:
    """Lists the 3D Connect Four columns whose top bit is 0; kept, as there are few answers and everything asks."""
    return tuple(move for move in range(16) if not taken_tops & 8 << 4 * move)
