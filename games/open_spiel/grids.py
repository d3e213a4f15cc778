"""Boards of OpenSpiel's games of cells: Hex, Go, Gomoku, Connect four, Checkers, Breakthrough, Amazons, LOA.

OpenSpiel tells a position as text, a line for each row of cells, perhaps with labels around it. A `Grid` says what its
characters mean and how moves name its cells, and makes of that a text for a prompt and a picture that can be touched.
Sizes are read from the game's parameters, so variants have boards, too.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from math import sqrt
from typing import Any

from attrs import field, frozen

from gameserver.drawing import Box, Disc, Label, Line, Paint, Picture, Point, Polygon, Shape, Side, Touch

Cell = tuple[int, int]
"""Row and column of a board, from 0 at the top left."""
Rows = tuple[str, ...]
"""A board as text: B and W, or X and O, for the pieces of either side, `.` for a free cell."""

BLACK, WHITE = Side("black", Paint.BLACK), Side("white", Paint.WHITE)

_SIZE_MAX = 25
"""The most rows and columns that are drawn: moves name columns by one letter, and a terminal has 79 columns."""

_CELL = 48
"""A cell's width in pictures."""
_HALF_HEXAGON = ((0, -_CELL / sqrt(3)), (_CELL / 2, -_CELL / sqrt(12)), (_CELL / 2, _CELL / sqrt(12)))
_HEXAGON = (*_HALF_HEXAGON, *((-x, -y) for x, y in _HALF_HEXAGON))
"""The corners of a hexagon around its middle, clockwise from the top."""
_SQUARE = tuple((x * _CELL / 2, y * _CELL / 2) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
_CROWN = ((-9, 7), (-11, -5), (-5, 0), (0, -8), (5, 0), (11, -5), (9, 7))


@frozen
class _Plan:
    """All of a picture but its pieces."""

    size: Point
    ground: tuple[Shape, ...]
    places: Mapping[str, Cell]
    areas: Mapping[str, Shape]
    """The area to touch of each place."""


@frozen(eq=False)
class Grid:
    """A board of OpenSpiel's: the meaning of its characters, the names of its cells, and its look."""

    sides: tuple[Side, Side]
    """The look of OpenSpiel's player 0, and of player 1."""
    pieces: Mapping[str, str]
    """OpenSpiel's character of each piece, or of a cell that is out of play, and the one that is shown instead."""
    legend: str
    """A line below the text of the board: the marks of either side, and what else has to be known to read it."""
    free: str = "."
    letters: str = "abcdefghijklmnopqrstuvwxyz"
    """The names of columns; those of go leave out the i. If it is empty, rows and columns have numbers from 0."""
    is_first_row_above: bool = False
    crowned: str = ""
    """The pieces with a crown, as they are shown."""
    _plans: dict[tuple[int, int], _Plan] = field(factory=dict, init=False, repr=False)
    """Those made before, by height and width. Without them, a picture of Gomoku takes 5.5 ms instead of 0.7."""

    def rows(self, live: Any) -> Rows:
        """Reads OpenSpiel's text of a board; there is none of a variant with three dimensions."""
        size = live.get_game().get_parameters()
        width = next((size[name] for name in ("num_cols", "columns", "board_size", "size") if name in size), 8)
        shown = {**self.pieces, self.free: "."}
        # A row begins with its number, perhaps. Only the width tells it from the cells: 8 is a king of checkers.
        line = re.compile(rf"^ *\d{{0,2}} *((?:[{re.escape(''.join(shown))}] *){{{width}}})$", re.MULTILINE)
        found = (cells.replace(" ", "") for cells in line.findall(str(live)))
        return tuple("".join(map(shown.__getitem__, cells)) for cells in found)

    def board(self, live: Any) -> str:
        """Writes the board of a game of OpenSpiel's for a prompt, with rows and columns named as moves name them."""
        rows = self.rows(live)
        if not _can_be_drawn(rows):
            return str(live)
        columns = [self._column_name(column) for column in range(len(rows[0]))]
        width = max(map(len, columns)) + 1
        lines = ["   " + "".join(f"{name:>{width}}" for name in columns)]
        for row, cells in enumerate(rows):
            name = f"{self._row_name(row, len(rows)):>3}"
            lines.append(" " * self._slant * row + name + "".join(f"{cell:>{width}}" for cell in cells))
        player = live.current_player()
        to_move = f"{self.sides[player].name} is to move" if player >= 0 else "the game is over"
        return "\n".join([*lines, self.legend, to_move])

    def picture(self, live: Any, words: Mapping[str, int], last_move: str) -> Picture | None:
        """Draws the board of a game of OpenSpiel's, with an area to touch for each cell that a legal move names."""
        rows = self.rows(live)
        if not _can_be_drawn(rows):
            return None
        plan = self._plan(len(rows), len(rows[0]))
        last = [self._filled(*plan.places[name], rows) for name in self._last(live, last_move) if name in plan.places]
        shapes = [*plan.ground]
        for row, cells in enumerate(rows):
            for column, piece in enumerate(cells):
                is_last = (row, column) in last
                if is_last or piece != ".":
                    shapes += self._piece(piece, *self._centre(row, column), is_last=is_last)
        names = {word: self._cells_of(word) for word in words}
        touches = tuple(Touch(word, spots) for word, spots in names.items() if spots and plan.areas.keys() >= {*spots})
        shapes += [plan.areas[spot] for spot in dict.fromkeys(spot for touch in touches for spot in touch.spots)]
        told = (f"Row {self._row_name(row, len(rows)) or row}: {' '.join(cells)}." for row, cells in enumerate(rows))
        return Picture(*plan.size, tuple(shapes), f"{self.legend}. {' '.join(told)}", touches)

    def _plan(self, height: int, width: int) -> _Plan:
        if (height, width) not in self._plans:
            across, down = (2 * middle for middle in self._centre((height - 1) / 2, (width - 1) / 2))
            board = Box(0, 0, across, down, Paint.BOARD, rounding=8)
            cells = product(range(height), range(width))
            places = {self._name(row, column, height): (row, column) for row, column in cells}
            areas = {spot: self._area(spot, *place) for spot, place in places.items()}
            ground = (board, *self._ground(height, width), *self._labels(height, width))
            self._plans[height, width] = _Plan((across, down), ground, places, areas)
        return self._plans[height, width]

    _slant = 0
    """Blanks by which each row of the text lies further right."""
    _edge = 34
    """The room around the cells in a picture, for their names."""

    def _cells_of(self, word: str) -> tuple[str, ...]:
        """The cells that a move names; none for a pass."""
        return tuple(re.findall(r"[a-z]\d+", word)) if self.letters else (word,)

    def _last(self, live: Any, last_move: str) -> tuple[str, ...]:
        """The cells to mark."""
        return self._cells_of(last_move)

    def _filled(self, row: int, column: int, rows: Rows) -> Cell:
        """The cell that a move to this one has filled."""
        return row, column

    def _name(self, row: int, column: int, height: int) -> str:
        names = self._column_name(column), self._row_name(row, height)
        return "".join(names) if self.letters else ",".join(reversed(names))

    def _column_name(self, column: int) -> str:
        return self.letters[column] if self.letters else str(column)

    def _row_name(self, row: int, height: int) -> str:
        return str(row if not self.letters else row + 1 if self.is_first_row_above else height - row)

    def _centre(self, row: float, column: float) -> Point:
        return self._edge + (column + 0.5) * _CELL, self._edge + (row + 0.5) * _CELL

    def _outline(self, row: int, column: int) -> tuple[Point, ...]:
        return _around(self._centre(row, column), _SQUARE)

    def _area(self, spot: str, row: int, column: int) -> Shape:
        return Polygon(self._outline(row, column), spot=spot)

    def _ground(self, height: int, width: int) -> Iterator[Shape]:
        """The empty cells: chequered fields."""
        yield Box(self._edge, self._edge, width * _CELL, height * _CELL, Paint.FIELD)
        for row, column in product(range(height), range(width)):
            if (row + column) % 2:
                yield Polygon(self._outline(row, column), Paint.OTHER_FIELD)

    def _labels(self, height: int, width: int) -> Iterator[Shape]:
        """The names of rows and columns, larger on boards that pages show at a smaller scale."""
        size = min(23, max(14, width * 1.5))
        top = self._outline(0, 0)[0][1] - self._edge * 0.6
        bottom = 2 * self._centre((height - 1) / 2, 0)[1] - top
        for column in range(width):
            name = self._column_name(column)
            yield Label(self._centre(0, column)[0], top, name, size)
            yield Label(self._centre(height - 1, column)[0], bottom, name, size)
        for row in range(height):
            (left, y), (right, _) = self._centre(row, 0), self._centre(row, width - 1)
            for x in (left - _CELL / 2 - self._edge * 0.6, right + _CELL / 2 + self._edge * 0.6):
                yield Label(x, y, self._row_name(row, height), size)

    def _piece(self, piece: str, x: float, y: float, *, is_last: bool) -> Iterator[Shape]:
        if piece == "#":
            yield Box(x - _CELL / 2, y - _CELL / 2, _CELL, _CELL, Paint.GRID)
        elif piece != ".":
            side = next(side for side in self.sides if piece.upper() == (side.mark or side.name[0]).upper())
            is_light = side is WHITE
            yield Disc(x, y, _CELL * 0.38, side.paint, Paint.GRID, 1.5)
            if is_light:  # the lightness of their colours is not all that tells the sides apart
                yield Disc(x, y, _CELL * 0.3, None, Paint.GRID, 1)
            on = Paint.ON_LIGHT if is_light else Paint.ON_DARK
            if piece in self.crowned:
                yield Polygon(_around((x, y), _CROWN), on)
            if side.mark:
                yield Label(x, y, side.mark, _CELL * 0.45, on, is_bold=True)
        if is_last:
            yield Disc(x, y, _CELL * (0.1 if piece == "." else 0.42), None, Paint.LAST, 4)


def _can_be_drawn(rows: Rows) -> bool:
    return 0 < len(rows) <= _SIZE_MAX and len(rows[0]) <= _SIZE_MAX


def _around(middle: Point, corners: tuple[Point, ...]) -> tuple[Point, ...]:
    return tuple((middle[0] + x, middle[1] + y) for x, y in corners)


class Crossings(Grid):
    """A board of OpenSpiel's whose pieces stand on the crossings of lines, as in Go and Gomoku."""

    def _ground(self, height: int, width: int) -> Iterator[Shape]:
        yield Box(self._edge, self._edge, width * _CELL, height * _CELL, Paint.OTHER_FIELD)
        for row in range(height):
            yield Line((self._centre(row, 0), self._centre(row, width - 1)))
        for column in range(width):
            yield Line((self._centre(0, column), self._centre(height - 1, column)))
        edge, middle = 2 if height < 13 else 3, height // 2
        stars = {edge, height - 1 - edge, *([middle] if height >= 19 else [])}
        for row, column in sorted({*product(stars, stars), (middle, middle)}):
            yield Disc(*self._centre(row, column), 4, Paint.GRID)


class Holes(Grid):
    """A board of OpenSpiel's that stands upright, as in Connect four: moves name a column, and pieces fall."""

    def _cells_of(self, word: str) -> tuple[str, ...]:
        return (f"column {word}",)

    def _filled(self, row: int, column: int, rows: Rows) -> Cell:
        return next(row for row in range(len(rows)) if rows[row][column] != "."), column

    def _name(self, row: int, column: int, height: int) -> str:
        return f"column {column}"

    def _row_name(self, row: int, height: int) -> str:
        return ""

    def _area(self, spot: str, row: int, column: int) -> Shape:
        x, y = self._centre(0, column)
        return Box(x - _CELL / 2, y - _CELL / 2, _CELL, (row + 1) * _CELL, spot=spot)

    def _ground(self, height: int, width: int) -> Iterator[Shape]:
        for row, column in product(range(height), range(width)):
            yield Disc(*self._centre(row, column), _CELL * 0.42, Paint.FIELD, Paint.GRID)


class Hexagons(Grid):
    """A board of OpenSpiel's of hexagons, as in Hex: player 0 has the edges above and below, player 1 the others."""

    _slant = 1
    _edge = 48

    def _centre(self, row: float, column: float) -> Point:
        return self._edge + (column + row / 2 + 0.5) * _CELL, self._edge + _CELL / sqrt(3) + row * _CELL * sqrt(0.75)

    def _outline(self, row: int, column: int) -> tuple[Point, ...]:
        return _around(self._centre(row, column), _HEXAGON)

    def _ground(self, height: int, width: int) -> Iterator[Shape]:
        rows, columns = range(height), range(width)
        edges = (
            (0, [(0, column) for column in columns], (5, 0, 1)),
            (0, [(height - 1, column) for column in columns], (4, 3, 2)),
            (1, [(row, 0) for row in rows], (5, 4)),
            (1, [(row, width - 1) for row in rows], (1, 2)),
        )
        for player, cells, corners in edges:
            line = tuple(self._outline(*cell)[corner] for cell in cells for corner in corners)
            yield Line(line, Paint.GRID, 23)
            yield Line(line, self.sides[player].paint or Paint.INK, 21)
        for row, column in product(rows, columns):
            yield Polygon(self._outline(row, column), Paint.OTHER_FIELD, Paint.GRID)


class Queens(Grid):
    """The board of OpenSpiel's Amazons, where a turn is three moves: which queen, where it goes, where it shoots."""

    def rows(self, live: Any) -> Rows:
        """Reads the board with the queen that is about to go, which OpenSpiel takes off it meanwhile."""
        rows = list(super().rows(live))
        history = live.history()
        if rows and len(history) % 3 == 1:
            row, column = divmod(history[-1], len(rows))
            piece = self.sides[live.current_player()].name[0].upper()
            rows[row] = rows[row][:column] + piece + rows[row][column + 1 :]
        return tuple(rows)

    def _last(self, live: Any, last_move: str) -> tuple[str, ...]:
        """The last move's cell; after a whole turn, where the queen went and where it shot."""
        rows, history = self.rows(live), live.history()
        done = history[-2:] if history and len(history) % 3 == 0 else history[-1:]
        return tuple(self._name(action // len(rows), action % len(rows), len(rows)) for action in done)


_B_AND_W = "black B, white W"

HEX = Hexagons(
    (BLACK, WHITE),
    {**dict.fromkeys("xXyz", "B"), **dict.fromkeys("oOpq", "W")},
    "black B joins top and bottom, white W left and right",
    is_first_row_above=True,
)
GO = Crossings((BLACK, WHITE), {"X": "B", "O": "W"}, _B_AND_W, "+", "abcdefghjklmnopqrst")
GOMOKU = Crossings((BLACK, WHITE), {"b": "B", "w": "W"}, _B_AND_W, letters="")
CONNECT_FOUR = Holes(
    (Side("X", Paint.FIRST, "X"), Side("O", Paint.SECOND, "O")), {"x": "X", "o": "O"}, "a move is a column", letters=""
)
CHECKERS = Grid(
    (WHITE, BLACK),
    {"o": "w", "8": "W", "+": "b", "*": "B"},
    "white w (kings W) begins below, black b (kings B) above",
    crowned="BW",
)
BREAKTHROUGH = Grid((BLACK, WHITE), {"b": "B", "w": "W"}, "black B moves down, white W up")
AMAZONS = Queens((WHITE, BLACK), {"X": "W", "O": "B", "#": "#"}, "white W, black B, burnt cells #", crowned="BW")
LINES_OF_ACTION = Grid((BLACK, WHITE), {"x": "B", "o": "W"}, _B_AND_W)
