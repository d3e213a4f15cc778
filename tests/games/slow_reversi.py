"""Reversi once more, slowly: coordinates, one disc at a time, and a walk in each direction.

Written from the rules and apart from `games.reversi`, so that the two do not share a mistake.
"""

BLACK, WHITE = 0, 1
DIRECTIONS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


class SlowReversi:
    def __init__(self):
        self.discs = {(3, 4): BLACK, (4, 3): BLACK, (3, 3): WHITE, (4, 4): WHITE}
        self.mover = BLACK
        self.passes = 0

    def turned(self, colour, row, column):
        """Discs that a disc of this colour, put here, turns over."""
        if (row, column) in self.discs:
            return []
        found = []
        for down, right in DIRECTIONS:
            line = []
            at = (row + down, column + right)
            while self.discs.get(at) == 1 - colour:
                line.append(at)
                at = (at[0] + down, at[1] + right)
            if self.discs.get(at) == colour:
                found += line
        return found

    def legal(self, colour):
        return [8 * row + column for row in range(8) for column in range(8) if self.turned(colour, row, column)]

    def play(self, cell):
        row, column = divmod(cell, 8)
        turned = self.turned(self.mover, row, column)
        assert turned
        for at in [(row, column), *turned]:
            self.discs[at] = self.mover
        self.mover = 1 - self.mover
        if not self.legal(self.mover) and self.legal(1 - self.mover):
            self.mover = 1 - self.mover
            self.passes += 1

    def is_over(self):
        return not self.legal(BLACK) and not self.legal(WHITE)

    def count(self, colour):
        return list(self.discs.values()).count(colour)

    def rows(self):
        letters = {BLACK: "B", WHITE: "W", None: "."}
        return ["".join(letters[self.discs.get((row, column))] for column in range(8)) for row in range(8)]
