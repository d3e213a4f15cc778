"""The pictures of a cube of 3D Connect Four, drawn so that lines can be seen in it.

To the left the four layers hang above each other, seen from the front and above, with the digit of a
column growing to the lower right and its letter to the lower left. To the right lie the same layers
flat, for a viewer who wants to read a cell. The line that won goes through both. A small picture has
the flat layers alone, with larger stones. A column can be touched in every layer of both.
"""

from collections.abc import Mapping, Sequence

from attrs import frozen

from gameserver.drawing import Anchor, Box, Disc, Label, Line, Paint, Picture, Polygon, Shape, Touch

Cell = tuple[int, int, int]
"""x (the digit), y (the letter), z (the height), each from 0 to 3."""
Columns = Mapping[tuple[int, int], str]
"""The columns that the viewer may touch, with their names, by x and y."""
_NONE: Columns = {}

_CENTRE, _TOP = 170, 14
_DX, _DY, _RISE = 38, 15, 137
"""Half a field's width and height, and how far a layer hangs above the next."""
_WIDTH, _HEIGHT = 790, 566
_MARKS = "XO"
_NAMES = ("layer 0, bottom", "layer 1", "layer 2", "layer 3, top")


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
        shapes += _hanging(rows, z, line)
        left, top = _FLAT.corner(z)
        shapes += [*_numbers(left, top), Label(left, top - 30, _NAMES[z], 13, Paint.INK, Anchor.START, is_bold=True)]
        shapes += _flat(rows, z, line, _FLAT)
    if line:
        ends = (line[0], line[-1])
        shapes.append(Line(tuple(_hung(*cell) for cell in ends), Paint.WIN, stroke_width=6))
    for cell in last:
        shapes += [_ring(*_hung(*cell), 15), _ring(*_middle(cell, _FLAT), 15)]
    for (x, y), name in touched.items():
        shapes += [Polygon(_ground(x, y, x + 1, y + 1, z), spot=_spot(name)) for z in range(4)]
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
    shapes += [_ring(*_middle(cell, _SMALL), 17) for cell in last]
    shapes += _flat_areas(touched, _SMALL)
    return Picture(_SMALL_WIDTH, _SMALL_HEIGHT, tuple(shapes), _in_words(layers, line), _touches(touched))


def _spot(name: str) -> str:
    return f"column {name}"


def _touches(touched: Columns) -> tuple[Touch, ...]:
    return tuple(Touch(name, (_spot(name),)) for name in touched.values())


def _flat_areas(touched: Columns, plan: _Plan) -> list[Shape]:
    areas: list[Shape] = []
    for (x, y), name in touched.items():
        for z in range(4):
            left, top = plan.corner(z)
            corner = left + x * plan.field, top + y * plan.field
            areas.append(Box(*corner, plan.field, plan.field, spot=_spot(name)))
    return areas


def _hanging(rows: Sequence[str], z: int, line: Sequence[Cell]) -> list[Shape]:
    shapes: list[Shape] = [Polygon(_ground(0, 0, 4, 4, z), Paint.BOARD, Paint.GRID, 1.5)]
    for number in range(1, 4):
        shapes.append(Line((_corner(number, 0, z), _corner(number, 4, z))))
        shapes.append(Line((_corner(0, number, z), _corner(4, number, z))))
    for number, letter in enumerate("abcd"):
        x, y = _corner(number + 0.5, 4.45, z)
        shapes.append(Label(x, y, str(number), 12, Paint.FAINT))
        x, y = _corner(4.45, number + 0.5, z)
        shapes.append(Label(x, y, letter, 12, Paint.FAINT))
    for y, row in enumerate(rows):
        for x, mark in enumerate(row):
            if (x, y, z) in line:
                shapes.append(Polygon(_ground(x, y, x + 1, y + 1, z), Paint.WIN))
            shapes += _stone(*_hung(x, y, z), mark, 15)
    return shapes


def _numbers(left: float, top: float) -> list[Shape]:
    numbers: list[Shape] = []
    for number, letter in enumerate("abcd"):
        at = (number + 0.5) * _FLAT.field
        numbers.append(Label(left + at, top - 10, str(number), 12, Paint.FAINT))
        numbers.append(Label(left - 10, top + at, letter, 12, Paint.FAINT))
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
            shapes += _stone(*_middle((x, y, z), plan), mark, 15 if plan is _FLAT else 18)
    return shapes


def _middle(cell: Cell, plan: _Plan) -> tuple[float, float]:
    """The middle of a cell among the flat layers."""
    x, y, z = cell
    left, top = plan.corner(z)
    return left + (x + 0.5) * plan.field, top + (y + 0.5) * plan.field


def _stone(x: float, y: float, mark: str, radius: float) -> list[Shape]:
    """A stone with its mark, so that nobody has to tell the colours apart; a dot where there is none."""
    if mark not in _MARKS:
        return [Disc(x, y, 1.5, Paint.GRID)]
    paint = (Paint.FIRST, Paint.SECOND)[_MARKS.index(mark)]
    return [Disc(x, y, radius, paint), Label(x, y, mark, radius + 3, Paint.ON_DARK, is_bold=True)]


def _ring(x: float, y: float, radius: float) -> Disc:
    return Disc(x, y, radius, None, Paint.LAST, stroke_width=5)


def _corner(x: float, y: float, z: int) -> tuple[float, float]:
    return _CENTRE + (x - y) * _DX, _TOP + (x + y) * _DY + (3 - z) * _RISE


def _hung(x: int, y: int, z: int) -> tuple[float, float]:
    """The middle of a cell among the hanging layers."""
    return _corner(x + 0.5, y + 0.5, z)


def _ground(x: int, y: int, to_x: int, to_y: int, z: int) -> tuple[tuple[float, float], ...]:
    return _corner(x, y, z), _corner(to_x, y, z), _corner(to_x, to_y, z), _corner(x, to_y, z)


def _in_words(layers: Sequence[Sequence[str]], line: Sequence[Cell]) -> str:
    told = [f"{_NAMES[z]}: {', '.join(rows)}" for z, rows in enumerate(layers) if "".join(rows).strip(".")]
    if line:
        told.append(f"the line {', '.join(f'{chr(97 + y)}{x} layer {z}' for x, y, z in line)} has won")
    return f"The cube: {'. '.join(told)}" if told else "The cube is empty"
