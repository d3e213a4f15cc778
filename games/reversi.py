"""Reversi on 8 by 8 cells, with the pass that nobody announces: a player who cannot move is not asked.

In the Smart Game Format (SGF, version 4) it is game number 2, Othello. Points are written as in Go: a letter for the
column from the left, one for the row from the top. The turn that a player cannot use is not in the file, because nobody
plays it; readers see the same colour move twice.
"""

import re
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import ClassVar

from attrs import field, frozen

from games.reversi_discs import cells_in, flips_of, moves_of
from games.reversi_players import club, greedy, master, novice, win_chance
from games.sgf import sgf_tree
from games.stones_coding import StonesCoding
from gameserver.drawing import Anchor, Box, Disc, Label, Line, Paint, Shape, Touch
from gameserver.game import (
    Evaluator,
    Export,
    Game,
    IllegalMove,
    NoOptions,
    Outcome,
    Picture,
    PlayedMatch,
    Seat,
    Side,
    State,
    Strategy,
    Turn,
)

COLOURS = ("black", "white")


_CELL = 48
_EDGE = 30
"""Room for the names: letter and number for people, above and to the left; below and to the right those of programs,
where a row's number plus a column's is the move."""
_SMALL_EDGE = 3
_CELL_NAMES = tuple(f"{letter}{row}" for row in range(1, 9) for letter in "abcdefgh")
"""The cells as players call them."""
# As on printed boards.
_DOTS = ((2, 2), (2, 6), (6, 2), (6, 6))


def _write_sgf(match: PlayedMatch) -> str:
    """The match; black is seat 0."""
    kind = {"GM": ["2"], "SZ": ["8"]}
    return "".join(
        sgf_tree(match, game, kind, _point, str(abs(game.points[0] - game.points[1]))) for game in match.games
    )


def _point(move: str) -> str:
    row, column = divmod(int(move), 8)
    return "abcdefgh"[column] + "abcdefgh"[row]


@frozen
class ReversiPosition(State[int]):
    """One position of Reversi. A move is a cell from 0 to 63, row by row from the top left."""

    discs: tuple[int, int]
    """The discs of seat 0, black, and of seat 1, white."""

    mover: Seat
    """The seat whose turn it is; of no meaning at the end."""

    number: int
    """Number of moves that were played. A pass is no move, yet the turn after it has its own number."""

    open_cells: int = field(eq=False, repr=False)
    """The cells where `mover` can play. They follow from the rest and are kept because everything asks for them."""

    last: int | None = field(default=None, eq=False, repr=False)
    """The cell of the last move, for the picture."""

    @property
    def turn(self) -> Turn:
        """The turn of Reversi: black and white alternate, except where one of them cannot move."""
        return Turn(self.number, (self.mover,) if self.open_cells else ())

    def legal_moves(self, seat: Seat) -> Sequence[int]:
        """Lists the cells where a Reversi disc encloses discs of the other colour."""
        return cells_in(self.open_cells) if seat == self.mover else ()

    def play(self, seat: Seat, move: int) -> "ReversiPosition":
        """Puts a Reversi disc down and turns over what it encloses. An opponent who cannot move then is passed over."""
        if seat != self.mover or not self.open_cells >> move & 1:
            raise IllegalMove(self._refusal(seat, move))
        own, other = self.discs[seat], self.discs[1 - seat]
        flips = flips_of(move, own, other)
        own |= flips | 1 << move
        other ^= flips
        discs = (own, other) if seat == 0 else (other, own)
        return position_after(discs, 1 - seat, self.number + 1, move)

    def _refusal(self, seat: Seat, move: int) -> str:
        if not self.open_cells:
            return "the game is over, no move can follow"
        if seat != self.mover:
            return f"it is not your turn, {COLOURS[self.mover]} is to move"
        if (self.discs[0] | self.discs[1]) >> move & 1:
            return f"cell {move} is taken, play a free one"
        return f"a disc on cell {move} would turn nothing over, play where it encloses discs of {COLOURS[1 - seat]}"

    @property
    def outcome(self) -> Outcome | None:
        """Ends Reversi when neither colour can move; the colour with more discs wins."""
        if self.open_cells:
            return None
        black, white = self.points
        if black == white:
            return Outcome(self.points, winners=())
        return Outcome(self.points, winners=(0 if black > white else 1,))

    @property
    def ending(self) -> str:
        """Tells the discs of Reversi's winner, and those of the other."""
        return "" if self.open_cells else "{} discs to {}".format(*sorted(self.points, reverse=True))

    def resigned(self, seat: Seat) -> Outcome:
        """Ends Reversi with the discs as they lie; who gave up has lost whatever they say."""
        return Outcome(self.points, (1 - seat,))

    @property
    def points(self) -> tuple[int, int]:
        """The discs of black and of white at Reversi."""
        return self.discs[0].bit_count(), self.discs[1].bit_count()

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        """Shows everything of Reversi to any viewer: nothing is hidden."""
        return {"rows": self._rows(), "black": self.points[0], "white": self.points[1]}

    def board(self, viewer: Seat | None) -> str:
        """Writes the Reversi board. The number at the row plus the number at the column is the move."""
        lines = [f"{8 * row:2} {' '.join(cells)}" for row, cells in enumerate(self._rows())]
        score = f"black B {self.points[0]}, white W {self.points[1]}"
        return "\n".join(["   0 1 2 3 4 5 6 7", *lines, score])

    def picture(self, viewer: Seat | None) -> Picture:
        """Draws the Reversi board."""
        return _picture_of(self._rows(), self.last, self._touched(viewer))

    def small_picture(self, viewer: Seat | None) -> Picture:
        """Draws the Reversi board without the names of its cells."""
        return _small_picture_of(self._rows(), self.last, self._touched(viewer))

    def _touched(self, viewer: Seat | None) -> Sequence[int]:
        return () if viewer is None else self.legal_moves(viewer)

    def sides(self, viewer: Seat | None) -> Sequence[Side]:
        """The colours of Reversi with their discs."""
        black, white = self.points
        return (
            Side("black", Paint.BLACK, score=black, unit="discs"),
            Side("white", Paint.WHITE, score=white, unit="discs"),
        )

    def _rows(self) -> list[str]:
        black, white = self.discs
        marks = "".join("B" if black >> cell & 1 else "W" if white >> cell & 1 else "." for cell in range(64))
        return [marks[start : start + 8] for start in range(0, 64, 8)]


def position_after(discs: tuple[int, int], next_seat: Seat, number: int, last: int | None = None) -> ReversiPosition:
    """Makes the Reversi position with `next_seat` to move; the other where that one cannot: a silent pass."""
    open_cells = moves_of(discs[next_seat], discs[1 - next_seat])
    if not open_cells:
        next_seat = 1 - next_seat
        open_cells = moves_of(discs[next_seat], discs[1 - next_seat])
    return ReversiPosition(discs, next_seat, number, open_cells, last)


# Black on 28 and 35, as the server of the text protocol's document has it.
START = position_after((1 << 28 | 1 << 35, 1 << 27 | 1 << 36), next_seat=0, number=0)


class Reversi(Game[int]):
    """The game of Reversi as such: its name, and how a move is written."""

    name = "Reversi"
    aliases = ("Othello",)
    guide = """\
A move is a cell from 0 to 63. B and W are the discs at the start:
black has 28 and 35, white 27 and 36.

   0  1  2  3  4  5  6  7
   8  9 10 11 12 13 14 15
  16 17 18 19 20 21 22 23
  24 25 26  W  B 29 30 31
  32 33 34  B  W 37 38 39
  40 41 42 43 44 45 46 47
  48 49 50 51 52 53 54 55
  56 57 58 59 60 61 62 63

move 19            black's first move, for example: it turns over 27,
                   which lies between 19 and the black disc on 35

PLAYERTOMOVE is black and begins. A move has to turn over discs of the
other colour: those in a straight line between it and a disc of yours.
A player who cannot move is not asked, so there is no move to pass.
When neither can, the game is over; more discs win.
An illegal move loses a match between text players: a cell that is
taken, one where nothing turns over, or anything but a number from 0 to
63."""
    how_to_play = (
        "Put down a disc so that it encloses discs of the other colour in a straight line, between itself and "
        "another disc of yours: across, down or diagonally. Everything that you enclose turns to your colour. "
        "Black begins.\n"
        "If you cannot enclose anything, your turn is passed over. The game is over when neither of you can, and "
        "whoever has more discs wins. Discs in the corners are never turned over again.\n"
        "Touch one of the framed cells to play there."
    )
    strategies: ClassVar[Mapping[str, Strategy]] = {
        "novice": novice,
        "club": club,
        "master": master,
        "greedy": greedy,
    }
    evaluators: ClassVar[Mapping[str, Evaluator]] = {"master": win_chance}
    exports: ClassVar[Mapping[str, Export]] = {"sgf": _write_sgf}

    def start(self, options: NoOptions) -> ReversiPosition:
        """Begins Reversi with two discs of each colour in the middle, black on 28 and 35, and black to move."""
        return START

    def read_move(self, text: str) -> int:
        """Reads a Reversi cell as Java reads a number: `9`, `09` and `+9` are the same; `9.0` and `pass` are none."""
        # int() alone would also take "1_0" and digits of other scripts, and fail on thousands of them.
        cell = int(text) if re.fullmatch(r"[+-]?[0-9]{1,99}", text) else -1
        if not 0 <= cell <= 63:
            raise IllegalMove("the move must be a cell from 0 to 63; to pass there is no move, you are not asked then")
        return cell

    def write_move(self, move: int) -> str:
        """Writes the number of a Reversi cell."""
        return str(move)

    def move_words(self, state: State[int], move: int) -> str:
        """Says a Reversi cell by the column's letter and the row's number, as players of the game do."""
        return _CELL_NAMES[move]

    def coding(self, options: NoOptions) -> StonesCoding:
        """Codes Reversi for agents that learn: the action is the cell."""
        return StonesCoding(64, (8, 8), attrgetter("discs"))

    def move_number(self, move: int) -> int:
        """The number of a Reversi move: a cell is a number already."""
        return move


def _picture_of(rows: Sequence[str], last: int | None, touched: Sequence[int] = ()) -> Picture:
    """The board with the names of its cells; a dot shows the last move. The viewer may play the `touched` cells."""
    shapes = [*_ground(_EDGE), *_names(), *_discs(rows, last, _EDGE)]
    return _picture(8 * _CELL + 2 * _EDGE, shapes, rows, touched, _EDGE)


def _small_picture_of(rows: Sequence[str], last: int | None, touched: Sequence[int] = ()) -> Picture:
    """The board without names, which nobody can read in a small picture."""
    shapes = [*_ground(_SMALL_EDGE), *_discs(rows, last, _SMALL_EDGE)]
    return _picture(8 * _CELL + 2 * _SMALL_EDGE, shapes, rows, touched, _SMALL_EDGE)


def _picture(side: float, shapes: list[Shape], rows: Sequence[str], touched: Sequence[int], edge: float) -> Picture:
    for cell in touched:
        x, y = _centre(cell, edge)
        shapes.append(Box(x - _CELL / 2, y - _CELL / 2, _CELL, _CELL, spot=_CELL_NAMES[cell]))
    touches = tuple(Touch(str(cell), (_CELL_NAMES[cell],)) for cell in touched)
    return Picture(side, side, tuple(shapes), _in_words(rows), touches)


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


def _names() -> list[Shape]:
    names: list[Shape] = []
    far = _EDGE + 8 * _CELL
    for number, letter in enumerate("abcdefgh"):
        at = _EDGE + (number + 0.5) * _CELL
        names.append(Label(at, _EDGE - 13, letter, 15, Paint.INK))
        names.append(Label(_EDGE - 13, at, str(number + 1), 15, Paint.INK))
        names.append(Label(at, far + 12, str(number), 11, Paint.FAINT))
        names.append(Label(far + 7, at, str(8 * number), 11, Paint.FAINT, Anchor.START))
    return names


def _in_words(rows: Sequence[str]) -> str:
    black, white = ("".join(rows).count(colour) for colour in "BW")
    return f"{black} black discs, {white} white. " + ". ".join(
        f"Row {row}: {' '.join(cells)}" for row, cells in enumerate(rows, start=1)
    )


GAME = Reversi()
