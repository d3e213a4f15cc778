"""Ultimate tic-tac-toe, dots and boxes, and oware as this server shows them: words, boards, pictures.

The rules are OpenSpiel's. Each class reads its text of a position, and draws it for pages and for prompts.
"""

import re
from collections.abc import Mapping
from math import cos, sin, sqrt
from typing import Any

from attrs import evolve

from games.open_spiel.grid_games import CROSS, RING
from games.open_spiel.looks import Look
from gameserver.drawing import Anchor, Box, Disc, Label, Line, Paint, Picture, Shape, Side, Touch

_PAINTS = {"X": Paint.FIRST, "O": Paint.SECOND}

# --- ultimate tic-tac-toe

_ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
_CELL, _GAP, _RIM = 36, 14, 10


class Ultimate(Look):
    """The nine boards of ultimate tic-tac-toe. The word of a board or of a cell is its number."""

    sides = (CROSS, RING)

    def word(self, live: Any, player: int, action: int) -> str:
        """OpenSpiel's action is the number of a board or of a cell."""
        return str(action)

    def prompt(self, live: Any) -> str:
        """Tells a player of ultimate tic-tac-toe whether a board or a cell is to be named."""
        board = _board_to_play(live)
        return "choose a board" if board is None else f"a cell of board {board}"

    def ending(self, live: Any) -> str:
        """The boards that won ultimate tic-tac-toe."""
        row = _row_of("".join(map(_owner, _small_boards(live))))
        return f"boards {', '.join(map(str, row))} in a row" if row else "no three boards in a row"

    def board(self, live: Any) -> str:
        """Writes the nine boards of ultimate tic-tac-toe for a prompt; a digit is the move that leads to its cell."""
        boards, here = _small_boards(live), _board_to_play(live)

        def shown(board: int, cell: int) -> str:
            owner, mark = _owner(boards[board]), boards[board][cell]
            if owner != "." or mark != "." or live.is_terminal():
                return mark if owner in ".-" else owner
            return str(board) if here is None else str(cell) if here == board else "."

        lines = []
        for row in range(9):
            cells, band = (range(3 * third, 3 * third + 3) for third in (row % 3, row // 3))
            lines += ["------+-------+------"] * (row in {3, 6})
            lines.append(" | ".join(" ".join(shown(board, cell) for cell in cells) for board in band))
        return "\n".join(lines)

    def picture(self, live: Any, words: Mapping[str, int], last_move: str, *, is_turned: bool) -> Picture:
        """Draws ultimate tic-tac-toe: the board to play on stands out, a board that is won has one large mark."""
        boards, here = _small_boards(live), _board_to_play(live)
        owners = "".join(map(_owner, boards))
        side = 9 * _CELL + 2 * _GAP + 2 * _RIM
        shapes: list[Shape] = [Box(0, 0, side, side, Paint.BOARD, rounding=8)]
        for board, cells in enumerate(boards):
            if owners[board] == "." and here in {board, None} and not live.is_terminal():
                shapes.append(_square(board, inset=-4, fill=Paint.FIELD, stroke=Paint.INK))
            shapes += _small_board(board, cells)
        shapes += [_square(board, inset=-4, stroke=Paint.WIN) for board in _row_of(owners)]
        history = live.full_history()
        if history and history[-1].player == live.current_player():
            history.pop()  # a board was chosen; the mark that was put down last is the opponent's
        if len(history) > 1:
            shapes.append(_square(history[-2].action, history[-1].action, 3, stroke=Paint.LAST))
        touches = []
        for word in words:
            spot = f"board {word}" if here is None else f"board {here}, cell {word}"
            shapes.append(_square(*((int(word),) if here is None else (here, int(word))), spot=spot))
            touches.append(Touch(word, (spot,)))
        told = (f"Board {board}: {' '.join(cells)}" for board, cells in enumerate(boards))
        return Picture(side, side, tuple(shapes), f"{'. '.join(told)}.", tuple(touches))


def _square(board: int, cell: int | None = None, inset: float = 0, **look: Any) -> Box:
    """A box within a small board or within a cell of one; with a negative inset, around it."""
    x, y = (_RIM + (3 * _CELL + _GAP) * at + inset for at in (board % 3, board // 3))
    side = 3 * _CELL - 2 * inset
    if cell is not None:
        x, y, side = x + _CELL * (cell % 3), y + _CELL * (cell // 3), _CELL - 2 * inset
    return Box(x, y, side, side, stroke_width=4, rounding=5, **look)


def _small_board(board: int, cells: str) -> list[Shape]:
    owner, whole = _owner(cells), _square(board)
    x, y, side = whole.x, whole.y, whole.width
    shapes: list[Shape] = []
    for at in (_CELL, 2 * _CELL):
        shapes += [Line(((x + at, y), (x + at, y + side))), Line(((x, y + at), (x + side, y + at)))]
    places = {_square(board, cell): mark for cell, mark in enumerate(cells)} if owner in ".-" else {whole: owner}
    for place, mark in places.items():
        if mark != ".":
            middle = place.width / 2
            shapes.append(Label(place.x + middle, place.y + middle, mark, 1.6 * middle, _PAINTS[mark], is_bold=True))
    return shapes


def _small_boards(live: Any) -> list[str]:
    """The nine boards, each as the nine characters of its cells: X, O, or a dot."""
    rows = re.findall(r"[xo.]{3}", str(live).partition("C")[0])
    return ["".join(rows[9 * (board // 3) + board % 3 :: 3][:3]).upper() for board in range(9)]


def _board_to_play(live: Any) -> int | None:
    """The board of which a cell is to be taken; None if a board is to be chosen, and at the end."""
    told = re.search(r"Forced board: (\d)", str(live))
    return int(told[1]) if told and not live.is_terminal() else None


def _row_of(cells: str) -> tuple[int, ...]:
    """The three in a row; empty if there are none."""
    return next((row for row in _ROWS if {cells[at] for at in row} in ({"X"}, {"O"})), ())


def _owner(cells: str) -> str:
    """The mark that won a board; a dash if it is nobody's, a dot if it is not decided."""
    row = _row_of(cells)
    return cells[row[0]] if row else "." if "." in cells else "-"


# --- dots and boxes

_PITCH, _MARGIN = 64, 34
_BOXES_MAX = 24
"""The most boxes across and down that are drawn: such a picture has 3,200 of the 4,000 shapes that one may have."""


class Dots(Look):
    """The lines and boxes of dots and boxes."""

    sides = (evolve(CROSS, unit="boxes"), evolve(RING, unit="boxes"))

    def word(self, live: Any, player: int, action: int) -> str:
        """The line that a move of dots and boxes draws, without the player: "P1(h,0,0)" is h,0,0."""
        return str(live.action_to_string(player, action))[3:-1]

    def scores(self, live: Any) -> tuple[int, ...]:
        """The boxes of OpenSpiel's players 0 and 1 in dots and boxes."""
        return str(live).count("1"), str(live).count("2")

    def prompt(self, live: Any) -> str:
        """Tells a player of dots and boxes to move again."""
        history = live.full_history()
        return "you closed a box: draw another line" if history and history[-1].player == live.current_player() else ""

    def board(self, live: Any) -> str:
        """Writes the dots, lines and boxes for a prompt, with the rows and columns of the dots."""
        rows = _dots_rows(live)
        columns = "".join(f"{column:<4}" for column in range(len(rows[0]) // 4 + 1))
        lines = (f"{'' if row % 2 else row // 2:<3}{text}".rstrip() for row, text in enumerate(rows))
        return "\n".join([f"   {columns}".rstrip(), *lines])

    def picture(self, live: Any, words: Mapping[str, int], last_move: str, *, is_turned: bool) -> Picture | None:
        """Draws the lines and boxes of dots and boxes; none if there are more than a page can show."""
        rows = _dots_rows(live)
        across, down = len(rows[0]) // 4, len(rows) // 2
        if max(across, down) > _BOXES_MAX:
            return None
        width, height = (2 * _MARGIN + _PITCH * boxes for boxes in (across, down))
        boxes: list[Shape] = [Box(0, 0, width, height, Paint.BOARD, rounding=8)]
        lines: list[Shape] = []
        dots: list[Shape] = []
        touches: dict[Touch, Box] = {}
        half = _PITCH / 2
        places = ((row, column, mark) for row, text in enumerate(rows) for column, mark in enumerate(text[::2]))
        for row, column, mark in places:
            x, y = _MARGIN + half * column, _MARGIN + half * row
            if row % 2 == column % 2 == 0:
                dots.append(Disc(x, y, 6, Paint.INK))
            elif row % 2 == column % 2 and mark != " ":
                boxes.append(Box(x - half, y - half, _PITCH, _PITCH, _PAINTS[mark]))
                boxes.append(Label(x, y, mark, 28, Paint.ON_DARK, is_bold=True))
            elif row % 2 != column % 2:
                way, aside, below = ("down", 0.0, half) if row % 2 else ("right", half, 0.0)
                word = f"{'v' if row % 2 else 'h'},{row // 2},{column // 2}"
                paint = Paint.LAST if word == last_move else Paint.GRID if mark == " " else Paint.INK
                lines.append(Line(((x - aside, y - below), (x + aside, y + below)), paint, 1 if mark == " " else 6))
                if word in words:
                    spot = f"{way} from row {row // 2}, column {column // 2}"
                    touches[Touch(word, (spot,))] = Box(x - half / 2, y - half / 2, half, half, spot=spot)
        edge = _MARGIN / 2 - 2
        dots += [Label(edge, _MARGIN + _PITCH * at, str(at), 15, Paint.FAINT) for at in range(down + 1)]
        dots += [Label(_MARGIN + _PITCH * at, edge, str(at), 15, Paint.FAINT) for at in range(across + 1)]
        told = ". ".join(f"Row {row}: {text[2::4].replace(' ', '-')}" for row, text in enumerate(rows[1::2]))
        shapes = (*boxes, *lines, *dots, *touches.values())
        return Picture(width, height, shapes, f"Boxes. {told}.", tuple(touches))


def _dots_rows(live: Any) -> list[str]:
    """OpenSpiel's text in ASCII: +---+ is a row of dots with a line, and | X | a box of X between two lines."""
    return re.sub("[┌┬┐├┼┤└┴┘]", "+", str(live)).translate(str.maketrans("─│╴╶12", "-|  XO")).strip("\n").split("\n")


# --- oware

_HOUSE, _STORE = 62, 54


class Oware(Look):
    """The houses of oware, which either player calls a to f from the left."""

    sides = (Side("south", Paint.FIRST, "S", unit="seeds"), Side("north", Paint.SECOND, "N", unit="seeds"))

    def word(self, live: Any, player: int, action: int) -> str:
        """The house of oware."""
        return str(live.action_to_string(player, action)).lower()

    def scores(self, live: Any) -> tuple[int, ...]:
        """The seeds that south and north have captured in oware."""
        north, south = map(int, re.findall(r"score = (\d+)", str(live)))
        return south, north

    def prompt(self, live: Any) -> str:
        """Tells a player of oware if the opponent has to be given seeds."""
        other = 1 - live.current_player()
        return (
            "" if any(_houses(live)[other]) else f"{self.sides[other].name} has no seeds: play a house that gives some"
        )

    def board(self, live: Any) -> str:
        """Writes the houses of oware for a prompt, with their letters."""
        south, north = _houses(live)
        letters = [chr(ord("a") + house) for house in range(len(south))]
        lines = ("".join(f"{each:>4}" for each in row) for row in (letters[::-1], north[::-1], south, letters))
        return "\n".join([f"{'north':>10}", *lines, f"{'south':>10}"])

    def picture(self, live: Any, words: Mapping[str, int], last_move: str, *, is_turned: bool) -> Picture:
        """Draws the houses of oware with their seeds, south's below unless it is turned, and the captured ones."""
        rows, history, mover = _houses(live), live.full_history(), live.current_player()
        count = len(rows[0])
        width, height = 2 * _STORE + count * _HOUSE, 2 * _HOUSE + 112
        shapes: list[Shape] = [Box(0, 0, width, height, Paint.BOARD, rounding=8)]
        areas, touches = [], []
        for player, (side, score, houses) in enumerate(zip(self.sides, self.scores(live), rows, strict=True)):
            is_below = player == int(is_turned)
            outwards = 1 if is_below else -1
            y = height / 2 + outwards * (_HOUSE / 2 + 2)
            for house, seeds in enumerate(houses):
                x = _STORE + _HOUSE * ((house if is_below else count - 1 - house) + 0.5)
                letter = chr(ord("a") + house)
                is_last = bool(history) and history[-1].player == player and letter == last_move
                ring = (Paint.LAST, 5) if is_last else (Paint.GRID, 1)
                shapes.append(Disc(x, y, _HOUSE / 2 - 3, Paint.OTHER_FIELD, *ring))
                shapes += _seeds(x, y, seeds)
                shapes.append(Label(x - 14, y + outwards * 46, letter, 19, Paint.FAINT))
                shapes.append(Label(x - 4, y + outwards * 46, str(seeds), 21, anchor=Anchor.START, is_bold=True))
                if player == mover and letter in words:
                    areas.append(Box(x - _HOUSE / 2, y - _HOUSE / 2, _HOUSE, _HOUSE, spot=f"house {letter}"))
                    touches.append(Touch(letter, (f"house {letter}",)))
            at = width - _STORE / 2 if is_below else _STORE / 2
            shapes.append(Label(at, height / 2 - 14, side.name, 16))
            shapes.append(Label(at, height / 2 + 12, str(score), 26, side.paint or Paint.INK, is_bold=True))
        south, north = (", ".join(map(str, row)) for row in rows)
        told = f"South from a: {south}; north from a: {north}."
        return Picture(width, height, (*shapes, *areas), told, tuple(touches))


def _houses(live: Any) -> tuple[list[int], list[int]]:
    """The seeds in the houses of south and of north, each from its house a on."""
    north, south = ([*map(int, line.split())] for line in str(live).split("\n") if re.fullmatch(r"[ \d]+", line))
    return south, north[::-1]


def _seeds(x: float, y: float, count: int) -> list[Shape]:
    """Seeds around a point in the way of a sunflower's, closer together the more there are."""
    step = min(6.5, 20 / sqrt(count)) if count else 0.0
    turns = ((step * sqrt(seed + 0.5), 2.4 * seed) for seed in range(count))
    return [Disc(x + far * cos(angle), y + far * sin(angle), 4.5, Paint.WHITE, Paint.GRID) for far, angle in turns]
