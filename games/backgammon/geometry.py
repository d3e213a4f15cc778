"""The measures of the picture of a board, and the areas in which it is touched: points, the bar and the tray."""

from collections.abc import Iterable

from games.backgammon.lanes import BAR, OFF
from games.backgammon.notation import write_hops, write_place
from games.backgammon.search import Hop
from gameserver.drawing import Box, Touch

POINT, LONG = 44, 178
RADIUS = 19
LEFT, TOP, BAR_WIDTH, TRAY = 14, 26, 50, 66
HALF = 6 * POINT
BOARD_WIDTH = 2 * HALF + BAR_WIDTH
HEIGHT = 2 * LONG + 92
WORDS_WIDTH = 80
SMALL_WIDTH = LEFT + BOARD_WIDTH + TRAY
"""The width without the words beside the tray."""
_LABEL = 22
"""The height of a point's number, which belongs to its area."""


def x_of(point: int) -> float:
    """The middle of a point: 13 to 24 above from the left, 12 to 1 below."""
    column = point - 13 if point > 12 else 12 - point
    return LEFT + (column + 0.5) * POINT + (BAR_WIDTH if column > 5 else 0)


def areas_of(hops: Iterable[Hop]) -> tuple[Box, ...]:
    """The areas of the places that these hops of the viewer begin or end at."""
    places = sorted({place for hop in hops for place in hop}, reverse=True)
    return tuple(_area(place) for place in places)


def touches_of(hops: Iterable[Hop]) -> tuple[Touch, ...]:
    """Each hop as two touches: the place of a checker, then the place where it goes."""
    return tuple(Touch(write_hops((hop,)), (_spot(hop[0]), _spot(hop[1]))) for hop in hops)


def _spot(place: int) -> str:
    return write_place(place) if place in {BAR, OFF} else f"point {place}"


def _area(place: int) -> Box:
    """A viewer's bar and tray are in the lower half."""
    middle = TOP + HEIGHT / 2
    if place == BAR:
        return Box(LEFT + HALF, middle, BAR_WIDTH, HEIGHT / 2, spot=_spot(place))
    if place == OFF:
        return Box(LEFT + BOARD_WIDTH, middle + 75, TRAY, HEIGHT / 2 - 75, spot=_spot(place))
    top = TOP - _LABEL if place > 12 else TOP + HEIGHT - LONG
    return Box(x_of(place) - POINT / 2, top, POINT, LONG + _LABEL, spot=_spot(place))
