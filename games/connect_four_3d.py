"""3D Connect Four: stones fall into 4 by 4 columns of height 4, and four in a straight line win.

A cell is x, y and its height z, each from 0 to 3, written "xyz" as clients know it. A move names a
column, letter y and digit x: `b2` is the column y=1, x=2. As a number the column is 4 * y + x, here 6.
A protocol goes between the two by `GAME.read_move`, which reads either, `GAME.write_move`, which gives
`b2`, and `GAME.move_number`, which gives 6. `winning_line` tells the cells of the line that won.

One rule is not that of the tournament server that the clients were written for (version 0.5): the 64th
stone wins if it completes a line. That server calls every full board a draw; its document leaves it open.
"""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from attrs import field, frozen

from games.connect_four_3d_lines import CELLS, TOP_CELLS, landing, line_made, open_columns
from games.connect_four_3d_picture import Cell, cell_in_words, line_in_words, picture_of, small_picture_of
from games.connect_four_3d_players import club, greedy, master, novice
from gameserver.drawing import Paint
from gameserver.game import Game, IllegalMove, NoOptions, Outcome, Picture, Seat, Side, State, Strategy, Turn

MARKS = "XO"
"""The mark of seat 0, who begins, and of seat 1."""

SIDES = (Side("X", Paint.FIRST, "X"), Side("O", Paint.SECOND, "O"))

COLUMNS = tuple(f"{letter}{digit}" for letter in "abcd" for digit in "0123")
"""Names of the columns; a column's place here is its number."""


@frozen
class Position(State[int]):
    """One position. A move is a column from 0 to 15."""

    stones: tuple[int, int] = (0, 0)
    """The cells of seat 0 and of seat 1."""

    line: int = field(default=0, eq=False)
    """The line that ended the game, 0 while there is none. It follows from the stones."""

    last: int = field(default=0, eq=False)
    """The cell of the last stone, for the picture; 0 at the start."""

    @property
    def taken(self) -> int:
        """The cells with a stone in them, whosever it is."""
        return self.stones[0] | self.stones[1]

    @property
    def turn(self) -> Turn:
        """The seats in turns. At the end nobody is to act."""
        number = self.taken.bit_count()
        return Turn(number, () if self.line or number == 64 else (number % 2,))

    def legal_moves(self, seat: Seat) -> Sequence[int]:
        """The columns that are not full."""
        taken = self.taken
        if self.line or seat != taken.bit_count() % 2:
            return ()
        return open_columns(taken & TOP_CELLS)

    def play(self, seat: Seat, move: int) -> "Position":
        """Drop a stone into a column."""
        if move not in self.legal_moves(seat):
            raise IllegalMove(self._refusal(seat, move))
        stone = landing(self.taken, move)
        first, second = self.stones
        if seat == 0:
            return Position((first | stone, second), line_made(first, stone), stone)
        return Position((first, second | stone), line_made(second, stone), stone)

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
        """A line wins, with the last stone of all as with any other; a full board without one is a draw."""
        if self.line:
            return won_by(0 if self.stones[0] & self.line else 1)
        if self.taken.bit_count() == 64:
            return Outcome(points=(0, 0), winners=())
        return None

    @property
    def ending(self) -> str:
        """The line that won."""
        if self.line:
            return line_in_words(_cells_in(self.line))
        return "the cube is full" if self.outcome else ""

    def resigned(self, seat: Seat) -> Outcome:
        """A player who gives up loses as if a line had been made."""
        return won_by(1 - seat)

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        """Everything, for any viewer: the layers from the bottom, in each the rows of y, in each row the x."""
        layers = [[self._row(y, z) for y in range(4)] for z in range(4)]
        cells = winning_line(self)
        return {"layers": layers, "winning_line": list(cells) if cells else None}

    def board(self, viewer: Seat | None) -> str:
        """The four layers side by side. A move is a row's letter and a digit above it, or the sum of both numbers."""
        lines = ["      bottom 0   layer 1    layer 2    top 3", "      " + "    ".join(["0 1 2 3"] * 4)]
        for y, letter in enumerate("abcd"):
            layers = (" ".join(self._row(y, z)) for z in range(4))
            lines.append(f"{letter} {4 * y:2}  " + "    ".join(layers))
        return "\n".join([*lines, self._standing()])

    def picture(self, viewer: Seat | None) -> Picture:
        """The cube, drawn."""
        return picture_of(self._layers(), _cells_in(self.line), _cells_in(self.last), self._touched(viewer))

    def small_picture(self, viewer: Seat | None) -> Picture:
        """The four layers flat: the cube above each other would be too small to read."""
        return small_picture_of(self._layers(), _cells_in(self.line), _cells_in(self.last), self._touched(viewer))

    def _touched(self, viewer: Seat | None) -> dict[Cell, str]:
        """The open columns of the viewer's turn by the cells where the stones land."""
        moves = () if viewer is None else self.legal_moves(viewer)
        return {(move % 4, move // 4, self.height(move)): COLUMNS[move] for move in moves}

    def height(self, column: int) -> int:
        """The number of stones in a column."""
        return (self.taken >> 4 * column & 0xF).bit_count()

    def sides(self, viewer: Seat | None) -> Sequence[Side]:
        """The marks."""
        return SIDES

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


def winning_line(position: Position) -> tuple[str, ...] | None:
    """The four cells of the line that ended the game, as sorted "xyz": `("000", "100", "200", "300")` for a0 to a3.

    Of several lines made at once it is the first by `DIRECTIONS`. None while the game goes on, at a
    draw, and where somebody gave up: no line was made then.
    """
    if not position.line:
        return None
    return tuple(f"{x}{y}{z}" for (x, y, z), bit in CELLS.items() if position.line & bit)  # CELLS is sorted


def won_by(seat: Seat) -> Outcome:
    """A win is worth 1 point and costs the other seat 1."""
    return Outcome(points=(1, -1) if seat == 0 else (-1, 1), winners=(seat,))


class ConnectFour3D(Game[int]):
    """The game as such: its name, and how a move is written."""

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

    def start(self, options: NoOptions) -> Position:
        """The empty board."""
        return Position()

    def read_move(self, text: str) -> int:
        """A column such as `b2`, or its number as Java reads one: `6`, `06` and `+6` are the same column."""
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
        """The column's letter and digit."""
        return COLUMNS[move]

    def move_words(self, state: State[int], move: int) -> str:
        """The cell where the stone has come to lie."""
        assert isinstance(state, Position), "a state of this game"
        return cell_in_words((move % 4, move // 4, state.height(move) - 1))

    def move_number(self, move: int) -> int:
        """The column's number: 4 * y + x."""
        return move


GAME = ConnectFour3D()
