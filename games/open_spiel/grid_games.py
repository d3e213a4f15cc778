"""OpenSpiel's Hex, Go, Gomoku, Connect four, Checkers, Breakthrough, Amazons and Lines of Action as shown here.

Each is a board of cells with the words of its moves, and the rule that ended a game.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from math import sqrt
from typing import Any

from games.open_spiel.grids import BLACK, CELL, WHITE, Cell, Grid, Rows, around
from gameserver.drawing import Box, Disc, Line, Paint, Point, Polygon, Shape, Side

CROSS, RING = Side("X", Paint.FIRST, "X"), Side("O", Paint.SECOND, "O")

_ACROSS = ((0, 1), (1, 0), (0, -1), (-1, 0))
_AROUND = (*_ACROSS, (1, 1), (1, -1), (-1, 1), (-1, -1))
_HALF_HEXAGON = ((0, -CELL / sqrt(3)), (CELL / 2, -CELL / sqrt(12)), (CELL / 2, CELL / sqrt(12)))
_HEXAGON = (*_HALF_HEXAGON, *((-x, -y) for x, y in _HALF_HEXAGON))
"""The corners of a hexagon around its middle, clockwise from the top."""


class Hex(Grid):
    """A board of hexagons: OpenSpiel's player 0 has the edges above and below, player 1 the others."""

    sides = (BLACK, WHITE)
    signs, shown = "xXyzoOpq.", "BBBBWWWW."
    legend = "black B joins top and bottom, white W left and right"
    is_first_row_above = True
    slant = 1
    edge = 48

    def centre(self, row: float, column: float) -> Point:
        """Each row lies half a cell further right than the one above it."""
        return self.edge + (column + row / 2 + 0.5) * CELL, self.edge + CELL / sqrt(3) + row * CELL * sqrt(0.75)

    def outline(self, row: int, column: int) -> tuple[Point, ...]:
        """Six corners, clockwise from the top."""
        return around(self.centre(row, column), _HEXAGON)

    def ground(self, height: int, width: int) -> Iterator[Shape]:
        """The edges in the colours that have to join them, and the cells."""
        rows, columns = range(height), range(width)
        edges = (
            (BLACK, [(0, column) for column in columns], (5, 0, 1)),
            (BLACK, [(height - 1, column) for column in columns], (4, 3, 2)),
            (WHITE, [(row, 0) for row in rows], (5, 4)),
            (WHITE, [(row, width - 1) for row in rows], (1, 2)),
        )
        for side, cells, corners in edges:
            line = tuple(self.outline(*cell)[corner] for cell in cells for corner in corners)
            yield Line(line, Paint.GRID, 23)
            yield Line(line, side.paint or Paint.INK, 21)
        for cell in product(rows, columns):
            yield Polygon(self.outline(*cell), Paint.OTHER_FIELD, Paint.GRID)

    def ending(self, live: Any) -> str:
        """The edges that were joined in Hex."""
        return "top and bottom are joined" if live.returns()[0] > 0 else "left and right are joined"


class _Crossings(Grid):
    """A board whose stones stand on the crossings of lines."""

    sides = (BLACK, WHITE)

    def ground(self, height: int, width: int) -> Iterator[Shape]:
        """The lines, and the stars by which players find their way."""
        yield Box(self.edge, self.edge, width * CELL, height * CELL, Paint.OTHER_FIELD)
        for row in range(height):
            yield Line((self.centre(row, 0), self.centre(row, width - 1)))
        for column in range(width):
            yield Line((self.centre(0, column), self.centre(height - 1, column)))
        edge, middle = 2 if height < 13 else 3, height // 2
        stars = {edge, height - 1 - edge, *([middle] if height >= 19 else [])}
        for row, column in sorted({*product(stars, stars), (middle, middle)}):
            yield Disc(*self.centre(row, column), 4, Paint.GRID)


class Go(_Crossings):
    """A board of Go: moves are crossings, or a pass."""

    signs, shown = "XO+", "BW."
    letters = "abcdefghjklmnopqrst"

    def word(self, live: Any, player: int, action: int) -> str:
        """A move without its colour: "B e5" is e5, "W PASS" is pass."""
        return str(live.action_to_string(player, action))[1:].strip().lower()

    def ending(self, live: Any) -> str:
        """The margin of a game of Go, such as "black wins by 3.5"."""
        score = self.score(live)
        if not any(live.returns()):
            return "a position came up again" if score else "equal scores"
        limit = live.get_game().max_game_length()
        after = f" after {limit} moves" if len(live.history()) >= limit else ""
        return f"{'black' if score > 0 else 'white'} wins by {abs(score):g}{after}"

    def score(self, live: Any) -> float:
        """The area of black less that of white and the komi, as Tromp and Taylor count: all stones live."""
        parameters = live.get_game().get_parameters()
        areas = {"B": 0, "W": 0}
        for mark, size, beside in _regions(self.rows(live), _ACROSS):
            owner = mark if mark != "." else "".join(beside)
            if owner in areas:
                areas[owner] += size
        handicap = parameters["handicap"] if parameters["handicap"] >= 2 else 0
        return float(areas["B"] - areas["W"] - handicap - parameters["komi"])


class Gomoku(_Crossings):
    """A board of Gomoku, whose rows and columns have numbers."""

    signs, shown = "bw.", "BW."
    letters = ""

    def ending(self, live: Any) -> str:
        """The row that won Gomoku, or a full board."""
        return _row_ending(live, live.get_game().get_parameters()["connect"])


class ConnectFour(Grid):
    """The board of Connect four, which stands upright: moves name a column, and discs fall."""

    sides = (CROSS, RING)
    signs, shown = "xo.", "XO."
    legend = "a move is a column"
    letters = ""

    def word(self, live: Any, player: int, action: int) -> str:
        """A column without the player: "x3" is 3."""
        return str(live.action_to_string(player, action))[1:]

    def cells_of(self, word: str) -> tuple[str, ...]:
        """The column, which is touched as a whole."""
        return (f"column {word}",)

    def filled(self, row: int, column: int, rows: Rows) -> Cell:
        """The uppermost disc of a column."""
        return next(row for row in range(len(rows)) if rows[row][column] != "."), column

    def name(self, row: int, column: int, height: int) -> str:
        """The column."""
        return f"column {column}"

    def row_name(self, row: int, height: int) -> str:
        """Rows have no names."""
        return ""

    def areas(self, height: int, width: int) -> Mapping[str, Shape]:
        """The columns."""
        spots = {self.name(0, column, height): self.edge + column * CELL for column in range(width)}
        return {spot: Box(x, self.edge, CELL, height * CELL, spot=spot) for spot, x in spots.items()}

    def ground(self, height: int, width: int) -> Iterator[Shape]:
        """Holes."""
        for cell in product(range(height), range(width)):
            yield Disc(*self.centre(*cell), CELL * 0.42, Paint.FIELD, Paint.GRID)

    def ending(self, live: Any) -> str:
        """The row that won Connect four, or a full board."""
        return _row_ending(live, live.get_game().get_parameters()["x_in_row"])


def _row_ending(live: Any, length: int) -> str:
    words = {4: "four", 5: "five"}
    return f"{words.get(length, length)} in a row" if any(live.returns()) else "the board is full"


class Checkers(Grid):
    """The board of Checkers, with crowns on kings."""

    sides = (WHITE, BLACK)
    signs, shown = "o8+*.", "wWbB."
    legend = "white w (kings W) begins below, black b (kings B) above"
    crowned = "BW"

    def prompt(self, live: Any) -> str:
        """The piece that has to go on jumping in a turn of Checkers."""
        history = live.full_history()
        if not history or history[-1].player != live.current_player():
            return ""
        return f"jump on with {self.cells_of(live.action_to_string(live.legal_actions()[0]))[0]}"

    def ending(self, live: Any) -> str:
        """The way in which a game of Checkers was won, or the rule that drew it."""
        if not any(live.returns()):
            return "forty moves without a capture"
        loser = "B" if live.returns()[0] > 0 else "W"
        return "no move is left" if loser in "".join(self.rows(live)).upper() else "all pieces are captured"


class _FromAndTo(Grid):
    """A board of black and white men; a move is two cells."""

    sides = (BLACK, WHITE)

    def word(self, live: Any, player: int, action: int) -> str:
        """Two cells without the sign of a capture or a dash: "c1xa3" is c1a3, "b2c3*" is b2c3."""
        return "".join(self.cells_of(live.action_to_string(player, action)))


class Breakthrough(_FromAndTo):
    """The board of Breakthrough."""

    signs, shown = "bw.", "BW."
    legend = "black B moves down, white W up"

    def ending(self, live: Any) -> str:
        """The way in which a game of Breakthrough was won."""
        rows = self.rows(live)
        return "the last row is reached" if "W" in rows[0] or "B" in rows[-1] else "all pieces are captured"


class LinesOfAction(_FromAndTo):
    """The board of Lines of Action."""

    signs, shown = "xo.", "BW."

    def ending(self, live: Any) -> str:
        """The way in which a game of Lines of Action was won, or the rule that drew it."""
        black, white = live.returns()
        if black == white:
            limit = live.get_game().max_game_length()
            return f"no end within {limit:,} moves" if len(live.history()) >= limit else "the same position again"
        winner = "B" if black > 0 else "W"
        groups = sum(mark == winner for mark, _, _ in _regions(self.rows(live), _AROUND))
        return "all pieces are connected" if groups == 1 else "no move is left"


class Amazons(Grid):
    """The board of Amazons, where a turn is three moves: which queen, where it goes, where it shoots."""

    sides = (WHITE, BLACK)
    signs, shown = "XO#.", "WB#."
    legend = "white W, black B, burnt cells #"
    crowned = "BW"

    def rows(self, live: Any) -> Rows:
        """Reads the board with the queen that is about to go, which OpenSpiel takes off it meanwhile."""
        rows = list(super().rows(live))
        history = live.history()
        if rows and len(history) % 3 == 1:
            row, column = divmod(history[-1], len(rows))
            rows[row] = f"{rows[row][:column]}{'WB'[live.current_player()]}{rows[row][column + 1 :]}"
        return tuple(rows)

    def word(self, live: Any, player: int, action: int) -> str:
        """The cell as players of amazons call it: "X From (10, 4)", row 10 from the top, is d1."""
        size = live.get_game().get_parameters()["board_size"]
        return self.name(action // size, action % size, size)

    def last(self, live: Any, last_move: str) -> tuple[str, ...]:
        """The last move's cell; after a whole turn, where the queen went and where it shot."""
        history = live.history()
        done = history[-2:] if len(history) % 3 == 0 else history[-1:]
        return tuple(self.word(live, 0, action) for action in done)

    def prompt(self, live: Any) -> str:
        """The part of a turn of Amazons that comes next."""
        return ("choose a queen", "choose where it goes", "choose where it shoots")[len(live.history()) % 3]

    def ending(self, live: Any) -> str:
        """The end of any game of Amazons."""
        return "no queen of the other side can move"


def _regions(rows: Rows, steps: tuple[Cell, ...]) -> Iterator[tuple[str, int, set[str]]]:
    """The connected cells of one mark: the mark, their number, and the marks of the pieces beside them."""
    marks = {(row, column): mark for row, cells in enumerate(rows) for column, mark in enumerate(cells)}
    left = {*marks}
    while left:
        region, beside = [left.pop()], set()
        mark = marks[region[0]]
        for row, column in region:
            for down, across in steps:
                cell = row + down, column + across
                if marks.get(cell, mark) != mark:
                    beside.add(marks[cell])
                elif cell in left:
                    left.remove(cell)
                    region.append(cell)
        yield mark, len(region), beside


HEX, GO = Hex(), Go()
