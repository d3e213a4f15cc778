"""How a Reversi board is drawn."""

from collections.abc import Sequence

from gameserver.drawing import Anchor, Box, Disc, Label, Line, Paint, Picture, Shape, Touch

_CELL = 48
_EDGE = 30
"""Room for the numbers: a row's plus a column's is the move."""
_SMALL_EDGE = 3
_DOTS = ((2, 2), (2, 6), (6, 2), (6, 6))


def picture_of(
    rows: Sequence[str], open_cells: Sequence[int], last: int | None, touched: Sequence[int] = ()
) -> Picture:
    """The board with its numbers; small dots show the legal moves of the player to move, a large one the last move.

    `touched` are the cells that the viewer may play by touching them.
    """
    shapes = [*_ground(_EDGE), *_numbers(), *_discs(rows, last, _EDGE)]
    shapes += [Disc(*_centre(cell, _EDGE), 4, Paint.GRID) for cell in open_cells]
    return _picture(_EDGE + 8 * _CELL + 6, shapes, rows, touched, _EDGE)


def small_picture_of(rows: Sequence[str], last: int | None, touched: Sequence[int] = ()) -> Picture:
    """The board without numbers and legal moves, which nobody can read in a small picture."""
    shapes = [*_ground(_SMALL_EDGE), *_discs(rows, last, _SMALL_EDGE)]
    return _picture(8 * _CELL + 2 * _SMALL_EDGE, shapes, rows, touched, _SMALL_EDGE)


def _picture(side: float, shapes: list[Shape], rows: Sequence[str], touched: Sequence[int], edge: float) -> Picture:
    for cell in touched:
        x, y = _centre(cell, edge)
        shapes.append(Box(x - _CELL / 2, y - _CELL / 2, _CELL, _CELL, spot=_spot(cell)))
    touches = tuple(Touch(str(cell), (_spot(cell),)) for cell in touched)
    return Picture(side, side, tuple(shapes), _in_words(rows), touches)


def _spot(cell: int) -> str:
    return f"cell {cell}"


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


def _numbers() -> list[Shape]:
    numbers: list[Shape] = []
    for number in range(8):
        at = _EDGE + (number + 0.5) * _CELL
        numbers.append(Label(at, _EDGE - 13, str(number), 13, Paint.FAINT))
        numbers.append(Label(_EDGE - 7, at, str(8 * number), 13, Paint.FAINT, Anchor.END))
    return numbers


def _in_words(rows: Sequence[str]) -> str:
    black, white = ("".join(rows).count(colour) for colour in "BW")
    return f"{black} black discs, {white} white. " + ". ".join(
        f"Row {8 * row}: {' '.join(cells)}" for row, cells in enumerate(rows)
    )
