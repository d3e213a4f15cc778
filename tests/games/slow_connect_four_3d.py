"""3D Connect Four once more, slowly: columns of letters, and a walk in each direction from the last stone.

Written from the rules and apart from `games.connect_four_3d`, so that the two do not share a mistake.
"""

DIRECTIONS = [
    (0, 0, 1),
    (1, 0, 0),
    (0, 1, 0),
    (1, 1, 0),
    (1, -1, 0),
    (1, 0, 1),
    (1, 0, -1),
    (0, 1, 1),
    (0, 1, -1),
    (1, 1, 1),
    (1, 1, -1),
    (1, -1, 1),
    (-1, 1, 1),
]
"""In x, y and z. Of several lines the first is reported: an upright one, one along x, one along y, a diagonal."""


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
        """The content of a cell: X, O, nothing, or None outside of the board."""
        if not (0 <= x < 4 and 0 <= y < 4 and 0 <= z < 4):
            return None
        return self.columns[4 * y + x][z : z + 1]

    def lines_through_top(self, move):
        """The lines of equal stones that the top stone of a column is part of, in the order of the directions."""
        x, y, z = move % 4, move // 4, len(self.columns[move]) - 1
        mine = self.at(x, y, z)
        found = []
        for step in DIRECTIONS:
            line = [(x, y, z)]
            for way in (1, -1):
                dx, dy, dz = (way * along for along in step)
                cell = (x + dx, y + dy, z + dz)
                while self.at(*cell) == mine:
                    line.append(cell)
                    cell = (cell[0] + dx, cell[1] + dy, cell[2] + dz)
            if len(line) == 4:
                found.append(sorted("".join(map(str, cell)) for cell in line))
        return found

    def layers(self):
        return [["".join(self.at(x, y, z) or "." for x in range(4)) for y in range(4)] for z in range(4)]
