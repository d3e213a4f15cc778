"""The picture of a cube of 3D Connect Four, drawn so that lines can be seen in it.

To the left the four layers hang above each other, seen from the front and above, with the digit of a
column growing to the lower right and its letter to the lower left. To the right lie the same layers
flat, for a viewer who wants to read a cell. The line that won goes through both.
"""

from collections.abc import Sequence

from gameserver.drawing import Anchor, Box, Disc, Label, Line, Paint, Picture, Polygon, Shape

Cell = tuple[int, int, int]
"""x (the digit), y (the letter), z (the height), each from 0 to 3."""

_CENTRE, _TOP = 170, 14
_DX, _DY, _RISE = 38, 15, 137
"""Half a field's width and height, and how far a layer hangs above the next."""
_FLAT_X, _FLAT_Y, _FIELD, _GAP = 390, 60, 42, 52
_WIDTH, _HEIGHT = 790, 566
_MARKS = "XO"
_NAMES = ("layer 0, bottom", "layer 1", "layer 2", "layer 3, top")


def picture_of(layers: Sequence[Sequence[str]], line: Sequence[Cell]) -> Picture:
    """The cube; `layers` are from the bottom, in each the rows of y, in each row the marks of x."""
    shapes: list[Shape] = []
    for z, rows in enumerate(layers):
        shapes += _hanging(rows, z, line)
        shapes += _flat(rows, z, line)
    if line:
        ends = (line[0], line[-1])
        shapes.append(Line(tuple(_hung(*cell) for cell in ends), Paint.WIN, stroke_width=6))
    return Picture(_WIDTH, _HEIGHT, tuple(shapes), _in_words(layers, line))


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


def _flat(rows: Sequence[str], z: int, line: Sequence[Cell]) -> list[Shape]:
    """The layers in reading order from the top one, two and two."""
    left = _FLAT_X + (4 * _FIELD + _GAP) * ((3 - z) % 2)
    top = _FLAT_Y + (4 * _FIELD + _GAP + 26) * ((3 - z) // 2)
    side = 4 * _FIELD
    shapes: list[Shape] = [Box(left, top, side, side, Paint.BOARD, Paint.GRID, rounding=4)]
    shapes.append(Label(left, top - 30, _NAMES[z], 13, Paint.INK, Anchor.START, is_bold=True))
    for number, letter in enumerate("abcd"):
        at = (number + 0.5) * _FIELD
        shapes.append(Label(left + at, top - 10, str(number), 12, Paint.FAINT))
        shapes.append(Label(left - 10, top + at, letter, 12, Paint.FAINT))
        if number:
            shapes.append(Line(((left + number * _FIELD, top), (left + number * _FIELD, top + side))))
            shapes.append(Line(((left, top + number * _FIELD), (left + side, top + number * _FIELD))))
    for y, row in enumerate(rows):
        for x, mark in enumerate(row):
            if (x, y, z) in line:
                field = Box(left + x * _FIELD + 1, top + y * _FIELD + 1, _FIELD - 2, _FIELD - 2, Paint.WIN, rounding=3)
                shapes.append(field)
            shapes += _stone(left + (x + 0.5) * _FIELD, top + (y + 0.5) * _FIELD, mark, 15)
    return shapes


def _stone(x: float, y: float, mark: str, radius: float) -> list[Shape]:
    """A stone with its mark, so that nobody has to tell the colours apart; a dot where there is none."""
    if mark not in _MARKS:
        return [Disc(x, y, 1.5, Paint.GRID)]
    paint = (Paint.FIRST, Paint.SECOND)[_MARKS.index(mark)]
    return [Disc(x, y, radius, paint), Label(x, y, mark, 16, Paint.ON_DARK, is_bold=True)]


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
