"""The board as text: lines for a person, and a single line for a bot that keeps no board of its own."""

from games.backgammon.board import Board
from games.backgammon.lanes import BAR, OFF, count_at
from games.backgammon.notation import write_place
from gameserver.game import Seat

COLOURS = ("white", "black")
_MARKS = ("O", "X")
_PINNED = ("o", "x")
_ROWS = 5
_UPPER, _LOWER = tuple(range(13, 25)), tuple(range(12, 0, -1))


def position_line(board: Board, seat: Seat) -> str:
    """Both sides' checkers by point as `seat` counts; the bar and off are each side's own."""
    opposite = board.variant.opposite
    mine = [(place, board.count(seat, place)) for place in range(25, -1, -1)]
    theirs = [(place, board.count(1 - seat, opposite[place])) for place in range(24, 0, -1)]
    theirs = [(BAR, board.count(1 - seat, BAR)), *theirs, (OFF, board.count(1 - seat, OFF))]
    parts = [f"you {_counts(mine)}", f"other {_counts(theirs)}"]
    if any(board.pinned):
        held = [(place, count_at(board.pinned[seat], place)) for place in range(24, 0, -1)]
        holding = [(place, count_at(board.pinned[1 - seat], opposite[place])) for place in range(24, 0, -1)]
        parts.append(f"pinned you {_counts(held)}, other {_counts(holding)}")
    return " | ".join(parts)


def _counts(counts: list[tuple[int, int]]) -> str:
    return " ".join(f"{write_place(place)}:{count}" for place, count in counts if count) or "none"


def board_lines(board: Board, seat: Seat) -> list[str]:
    """The board as `seat` sees it, its own home at the lower right."""
    lines = [_numbers(_UPPER)]
    lines += [_row(board, seat, _UPPER, height) for height in range(_ROWS)]
    lines.append("|" + " " * 24 + "|" + " " * 24 + "|")
    lines += [_row(board, seat, _LOWER, height) for height in reversed(range(_ROWS))]
    lines.append(_numbers(_LOWER))
    for side in (seat, 1 - seat):
        lines.append(
            f"{COLOURS[side]} {_MARKS[side]}: {board.count(side, BAR)} on the bar, {board.count(side, OFF)} off, "
            f"{board.pips(side)} pips"
        )
    return lines


def _numbers(points: tuple[int, ...]) -> str:
    left, right = ("".join(f"{point:^4}" for point in half) for half in (points[:6], points[6:]))
    return f"+{left}+{right}+"


def _row(board: Board, seat: Seat, points: tuple[int, ...], height: int) -> str:
    left, right = ("".join(f"{_cell(board, seat, point, height):^4}" for point in half) for half in (points[:6], points[6:]))
    return f"|{left}|{right}|"


def _cell(board: Board, seat: Seat, point: int, height: int) -> str:
    """What stands on a point, `height` checkers from the edge; the last row counts those that have no row."""
    for side in (0, 1):
        place = point if side == seat else board.variant.opposite[point]
        held, count = count_at(board.pinned[side], place), board.count(side, place)
        if held and height == 0:
            return _PINNED[side]
        over = board.pinned[1 - side] and count_at(board.pinned[1 - side], board.variant.opposite[place])
        row = height - 1 if over else height
        rows = _ROWS - 1 if over else _ROWS
        if count and 0 <= row < count:
            return str(count) if row == rows - 1 and count > rows else _MARKS[side]
    return "." if height == 0 else ""
