"""The board as rich draws it: pure, from what is to be seen to something that a console prints.

There are two layouts: a table with coloured pegs, and, where the terminal is too narrow for it,
bare letters. Where the terminal cannot show shapes, letters stand alone. Exact matches are marked
`X` and partial ones `O`, as in the original game, before the places that got neither.
"""

from attrs import frozen
from rich import box
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from games.mastermind import Board, Code, Feedback
from games.mastermind.terminal.palette import Colour, Palette

EXACT, PARTIAL, NEITHER = "X", "O", "."
FRAME_WIDTH = 16
"""The width of the table beside pegs and marks: the number of the turn, borders and blanks."""
PEG_WIDTH = 4


@frozen
class Canvas:
    """The abilities of a terminal."""

    width: int
    has_shapes: bool
    palette: Palette

    def is_wide_for(self, board: Board) -> bool:
        """True if the table fits."""
        return self.width >= FRAME_WIDTH + (PEG_WIDTH + 2) * board.configuration.code_length

    def peg(self, colour: Colour) -> Text:
        """One place of a code."""
        shown = f" {colour.shape}{colour.letter} " if self.has_shapes else f" {colour.letter}  "
        return Text(shown, style=colour.style)

    def code(self, code: Code) -> Text:
        """A code as pegs."""
        return Text(" ").join(self.peg(self.palette.colours[value]) for value in code)

    def letters(self, code: Code) -> str:
        """A code as letters, which is as it can be typed."""
        return " ".join(self.palette.colours[value].letter for value in code)


def marks(feedback: Feedback, code_length: int) -> str:
    """The answer to a guess, a mark for each place, in no relation to the places."""
    return (EXACT * feedback.exact + PARTIAL * feedback.partial).ljust(code_length, NEITHER)


def draw_board(board: Board, canvas: Canvas, *, with_secret: bool) -> RenderableType:
    """All turns, first to last, and the secret or as many question marks."""
    secret = board.secret_code if with_secret else None
    if canvas.is_wide_for(board):
        return _table(board, canvas, secret)
    return _lines(board, canvas, secret)


def _table(board: Board, canvas: Canvas, secret: Code | None) -> Table:
    length = board.configuration.code_length
    table = Table(box=box.ROUNDED if canvas.has_shapes else box.ASCII, title="Mastermind")
    table.add_column("turn", justify="right")
    table.add_column("code", no_wrap=True)
    table.add_column("answer", no_wrap=True)
    hidden = Text(" ").join(Text(" ?  ", style="reverse") for _ in range(length))
    table.add_row("", hidden if secret is None else canvas.code(secret), "", end_section=True)
    for number, turn in enumerate(board.turns, start=1):
        table.add_row(str(number), canvas.code(turn.guess), Text(marks(turn.feedback, length), style="bold"))
    return table


def _lines(board: Board, canvas: Canvas, secret: Code | None) -> Group:
    length = board.configuration.code_length
    shown = " ".join("?" * length) if secret is None else canvas.letters(secret)
    lines = [f"   {shown}"]
    for number, turn in enumerate(board.turns, start=1):
        lines.append(f"{number:2} {canvas.letters(turn.guess)} {marks(turn.feedback, length)}")
    return Group(*(Text(line) for line in lines))


def draw_key(canvas: Canvas) -> RenderableType:
    """The key: the input for each colour, and the meaning of the marks."""
    colours = [
        Text.assemble(canvas.peg(colour), f" {value} {colour.name}")
        for value, colour in enumerate(canvas.palette.colours)
    ]
    told = f"{EXACT} right colour, right place   {PARTIAL} right colour, other place   {NEITHER} neither"
    return Group(Columns(colours, padding=(0, 2)), Text(told))
