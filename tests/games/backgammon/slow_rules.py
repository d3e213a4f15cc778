"""The rules of the family once more, slowly: signed fields, one checker at a time, every order tried.

Written from the rules and apart from `games.backgammon`, so that the two do not share a mistake.
White is negative and goes from field 0 up; black is positive and goes from 23 down, or in Fevga from
12 up and round to 11. The bar is "bar" and off the board is "off".
"""

from copy import deepcopy

WHITE, BLACK = -1, 1
HITTING = {"Backgammon", "Tavla", "Portes"}
START = [-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2]


class SlowBoard:
    def __init__(self, variant):
        self.variant = variant
        self.pinned = [0] * 24
        self.bar = {WHITE: 0, BLACK: 0}
        self.off = {WHITE: 0, BLACK: 0}
        if variant in HITTING:
            self.fields = list(START)
        elif variant == "Plakoto":
            self.fields = [-15, *[0] * 22, 15]
        else:
            self.fields = [-1, *[0] * 11, 1, *[0] * 11]
            self.bar = {WHITE: 14, BLACK: 14}

    def path(self, colour):
        """The fields in the order in which a checker visits them."""
        if colour == WHITE:
            return list(range(24))
        if self.variant == "Fevga":
            return [*range(12, 24), *range(12)]
        return list(range(23, -1, -1))

    def own(self, colour, field):
        """The number of free checkers of a colour on a field."""
        return max(0, self.fields[field] * colour)

    def is_blocked(self, colour, field):
        enemies = self.own(-colour, field)
        if self.variant == "Fevga":
            return enemies >= 1
        return enemies >= 2 or (enemies == 1 and self.pinned[field] == colour)

    def is_home(self, colour):
        """True if bearing off is allowed."""
        away = self.path(colour)[:18]
        if self.bar[colour] or any(self.own(colour, field) for field in away):
            return False
        return colour not in self.pinned

    def runner(self, colour):
        """The only source that may move before it has passed, or None where all may."""
        path = self.path(colour)
        counts = [self.own(colour, field) for field in path]
        if self.off[colour] or sum(counts) >= 3 or 1 in counts[12:]:
            return None
        for index, count in enumerate(counts):
            if count == 2:
                return path[index]
        for index, count in enumerate(counts):
            if index > 0 and count == 1:
                return path[index]
        return "bar"

    def target(self, colour, source, die):
        """The field that a checker gets to with a die; None where it may not go."""
        if (self.bar[colour] if source == "bar" else self.own(colour, source)) == 0:
            return None
        if self.variant in HITTING and self.bar[colour] and source != "bar":
            return None
        if self.variant == "Fevga" and self.runner(colour) not in {None, source}:
            return None
        path = self.path(colour)
        index = -1 if source == "bar" else path.index(source)
        if index + die < 24:
            target = path[index + die]
            return None if self.is_blocked(colour, target) or self.makes_prime(colour, source, target) else target
        if not self.is_home(colour):
            return None
        if index + die == 24:
            return "off"
        farther = [field for field in path[:index] if self.own(colour, field)]
        return None if farther else "off"

    def makes_prime(self, colour, source, target):
        """True if a step would hold all six points of the other's start range in Fevga."""
        if self.variant != "Fevga":
            return False
        after = deepcopy(self)
        after.move(colour, source, target)
        return all(after.own(colour, field) for field in self.path(colour)[12:18])

    def move(self, colour, source, target):
        if source == "bar":
            self.bar[colour] -= 1
        else:
            self.fields[source] -= colour
            if self.fields[source] == 0 and self.pinned[source] == -colour:
                self.pinned[source] = 0
                self.fields[source] = -colour
        if target == "off":
            self.off[colour] += 1
            return
        if self.fields[target] == -colour:
            self.fields[target] = 0
            if self.variant == "Plakoto":
                self.pinned[target] = -colour
            else:
                self.bar[-colour] += 1
        self.fields[target] += colour

    def lines_of_play(self, colour, dice):
        """Every order of steps until nothing is left to play, as lists of `(source, target, die)`."""
        found = []
        for die in sorted(set(dice)):
            rest = list(dice)
            rest.remove(die)
            for source in ["bar", *range(24)]:
                target = self.target(colour, source, die)
                if target is not None:
                    after = deepcopy(self)
                    after.move(colour, source, target)
                    found += [[(source, target, die), *line] for line in after.lines_of_play(colour, rest) or [[]]]
        return found

    def sequences(self, colour, dice):
        """Those lines that use all dice; if none does, those with the higher one; of a double the longest."""
        lines = self.lines_of_play(colour, sorted(dice))
        most = max(map(len, lines), default=0)
        lines = [line for line in lines if len(line) == most]
        if most == 1 and len(dice) == 2 and any(line[0][2] == max(dice) for line in lines):
            lines = [line for line in lines if line[0][2] == max(dice)]
        unique = []
        for line in lines:
            moves = [step[:2] for step in line]
            if moves not in unique:
                unique.append(moves)
        return unique

    def after(self, colour, moves):
        board = deepcopy(self)
        for source, target in moves:
            board.move(colour, source, target)
        return board

    def key(self):
        return tuple(self.fields), tuple(self.pinned), tuple(self.bar.values()), tuple(self.off.values())

    def pips(self, colour):
        path = self.path(colour)
        standing = 0
        for index, field in enumerate(path):
            standing += (24 - index) * (self.own(colour, field) + (self.pinned[field] == colour))
        return standing + 24 * self.bar[colour]

    def result(self, colour):
        """Points that the mover has won: 1, 2 or 3; 0 at a draw, None while the game goes on."""
        if self.variant == "Plakoto" and self.pinned[0] == WHITE and self.pinned[23] == BLACK:
            return 0
        if self.off[colour] < 15:
            return None
        if self.off[-colour]:
            return 1
        if self.variant == "Backgammon":
            home = self.path(colour)[18:]
            if self.bar[-colour] or any(self.own(-colour, field) for field in home):
                return 3
        return 2
