"""How a Reversi board is drawn."""

from collections.abc import Sequence

from gameserver.drawing import Anchor, Box, Disc, Label, Line, Paint, Picture, Shape

_CELL = 48
_EDGE = 30
"""Room for the numbers: a row's plus a column's is the move."""
_SIDE = _EDGE + 8 * _CELL
_DOTS = ((2, 2), (2, 6), (6, 2), (6, 6))


def picture_of(rows: Sequence[str], open_cells: Sequence[int]) -> Picture:
    """The board with its numbers; small dots show the legal moves of the player to move."""
    shapes: list[Shape] = [Box(_EDGE, _EDGE, 8 * _CELL, 8 * _CELL, Paint.CLOTH, rounding=4), *_lines(), *_numbers()]
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            x, y = _EDGE + (column + 0.5) * _CELL, _EDGE + (row + 0.5) * _CELL
            if cell == "B":
                shapes.append(Disc(x, y, 19, Paint.BLACK, Paint.GRID))
            elif cell == "W":
                shapes.append(Disc(x, y, 19, Paint.WHITE, Paint.GRID))
            elif 8 * row + column in open_cells:
                shapes.append(Disc(x, y, 4, Paint.GRID))
    black, white = ("".join(rows).count(colour) for colour in "BW")
    words = f"{black} black discs, {white} white. " + ". ".join(
        f"Row {8 * row}: {' '.join(cells)}" for row, cells in enumerate(rows)
    )
    return Picture(_SIDE + 6, _SIDE + 6, tuple(shapes), words)


def _lines() -> list[Shape]:
    lines: list[Shape] = []
    for number in range(1, 8):
        at = _EDGE + number * _CELL
        lines += [Line(((_EDGE, at), (_SIDE, at))), Line(((at, _EDGE), (at, _SIDE)))]
    lines += [Disc(_EDGE + column * _CELL, _EDGE + row * _CELL, 3, Paint.GRID) for row, column in _DOTS]
    return lines


def _numbers() -> list[Shape]:
    numbers: list[Shape] = []
    for number in range(8):
        at = _EDGE + (number + 0.5) * _CELL
        numbers.append(Label(at, _EDGE - 13, str(number), 13, Paint.FAINT))
        numbers.append(Label(_EDGE - 7, at, str(8 * number), 13, Paint.FAINT, Anchor.END))
    return numbers
