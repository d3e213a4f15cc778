"""Ultimate tic-tac-toe, dots and boxes, and oware as this server shows them: words, boards, pictures, guides.

The rules are OpenSpiel's. Of each game, functions read its text of a position, and draw it for pages and for prompts.
"""

import re
from collections.abc import Mapping, Sequence
from math import cos, sin, sqrt
from typing import Any

from gameserver.drawing import Anchor, Box, Disc, Label, Line, Paint, Picture, Shape, Touch

MARKS = "XO"
"""The marks of seat 0 and seat 1 in the games of crosses and rings, and of boxes."""
_PAINTS = (Paint.FIRST, Paint.SECOND)


def _to_move(live: Any, names: Sequence[str]) -> str:
    return "the game is over" if live.is_terminal() else f"{names[live.current_player()]} is to move"


def _tally(scores: tuple[int, int], unit: str) -> str:
    first, second = sorted(scores, reverse=True)
    return f"{first} {unit} to {second}" if first > second else f"{first} {unit} each"


# --- ultimate tic-tac-toe

ULTIMATE_GUIDE = """\
Nine boards of nine cells. Boards and cells are numbered alike:

0 1 2
3 4 5
6 7 8

move 4             the middle cell, or the middle board to choose it

PLAYERTOMOVE is X and begins. The cell you take says on which board
your opponent plays: after cell 2 of any board, it is board 2. At the
start, and if that board is won or full, the player first chooses a
board, by a move of its own in the same turn. TURNMESSAGE says what is
asked for: "choose a board" or "a cell of board 2".
Three cells in a row win a board, three boards in a row win the game. A
full board without a row is nobody's. When all boards are won or full
and nobody has three in a row, it is a draw.
An illegal move loses a match between text players: a cell that is
taken, a board that is won or full, or anything but a digit, 0 to 8."""

ULTIMATE_HOW_TO_PLAY = (
    "Nine small boards make up a large one. Three of your marks in a row win a small board: across, down or "
    "diagonally. Three small boards in a row win the game. X begins.\n"
    "The cell that you take says where your opponent plays next: if it is the top right cell of its board, then on the "
    "top right board. The board to play on is highlighted. If that board is won or full, the player chooses any other "
    "board, and so does X at the start.\n"
    "A board that is full without a row is nobody's. If all boards are won or full, and nobody has three in a row, the "
    "game is a draw.\n"
    "Touch a cell of the highlighted board to take it. If several boards are highlighted, touch one of them first, and "
    "then a cell of it."
)

_ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
_CELL, _GAP, _RIM = 36, 14, 10


def ultimate_word(live: Any, player: int, action: int) -> str:
    """The number of a board or of a cell of ultimate tic-tac-toe; OpenSpiel's action is that number."""
    return str(action)


def ultimate_prompt(live: Any) -> str:
    """Tells a player of ultimate tic-tac-toe whether a board or a cell is to be named."""
    if live.is_terminal():
        return ""
    board = _board_to_play(live)
    return "choose a board" if board is None else f"a cell of board {board}"


def ultimate_ending(live: Any) -> str:
    """The boards that won ultimate tic-tac-toe."""
    row = _row_of("".join(map(_owner, _small_boards(live))))
    return f"boards {', '.join(map(str, row))} in a row" if row else "no three boards in a row"


def ultimate_board(live: Any) -> str:
    """Writes the nine boards of ultimate tic-tac-toe for a prompt; a digit is the move that leads to its cell."""
    boards, here = _small_boards(live), _board_to_play(live)

    def shown(board: int, cell: int) -> str:
        owner, mark = _owner(boards[board]), boards[board][cell]
        if owner != "." or mark != "." or live.is_terminal():
            return (mark if owner in ".-" else owner).upper()
        return str(board) if here is None else str(cell) if here == board else "."

    lines = []
    for row in range(9):
        cells, band = (range(3 * third, 3 * third + 3) for third in (row % 3, row // 3))
        lines += ["------+-------+------"] * (row in {3, 6})
        lines.append(" | ".join(" ".join(shown(board, cell) for cell in cells) for board in band))
    return "\n".join([*lines, f"{_to_move(live, MARKS)}: {ultimate_prompt(live) or ultimate_ending(live)}"])


def ultimate_picture(live: Any, words: Mapping[str, int], last_move: str) -> Picture:
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
    told = (f"Board {board}: {' '.join(cells).upper()}" for board, cells in enumerate(boards))
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
            paint = _PAINTS[MARKS.index(mark.upper())]
            shapes.append(Label(place.x + middle, place.y + middle, mark.upper(), 1.6 * middle, paint, is_bold=True))
    return shapes


def _small_boards(live: Any) -> list[str]:
    """The nine boards, each as the nine characters of its cells: x, o, or a dot."""
    rows = [line.replace(" ", "") for line in str(live).split("\n") if line][:9]
    return ["".join(rows[3 * (board // 3) + row][3 * (board % 3) :][:3] for row in range(3)) for board in range(9)]


def _board_to_play(live: Any) -> int | None:
    """The board of which a cell is to be taken; None if a board is to be chosen, and at the end."""
    told = re.search(r"Forced board: (\d)", str(live))
    return int(told[1]) if told and not live.is_terminal() else None


def _row_of(cells: str) -> tuple[int, ...]:
    """The three in a row; empty if there are none."""
    return next((row for row in _ROWS if {cells[at] for at in row} in ({"x"}, {"o"})), ())


def _owner(cells: str) -> str:
    """The mark that won a board; a dash if it is nobody's, a dot if it is not decided."""
    row = _row_of(cells)
    return cells[row[0]] if row else "." if "." in cells else "-"


# --- dots and boxes

DOTS_GUIDE = """\
A move draws a line between two dots beside each other. It is named by
its direction, and by the row and column of its left or upper dot:

move h,0,1         from the dot of row 0 and column 1 to the right
move v,2,4         from the dot of row 2 and column 4 down

   0   1   2   3   4
0  +   +---+   +   +   h,0,1 is drawn
                       rows of h are 0 to 4, columns 0 to 3
1  +   +   +   +   +
                       rows of v are 0 to 3, columns 0 to 4
2  +   +   +   +   +
                   |   v,2,4 is drawn
3  +   +   +   +   +

4  +   +   +   +   +

PLAYERTOMOVE is X and begins. The fourth line around a box makes it
yours, and you move again in the same turn, as often as you close one.
When all 40 lines are drawn, more boxes win; 8 each are a draw.
An illegal move loses a match between text players: a line that is
drawn already, or another spelling, such as h01 or P1(h,0,1)."""

DOTS_HOW_TO_PLAY = (
    "Draw a line between two dots beside each other, across or down. Whoever draws the fourth line around a box gets "
    "it, with a mark in it, and has to draw another line. X begins.\n"
    "It does not matter who drew the other three lines: avoid to draw the third line of a box.\n"
    "The game is over when all lines are drawn. More boxes win; the same number is a draw.\n"
    "Touch the gap between two dots to draw a line there."
)

_PITCH, _MARGIN = 64, 34
_DOTS_AREA_MAX = 2_500_000
"""The area of 600 boxes. Their picture has 3,300 of the 4,000 shapes that one may have."""
_DOTS_ASCII = str.maketrans("─│╴╶12", f"-|  {MARKS}")


def dots_word(live: Any, player: int, action: int) -> str:
    """The line that a move of dots and boxes draws, without the player: "P1(h,0,0)" is h,0,0."""
    return str(live.action_to_string(player, action))[3:-1]


def dots_scores(live: Any) -> tuple[int, int]:
    """The boxes of OpenSpiel's players 0 and 1 in dots and boxes."""
    return str(live).count("1"), str(live).count("2")


def dots_prompt(live: Any) -> str:
    """Tells a player of dots and boxes to move again."""
    history = live.full_history()
    return "you closed a box: draw another line" if history and history[-1].player == live.current_player() else ""


def dots_ending(live: Any) -> str:
    """The boxes of either player at the end of dots and boxes."""
    return _tally(dots_scores(live), "boxes")


def dots_board(live: Any) -> str:
    """Writes the dots, lines and boxes for a prompt, with the rows and columns of the dots."""
    rows = _dots_rows(live)
    columns = "".join(f"{column:<4}" for column in range(len(rows[0]) // 4 + 1))
    lines = (f"{'' if row % 2 else row // 2:<3}{text}".rstrip() for row, text in enumerate(rows))
    score = ", ".join(f"{mark} {count}" for mark, count in zip(MARKS, dots_scores(live), strict=True))
    return "\n".join([f"   {columns}".rstrip(), *lines, f"boxes: {score}; {_to_move(live, MARKS)}"])


def dots_picture(live: Any, words: Mapping[str, int], last_move: str) -> Picture | None:
    """Draws the lines and boxes of dots and boxes; none if there are more than a page can show."""
    rows = _dots_rows(live)
    width, height = (2 * _MARGIN + _PITCH * boxes for boxes in (len(rows[0]) // 4, len(rows) // 2))
    if width * height > _DOTS_AREA_MAX:
        return None
    shapes: list[Shape] = [Box(0, 0, width, height, Paint.BOARD, rounding=8)]
    lines: list[Shape] = []
    dots: list[Shape] = []
    touches: dict[Touch, Box] = {}
    half = _PITCH / 2
    places = ((row, column, mark) for row, text in enumerate(rows) for column, mark in enumerate(text[::2]))
    for row, column, mark in places:
        x, y, name = _MARGIN + half * column, _MARGIN + half * row, f"{row // 2},{column // 2}"
        if row % 2 == column % 2 == 0:
            dots.append(Disc(x, y, 6, Paint.INK))
        elif row % 2 == column % 2 and mark != " ":
            shapes.append(Box(x - half, y - half, _PITCH, _PITCH, _PAINTS[MARKS.index(mark)]))
            shapes.append(Label(x, y, mark, 28, Paint.ON_DARK, is_bold=True))
        elif row % 2 != column % 2:
            word, way, aside, down = (f"v,{name}", "down", 0.0, half) if row % 2 else (f"h,{name}", "right", half, 0.0)
            paint = Paint.LAST if word == last_move else Paint.GRID if mark == " " else Paint.INK
            lines.append(Line(((x - aside, y - down), (x + aside, y + down)), paint, 1 if mark == " " else 6))
            if word in words:
                spot = f"{way} from row {row // 2}, column {column // 2}"
                touches[Touch(word, (spot,))] = Box(x - half / 2, y - half / 2, half, half, spot=spot)
    aside, first = _MARGIN / 2 - 2, _MARGIN
    dots += [Label(aside, first + _PITCH * row, str(row), 15, Paint.FAINT) for row in range(len(rows) // 2 + 1)]
    dots += [Label(first + _PITCH * at, aside, str(at), 15, Paint.FAINT) for at in range(len(rows[0]) // 4 + 1)]
    told = (f"Row {row}: {text[2::4].replace(' ', '-')}" for row, text in enumerate(rows[1::2]))
    return Picture(
        width, height, (*shapes, *lines, *dots, *touches.values()), f"Boxes. {'. '.join(told)}.", tuple(touches)
    )


def _dots_rows(live: Any) -> list[str]:
    """OpenSpiel's text in ASCII: +---+ is a row of dots with a line, and | X | a box of X between two lines."""
    return re.sub("[┌┬┐├┼┤└┴┘]", "+", str(live)).translate(_DOTS_ASCII).strip("\n").split("\n")


# --- oware

OWARE_GUIDE = """\
A move is the house that you sow, a to f, counted from your own left:

   f  e  d  c  b  a      north's houses
   4  4  4  4  4  4
   4  4  4  4  4  4
   a  b  c  d  e  f      south's houses

move c             the third house from your left, for example

PLAYERTOMOVE is south and begins. The seeds of the house go one by one
into the houses that follow, counter-clockwise, but none back into it.
If the last one makes two or three seeds in a house of the opponent's,
you capture them; then those of the house before, if it is the
opponent's and has two or three, too, and so on. But a capture of all
the seeds that the opponent has is none: they stay.
If the opponent has no seeds, you have to play a house that gives some.
The game is over when a player has 25 seeds, when a position comes for
the second time, and when the player to move has no move. Everybody
then adds the seeds that lie on the own side; more seeds win, 24 each
are a draw. So are 1,000 moves without an end.
An illegal move loses a match between text players: an empty house, or
anything but a letter from a to f."""

OWARE_HOW_TO_PLAY = (
    "Take all the seeds of one of your houses and drop them one by one into the houses that follow, counter-clockwise, "
    "your own and your opponent's. A house with twelve or more seeds is itself left out. Your houses are the lower "
    "row. South begins.\n"
    "If your last seed makes two or three in a house of your opponent's, you capture them, and then those of the house "
    "before it, as long as that one is your opponent's and holds two or three, too. If that took everything your "
    "opponent has, you capture nothing.\n"
    "An opponent without seeds has to be given some: then only such houses can be played.\n"
    "Whoever has 25 of the 48 seeds wins. The game is also over if the same position comes again or a player cannot "
    "move; then everybody adds the seeds of the own row. 24 each are a draw.\n"
    "Touch one of your houses to sow its seeds."
)

OWARE_SIDES = ("south", "north")
_HOUSE, _STORE = 62, 54


def oware_word(live: Any, player: int, action: int) -> str:
    """The house of oware, a to f, as either player counts them from the left."""
    return str(live.action_to_string(player, action)).lower()


def oware_scores(live: Any) -> tuple[int, int]:
    """The seeds that south and north have captured in oware."""
    north, south = map(int, re.findall(r"score = (\d+)", str(live)))
    return south, north


def oware_prompt(live: Any) -> str:
    """Tells a player of oware if the opponent has to be given seeds."""
    if live.is_terminal() or any(_houses(live)[1 - live.current_player()]):
        return ""
    return f"{OWARE_SIDES[1 - live.current_player()]} has no seeds: play a house that gives some"


def oware_ending(live: Any) -> str:
    """The seeds of either player at the end of oware."""
    return _tally(oware_scores(live), "seeds")


def oware_board(live: Any) -> str:
    """Writes the houses of oware for a prompt, with their letters and the captured seeds."""
    south, north = _houses(live)
    letters = [chr(ord("a") + house) for house in range(len(south))]
    rows = (letters[::-1], north[::-1], south, letters)
    score = ", ".join(f"{side} {count}" for side, count in zip(OWARE_SIDES, oware_scores(live), strict=True))
    lines = ("".join(f"{each:>4}" for each in row) for row in rows)
    return "\n".join([f"{'north':>10}", *lines, f"{'south':>10}", f"captured: {score}; {_to_move(live, OWARE_SIDES)}"])


def oware_picture(live: Any, words: Mapping[str, int], last_move: str, *, is_turned: bool = False) -> Picture:
    """Draws the houses of oware with their seeds, south's below unless it is turned, and what either has captured."""
    rows, history, mover = _houses(live), live.full_history(), live.current_player()
    count = len(rows[0])
    width, height = 2 * _STORE + count * _HOUSE, 2 * _HOUSE + 112
    shapes: list[Shape] = [Box(0, 0, width, height, Paint.BOARD, rounding=8)]
    areas, touches = [], []
    for side, houses in enumerate(rows):
        is_below = side == int(is_turned)
        outwards = 1 if is_below else -1
        y = height / 2 + outwards * (_HOUSE / 2 + 2)
        for house, seeds in enumerate(houses):
            x = _STORE + _HOUSE * ((house if is_below else count - 1 - house) + 0.5)
            letter = chr(ord("a") + house)
            is_last = bool(history) and history[-1].player == side and letter == last_move
            ring = (Paint.LAST, 5) if is_last else (Paint.GRID, 1)
            shapes.append(Disc(x, y, _HOUSE / 2 - 3, Paint.OTHER_FIELD, *ring))
            shapes += _seeds(x, y, seeds)
            shapes.append(Label(x - 14, y + outwards * 46, letter, 19, Paint.FAINT))
            shapes.append(Label(x - 4, y + outwards * 46, str(seeds), 21, anchor=Anchor.START, is_bold=True))
            if side == mover and letter in words:
                areas.append(Box(x - _HOUSE / 2, y - _HOUSE / 2, _HOUSE, _HOUSE, spot=f"house {letter}"))
                touches.append(Touch(letter, (f"house {letter}",)))
        at = width - _STORE / 2 if is_below else _STORE / 2
        shapes.append(Label(at, height / 2 - 14, OWARE_SIDES[side], 16))
        shapes.append(Label(at, height / 2 + 12, str(oware_scores(live)[side]), 26, _PAINTS[side], is_bold=True))
    told = (f"{name} from a: {', '.join(map(str, row))}" for name, row in zip(("South", "north"), rows, strict=True))
    return Picture(width, height, (*shapes, *areas), f"{'; '.join(told)}.", tuple(touches))


def _houses(live: Any) -> tuple[list[int], list[int]]:
    """The seeds in the houses of south and of north, each from its house a on."""
    north, south = ([*map(int, line.split())] for line in str(live).split("\n") if re.fullmatch(r"[ \d]+", line))
    return south, north[::-1]


def _seeds(x: float, y: float, count: int) -> list[Shape]:
    """Seeds around a point in the way of a sunflower's, closer together the more there are."""
    step = min(6.5, 20 / sqrt(count)) if count else 0.0
    turns = ((step * sqrt(seed + 0.5), 2.4 * seed) for seed in range(count))
    return [Disc(x + far * cos(angle), y + far * sin(angle), 4.5, Paint.WHITE, Paint.GRID) for far, angle in turns]
