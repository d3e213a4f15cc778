"""A vocabulary of plain shapes, by which a game describes the look of its board.

`State.picture` gives a `Picture`: shapes on a plane whose unit is about a pixel, x to the right, y
down, later shapes over earlier ones. Pages render it, and other programs may. A shape names a
`Paint`, not a colour, so that one picture suits a light page, a dark one, and a projector:

    def picture(self, viewer: Seat | None) -> Picture:
        return grid_picture([list("XO."), list(".X."), list("..O")], "Tic-tac-toe")

Colour alone must not tell two pieces apart: give one a mark, or a different shape. Draw a mark in the
paint `LAST` upon whatever the last move put down. In a picture without such marks, the page of a match
highlights the pieces that were not there one move earlier; pages of many boards highlight nothing.

A seat that is to act can play by touching its picture. Name the place of a shape by `spot`, and say
which spots make which move: one for a cell, two for a checker and where it goes.

    Box(10, 10, 60, 60, spot="top left")
    Picture(..., touches=(Touch("0", ("top left",)),))

Moves that are a row of values, as in Mastermind, are composed by a `Code`. Every other legal move is
offered as a button. Nobody else's picture has touches or a code, least of all a spectator's.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from attrs import field, validators

from gameserver.values import value

SHAPES_MAX = 4_000
"""The most shapes of a picture: more than any board needs, and few enough to draw at every move."""


class Paint(StrEnum):
    """The role of a colour in a board's picture; a theme assigns the colour itself."""

    BOARD = "board"
    """The ground that is played on."""
    FIELD = "field"
    """Fields that stand out from the ground, and the alternate fields."""
    OTHER_FIELD = "other-field"
    CLOTH = "cloth"
    """Green ground, as of Reversi."""
    GRID = "grid"
    """Lines between fields."""
    INK = "ink"
    """Text beside the board. `FAINT` is for text that only helps to read it."""
    FAINT = "faint"
    FIRST = "first"
    """Pieces of seat 0 and of seat 1, for a game that does not call them black and white."""
    SECOND = "second"
    BLACK = "black"
    WHITE = "white"
    ON_DARK = "on-dark"
    """Marks on a dark piece (`FIRST`, `SECOND`, `BLACK`, a value), and on a light one."""
    ON_LIGHT = "on-light"
    WIN = "win"
    """The winning line or row."""
    LAST = "last"
    """The mark of the last move; no other paint looks like it."""
    VALUE_0 = "value-0"
    """Eight colours that most people can tell apart, for values. Always write the number on the shape, too."""
    VALUE_1 = "value-1"
    VALUE_2 = "value-2"
    VALUE_3 = "value-3"
    VALUE_4 = "value-4"
    VALUE_5 = "value-5"
    VALUE_6 = "value-6"
    VALUE_7 = "value-7"


VALUES = tuple(paint for paint in Paint if paint.startswith("value-"))
VALUE_NAMES = ("yellow", "blue", "orange", "green", "pink", "grey", "red", "violet")
"""The colours of `VALUES` in every theme."""

Point = tuple[float, float]


class Anchor(StrEnum):
    """The part of a picture's text that lies at its `x`."""

    START = "start"
    MIDDLE = "middle"
    END = "end"


@value
class Box:
    """A rectangle in a board's picture; `x` and `y` are its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    fill: Paint | None = None
    stroke: Paint | None = None
    stroke_width: float = 1
    rounding: float = 0
    spot: str = ""
    """The place that touching this shape touches, in words that can be read aloud, such as "d3"; empty for none.

    Several shapes may belong to one spot. A shape without `fill` and `stroke` is an invisible area to touch.
    """


@value
class Disc:
    """A circle in a board's picture."""

    x: float
    y: float
    radius: float
    fill: Paint | None = None
    stroke: Paint | None = None
    stroke_width: float = 1
    spot: str = ""


@value
class Line:
    """A line in a board's picture through points, from the first to the last."""

    points: tuple[Point, ...]
    stroke: Paint = Paint.GRID
    stroke_width: float = 1


@value
class Polygon:
    """An area in a board's picture between points."""

    points: tuple[Point, ...]
    fill: Paint | None = None
    stroke: Paint | None = None
    stroke_width: float = 1
    spot: str = ""


@value
class Label:
    """A line of text in a board's picture; `y` is the middle of its height."""

    x: float
    y: float
    text: str
    size: float = 14
    fill: Paint = Paint.INK
    anchor: Anchor = Anchor.MIDDLE
    is_bold: bool = False


Shape = Box | Disc | Line | Polygon | Label


@value
class Touch:
    """A move made on a picture by touching `spots` one after the other: a cell, or a checker and where it goes."""

    move: str
    """The move as `Game.write_move` has it."""
    spots: tuple[str, ...] = field(validator=validators.min_len(1))


class Purpose(StrEnum):
    """The purpose of a code composed on a picture, which decides what a page calls it."""

    GUESS = "guess"
    SECRET = "secret"  # noqa: S105 - a word on pages


@value
class CodeValue:
    """A value that can be put into a place of a code composed on a picture."""

    text: str = field(validator=validators.min_len(1))
    """The value as it is written in a move."""
    paint: Paint | None = None
    name: str = ""
    """The value in words that can be read aloud, such as "3, green"; its text if it is empty."""


@value
class Code:
    """A row of values to be chosen on a picture, any at each place. The move is their texts, joined by `separator`."""

    places: int = field(validator=validators.ge(1))
    values: tuple[CodeValue, ...] = field(validator=validators.min_len(1))
    separator: str = ""
    purpose: Purpose = Purpose.GUESS


@value
class Picture:
    """A board as shapes. `description` is a sentence for people who cannot see the picture."""

    width: float = field(validator=[validators.gt(0), validators.le(10_000)])
    height: float = field(validator=[validators.gt(0), validators.le(10_000)])
    shapes: tuple[Shape, ...] = field(validator=validators.max_len(SHAPES_MAX))
    description: str = field(validator=validators.min_len(1))
    touches: tuple[Touch, ...] = ()
    """Legal moves of the viewer that can be made by touching the picture; for a seat that is to act alone."""
    code: Code | None = None
    """The choices of a viewer whose moves are rows of values; for a seat that is to act alone."""
    buttons: tuple[str, ...] | None = None
    """The legal moves that are offered as buttons. None offers all that are neither in `touches` nor a code.

    Give it where most of these are made by several touches, such as a turn of backgammon hop by hop.
    """


@value
class Side:
    """The look of a seat on a drawn board, and its score. Every part is optional.

    Pages show it beside the player's name: a piece in `paint` with `mark` upon it, then the score.
    """

    name: str = ""
    """The word for it, such as "black"."""
    paint: Paint | None = None
    """The paint of its pieces."""
    mark: str = field(default="", validator=validators.max_len(2))
    """The character on its pieces, such as "X"; empty if only the paint tells them apart."""
    score: int | None = None
    unit: str = ""
    """The unit of the score in the plural, such as "discs"."""


CELL = 60
_MARGIN = 10


def grid_picture(
    rows: Sequence[Sequence[str]],
    description: str,
    *,
    marks: str = "XO",
    free: str = ".",
    winning: Sequence[tuple[int, int]] = (),
    last: Sequence[tuple[int, int]] = (),
    moves: Mapping[tuple[int, int], str] | None = None,
    names: Mapping[tuple[int, int], str] | None = None,
) -> Picture:
    """Draws a board of square cells: what stands in each as one character, `free` for nothing.

    The two `marks`, of seat 0 and seat 1, are drawn as a cross and a ring; any other text is written
    into its cell. `winning` are the cells, as (row, column), that are marked as the ones that won,
    `last` those of the last move. `moves` has the move of each cell that the viewer may touch, such as
    `{(1, 1): "4"}`. `names` are the cells as people call them; without one it is "row 2, column 2".
    """
    height, width = len(rows), max(map(len, rows), default=0)
    shapes: list[Shape] = [Box(0, 0, width * CELL + 2 * _MARGIN, height * CELL + 2 * _MARGIN, Paint.BOARD, rounding=8)]
    shapes += [_frame(cell, 4, Paint.WIN, 5) for cell in winning]
    shapes += [_between((0, row), (width, row)) for row in range(1, height)]
    shapes += [_between((column, 0), (column, height)) for column in range(1, width)]
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            if cell != free:
                x, y = _MARGIN + (column + 0.5) * CELL, _MARGIN + (row + 0.5) * CELL
                shapes += _mark(x, y, cell, marks)
    # A last move that won is framed within the frame of the win, so that both are seen.
    shapes += [_frame(cell, 10 if cell in winning else 4, Paint.LAST, 4) for cell in last]
    touches = []
    for (row, column), move in (moves or {}).items():
        spot = (names or {}).get((row, column)) or f"row {row + 1}, column {column + 1}"
        # Last, so that the areas to touch lie on top of all that is drawn.
        shapes.append(Box(_MARGIN + column * CELL, _MARGIN + row * CELL, CELL, CELL, spot=spot))
        touches.append(Touch(move, (spot,)))
    return Picture(width * CELL + 2 * _MARGIN, height * CELL + 2 * _MARGIN, tuple(shapes), description, tuple(touches))


def _frame(cell: tuple[int, int], inset: float, paint: Paint, width: float) -> Box:
    """A frame around what stands in a cell: a mark upon it, or a ground behind it, would make it hard to see."""
    row, column = cell
    x, y, side = _MARGIN + column * CELL + inset, _MARGIN + row * CELL + inset, CELL - 2 * inset
    return Box(x, y, side, side, None, paint, stroke_width=width, rounding=6)


def _between(start: Point, end: Point) -> Line:
    return Line(tuple((_MARGIN + x * CELL, _MARGIN + y * CELL) for x, y in (start, end)), stroke_width=2)


def _mark(x: float, y: float, cell: str, marks: str) -> list[Shape]:
    reach = CELL * 0.28
    if cell == marks[0]:
        strokes = (((x - reach, y - reach), (x + reach, y + reach)), ((x - reach, y + reach), (x + reach, y - reach)))
        return [Line(points, Paint.FIRST, stroke_width=7) for points in strokes]
    if cell == marks[1]:
        return [Disc(x, y, reach, stroke=Paint.SECOND, stroke_width=7)]
    return [Label(x, y, cell, CELL * 0.4)]
