"""3D Connect Four: stones fall into 4 by 4 columns of height 4, and four in a straight line win.

A cell is x, y and its height z, each from 0 to 3, written "xyz" as clients know it. A move names a column, letter y and
digit x: `b2` is the column y=1, x=2. As a number the column is 4 * y + x, here 6. A protocol goes between the two by
`GAME.read_move`, which reads either, `GAME.write_move`, which gives `b2`, and `GAME.move_number`, which gives 6.
`winning_line` tells the cells of the line that won.

One rule is not that of the tournament server that the clients were written for (version 0.5): the 64th stone wins if it
completes a line. That server calls every full board a draw; its document leaves it open.

The pictures are drawn so that lines can be seen. To the left the four layers hang above each other, seen from the front
and above, with the digit of a column growing to the lower right and its letter to the lower left. To the right lie the
same layers flat, for a viewer who wants to read a cell. The line that won goes through both. A small picture has the
flat layers alone, with larger stones. A column can be touched in every layer of both. People call a cell "column 5,
level 2": the number, that of its row plus that above, stands where the column's next stone lands.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from operator import attrgetter
from typing import ClassVar

from attrs import field, frozen

from games.connect_four_3d_lines import CELLS, TOP_CELLS, landing, line_made, open_columns
from games.connect_four_3d_players import club, greedy, master, novice, win_chance
from games.stones_coding import StonesCoding
from gameserver.drawing import Anchor, Box, Disc, Label, Line, Paint, Polygon, Shape, Touch
from gameserver.game import Evaluator, Game, IllegalMove, NoOptions, Outcome, Picture, Seat, Side, State, Strategy, Turn

Cell = tuple[int, int, int]
"""x (the digit), y (the letter), z (the height), each from 0 to 3."""
Columns = Mapping[Cell, str]
"""The columns that the viewer may touch, as moves name them, by the cells where stones would land."""

MARKS = "XO"
"""The mark of seat 0, who begins, and of seat 1."""

_SIDES = (Side("X", Paint.FIRST, "X"), Side("O", Paint.SECOND, "O"))

COLUMNS = tuple(f"{letter}{digit}" for letter in "abcd" for digit in "0123")
"""Names of the columns; a column's place here is its number."""

_NONE: Columns = {}

# Units of the picture are about a pixel; the four layers of the cube stand above each other beside the flat plan.
_CENTRE, _TOP = 170, 14
_DX, _DY, _RISE = 38, 15, 137
"""Half a field's width and height, and how far a layer hangs above the next."""
_WIDTH, _HEIGHT = 790, 566
_NAMES = ("level 1, bottom", "level 2", "level 3", "level 4, top")


@frozen
class ConnectFourPosition(State[int]):
    """One position of 3D Connect Four. A move is a column from 0 to 15."""

    stones: tuple[int, int] = (0, 0)
    """The cells of seat 0 and of seat 1."""

    line: int = field(default=0, eq=False)
    """The line that ended the game, 0 while there is none. It follows from the stones."""

    last: int = field(default=0, eq=False)
    """The cell of the last stone, for the picture; 0 at the start."""

    @property
    def taken(self) -> int:
        """The cells of 3D Connect Four with a stone in them, whosever it is."""
        return self.stones[0] | self.stones[1]

    @property
    def turn(self) -> Turn:
        """The turn of 3D Connect Four: the seats alternate, and at the end nobody is to act."""
        number = self.taken.bit_count()
        return Turn(number, () if self.line or number == 64 else (number % 2,))

    def legal_moves(self, seat: Seat) -> Sequence[int]:
        """Lists the columns of 3D Connect Four that are not full."""
        taken = self.taken
        if self.line or seat != taken.bit_count() % 2:
            return ()
        return open_columns(taken & TOP_CELLS)

    def play(self, seat: Seat, move: int) -> "ConnectFourPosition":
        """Drops a stone into a column of 3D Connect Four."""
        if move not in self.legal_moves(seat):
            raise IllegalMove(self._refusal(seat, move))
        stone = landing(self.taken, move)
        first, second = self.stones
        if seat == 0:
            return ConnectFourPosition((first | stone, second), line_made(first, stone), stone)
        return ConnectFourPosition((first, second | stone), line_made(second, stone), stone)

    def _refusal(self, seat: Seat, move: int) -> str:
        on_turn = self.turn.seats
        if not on_turn:
            return "the game is over, no move can follow"
        if seat not in on_turn:
            return f"it is not your turn, {MARKS[on_turn[0]]} is to move"
        if move not in range(16):
            return "there is no such column, play one from 0 to 15"
        return f"column {COLUMNS[move]} is full, play one with fewer than four stones"

    @property
    def outcome(self) -> Outcome | None:
        """The outcome: a line wins, with the last stone as with any other; a full board without one is a draw."""
        if self.line:
            return _won_by(0 if self.stones[0] & self.line else 1)
        if self.taken.bit_count() == 64:
            return Outcome(points=(0, 0), winners=())
        return None

    @property
    def ending(self) -> str:
        """Names the line of 3D Connect Four that won."""
        if self.line:
            return _line_in_words(_cells_in(self.line))
        return "the cube is full" if self.outcome else ""

    def resigned(self, seat: Seat) -> Outcome:
        """The outcome if a player gives up: as if the other had made a line."""
        return _won_by(1 - seat)

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        """Shows all of a 3D Connect Four position: the layers from the bottom, in each the rows of y, then the x."""
        layers = [[self._row(y, z) for y in range(4)] for z in range(4)]
        cells = winning_line(self)
        return {"layers": layers, "winning_line": list(cells) if cells else None}

    def board(self, viewer: Seat | None) -> str:
        """Writes the four layers of 3D Connect Four side by side; a move is a row's letter and a digit, or a sum."""
        lines = ["      bottom 0   layer 1    layer 2    top 3", "      " + "    ".join(["0 1 2 3"] * 4)]
        for y, letter in enumerate("abcd"):
            layers = (" ".join(self._row(y, z)) for z in range(4))
            lines.append(f"{letter} {4 * y:2}  " + "    ".join(layers))
        return "\n".join([*lines, self._standing()])

    def picture(self, viewer: Seat | None) -> Picture:
        """Draws the cube of 3D Connect Four."""
        return _picture_of(self._layers(), _cells_in(self.line), _cells_in(self.last), self._touched(viewer))

    def small_picture(self, viewer: Seat | None) -> Picture:
        """Draws the four layers of 3D Connect Four flat: above each other they would be too small to read."""
        return _small_picture_of(self._layers(), _cells_in(self.line), _cells_in(self.last), self._touched(viewer))

    def _touched(self, viewer: Seat | None) -> dict[Cell, str]:
        """The open columns of the viewer's turn by the cells where the stones land."""
        moves = () if viewer is None else self.legal_moves(viewer)
        return {(move % 4, move // 4, self.height(move)): COLUMNS[move] for move in moves}

    def height(self, column: int) -> int:
        """Counts the stones in a column of 3D Connect Four."""
        return (self.taken >> 4 * column & 0xF).bit_count()

    def sides(self, viewer: Seat | None) -> Sequence[Side]:
        """The marks of both seats of 3D Connect Four."""
        return _SIDES

    def _layers(self) -> list[list[str]]:
        return [[self._row(y, z) for y in range(4)] for z in range(4)]

    def _row(self, y: int, z: int) -> str:
        first, second = self.stones
        bits = [CELLS[x, y, z] for x in range(4)]
        return "".join(MARKS[0] if first & bit else MARKS[1] if second & bit else "." for bit in bits)

    def _standing(self) -> str:
        outcome, cells = self.outcome, winning_line(self)
        if outcome is None:
            return f"{MARKS[self.turn.seats[0]]} is to move (row b, digit 2 is b2, or 6)"
        if cells is None:
            return "a draw, the board is full"
        return f"{MARKS[outcome.winners[0]]} has won with the line {' '.join(cells)} (digit, row, layer, each from 0)"


def _cells_in(stones: int) -> list[tuple[int, int, int]]:
    return [cell for cell, bit in CELLS.items() if stones & bit]


def winning_line(position: ConnectFourPosition) -> tuple[str, ...] | None:
    """The four cells that won a 3D Connect Four game, as sorted "xyz": `("000", "100", "200", "300")`.

    Of several lines made at once it is the first by `DIRECTIONS`. None while the game goes on, at a
    draw, and where somebody gave up: no line was made then.
    """
    if not position.line:
        return None
    return tuple(f"{x}{y}{z}" for (x, y, z), bit in CELLS.items() if position.line & bit)  # CELLS is sorted


def _won_by(seat: Seat) -> Outcome:
    """A win is worth 1 point and costs the other seat 1."""
    return Outcome(points=(1, -1) if seat == 0 else (-1, 1), winners=(seat,))


class ConnectFour3D(Game[int]):
    """The game of 3D Connect Four as such: its name, and how a move is written."""

    name = "Connect-four-3D"
    aliases = ("Connect Four", "Connect-4", "Four in a row")
    guide = """\
A move is one of 16 columns, seen here from above. A stone falls
onto the stones already in the column, which holds four.

          0   1   2   3
     a    0   1   2   3
     b    4   5   6   7
     c    8   9  10  11
     d   12  13  14  15

move 5             drops a stone into column 5, which is row b, digit 1
move b1            the same; MOVE always shows the number

PLAYERTOMOVE is X and begins. Four stones in a straight line win: flat,
upright, or slanting through the layers. A full board without them is a
draw.
An illegal move loses a match between text players: a column that is
full, or anything but a column. In a match with a Connect Four client
it is refused, and you are asked again."""
    how_to_play = (
        "Four of your stones in a straight line win. The board is a cube: four levels of sixteen cells, one above "
        "the other. A line can be flat in a level, upright through all four, or slanting through them.\n"
        "A stone falls to the lowest free cell of its column. If the cube is full and nobody has a line, it is a "
        "draw.\n"
        "Touch a column, in any of the levels, to drop a stone into it."
    )
    strategies: ClassVar[Mapping[str, Strategy]] = {
        "novice": novice,
        "club": club,
        "master": master,
        "greedy": greedy,
    }
    evaluators: ClassVar[Mapping[str, Evaluator]] = {"master": win_chance}

    def start(self, options: NoOptions) -> ConnectFourPosition:
        """Begins 3D Connect Four with the empty board."""
        return ConnectFourPosition()

    def read_move(self, text: str) -> int:
        """Reads a column of 3D Connect Four such as `b2`, or its number as Java reads one: `6`, `06`, `+6`."""
        if text in COLUMNS:
            return COLUMNS.index(text)
        # int() alone would also take "1_0" and digits of other scripts, and fail on thousands of them.
        column = int(text) if re.fullmatch(r"[+-]?[0-9]{1,99}", text) else -1
        if not 0 <= column <= 15:
            raise IllegalMove(
                "the move must be a column: a lower-case letter from a to d and a digit from 0 to 3, such as b2, "
                "or its number from 0 to 15 (b2 is 6)"
            )
        return column

    def write_move(self, move: int) -> str:
        """Writes the letter and digit of a 3D Connect Four column."""
        return COLUMNS[move]

    def coding(self, options: NoOptions) -> StonesCoding:
        """Codes 3D Connect Four for agents that learn: the action is the column, and each has four heights."""
        return StonesCoding(16, (16, 4), attrgetter("stones"))

    def move_words(self, state: State[int], move: int) -> str:
        """Says the cell where a stone of 3D Connect Four has come to lie."""
        assert isinstance(state, ConnectFourPosition), "a state of this game"
        return _cell_in_words((move % 4, move // 4, state.height(move) - 1))

    def move_number(self, move: int) -> int:
        """The number of a 3D Connect Four column: 4 * y + x."""
        return move


@frozen
class _Plan:
    """The places of the flat layers: two and two in reading order from the top one."""

    left: float
    top: float
    field: float
    gap: float
    heading: float
    """The room that a layer's name takes above it."""

    def corner(self, z: int) -> tuple[float, float]:
        """The upper left corner of a layer."""
        side = 4 * self.field + self.gap
        return self.left + side * ((3 - z) % 2), self.top + (side + self.heading) * ((3 - z) // 2)


_FLAT = _Plan(left=390, top=60, field=42, gap=52, heading=26)

_SMALL = _Plan(left=4, top=30, field=42, gap=14, heading=18)

_SMALL_WIDTH, _SMALL_HEIGHT = 358, 402


def _picture_of(
    layers: Sequence[Sequence[str]], line: Sequence[Cell], last: Sequence[Cell], touched: Columns = _NONE
) -> Picture:
    """The cube; `layers` are from the bottom, in each the rows of y, in each row the marks of x."""
    shapes: list[Shape] = []
    for z, rows in enumerate(layers):
        shapes += _hanging_ground(z, line)
        left, top = _FLAT.corner(z)
        shapes += [*_numbers(left, top), Label(left, top - 30, _NAMES[z], 13, Paint.INK, Anchor.START, is_bold=True)]
        shapes += _flat(rows, z, line, _FLAT)
    if line:  # under the stones, whose marks have to be read
        shapes.append(Line(tuple(_hung(cell) for cell in (line[0], line[-1])), Paint.WIN, stroke_width=6))
    for z, rows in enumerate(layers):
        shapes += _hanging_stones(rows, z)
    shapes += _landings(layers, _hung, 11)
    shapes += _landings(layers, partial(_middle, _FLAT), 13)
    for cell in last:
        shapes += [_ring(*_hung(cell), 15), _ring(*_middle(_FLAT, cell), 15)]
    for x, y, rests_at in touched:
        spot = _cell_in_words((x, y, rests_at))
        shapes += [Polygon(_ground(x, y, x + 1, y + 1, z), spot=spot) for z in range(4)]
    shapes += _flat_areas(touched, _FLAT)
    return Picture(_WIDTH, _HEIGHT, tuple(shapes), _in_words(layers, line), _touches(touched))


def _small_picture_of(
    layers: Sequence[Sequence[str]], line: Sequence[Cell], last: Sequence[Cell], touched: Columns = _NONE
) -> Picture:
    shapes: list[Shape] = []
    for z, rows in enumerate(layers):
        left, top = _SMALL.corner(z)
        shapes.append(Label(left, top - 14, _NAMES[z], 18, Paint.INK, Anchor.START, is_bold=True))
        shapes += _flat(rows, z, line, _SMALL)
    shapes += _landings(layers, partial(_middle, _SMALL), 16)
    shapes += [_ring(*_middle(_SMALL, cell), 17) for cell in last]
    shapes += _flat_areas(touched, _SMALL)
    return Picture(_SMALL_WIDTH, _SMALL_HEIGHT, tuple(shapes), _in_words(layers, line), _touches(touched))


def _cell_in_words(cell: Cell) -> str:
    """A cell as people call it: the column by the number that it is for programs, the height as that of a floor."""
    x, y, z = cell
    return f"column {4 * y + x}, level {z + 1}"


def _line_in_words(line: Sequence[Cell]) -> str:
    """The line that won, as far as its cells have something in common, and its ends."""
    first, last = line[0], line[-1]
    if first[:2] == last[:2]:
        return f"four upright in {_cell_in_words(first).partition(',')[0]}"
    if first[2] == last[2]:
        ends = " to ".join(_cell_in_words(end).partition(",")[0] for end in (first, last))
        return f"four on level {first[2] + 1}, from {ends}"
    return f"four from {_cell_in_words(first)} to {_cell_in_words(last)}"


def _touches(touched: Columns) -> tuple[Touch, ...]:
    return tuple(Touch(name, (_cell_in_words(cell),)) for cell, name in touched.items())


def _flat_areas(touched: Columns, plan: _Plan) -> list[Shape]:
    areas: list[Shape] = []
    for x, y, rests_at in touched:
        for z in range(4):
            left, top = plan.corner(z)
            corner = left + x * plan.field, top + y * plan.field
            areas.append(Box(*corner, plan.field, plan.field, spot=_cell_in_words((x, y, rests_at))))
    return areas


def _hanging_ground(z: int, line: Sequence[Cell]) -> list[Shape]:
    shapes: list[Shape] = [Polygon(_ground(0, 0, 4, 4, z), Paint.BOARD, Paint.GRID, 1.5)]
    for number in range(1, 4):
        shapes.append(Line((_corner(number, 0, z), _corner(number, 4, z))))
        shapes.append(Line((_corner(0, number, z), _corner(4, number, z))))
    for number, letter in enumerate("abcd"):
        x, y = _corner(number + 0.5, 4.45, z)
        shapes.append(Label(x, y, str(number), 12, Paint.FAINT))
        x, y = _corner(4.45, number + 0.5, z)
        shapes.append(Label(x, y, letter, 12, Paint.FAINT))
    won = [cell for cell in line if cell[2] == z]
    return shapes + [Polygon(_ground(x, y, x + 1, y + 1, z), Paint.WIN) for x, y, z in won]


def _hanging_stones(rows: Sequence[str], z: int) -> list[Shape]:
    shapes: list[Shape] = []
    for y, row in enumerate(rows):
        for x, mark in enumerate(row):
            shapes += _stone(*_hung((x, y, z)), mark, 15)
    return shapes


def _numbers(left: float, top: float) -> list[Shape]:
    numbers: list[Shape] = []
    for number, letter in enumerate("abcd"):
        at = (number + 0.5) * _FLAT.field
        numbers.append(Label(left + at, top - 10, str(number), 12, Paint.FAINT))
        numbers.append(Label(left - 6, top + at, f"{letter} {4 * number}", 12, Paint.FAINT, Anchor.END))
    return numbers


def _flat(rows: Sequence[str], z: int, line: Sequence[Cell], plan: _Plan) -> list[Shape]:
    left, top = plan.corner(z)
    side = 4 * plan.field
    shapes: list[Shape] = [Box(left, top, side, side, Paint.BOARD, Paint.GRID, rounding=4)]
    for number in range(1, 4):
        at = number * plan.field
        shapes.append(Line(((left + at, top), (left + at, top + side))))
        shapes.append(Line(((left, top + at), (left + side, top + at))))
    for y, row in enumerate(rows):
        for x, mark in enumerate(row):
            if (x, y, z) in line:
                corner = (left + x * plan.field + 1, top + y * plan.field + 1)
                shapes.append(Box(*corner, plan.field - 2, plan.field - 2, Paint.WIN, rounding=3))
            shapes += _stone(*_middle(plan, (x, y, z)), mark, 15 if plan is _FLAT else 18)
    return shapes


def _middle(plan: _Plan, cell: Cell) -> tuple[float, float]:
    """The middle of a cell among the flat layers."""
    x, y, z = cell
    left, top = plan.corner(z)
    return left + (x + 0.5) * plan.field, top + (y + 0.5) * plan.field


def _stone(x: float, y: float, mark: str, radius: float) -> list[Shape]:
    """A stone with its mark, so that nobody has to tell the colours apart."""
    if mark not in MARKS:
        return []
    paint = (Paint.FIRST, Paint.SECOND)[MARKS.index(mark)]
    return [Disc(x, y, radius, paint), Label(x, y, mark, radius + 3, Paint.ON_DARK, is_bold=True)]


def _landings(
    layers: Sequence[Sequence[str]], place: Callable[[Cell], tuple[float, float]], size: float
) -> list[Shape]:
    """The number of each column in the cell where its next stone lands; dots in the free cells above it."""
    shapes: list[Shape] = []
    for y, x in product(range(4), repeat=2):
        free = [z for z, rows in enumerate(layers) if rows[y][x] not in MARKS]
        if free:
            shapes.append(Label(*place((x, y, free[0])), str(4 * y + x), size, Paint.FAINT))
        shapes += [Disc(*place((x, y, z)), 1.5, Paint.GRID) for z in free[1:]]
    return shapes


def _ring(x: float, y: float, radius: float) -> Disc:
    return Disc(x, y, radius, None, Paint.LAST, stroke_width=5)


def _corner(x: float, y: float, z: int) -> tuple[float, float]:
    return _CENTRE + (x - y) * _DX, _TOP + (x + y) * _DY + (3 - z) * _RISE


def _hung(cell: Cell) -> tuple[float, float]:
    """The middle of a cell among the hanging layers."""
    x, y, z = cell
    return _corner(x + 0.5, y + 0.5, z)


def _ground(x: int, y: int, to_x: int, to_y: int, z: int) -> tuple[tuple[float, float], ...]:
    return _corner(x, y, z), _corner(to_x, y, z), _corner(to_x, to_y, z), _corner(x, to_y, z)


def _in_words(layers: Sequence[Sequence[str]], line: Sequence[Cell]) -> str:
    told = [f"{_NAMES[z]}: {', '.join(rows)}" for z, rows in enumerate(layers) if "".join(rows).strip(".")]
    if line:
        told.append(f"{_line_in_words(line)} have won")
    return f"The cube: {'. '.join(told)}" if told else "The cube is empty"


GAME = ConnectFour3D()
