"""Tic-tac-toe: the shortest complete game, meant to be copied.

To write a game of your own:

1. Copy this file and change the rules. A position is a frozen value: `play` returns a new one.
2. Export the game as `GAME`. A file in this package is found by that name; a package of your own
   names it as an entry point (see `examples/pig`).
3. Run `gameserver.testing.check_game(GAME)` in a test. It says what is wrong, and how to mend it.

The server brings everything else: players, clocks, protocols, tournaments, records.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import ClassVar

from attrs import field, frozen

from games.tic_tac_toe_players import club, master, novice, perfect, win_chance
from gameserver.drawing import Paint, Picture, Side, grid_picture
from gameserver.game import Coding, Evaluator, Game, IllegalMove, NoOptions, Outcome, Seat, State, Strategy, Turn

MARKS = "XO"
"""The mark of seat 0, who begins, and of seat 1."""

SIDES = (Side("X", Paint.FIRST, "X"), Side("O", Paint.SECOND, "O"))
"""The marks as pages show them: in the colours that `grid_picture` draws them in."""

FREE = "."
INTEGER = re.compile(r"[+-]?[0-9]{1,99}")
LINES: Mapping[tuple[int, ...], str] = {
    (0, 1, 2): "in the top row",
    (3, 4, 5): "in the middle row",
    (6, 7, 8): "in the bottom row",
    (0, 3, 6): "in the left column",
    (1, 4, 7): "in the middle column",
    (2, 5, 8): "in the right column",
    (0, 4, 8): "from the top left to the bottom right",
    (2, 4, 6): "from the top right to the bottom left",
}

CELL_NAMES = {
    (row, column): "middle" if row == column == 1 else f"{level} {side}"
    for row, level in enumerate(("top", "middle", "bottom"))
    for column, side in enumerate(("left", "middle", "right"))
}
"""The cells as people call them, by row and column."""


@frozen
class Position(State[int]):
    """One position of Tic-tac-toe. A move is a cell from 0 to 8, row by row from the top left."""

    cells: str = FREE * 9
    """The content of each cell. A string is immutable, so the position is a value to the core."""

    last: int | None = field(default=None, eq=False)
    """The cell of the last move, for the picture. It is no part of the position, so it does not count in `==`."""

    @property
    def turn(self) -> Turn:
        """The turn of Tic-tac-toe: X and O alternate. At the end nobody is to act, so the seats are empty."""
        return turn_of(self.cells)

    def legal_moves(self, seat: Seat) -> Sequence[int]:
        """Lists the free cells of Tic-tac-toe; none for a seat that is not to act: the question is always valid."""
        if seat not in self.turn.seats:
            return ()
        return tuple(cell for cell, mark in enumerate(self.cells) if mark == FREE)

    def play(self, seat: Seat, move: int) -> "Position":
        """Puts the seat's mark into a cell of Tic-tac-toe."""
        # A refusal is read by a student with a bug to find: it names the rule and what would do.
        if self.outcome:
            raise IllegalMove("the game is over, no move can follow")
        if seat not in self.turn.seats:
            raise IllegalMove(f"it is not your turn, {MARKS[1 - seat]} is to move")
        if self.cells[move] != FREE:
            raise IllegalMove(f"cell {move} is taken, play a free one")
        return Position(self.cells[:move] + MARKS[seat] + self.cells[move + 1 :], last=move)

    @property
    def outcome(self) -> Outcome | None:
        """Ends Tic-tac-toe by three in a row; a full board without them is a draw, which nobody wins."""
        return outcome_of(self.cells)

    @property
    def ending(self) -> str:
        """Names the line of Tic-tac-toe that won, for people to read. This is optional."""
        line = line_of(self.cells)
        if line:
            return f"three {LINES[line]}"
        return "the board is full" if self.outcome else ""

    def resigned(self, seat: Seat) -> Outcome:
        """Ends Tic-tac-toe for a player who resigns as if the line had been made."""
        return won_by(1 - seat)

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        """Shows the whole Tic-tac-toe board: nothing is hidden in this game, whoever looks."""
        return {"cells": list(self.cells)}

    def board(self, viewer: Seat | None) -> str:
        """Writes the Tic-tac-toe board; a free cell shows its number, which is the move that takes it."""
        shown = [str(cell) if mark == FREE else mark for cell, mark in enumerate(self.cells)]
        rows = (" | ".join(shown[start : start + 3]) for start in (0, 3, 6))
        return "\n--+---+--\n".join(rows)

    def picture(self, viewer: Seat | None) -> Picture:
        """Draws the Tic-tac-toe board. This is optional: without it, pages show `board`.

        The seat that is to act can play by touching a cell: `moves` are the cells with the move that each makes.
        """
        rows = [self.cells[start : start + 3] for start in (0, 3, 6)]
        winning = [divmod(cell, 3) for cell in line_of(self.cells)]
        last = [] if self.last is None else [divmod(self.last, 3)]
        moves = {} if viewer is None else {divmod(cell, 3): str(cell) for cell in self.legal_moves(viewer)}
        words = f"Board: {', '.join(rows)}"
        return grid_picture(rows, words, winning=winning, last=last, moves=moves, names=CELL_NAMES)

    def sides(self, viewer: Seat | None) -> Sequence[Side]:
        """The marks of Tic-tac-toe, for pages to show beside the names. This is optional, too."""
        return SIDES


# There are 5478 boards, and each is asked about several times for a move, here and by the server: answers are kept.


@cache
def line_of(cells: str) -> tuple[int, ...]:
    """The cells of the Tic-tac-toe line that won; none while there is no such line."""
    for line in LINES:
        first, second, third = line
        if cells[first] == cells[second] == cells[third] != FREE:
            return line
    return ()


@cache
def outcome_of(cells: str) -> Outcome | None:
    """Tells how a Tic-tac-toe board ends the game; None while it goes on."""
    line = line_of(cells)
    if line:
        return won_by(MARKS.index(cells[line[0]]))
    return None if FREE in cells else Outcome(points=(0, 0), winners=())


@cache
def turn_of(cells: str) -> Turn:
    """The number of the turn at Tic-tac-toe: as many moves have been played as there are marks."""
    moves_played = 9 - cells.count(FREE)
    return Turn(moves_played, () if outcome_of(cells) else (moves_played % 2,))


def won_by(seat: Seat) -> Outcome:
    """Makes the outcome of a Tic-tac-toe win: 1 point, which costs the other seat 1."""
    return Outcome(points=(1, -1) if seat == 0 else (-1, 1), winners=(seat,))


class _Coding(Coding[int]):
    """Tic-tac-toe in numbers, for agents that learn. This is optional, as pictures are.

    The action is the cell. An observation is three boards of 0 and 1: the seat's own marks, the other's, and 1 in
    every cell if it is the seat's turn.
    """

    actions = 9
    shape = (3, 3, 3)

    def number(self, state: State[int], seat: Seat, move: int) -> int:
        return move

    def observation(self, state: State[int], seat: Seat) -> Sequence[float]:
        assert isinstance(state, Position), "a position of this game"
        own, other = ([mark == MARKS[side] for mark in state.cells] for side in (seat, 1 - seat))
        return *own, *other, *(9 * [seat in state.turn.seats])


class TicTacToe(Game[int]):
    """The game of Tic-tac-toe as such: its name, and how a move is written."""

    name = "Tic-tac-toe"
    aliases = ("Noughts and crosses", "Three in a row")
    guide = """\
A move is a cell from 0 to 8:

  0 | 1 | 2
  --+---+--
  3 | 4 | 5
  --+---+--
  6 | 7 | 8

move 4             takes the middle

PLAYERTOMOVE is X and begins. Three in a row win, in any direction; a
full board without them is a draw.
An illegal move loses a match between text players: a cell that is
taken, or anything but a number from 0 to 8."""
    how_to_play = (
        "X and O take turns, and X begins. Three of your marks in a row win: across, down or diagonally. If the "
        "board is full before that, it is a draw.\n"
        "Touch a free cell to put your mark there."
    )
    strategies: ClassVar[Mapping[str, Strategy]] = {  # `house-novice` and so on; see games/tic_tac_toe_players.py
        "novice": novice,
        "club": club,
        "master": master,
        "perfect": perfect,
    }
    evaluators: ClassVar[Mapping[str, Evaluator]] = {"perfect": win_chance}  # this is optional, too

    def start(self, options: NoOptions) -> Position:
        """Begins Tic-tac-toe with the empty board."""
        return Position()

    def read_move(self, text: str) -> int:
        """Reads a Tic-tac-toe cell as Java reads a number: `4`, `04` and `+4` are the same; `4.0` and ` 4` are none."""
        # int() alone would also take "1_0" and digits of other scripts, and fail on thousands of them.
        cell = int(text) if INTEGER.fullmatch(text) else -1
        if not 0 <= cell <= 8:
            raise IllegalMove("the move must be a cell from 0 to 8")
        return cell

    def write_move(self, move: int) -> str:
        """Writes the number of a Tic-tac-toe cell."""
        return str(move)

    def move_words(self, state: State[int], move: int) -> str:
        """Says a Tic-tac-toe cell as people call it, for pages. This is optional, too."""
        return CELL_NAMES[divmod(move, 3)]

    def coding(self, options: NoOptions) -> Coding[int]:
        """Codes Tic-tac-toe for agents that learn. This is optional, too."""
        return _Coding()

    def move_number(self, move: int) -> int:
        """The number of a Tic-tac-toe move: a cell is a number already."""
        return move


GAME = TicTacToe()
