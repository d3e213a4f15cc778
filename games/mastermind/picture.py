"""Draws a Mastermind board: the code above, every guess with its answer below, and room for further guesses."""

from games.mastermind.board import Board, Turn
from games.mastermind.code import Code
from games.mastermind.configuration import Configuration
from gameserver import drawing
from gameserver.drawing import (
    VALUE_NAMES,
    VALUES,
    Anchor,
    Box,
    CodeValue,
    Disc,
    Label,
    Line,
    Paint,
    Purpose,
    Shape,
)
from gameserver.game import Picture

_PITCH, _RADIUS = 42, 17
_LEFT, _TOP = 50, 34
_ROWS_MAX = 24
"""The most rows drawn. Of more guesses, the last ones are drawn."""
_SMALL_ROWS_MAX = 6
_PEGS_MAX = 16
"""The most pegs drawn in a row. Of a longer code, the beginning is drawn."""


def small_picture_of(board: Board, secret: Code | None) -> Picture:
    """The board with its latest guesses alone."""
    return picture_of(board, secret, _SMALL_ROWS_MAX)


def picture_of(board: Board, secret: Code | None, rows_max: int = _ROWS_MAX) -> Picture:
    """The board with the secret if there is one to be shown, else with as many question marks."""
    configuration = board.configuration
    length = min(configuration.code_length, _PEGS_MAX)
    count = min(configuration.max_turns, rows_max)
    first = max(0, len(board.turns) - count)
    answer_x = _LEFT + length * _PITCH + 14
    width, height = answer_x + 178, _TOP + (count + 1) * _PITCH + 24
    shapes: list[Shape] = [Box(0, 0, width, height, Paint.BOARD, rounding=10)]
    shapes.append(Label(_LEFT - 12, _TOP, "code", 13, Paint.FAINT, Anchor.END))
    for place in range(length):
        shapes += _peg(_x(place), _TOP, None if secret is None else secret[place], is_hidden=secret is None)
    shapes.append(Line(((14, _TOP + 27), (width - 14, _TOP + 27)), Paint.GRID, 1.5))
    for row in range(count):
        y, number = _TOP + (row + 1) * _PITCH + 14, first + row
        turn = board.turns[number] if number < len(board.turns) else None
        shapes.append(Label(_LEFT - 14, y, str(number + 1), 13, Paint.FAINT, Anchor.END))
        for place in range(length):
            shapes += _peg(_x(place), y, None if turn is None else turn.guess[place])
        if turn is not None:
            shapes += _answer(answer_x, y, turn)
        if number == len(board.turns) - 1:
            around = (6, y - _PITCH / 2 + 1, width - 12, _PITCH - 2)
            shapes.append(Box(*around, None, Paint.LAST, stroke_width=4, rounding=8))
    return Picture(width, height, tuple(shapes), _in_words(board, secret))


def choices_of(configuration: Configuration, purpose: Purpose) -> drawing.Code:
    """The choices of a player who composes a code: whatever they choose, `read_code` reads the joined texts."""
    count, length = configuration.value_count, configuration.code_length
    separator = "" if count <= 10 else "-"
    # A code of a single value above 9 ends with a hyphen: there are no others that the hyphen could stand between.
    end = separator if length == 1 else ""
    values = tuple(
        CodeValue(f"{value}{end}", VALUES[value % len(VALUES)], f"{value}, {VALUE_NAMES[value % len(VALUES)]}")
        for value in configuration.value_range
    )
    return drawing.Code(length, values, separator, purpose)


def _x(place: int) -> float:
    return _LEFT + place * _PITCH + _RADIUS


def _peg(x: float, y: float, value: int | None, *, is_hidden: bool = False) -> list[Shape]:
    """A peg with its number; a question mark for one that is hidden, a small hole where there is none."""
    if is_hidden:
        return [Disc(x, y, _RADIUS, Paint.FIELD, Paint.GRID), Label(x, y, "?", 17, Paint.FAINT, is_bold=True)]
    if value is None:
        return [Disc(x, y, 4, Paint.GRID)]
    paint = VALUES[value % len(VALUES)]
    text = str(value)
    return [Disc(x, y, _RADIUS, paint, Paint.GRID), Label(x, y, text, 17 - 2 * len(text), Paint.ON_LIGHT, is_bold=True)]


def _answer(x: float, y: float, turn: Turn) -> list[Shape]:
    """Full dots for exact places and rings for partial ones, with the numbers beside them."""
    exact, partial = turn.feedback.exact, turn.feedback.partial
    return [
        Disc(x + 10, y, 7, Paint.INK),
        Label(x + 24, y, f"{exact} exact", 13, Paint.INK, Anchor.START),
        Disc(x + 100, y, 6, stroke=Paint.INK, stroke_width=2),
        Label(x + 114, y, f"{partial} part", 13, Paint.INK, Anchor.START),
    ]


def _in_words(board: Board, secret: Code | None) -> str:
    told = ["The code is hidden" if secret is None else f"The code is {' '.join(map(str, secret))}"]
    for number, turn in enumerate(board.turns, start=1):
        told.append(f"guess {number}: {' '.join(map(str, turn.guess))}, {turn.feedback.text}")
    return ". ".join(told)
