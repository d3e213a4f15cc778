"""How a Reversi board is drawn."""

from collections.abc import Sequence

from gameserver.drawing import Anchor, Box, Disc, Label, Line, Paint, Shape, Touch
from gameserver.game import Picture

_CELL = 48
_EDGE = 30
"""Room for the names: letter and number for people, above and to the left; below and to the right those of programs,
where a row's number plus a column's is the move."""
_SMALL_EDGE = 3
CELL_NAMES = tuple(f"{letter}{row}" for row in range(1, 9) for letter in "abcdefgh")
"""The cells as players call them."""
_DOTS = ((2, 2), (2, 6), (6, 2), (6, 6))


def picture_of(rows: Sequence[str], last: int | None, touched: Sequence[int] = ()) -> Picture:
    """The board with the names of its cells; a dot shows the last move. The viewer may play the `touched` cells."""
    shapes = [*_ground(_EDGE), *_names(), *_discs(rows, last, _EDGE)]
    return _picture(8 * _CELL + 2 * _EDGE, shapes, rows, touched, _EDGE)


def small_picture_of(rows: Sequence[str], last: int | None, touched: Sequence[int] = ()) -> Picture:
    """The board without names, which nobody can read in a small picture."""
    shapes = [*_ground(_SMALL_EDGE), *_discs(rows, last, _SMALL_EDGE)]
    return _picture(8 * _CELL + 2 * _SMALL_EDGE, shapes, rows, touched, _SMALL_EDGE)


def _picture(side: float, shapes: list[Shape], rows: Sequence[str], touched: Sequence[int], edge: float) -> Picture:
    for cell in touched:
        x, y = _centre(cell, edge)
        shapes.append(Box(x - _CELL / 2, y - _CELL / 2, _CELL, _CELL, spot=CELL_NAMES[cell]))
    touches = tuple(Touch(str(cell), (CELL_NAMES[cell],)) for cell in touched)
    return Picture(side, side, tuple(shapes), _in_words(rows), touches)


def _centre(cell: int, edge: float) -> tuple[float, float]:
    row, column = divmod(cell, 8)
    return edge + (column + 0.5) * _CELL, edge + (row + 0.5) * _CELL


def _ground(edge: float) -> list[Shape]:
    shapes: list[Shape] = [Box(edge, edge, 8 * _CELL, 8 * _CELL, Paint.CLOTH, rounding=4)]
    side = edge + 8 * _CELL
    for number in range(1, 8):
        at = edge + number * _CELL
        shapes += [Line(((edge, at), (side, at))), Line(((at, edge), (at, side)))]
    shapes += [Disc(edge + column * _CELL, edge + row * _CELL, 3, Paint.GRID) for row, column in _DOTS]
    return shapes


def _discs(rows: Sequence[str], last: int | None, edge: float) -> list[Shape]:
    shapes: list[Shape] = []
    for cell, colour in enumerate("".join(rows)):
        if colour != ".":
            paint = Paint.BLACK if colour == "B" else Paint.WHITE
            shapes.append(Disc(*_centre(cell, edge), 19, paint, Paint.GRID))
    if last is not None:
        shapes.append(Disc(*_centre(last, edge), 9, Paint.LAST))
    return shapes


def _names() -> list[Shape]:
    names: list[Shape] = []
    far = _EDGE + 8 * _CELL
    for number, letter in enumerate("abcdefgh"):
        at = _EDGE + (number + 0.5) * _CELL
        names.append(Label(at, _EDGE - 13, letter, 15, Paint.INK))
        names.append(Label(_EDGE - 13, at, str(number + 1), 15, Paint.INK))
        names.append(Label(at, far + 12, str(number), 11, Paint.FAINT))
        names.append(Label(far + 7, at, str(8 * number), 11, Paint.FAINT, Anchor.START))
    return names


def _in_words(rows: Sequence[str]) -> str:
    black, white = ("".join(rows).count(colour) for colour in "BW")
    return f"{black} black discs, {white} white. " + ". ".join(
        f"Row {row}: {' '.join(cells)}" for row, cells in enumerate(rows, start=1)
    )
