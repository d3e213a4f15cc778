"""3D Connect Four once more, slowly: columns of letters, and every line of four cells.

Written from the rules and apart from `games.connect_four_3d`, so that the two do not share a mistake.
"""

from itertools import product

_STEPS = "0 0 1, 1 0 0, 0 1 0, 1 1 0, 1 -1 0, 1 0 1, 1 0 -1, 0 1 1, 0 1 -1, 1 1 1, 1 1 -1, 1 -1 1, -1 1 1"
DIRECTIONS = [tuple(map(int, step.split())) for step in _STEPS.split(", ")]
"""In x, y and z. Of several lines the first is reported: an upright one, one along x, one along y, a diagonal."""


def lines():
    """Each set of four cells in a row, and its direction's place in the order of reporting."""
    cells = set(product(range(4), repeat=3))
    found = {}
    for order, (dx, dy, dz) in enumerate(DIRECTIONS):
        for x, y, z in cells:
            line = frozenset((x + n * dx, y + n * dy, z + n * dz) for n in range(4))
            if line <= cells:
                found[line] = order
    return found


LINES = lines()
THROUGH = {
    cell: sorted((line for line in LINES if cell in line), key=LINES.get) for cell in product(range(4), repeat=3)
}
"""The lines of each cell, in that order."""


class SlowConnectFour3D:
    def __init__(self, columns=("",) * 16):
        self.columns = columns
        """A letter for each stone, from the bottom; the column of x and y is number 4 * y + x."""

    def stones(self):
        return sum(map(len, self.columns))

    def mover(self):
        return self.stones() % 2

    def legal(self):
        return [number for number, column in enumerate(self.columns) if len(column) < 4]

    def after(self, move):
        columns = list(self.columns)
        columns[move] += "XO"[self.mover()]
        return SlowConnectFour3D(tuple(columns))

    def at(self, x, y, z):
        """The content of a cell: X, O or nothing."""
        return self.columns[4 * y + x][z : z + 1]

    def lines_through_top(self, move):
        """The lines of equal stones that the top stone of a column is part of, in the order of the directions."""
        top = (move % 4, move // 4, len(self.columns[move]) - 1)
        made = [line for line in THROUGH[top] if {self.at(*cell) for cell in line} == {self.at(*top)}]
        return [sorted("".join(map(str, cell)) for cell in line) for line in made]

    def layers(self):
        return [["".join(self.at(x, y, z) or "." for x in range(4)) for y in range(4)] for z in range(4)]
