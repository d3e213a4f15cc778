"""The picture of a board: 24 points, the bar between the halves, what is off, dice and cube.

The viewer's home is at the lower right and the points are numbered as the viewer counts, as in the text
board; a spectator looks over white's shoulder. A stack of more than five says how many.
The pinned checker of Plakoto lies at the bottom of its stack, with a ring in the other colour's place.
A mark lies on the checkers that the turn has brought to where they are.
"""

from collections.abc import Sequence

from attrs import frozen

from games.backgammon.board import Board
from games.backgammon.cube import Cube
from games.backgammon.geometry import (
    BAR_WIDTH,
    BOARD_WIDTH,
    HALF,
    HEIGHT,
    LEFT,
    LONG,
    POINT,
    RADIUS,
    SMALL_WIDTH,
    TOP,
    WORDS_WIDTH,
    x_of,
)
from games.backgammon.lanes import BAR, OFF, count_at
from games.backgammon.text_board import COLOURS
from gameserver.drawing import Anchor, Box, Disc, Label, Paint, Picture, Polygon, Shape

_STACK = 5
_FILL = (Paint.WHITE, Paint.BLACK)
_ON = (Paint.ON_LIGHT, Paint.ON_DARK)


@frozen
class Pile:
    """Checkers on top of each other: a pinned one at the bottom, then `count` of the side that holds the point."""

    seat: int
    count: int
    pinned: int = 0


@frozen
class Scene:
    """A position as far as it is drawn. `left` are those of the dice that are still to be played."""

    board: Board
    dice: Sequence[int]
    left: Sequence[int]
    mover: int
    cube: Cube | None
    before: Board | None = None
    """The board before the last turn in which checkers moved; what came since then is marked."""
    viewer: int = 0
    """The side at whose end of the board the viewer sits."""

    def came(self, seat: int, place: int) -> int:
        """The number of a side's checkers that have come to a place."""
        return 0 if self.before is None else max(0, _held(self.board, seat, place) - _held(self.before, seat, place))


def _held(board: Board, seat: int, place: int) -> int:
    return board.count(seat, place) + count_at(board.pinned[seat], place)


def picture_of(scene: Scene, *, is_small: bool = False) -> Picture:
    """The board as its viewer sees it. A small one has no words beside the tray."""
    board, bottom = scene.board, TOP + HEIGHT
    width = SMALL_WIDTH if is_small else SMALL_WIDTH + WORDS_WIDTH
    shapes: list[Shape] = [
        Box(0, 0, width, bottom + TOP, Paint.FIELD, rounding=10),
        Box(LEFT, TOP, BOARD_WIDTH, HEIGHT, Paint.BOARD, Paint.GRID),
        Box(LEFT + HALF, TOP, BAR_WIDTH, HEIGHT, Paint.FIELD, Paint.GRID),
    ]
    for point in range(1, 25):
        pile = _pile(board, point, scene.viewer)
        place = point if pile.seat == scene.viewer else board.variant.opposite[point]
        shapes += _point(point, pile, scene.came(pile.seat, place))
    for seat in (0, 1):
        shapes += _aside(scene, seat, is_small=is_small)
    shapes += _dice(scene)
    if scene.cube is not None:
        shapes += _cube(scene.cube, scene.viewer, is_small=is_small)
    return Picture(width, bottom + TOP, tuple(shapes), _in_words(scene))


def _pile(board: Board, point: int, viewer: int) -> Pile:
    """The checkers on a point, as the viewer counts points."""
    piles = []
    opposite = board.variant.opposite[point]
    for seat in (0, 1):
        place = point if seat == viewer else opposite
        pinned = count_at(board.pinned[1 - seat], opposite if seat == viewer else point)
        piles.append(Pile(seat, board.count(seat, place), pinned))
    return max(piles, key=lambda pile: (pile.count, pile.pinned))


def _point(point: int, pile: Pile, came: int) -> list[Shape]:
    x, is_upper = x_of(point), point > 12
    edge, way = (TOP, 1) if is_upper else (TOP + HEIGHT, -1)
    paint = Paint.FIELD if point % 2 else Paint.OTHER_FIELD
    half = POINT / 2 - 1
    shapes: list[Shape] = [
        Polygon(((x - half, edge), (x + half, edge), (x, edge + way * LONG)), paint),
        Label(x, edge - way * 12, str(point), 12, Paint.FAINT),
    ]
    return [*shapes, *_checkers(x, edge, way, pile, came)]


def _checkers(x: float, edge: float, way: int, pile: Pile, came: int) -> list[Shape]:
    """From the edge inwards; of more than five the last one tells how many there are."""
    shapes: list[Shape] = []
    below = 1 if pile.pinned else 0
    step = 2 * RADIUS - 2
    shown = min(pile.count + below, _STACK)
    for height in range(shown):
        seat = 1 - pile.seat if height < below else pile.seat
        y = edge + way * (RADIUS + 1 + height * step)
        shapes.append(Disc(x, y, RADIUS, _FILL[seat], Paint.GRID, 1.5))
        if height < below:
            shapes.append(Label(x, y, "pin", 12, _ON[seat], is_bold=True))
        elif height == _STACK - 1 and pile.count + below > _STACK:
            shapes.append(Label(x, y, str(pile.count), 17, _ON[seat], is_bold=True))
        if height >= max(below, shown - came):
            shapes.append(_marked(x, y))
    return shapes


def _marked(x: float, y: float) -> Disc:
    return Disc(x, y, RADIUS - 2, None, Paint.LAST, stroke_width=5)


def _aside(scene: Scene, seat: int, *, is_small: bool) -> list[Shape]:
    """The bar and the tray of a side; the viewer's below."""
    board = scene.board
    on_bar, off = board.count(seat, BAR), board.count(seat, OFF)
    middle = TOP + HEIGHT / 2
    way = 1 if seat == scene.viewer else -1
    shapes: list[Shape] = []
    if on_bar:
        shapes += _counted(LEFT + HALF + BAR_WIDTH / 2, middle + way * 60, on_bar, seat)
    x, y = LEFT + BOARD_WIDTH + 16, middle + way * 118
    if off:
        shapes += _counted(x + RADIUS, y, off, seat)
    else:
        shapes.append(Disc(x + RADIUS, y, RADIUS, stroke=Paint.GRID, stroke_width=1.5))
    if scene.came(seat, OFF):
        shapes.append(_marked(x + RADIUS, y))
    if is_small:
        return shapes
    words = (f"{COLOURS[seat]}", f"{off} off", f"{board.pips(seat)} pips")
    for line, text in enumerate(words):
        is_bold = line == 0
        shapes.append(Label(x + 48, y - 20 + line * 20, text, 14, Paint.INK, Anchor.START, is_bold=is_bold))
    return shapes


def _counted(x: float, y: float, count: int, seat: int) -> list[Shape]:
    checker = Disc(x, y, RADIUS, _FILL[seat], Paint.GRID, 1.5)
    return [checker, Label(x, y, str(count), 17, _ON[seat], is_bold=True)]


def _dice(scene: Scene) -> list[Shape]:
    """The dice to the right for the viewer's side, to the left for the other: the played ones pale."""
    shapes: list[Shape] = []
    dice, mover = scene.dice, scene.mover
    waiting = list(scene.left)
    middle = LEFT + HALF / 2 + (HALF + BAR_WIDTH if mover == scene.viewer else 0)
    begin = middle - (len(dice) * 44 - 8) / 2
    y = TOP + HEIGHT / 2 - 18
    for number, die in enumerate(sorted(dice, reverse=True)):
        x = begin + number * 44
        is_left = die in waiting
        if is_left:
            waiting.remove(die)
        shapes.append(Box(x, y, 36, 36, _FILL[mover] if is_left else None, Paint.GRID, 1.5, rounding=7))
        paint = _ON[mover] if is_left else Paint.FAINT
        shapes += [Disc(x + 18 + 10 * dx, y + 18 + 10 * dy, 3.6, paint) for dx, dy in _PIPS[die]]
    return shapes


_CORNERS = ((-1, -1), (1, 1))
_OTHER_CORNERS = ((1, -1), (-1, 1))
_PIPS = {
    1: ((0, 0),),
    2: _CORNERS,
    3: (*_CORNERS, (0, 0)),
    4: (*_CORNERS, *_OTHER_CORNERS),
    5: (*_CORNERS, *_OTHER_CORNERS, (0, 0)),
    6: (*_CORNERS, *_OTHER_CORNERS, (-1, 0), (1, 0)),
}


def _cube(cube: Cube, viewer: int, *, is_small: bool) -> list[Shape]:
    """In the middle, or on its owner's side."""
    way = 0 if cube.owner is None else 1 if cube.owner == viewer else -1
    x, y = LEFT + BOARD_WIDTH + 16, TOP + HEIGHT / 2 + way * 190
    owner = "free" if cube.owner is None else COLOURS[cube.owner]
    shapes: list[Shape] = [
        Box(x, y - 19, 38, 38, Paint.WHITE, Paint.GRID, 1.5, rounding=6),
        Label(x + 19, y, str(cube.value), 18, Paint.ON_LIGHT, is_bold=True),
    ]
    if is_small:
        return shapes
    return [
        *shapes,
        Label(x + 48, y - 8, "cube", 13, Paint.INK, Anchor.START),
        Label(x + 48, y + 9, owner, 13, Paint.FAINT, Anchor.START),
    ]


def _in_words(scene: Scene) -> str:
    board, told = scene.board, []
    for seat in (0, 1):
        places = [f"{board.count(seat, place)} on {place}" for place in range(24, 0, -1) if board.count(seat, place)]
        aside = f"{board.count(seat, BAR)} on the bar, {board.count(seat, OFF)} off, {board.pips(seat)} pips"
        told.append(f"{COLOURS[seat]} has, counted from its own home, {', '.join([*places, aside])}")
    if scene.dice:
        still = f", {' '.join(map(str, scene.left))} still to play" if scene.left else ""
        told.append(f"{COLOURS[scene.mover]} rolled {' '.join(map(str, scene.dice))}{still}")
    if scene.cube is not None:
        told.append(f"the cube shows {scene.cube.value}")
    return ". ".join(told)
