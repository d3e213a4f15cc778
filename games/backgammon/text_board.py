"""The board as text: lines for a person, and a single line for a bot that keeps no board of its own."""

from games.backgammon.board import Board
from games.backgammon.cube import Cube
from games.backgammon.lanes import BAR, OFF, count_at, stacks
from games.backgammon.notation import write_place
from games.backgammon.refusals import write_dice
from games.backgammon.search import Dice
from gameserver.game import Seat

COLOURS = ("white", "black")
_MARKS = ("O", "X")
_PINNED = ("o", "x")
_ROWS = 5
_UPPER, _LOWER = tuple(range(13, 25)), tuple(range(12, 0, -1))


def position_line(board: Board, seat: Seat) -> str:
    """Both sides' checkers by point as `seat` counts; the bar and off are each side's own."""
    mine, theirs = _both_sides(board, board.checkers, seat)
    parts = [f"you {mine}", f"other {theirs}"]
    if any(board.pinned):
        held, holding = _both_sides(board, board.pinned, seat)
        parts.append(f"pinned you {held}, other {holding}")
    return " | ".join(parts)


def _both_sides(board: Board, lanes: tuple[int, int], seat: Seat) -> tuple[str, str]:
    """The checkers of `seat` and those of the other side, the highest place first."""
    opposite, ends = board.variant.opposite, {BAR, OFF}
    theirs = [(place if place in ends else opposite[place], count) for place, count in stacks(lanes[1 - seat])]
    return _counts(stacks(lanes[seat])), _counts(sorted(theirs, reverse=True))


def _counts(counts: list[tuple[int, int]]) -> str:
    return " ".join([f"{write_place(place)}:{count}" for place, count in counts]) or "none"


def board_lines(board: Board, seat: Seat) -> list[str]:
    """The board as `seat` sees it, its own home at the lower right."""
    columns = {point: _column(board, seat, point) for point in _UPPER + _LOWER}
    upper = [_row([columns[point][height] for point in _UPPER]) for height in range(_ROWS)]
    lower = [_row([columns[point][height] for point in _LOWER]) for height in reversed(range(_ROWS))]
    empty = _row([""] * 12)
    sides = [_summary(board, side) for side in (seat, 1 - seat)]
    return [_numbers(_UPPER), *upper, empty, *lower, _numbers(_LOWER), *sides]


def status_line(mover: Seat, phase: str, left: Dice, cube: Cube | None) -> str:
    """The seat to act, and its task."""
    dice = f", dice {write_dice(left)}" if left else ""
    stake = f", cube {cube.value}" if cube is not None else ""
    return f"{COLOURS[mover]}: {phase}{dice}{stake}"


def _summary(board: Board, side: Seat) -> str:
    bar, off = board.count(side, BAR), board.count(side, OFF)
    return f"{COLOURS[side]} {_MARKS[side]}: {bar} on the bar, {off} off, {board.pips(side)} pips"


def _numbers(points: tuple[int, ...]) -> str:
    return _row([str(point) for point in points]).replace("|", "+")


def _row(cells: list[str]) -> str:
    centred = [f"{cell:^4}" for cell in cells]
    return f"|{''.join(centred[:6])}|{''.join(centred[6:])}|"


_EMPTY = (".", *[""] * (_ROWS - 1))


def _column(board: Board, seat: Seat, point: int) -> tuple[str, ...]:
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
