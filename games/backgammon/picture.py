"""The board for eyes: its picture, the areas in which it is touched, and its text.

The viewer's home is at the lower right and the points are numbered as the viewer counts, as in the text; a spectator
looks over white's shoulder. A stack of more than five says how many. The pinned checker of Plakoto lies at the bottom
of its stack, with a ring in the other colour's place. A mark lies on the checkers that the turn has brought to where
they are.

As text the board is lines for a person, and a single line for a bot that keeps no board of its own.
"""

from collections.abc import Iterable, Sequence

from attrs import frozen

from games.backgammon.board import BackgammonBoard, Dice, Hop
from games.backgammon.notation import write_dice, write_hops, write_place
from games.backgammon.phases import Cube
from games.backgammon.variants import BAR, OFF, count_at, stacks
from gameserver.drawing import Anchor, Box, Disc, Label, Paint, Picture, Polygon, Shape, Touch
from gameserver.game import Seat

POINT, LONG = 44, 178
_RADIUS = 19
LEFT, TOP, BAR_WIDTH, TRAY = 14, 26, 50, 66
_HALF = 6 * POINT
_BOARD_WIDTH = 2 * _HALF + BAR_WIDTH
_HEIGHT = 2 * LONG + 92
_WORDS_WIDTH = 80
_SMALL_WIDTH = LEFT + _BOARD_WIDTH + TRAY
"""The width without the words beside the tray."""
_LABEL = 22
"""The height of a point's number, which belongs to its area."""


def _x_of(point: int) -> float:
    """The middle of a point: 13 to 24 above from the left, 12 to 1 below."""
    column = point - 13 if point > 12 else 12 - point
    return LEFT + (column + 0.5) * POINT + (BAR_WIDTH if column > 5 else 0)


def areas_of(hops: Iterable[Hop]) -> tuple[Box, ...]:
    """Draws the invisible areas of the backgammon places that these hops begin or end at."""
    places = sorted({place for hop in hops for place in hop}, reverse=True)
    return tuple(_area(place) for place in places)


def touches_of(hops: Iterable[Hop]) -> tuple[Touch, ...]:
    """Makes two touches on the board's picture for each backgammon hop: a checker's place, then where it goes."""
    return tuple(Touch(write_hops((hop,)), (_spot(hop[0]), _spot(hop[1]))) for hop in hops)


def _spot(place: int) -> str:
    return write_place(place) if place in {BAR, OFF} else f"point {place}"


def _area(place: int) -> Box:
    """A viewer's bar and tray are in the lower half."""
    middle = TOP + _HEIGHT / 2
    if place == BAR:
        return Box(LEFT + _HALF, middle, BAR_WIDTH, _HEIGHT / 2, spot=_spot(place))
    if place == OFF:
        return Box(LEFT + _BOARD_WIDTH, middle + 75, TRAY, _HEIGHT / 2 - 75, spot=_spot(place))
    top = TOP - _LABEL if place > 12 else TOP + _HEIGHT - LONG
    return Box(_x_of(place) - POINT / 2, top, POINT, LONG + _LABEL, spot=_spot(place))


COLOURS = ("white", "black")
_MARKS = ("O", "X")
_PINNED = ("o", "x")
# More checkers than rows are told by a number at the end.
_ROWS = 5
_UPPER, _LOWER = tuple(range(13, 25)), tuple(range(12, 0, -1))


def position_line(board: BackgammonBoard, seat: Seat) -> str:
    """Pictures both sides' checkers as text: by point, in one line, as `seat` counts."""
    mine, theirs = _both_sides(board, board.checkers, seat)
    parts = [f"you {mine}", f"other {theirs}"]
    if any(board.pinned):
        held, holding = _both_sides(board, board.pinned, seat)
        parts.append(f"pinned you {held}, other {holding}")
    return " | ".join(parts)


def _both_sides(board: BackgammonBoard, lanes: tuple[int, int], seat: Seat) -> tuple[str, str]:
    """The checkers of `seat` and those of the other side, the highest place first."""
    opposite, ends = board.variant.opposite, {BAR, OFF}
    theirs = [(place if place in ends else opposite[place], count) for place, count in stacks(lanes[1 - seat])]
    return _counts(stacks(lanes[seat])), _counts(sorted(theirs, reverse=True))


def _counts(counts: list[tuple[int, int]]) -> str:
    return " ".join([f"{write_place(place)}:{count}" for place, count in counts]) or "none"


def board_lines(board: BackgammonBoard, seat: Seat) -> list[str]:
    """Writes the backgammon board as lines of text as `seat` sees it, its own home at the lower right."""
    columns = {point: _column(board, seat, point) for point in _UPPER + _LOWER}
    upper = [_row([columns[point][height] for point in _UPPER]) for height in range(_ROWS)]
    lower = [_row([columns[point][height] for point in _LOWER]) for height in reversed(range(_ROWS))]
    empty = _row([""] * 12)
    sides = [_summary(board, side) for side in (seat, 1 - seat)]
    return [_numbers(_UPPER), *upper, empty, *lower, _numbers(_LOWER), *sides]


def status_line(mover: Seat, phase: str, left: Dice, cube: Cube | None) -> str:
    """Names the seat that is to act, and its task, in the line under the text picture of a backgammon board."""
    dice = f", dice {write_dice(left)}" if left else ""
    stake = f", cube {cube.value}" if cube is not None else ""
    return f"{COLOURS[mover]}: {phase}{dice}{stake}"


def _summary(board: BackgammonBoard, side: Seat) -> str:
    bar, off = board.count(side, BAR), board.count(side, OFF)
    return f"{COLOURS[side]} {_MARKS[side]}: {bar} on the bar, {off} off, {board.pips(side)} pips"


def _numbers(points: tuple[int, ...]) -> str:
    return _row([str(point) for point in points]).replace("|", "+")


def _row(cells: list[str]) -> str:
    centred = [f"{cell:^4}" for cell in cells]
    return f"|{''.join(centred[:6])}|{''.join(centred[6:])}|"


_EMPTY = (".", *[""] * (_ROWS - 1))


def _column(board: BackgammonBoard, seat: Seat, point: int) -> tuple[str, ...]:
    """The rows of a point, from the edge on. With more checkers than rows, the last row tells their number."""
    marks: list[str] = []
    for side in (0, 1):
        place = point if side == seat else board.variant.opposite[point]
        if count_at(board.pinned[side], place):
            marks.insert(0, _PINNED[side])
        marks += [_MARKS[side]] * board.count(side, place)
    if not marks:
        return _EMPTY
    if len(marks) > _ROWS:
        free = sum(mark in _MARKS for mark in marks)
        marks[_ROWS - 1] = str(free)
    return tuple((marks + [""] * _ROWS)[:_ROWS])


# The usual height of a stack on a board; more checkers are told by a number.
_STACK = 5
_FILL = (Paint.WHITE, Paint.BLACK)
_ON = (Paint.ON_LIGHT, Paint.ON_DARK)


@frozen
class _Pile:
    """Checkers on top of each other: a pinned one at the bottom, then `count` of the side that holds the point."""

    seat: int
    count: int
    pinned: int = 0


@frozen
class DrawnPosition:
    """A backgammon position as far as it is drawn. `left` are those of the dice that are still to be played."""

    board: BackgammonBoard
    dice: Sequence[int]
    left: Sequence[int]
    mover: int
    cube: Cube | None
    before: BackgammonBoard | None = None
    """The board before the last turn in which checkers moved; what came since then is marked."""
    viewer: int = 0
    """The side at whose end of the board the viewer sits."""

    def came(self, seat: int, place: int) -> int:
        """Counts a side's checkers that the last backgammon turn brought to a place."""
        return 0 if self.before is None else max(0, _held(self.board, seat, place) - _held(self.before, seat, place))


def _held(board: BackgammonBoard, seat: int, place: int) -> int:
    return board.count(seat, place) + count_at(board.pinned[seat], place)


def picture_of(scene: DrawnPosition, *, is_small: bool = False) -> Picture:
    """Draws the backgammon board as its viewer sees it. A small one has no words beside the tray."""
    board, bottom = scene.board, TOP + _HEIGHT
    width = _SMALL_WIDTH if is_small else _SMALL_WIDTH + _WORDS_WIDTH
    shapes: list[Shape] = [
        Box(0, 0, width, bottom + TOP, Paint.FIELD, rounding=10),
        Box(LEFT, TOP, _BOARD_WIDTH, _HEIGHT, Paint.BOARD, Paint.GRID),
        Box(LEFT + _HALF, TOP, BAR_WIDTH, _HEIGHT, Paint.FIELD, Paint.GRID),
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


def _pile(board: BackgammonBoard, point: int, viewer: int) -> _Pile:
    """The checkers on a point, as the viewer counts points."""
    piles = []
    opposite = board.variant.opposite[point]
    for seat in (0, 1):
        place = point if seat == viewer else opposite
        pinned = count_at(board.pinned[1 - seat], opposite if seat == viewer else point)
        piles.append(_Pile(seat, board.count(seat, place), pinned))
    return max(piles, key=lambda pile: (pile.count, pile.pinned))


def _point(point: int, pile: _Pile, came: int) -> list[Shape]:
    x, is_upper = _x_of(point), point > 12
    edge, way = (TOP, 1) if is_upper else (TOP + _HEIGHT, -1)
    paint = Paint.FIELD if point % 2 else Paint.OTHER_FIELD
    half = POINT / 2 - 1
    shapes: list[Shape] = [
        Polygon(((x - half, edge), (x + half, edge), (x, edge + way * LONG)), paint),
        Label(x, edge - way * 12, str(point), 12, Paint.FAINT),
    ]
    return [*shapes, *_checkers(x, edge, way, pile, came)]


def _checkers(x: float, edge: float, way: int, pile: _Pile, came: int) -> list[Shape]:
    """From the edge inwards; of more than five the last one tells how many there are."""
    shapes: list[Shape] = []
    below = 1 if pile.pinned else 0
    step = 2 * _RADIUS - 2
    shown = min(pile.count + below, _STACK)
    for height in range(shown):
        seat = 1 - pile.seat if height < below else pile.seat
        y = edge + way * (_RADIUS + 1 + height * step)
        shapes.append(Disc(x, y, _RADIUS, _FILL[seat], Paint.GRID, 1.5))
        if height < below:
            shapes.append(Label(x, y, "pin", 12, _ON[seat], is_bold=True))
        elif height == _STACK - 1 and pile.count + below > _STACK:
            shapes.append(Label(x, y, str(pile.count), 17, _ON[seat], is_bold=True))
        if height >= max(below, shown - came):
            shapes.append(_marked(x, y))
    return shapes


def _marked(x: float, y: float) -> Disc:
    return Disc(x, y, _RADIUS - 2, None, Paint.LAST, stroke_width=5)


def _aside(scene: DrawnPosition, seat: int, *, is_small: bool) -> list[Shape]:
    """The bar and the tray of a side; the viewer's below."""
    board = scene.board
    on_bar, off = board.count(seat, BAR), board.count(seat, OFF)
    middle = TOP + _HEIGHT / 2
    way = 1 if seat == scene.viewer else -1
    shapes: list[Shape] = []
    if on_bar:
        shapes += _counted(LEFT + _HALF + BAR_WIDTH / 2, middle + way * 60, on_bar, seat)
    x, y = LEFT + _BOARD_WIDTH + 16, middle + way * 118
    if off:
        shapes += _counted(x + _RADIUS, y, off, seat)
    else:
        shapes.append(Disc(x + _RADIUS, y, _RADIUS, stroke=Paint.GRID, stroke_width=1.5))
    if scene.came(seat, OFF):
        shapes.append(_marked(x + _RADIUS, y))
    if is_small:
        return shapes
    words = (f"{COLOURS[seat]}", f"{off} off", f"{board.pips(seat)} pips")
    for line, text in enumerate(words):
        is_bold = line == 0
        shapes.append(Label(x + 48, y - 20 + line * 20, text, 14, Paint.INK, Anchor.START, is_bold=is_bold))
    return shapes


def _counted(x: float, y: float, count: int, seat: int) -> list[Shape]:
    checker = Disc(x, y, _RADIUS, _FILL[seat], Paint.GRID, 1.5)
    return [checker, Label(x, y, str(count), 17, _ON[seat], is_bold=True)]


def _dice(scene: DrawnPosition) -> list[Shape]:
    """The dice to the right for the viewer's side, to the left for the other: the played ones pale."""
    shapes: list[Shape] = []
    dice, mover = scene.dice, scene.mover
    waiting = list(scene.left)
    middle = LEFT + _HALF / 2 + (_HALF + BAR_WIDTH if mover == scene.viewer else 0)
    begin = middle - (len(dice) * 44 - 8) / 2
    y = TOP + _HEIGHT / 2 - 18
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
    x, y = LEFT + _BOARD_WIDTH + 16, TOP + _HEIGHT / 2 + way * 190
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


def _in_words(scene: DrawnPosition) -> str:
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
