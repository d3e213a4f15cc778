"""Boards of cells, such as OpenSpiel's games of Hex, Go, Checkers and chess are played on.

OpenSpiel tells a position as text, a line for each row of cells, perhaps with labels around it. A `Grid` says what its
characters mean and how moves name its cells, and makes of that a text for a prompt and a picture that can be touched.
Sizes are read from the game's parameters, so variants have boards, too.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

from attrs import frozen

from games.open_spiel.looks import Look
from gameserver.drawing import Box, Disc, Label, Paint, Picture, Point, Polygon, Shape, Side, Touch

Cell = tuple[int, int]
"""Row and column of a board, from 0 at the top left."""
Rows = tuple[str, ...]
"""A board as text: B and W, or X and O, for the pieces of either side, `.` for a free cell."""

BLACK, WHITE = Side("black", Paint.BLACK), Side("white", Paint.WHITE)

_SIZE_MAX = 25
"""The most rows and columns that are drawn: moves name columns by one letter, and a terminal has 79 columns."""

CELL = 48
"""A cell's width in pictures."""
_SQUARE = tuple((x * CELL / 2, y * CELL / 2) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
_CROWN = ((-9, 7), (-11, -5), (-5, 0), (0, -8), (5, 0), (11, -5), (9, 7))


@frozen
class _Plan:
    """All of a picture but its pieces."""

    size: Point
    ground: tuple[Shape, ...]
    places: Mapping[str, Cell]
    areas: Mapping[str, Shape]
    """The area to touch of each place."""


class Grid(Look):
    """A board of OpenSpiel's: the meaning of its characters, the names of its cells, and its look."""

    signs = ""
    """OpenSpiel's characters of pieces, of free cells and of those that are out of play."""
    shown = ""
    """The characters that are shown instead, one for each: letters of the sides, `.` for a free cell, `#`."""
    legend = "black B, white W"
    """A line below the text of the board: the marks of either side, and what else has to be known to read it."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    """The names of columns; those of go leave out the i. If it is empty, rows and columns have numbers from 0."""
    is_first_row_above = False
    crowned = ""
    """The pieces with a crown, as they are shown."""
    slant = 0
    """Blanks by which each row of the text lies further right."""
    edge = 34
    """The room around the cells in a picture, for their names."""

    def rows(self, live: Any) -> Rows:
        """Reads OpenSpiel's text of a board; there is none of a variant with three dimensions."""
        size = live.get_game().get_parameters()
        width = next((size[name] for name in ("num_cols", "columns", "board_size", "size") if name in size), 8)
        # A row begins with its number, perhaps. Only the width tells it from the cells: 8 is a king of checkers.
        line = re.compile(rf"^ *\d{{0,2}} *((?:[{re.escape(self.signs)}] *){{{width}}})$", re.MULTILINE)
        shown = str.maketrans(self.signs, self.shown)
        return tuple(cells.replace(" ", "").translate(shown) for cells in line.findall(str(live)))

    def board(self, live: Any) -> str:
        """Writes a board of cells for a prompt, with rows and columns named as moves name them."""
        rows = self.rows(live)
        if not _can_be_drawn(rows):
            return super().board(live)
        columns = [self.column_name(column) for column in range(len(rows[0]))]
        width = max(map(len, columns)) + 1
        lines = ["   " + "".join(f"{name:>{width}}" for name in columns)]
        for row, cells in enumerate(rows):
            name = f"{self.row_name(row, len(rows)):>3}"
            lines.append(" " * self.slant * row + name + "".join(f"{cell:>{width}}" for cell in cells))
        return "\n".join([*lines, self.legend])

    def picture(self, live: Any, words: Mapping[str, int], last_move: str, *, is_turned: bool) -> Picture | None:
        """Draws a board of cells, with an area to touch for each cell that a legal move names."""
        rows = self.rows(live)
        if not _can_be_drawn(rows):
            return None
        plan = _plan(self, len(rows), len(rows[0]))
        last = [self.filled(*plan.places[name], rows) for name in self.last(live, last_move) if name in plan.places]
        shapes = [*plan.ground]
        for row, cells in enumerate(rows):
            for column, piece in enumerate(cells):
                is_last = (row, column) in last
                if is_last or piece != ".":
                    shapes += self.piece(piece, *self.centre(row, column), is_last=is_last)
        names = {word: self.cells_of(word) for word in words}
        touches = tuple(Touch(word, spots) for word, spots in names.items() if spots and plan.areas.keys() >= {*spots})
        shapes += self.extras(live, words)
        shapes += [plan.areas[spot] for spot in dict.fromkeys(spot for touch in touches for spot in touch.spots)]
        told = (f"Row {self.row_name(row, len(rows)) or row}: {' '.join(cells)}." for row, cells in enumerate(rows))
        return Picture(*plan.size, tuple(shapes), f"{self.legend}. {' '.join(told)}", touches)

    def extras(self, live: Any, words: Mapping[str, int]) -> Iterable[Shape]:
        """Further shapes of a board, above the pieces and below the areas to touch."""
        return ()

    def cells_of(self, word: str) -> tuple[str, ...]:
        """The cells that a move names; none for a pass."""
        return tuple(re.findall(r"[a-z]\d+", word)) if self.letters else (word,)

    def last(self, live: Any, last_move: str) -> tuple[str, ...]:
        """The cells to mark."""
        return self.cells_of(last_move)

    def filled(self, row: int, column: int, rows: Rows) -> Cell:
        """The cell that a move to this one has filled."""
        return row, column

    def name(self, row: int, column: int, height: int) -> str:
        """The name of a cell in moves."""
        names = self.column_name(column), self.row_name(row, height)
        return "".join(names) if self.letters else ",".join(reversed(names))

    def column_name(self, column: int) -> str:
        """The name of a column beside the board."""
        return self.letters[column] if self.letters else str(column)

    def row_name(self, row: int, height: int) -> str:
        """The name of a row beside the board."""
        return str(row if not self.letters else row + 1 if self.is_first_row_above else height - row)

    def centre(self, row: float, column: float) -> Point:
        """The middle of a cell in the picture."""
        return self.edge + (column + 0.5) * CELL, self.edge + (row + 0.5) * CELL

    def outline(self, row: int, column: int) -> tuple[Point, ...]:
        """The corners of a cell in the picture."""
        return around(self.centre(row, column), _SQUARE)

    def areas(self, height: int, width: int) -> Mapping[str, Shape]:
        """The areas to touch, by their names in moves."""
        cells = product(range(height), range(width))
        spots = {self.name(*cell, height): self.outline(*cell) for cell in cells}
        return {spot: Polygon(corners, spot=spot) for spot, corners in spots.items()}

    def ground(self, height: int, width: int) -> Iterator[Shape]:
        """The empty cells: chequered fields."""
        yield Box(self.edge, self.edge, width * CELL, height * CELL, Paint.FIELD)
        for row, column in product(range(height), range(width)):
            if (row + column) % 2:
                yield Polygon(self.outline(row, column), Paint.OTHER_FIELD)

    def piece(self, piece: str, x: float, y: float, *, is_last: bool) -> Iterator[Shape]:
        """Draws the piece of a cell, with a mark if the last move put it there."""
        if piece == "#":
            yield Box(x - CELL / 2, y - CELL / 2, CELL, CELL, Paint.GRID)
        elif piece != ".":
            side = next(side for side in self.sides if piece.upper() == side.name[0].upper())
            is_light = side is WHITE
            yield Disc(x, y, CELL * 0.38, side.paint, Paint.GRID, 1.5)
            if is_light:  # the lightness of their colours is not all that tells the sides apart
                yield Disc(x, y, CELL * 0.3, None, Paint.GRID, 1)
            on = Paint.ON_LIGHT if is_light else Paint.ON_DARK
            if piece in self.crowned:
                yield Polygon(around((x, y), _CROWN), on)
            if side.mark:
                yield Label(x, y, side.mark, CELL * 0.45, on, is_bold=True)
        if is_last:
            yield Disc(x, y, CELL * (0.1 if piece == "." else 0.42), None, Paint.LAST, 4)


@cache  # without it, a picture of Gomoku takes 5.5 ms instead of 0.7
def _plan(grid: Grid, height: int, width: int) -> _Plan:
    across, down = (2 * middle for middle in grid.centre((height - 1) / 2, (width - 1) / 2))
    board = Box(0, 0, across, down, Paint.BOARD, rounding=8)
    places = {grid.name(*cell, height): cell for cell in product(range(height), range(width))}
    ground = (board, *grid.ground(height, width), *_labels(grid, height, width, (across, down)))
    return _Plan((across, down), ground, places, grid.areas(height, width))


def _labels(grid: Grid, height: int, width: int, picture: Point) -> Iterator[Shape]:
    """The names of rows and columns, larger on boards that pages show at a smaller scale."""
    across, down = picture
    size = min(23, max(14, across * 0.027))  # 9.5 px on a phone, which shows a picture 358 px wide
    margin = grid.edge * 0.4
    for column in range(width):
        name = grid.column_name(column)
        yield Label(grid.centre(0, column)[0], margin, name, size)
        yield Label(grid.centre(height - 1, column)[0], down - margin, name, size)
    for row in range(height):
        y = grid.centre(row, 0)[1]
        left, right = sorted(grid.centre(row, column)[0] for column in (0, width - 1))
        for x in (left - CELL / 2 - grid.edge * 0.6, right + CELL / 2 + grid.edge * 0.6):
            yield Label(x, y, grid.row_name(row, height), size)


def _can_be_drawn(rows: Rows) -> bool:
    return 0 < len(rows) <= _SIZE_MAX and len(rows[0]) <= _SIZE_MAX


def around(middle: Point, corners: tuple[Point, ...]) -> tuple[Point, ...]:
    """Corners that are told from the middle of a cell."""
    return tuple((middle[0] + x, middle[1] + y) for x, y in corners)
