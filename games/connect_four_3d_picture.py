"""The pictures of a cube of 3D Connect Four, drawn so that lines can be seen in it.

To the left the four layers hang above each other, seen from the front and above, with the digit of a
column growing to the lower right and its letter to the lower left. To the right lie the same layers
flat, for a viewer who wants to read a cell. The line that won goes through both. A small picture has
the flat layers alone, with larger stones. A column can be touched in every layer of both. People call a
cell "column 5, level 2": the number, that of its row plus that above, stands where the column's next stone lands.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product

from attrs import frozen

from gameserver.drawing import Anchor, Box, Disc, Label, Line, Paint, Polygon, Shape, Touch
from gameserver.game import Picture

Cell = tuple[int, int, int]
"""x (the digit), y (the letter), z (the height), each from 0 to 3."""
Columns = Mapping[Cell, str]
"""The columns that the viewer may touch, as moves name them, by the cells where stones would land."""
_NONE: Columns = {}

_CENTRE, _TOP = 170, 14
_DX, _DY, _RISE = 38, 15, 137
"""Half a field's width and height, and how far a layer hangs above the next."""
_WIDTH, _HEIGHT = 790, 566
_MARKS = "XO"
_NAMES = ("level 1, bottom", "level 2", "level 3", "level 4, top")


@frozen
class _Plan:
    """The places of the flat layers: two and two in reading order from the top one."""

    left: float
    top: float
    field: float
    gap: float
    heading: float
    """The room that a layer's name takes above it."""

    def corner(self, z: int) -> tuple[float, float]:
        """The upper left corner of a layer."""
        side = 4 * self.field + self.gap
        return self.left + side * ((3 - z) % 2), self.top + (side + self.heading) * ((3 - z) // 2)


_FLAT = _Plan(left=390, top=60, field=42, gap=52, heading=26)
_SMALL = _Plan(left=4, top=30, field=42, gap=14, heading=18)
_SMALL_WIDTH, _SMALL_HEIGHT = 358, 402


def picture_of(
    layers: Sequence[Sequence[str]], line: Sequence[Cell], last: Sequence[Cell], touched: Columns = _NONE
) -> Picture:
    """The cube; `layers` are from the bottom, in each the rows of y, in each row the marks of x."""
    shapes: list[Shape] = []
    for z, rows in enumerate(layers):
        shapes += _hanging_ground(z, line)
        left, top = _FLAT.corner(z)
        shapes += [*_numbers(left, top), Label(left, top - 30, _NAMES[z], 13, Paint.INK, Anchor.START, is_bold=True)]
        shapes += _flat(rows, z, line, _FLAT)
    if line:  # under the stones, whose marks have to be read
        shapes.append(Line(tuple(_hung(cell) for cell in (line[0], line[-1])), Paint.WIN, stroke_width=6))
    for z, rows in enumerate(layers):
        shapes += _hanging_stones(rows, z)
    shapes += _landings(layers, _hung, 11)
    shapes += _landings(layers, partial(_middle, _FLAT), 13)
    for cell in last:
        shapes += [_ring(*_hung(cell), 15), _ring(*_middle(_FLAT, cell), 15)]
    for x, y, rests_at in touched:
        spot = cell_in_words((x, y, rests_at))
        shapes += [Polygon(_ground(x, y, x + 1, y + 1, z), spot=spot) for z in range(4)]
    shapes += _flat_areas(touched, _FLAT)
    return Picture(_WIDTH, _HEIGHT, tuple(shapes), _in_words(layers, line), _touches(touched))


def small_picture_of(
    layers: Sequence[Sequence[str]], line: Sequence[Cell], last: Sequence[Cell], touched: Columns = _NONE
) -> Picture:
    """The flat layers alone."""
    shapes: list[Shape] = []
    for z, rows in enumerate(layers):
        left, top = _SMALL.corner(z)
        shapes.append(Label(left, top - 14, _NAMES[z], 18, Paint.INK, Anchor.START, is_bold=True))
        shapes += _flat(rows, z, line, _SMALL)
    shapes += _landings(layers, partial(_middle, _SMALL), 16)
    shapes += [_ring(*_middle(_SMALL, cell), 17) for cell in last]
    shapes += _flat_areas(touched, _SMALL)
    return Picture(_SMALL_WIDTH, _SMALL_HEIGHT, tuple(shapes), _in_words(layers, line), _touches(touched))


def cell_in_words(cell: Cell) -> str:
    """A cell as people call it: the column by the number that it is for programs, the height as that of a floor."""
    x, y, z = cell
    return f"column {4 * y + x}, level {z + 1}"


def line_in_words(line: Sequence[Cell]) -> str:
    """The line that won, as far as its cells have something in common, and its ends."""
    first, last = line[0], line[-1]
    if first[:2] == last[:2]:
        return f"four upright in {cell_in_words(first).partition(',')[0]}"
    if first[2] == last[2]:
        ends = " to ".join(cell_in_words(end).partition(",")[0] for end in (first, last))
        return f"four on level {first[2] + 1}, from {ends}"
    return f"four from {cell_in_words(first)} to {cell_in_words(last)}"


def _touches(touched: Columns) -> tuple[Touch, ...]:
    return tuple(Touch(name, (cell_in_words(cell),)) for cell, name in touched.items())


def _flat_areas(touched: Columns, plan: _Plan) -> list[Shape]:
    areas: list[Shape] = []
    for x, y, rests_at in touched:
        for z in range(4):
            left, top = plan.corner(z)
            corner = left + x * plan.field, top + y * plan.field
            areas.append(Box(*corner, plan.field, plan.field, spot=cell_in_words((x, y, rests_at))))
    return areas


def _hanging_ground(z: int, line: Sequence[Cell]) -> list[Shape]:
    shapes: list[Shape] = [Polygon(_ground(0, 0, 4, 4, z), Paint.BOARD, Paint.GRID, 1.5)]
    for number in range(1, 4):
        shapes.append(Line((_corner(number, 0, z), _corner(number, 4, z))))
        shapes.append(Line((_corner(0, number, z), _corner(4, number, z))))
    for number, letter in enumerate("abcd"):
        x, y = _corner(number + 0.5, 4.45, z)
        shapes.append(Label(x, y, str(number), 12, Paint.FAINT))
        x, y = _corner(4.45, number + 0.5, z)
        shapes.append(Label(x, y, letter, 12, Paint.FAINT))
    won = [cell for cell in line if cell[2] == z]
    return shapes + [Polygon(_ground(x, y, x + 1, y + 1, z), Paint.WIN) for x, y, z in won]


def _hanging_stones(rows: Sequence[str], z: int) -> list[Shape]:
    shapes: list[Shape] = []
    for y, row in enumerate(rows):
        for x, mark in enumerate(row):
            shapes += _stone(*_hung((x, y, z)), mark, 15)
    return shapes


def _numbers(left: float, top: float) -> list[Shape]:
    numbers: list[Shape] = []
    for number, letter in enumerate("abcd"):
        at = (number + 0.5) * _FLAT.field
        numbers.append(Label(left + at, top - 10, str(number), 12, Paint.FAINT))
        numbers.append(Label(left - 6, top + at, f"{letter} {4 * number}", 12, Paint.FAINT, Anchor.END))
    return numbers


def _flat(rows: Sequence[str], z: int, line: Sequence[Cell], plan: _Plan) -> list[Shape]:
    left, top = plan.corner(z)
    side = 4 * plan.field
    shapes: list[Shape] = [Box(left, top, side, side, Paint.BOARD, Paint.GRID, rounding=4)]
    for number in range(1, 4):
        at = number * plan.field
        shapes.append(Line(((left + at, top), (left + at, top + side))))
        shapes.append(Line(((left, top + at), (left + side, top + at))))
    for y, row in enumerate(rows):
        for x, mark in enumerate(row):
            if (x, y, z) in line:
                corner = (left + x * plan.field + 1, top + y * plan.field + 1)
                shapes.append(Box(*corner, plan.field - 2, plan.field - 2, Paint.WIN, rounding=3))
            shapes += _stone(*_middle(plan, (x, y, z)), mark, 15 if plan is _FLAT else 18)
    return shapes


def _middle(plan: _Plan, cell: Cell) -> tuple[float, float]:
    """The middle of a cell among the flat layers."""
    x, y, z = cell
    left, top = plan.corner(z)
    return left + (x + 0.5) * plan.field, top + (y + 0.5) * plan.field


def _stone(x: float, y: float, mark: str, radius: float) -> list[Shape]:
    """A stone with its mark, so that nobody has to tell the colours apart."""
    if mark not in _MARKS:
        return []
    paint = (Paint.FIRST, Paint.SECOND)[_MARKS.index(mark)]
    return [Disc(x, y, radius, paint), Label(x, y, mark, radius + 3, Paint.ON_DARK, is_bold=True)]


def _landings(
    layers: Sequence[Sequence[str]], place: Callable[[Cell], tuple[float, float]], size: float
) -> list[Shape]:
    """The number of each column in the cell where its next stone lands; dots in the free cells above it."""
    shapes: list[Shape] = []
    for y, x in product(range(4), repeat=2):
        free = [z for z, rows in enumerate(layers) if rows[y][x] not in _MARKS]
        if free:
            shapes.append(Label(*place((x, y, free[0])), str(4 * y + x), size, Paint.FAINT))
        shapes += [Disc(*place((x, y, z)), 1.5, Paint.GRID) for z in free[1:]]
    return shapes


def _ring(x: float, y: float, radius: float) -> Disc:
    return Disc(x, y, radius, None, Paint.LAST, stroke_width=5)


def _corner(x: float, y: float, z: int) -> tuple[float, float]:
    return _CENTRE + (x - y) * _DX, _TOP + (x + y) * _DY + (3 - z) * _RISE


def _hung(cell: Cell) -> tuple[float, float]:
    """The middle of a cell among the hanging layers."""
    x, y, z = cell
    return _corner(x + 0.5, y + 0.5, z)


def _ground(x: int, y: int, to_x: int, to_y: int, z: int) -> tuple[tuple[float, float], ...]:
    return _corner(x, y, z), _corner(to_x, y, z), _corner(to_x, to_y, z), _corner(x, to_y, z)


def _in_words(layers: Sequence[Sequence[str]], line: Sequence[Cell]) -> str:
    told = [f"{_NAMES[z]}: {', '.join(rows)}" for z, rows in enumerate(layers) if "".join(rows).strip(".")]
    if line:
        told.append(f"{line_in_words(line)} have won")
    return f"The cube: {'. '.join(told)}" if told else "The cube is empty"
