"""Mastermind at a terminal, `gameserver play mastermind`: the command, the dialogue, and the board as rich draws it."""

import difflib
import random
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import click
from attrs import define, frozen
from rich import box
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from games.mastermind import (
    BREAKERS,
    Board,
    Code,
    CodeError,
    ComputerPlayer,
    Configuration,
    Feedback,
    GameEngine,
    GameIO,
    HumanPlayer,
    Player,
    Turn,
    Winner,
    check_code,
    possible_codes,
)
from games.mastermind.solver import LISTED_CODES_MAX, most_parts
from gameserver.game import Choose

# As many colours as digits, so that each can be typed as one.
COLOUR_COUNT_MAX = 10


@frozen
class _Colour:
    """The look of a Mastermind value. It has a letter and a shape too, so that colour is never the only cue.

    The style is rich's; the letter is unlike any other, black's being K as in print.
    """

    name: str
    letter: str
    shape: str
    style: str


@frozen
class _Palette:
    """Colours by value."""

    name: str
    colours: Sequence[_Colour]

    def first(self, count: int) -> "_Palette":
        """The palette of a game with so many values."""
        return _Palette(self.name, self.colours[:count])


_RED = _Colour("red", "R", "●", "bold #ffffff on #c00000")
_BLUE = _Colour("blue", "B", "■", "bold #ffffff on #0050d0")
_GREEN = _Colour("green", "G", "▲", "bold #ffffff on #007a33")
_YELLOW = _Colour("yellow", "Y", "◆", "bold #000000 on #ffe000")
_ORANGE = _Colour("orange", "O", "★", "bold #000000 on #ff8c00")
_BLACK = _Colour("black", "K", "▼", "bold #ffffff on #000000")
_WHITE = _Colour("white", "W", "◇", "bold #000000 on #ffffff")
_MAGENTA = _Colour("magenta", "M", "♥", "bold #ffffff on #b000b0")
_CYAN = _Colour("cyan", "C", "♣", "bold #000000 on #30c8e0")
_BROWN = _Colour("brown", "N", "♠", "bold #ffffff on #70400f")

# The design document names the first six of each palette; a game with more values goes on with the other four.
CLASSIC = _Palette("classic", (_RED, _BLUE, _GREEN, _YELLOW, _ORANGE, _BLACK, _WHITE, _MAGENTA, _CYAN, _BROWN))

# The design's palette for people who cannot tell red from green. Blue, orange, yellow and magenta have the hues of
# Okabe and Ito, which differ in brightness as well.
COLOUR_BLIND = _Palette(
    "colour-blind",
    (
        _Colour("blue", "B", "■", "bold #ffffff on #0072b2"),
        _Colour("orange", "O", "★", "bold #000000 on #e69f00"),
        _Colour("yellow", "Y", "◆", "bold #000000 on #f0e442"),
        _BLACK,
        _WHITE,
        _Colour("magenta", "M", "♥", "bold #000000 on #cc79a7"),
        _Colour("cyan", "C", "♣", "bold #000000 on #56b4e9"),
        _Colour("green", "G", "▲", "bold #ffffff on #009e73"),
        _Colour("red", "R", "●", "bold #ffffff on #d55e00"),
        _BROWN,
    ),
)

PALETTES: Mapping[str, _Palette] = {palette.name: palette for palette in (CLASSIC, COLOUR_BLIND)}

_FRAME_WIDTH = 16
"""The width of the table beside pegs and marks: the number of the turn, borders and blanks."""
_PEG_WIDTH = 4


@frozen
class Canvas:
    """The abilities of a terminal that shows Mastermind."""

    width: int
    has_shapes: bool
    palette: _Palette

    def is_wide_for(self, board: Board) -> bool:
        """True if the terminal is wide enough for the Mastermind table."""
        return self.width >= _FRAME_WIDTH + (_PEG_WIDTH + 2) * board.configuration.code_length

    def peg(self, colour: _Colour) -> Text:
        """Draws one place of a Mastermind code."""
        shown = f" {colour.shape}{colour.letter} " if self.has_shapes else f" {colour.letter}  "
        return Text(shown, style=colour.style)

    def code(self, code: Code) -> Text:
        """Draws a Mastermind code as pegs."""
        return Text(" ").join(self.peg(self.palette.colours[value]) for value in code)

    def letters(self, code: Code) -> str:
        """Writes a Mastermind code as letters, which is as it can be typed."""
        return " ".join(self.palette.colours[value].letter for value in code)


HUMAN, COMPUTER = "human", "computer"
_WHO = click.Choice([HUMAN, COMPUTER])


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--maker", type=_WHO, help="Who makes the code.  [default: ask]")
@click.option("--breaker", type=_WHO, help="Who breaks the code.  [default: ask]")
@click.option("--strategy", type=click.Choice(list(BREAKERS)), default="most-parts", help="How the computer guesses.")
@click.option("--palette", type=click.Choice(list(PALETTES)), default="classic", help="Which colours there are.")
@click.option("--length", type=click.IntRange(1, 12), default=4, help="How many places a code has.")
@click.option("--colours", type=click.IntRange(2, COLOUR_COUNT_MAX), default=6, help="How many colours there are.")
@click.option("--turns", type=click.IntRange(1, 100), default=12, help="How many guesses there are.")
@click.option("--seed", type=int, help="Play the computer's part the same way each time.")
def mastermind(
    *,
    maker: str | None,
    breaker: str | None,
    strategy: str,
    palette: str,
    length: int,
    colours: int,
    turns: int,
    seed: int | None,
) -> None:
    """Play Mastermind: one makes a secret code of colours, the other breaks it by guessing.

    Colours can be typed by name, initial or number; they have letters and shapes too, so that nobody
    needs to tell them apart by colour. NO_COLOR=1 switches colours off.
    """
    console = Console(highlight=False)
    choose = random.Random(seed).choice if seed is not None else random.SystemRandom().choice  # noqa: S311 - a seed was asked for
    configuration = Configuration(length, colours, turns)
    io = _TerminalIO(console, PALETTES[palette].first(colours), partial(_hint, choose))

    def player(who: str, name: str) -> Player:
        return HumanPlayer(name, io) if who == HUMAN else ComputerPlayer(name, choose, BREAKERS[strategy])

    try:
        while True:
            makes, breaks = _roles(console, maker, breaker)
            people = (makes, breaks).count(HUMAN)
            io.shows_secret = breaks == COMPUTER and makes == HUMAN
            io.waits = io.shows_secret and console.is_terminal
            io.hides_entry = people == 2 and console.is_terminal
            io.show_help()
            GameEngine(configuration, io, player(makes, "Code maker"), player(breaks, "Code breaker")).run()
            if not people or not io.wants_another_game():
                return
    except _Quit:
        io.show_goodbye()


COMMAND = mastermind


def _roles(console: Console, maker: str | None, breaker: str | None) -> tuple[str, str]:
    """The maker and the breaker. A role that was not given goes to the other side; if neither was given, ask."""
    if maker is None and breaker is None:
        while True:
            try:
                answer = console.input(Text("Do you want to make or to break the code? [break]> ")).strip().casefold()
            except (EOFError, KeyboardInterrupt):
                console.print()
                raise _Quit from None
            if answer in QUITS:
                raise _Quit
            if "breaker".startswith(answer):
                return COMPUTER, HUMAN
            if "maker".startswith(answer):
                return HUMAN, COMPUTER
            console.print("Type make or break.")
    other = {HUMAN: COMPUTER, COMPUTER: HUMAN}
    if maker is None:
        assert breaker is not None, "one of them was named"
        return other[breaker], breaker
    return maker, breaker or other[maker]


def _hint(choose: Choose[int], configuration: Configuration, turns: Sequence[Turn]) -> tuple[Code, int | None]:
    """The best guess that the computer knows, and how many codes are left where they can be counted."""
    count = len(possible_codes(configuration, turns)) if configuration.code_count <= LISTED_CODES_MAX else None
    return most_parts(configuration, turns, choose), count


HELPS, HINTS, QUITS = {"help", "?"}, {"hint"}, {"q", "quit", "exit"}
YES, NO = {"", "y", "yes"}, {"n", "no"}


class _Quit(Exception):
    """The person wants to stop."""


@define
class _TerminalIO(GameIO):
    """A person's terminal, for one or two people who sit at it."""

    console: Console
    palette: _Palette
    hint: Callable[[Configuration, Sequence[Turn]], tuple[Code, int | None]]
    """The guess to advise, and how many codes are still possible, or None where they were not counted."""

    shows_secret: bool = False
    """True if the board shows the secret: its maker looks on, and no person here has to find it."""
    waits: bool = False
    """True if a computer's guess waits for the person to have seen the board."""
    hides_entry: bool = False
    """True if the secret must not be seen while it is typed, because its breaker looks on."""

    board: Board | None = None
    """The board that was shown last."""

    def show_help(self) -> None:
        """Tell how a code is typed."""
        names = [colour.name for colour in self.palette.colours[:3]]
        letters = [colour.letter.casefold() for colour in self.palette.colours[:3]]
        alike = f"{' '.join(names)}, {' '.join(letters)} and {''.join(letters)} are the same"
        told = f"Type a colour for each place, by name or the beginning of one, by letter or by number: {alike}."
        self.console.print(Text(f"{told} Also: hint, help, quit."))

    def ask_secret_code(self, configuration: Configuration, name: str) -> Code:
        """Ask until there is a code."""
        self.console.print(draw_key(self._canvas))
        while True:
            text = self._asked(f"{name}, make a code of {configuration.code_length}", is_hidden=self.hides_entry)
            code = self._read(text, configuration, hint=lambda: "A hint is for who breaks the code.")
            if code is not None:
                return code

    def ask_guess(self, configuration: Configuration, turns: Sequence[Turn], name: str) -> Code:
        """Ask until there is a guess that was not made before: nobody wants to lose a turn by that."""
        earlier = {turn.guess: number for number, turn in enumerate(turns, start=1)}
        while True:
            text = self._asked(f"{name}, guess {len(turns) + 1} of {configuration.max_turns}")
            code = self._read(text, configuration, hint=lambda: self._hint(configuration, turns))
            if code is not None and code not in earlier:
                return code
            if code is not None:
                self._explain(f"That was guess {earlier[code]} already, and its answer stands. Try another.")

    def show_board(self, board: Board) -> None:
        """Redraw the board."""
        self.board = board
        if self.console.is_terminal:
            self.console.clear()
        self.console.print(draw_board(board, self._canvas, with_secret=self.shows_secret))
        self.console.print(draw_key(self._canvas))
        if self.waits:
            self._asked("Press Enter for the computer's next guess")

    def show_outcome(self, board: Board) -> None:
        """Draw the last board, with the secret, and tell who has won."""
        if self.console.is_terminal:
            self.console.clear()
        self.console.print(draw_board(board, self._canvas, with_secret=True))
        guesses = f"{len(board.turns)} guess" if len(board.turns) == 1 else f"{len(board.turns)} guesses"
        self.console.print(Text(f"The {board.winner or Winner.MAKER} wins after {guesses}.", style="bold"))
        self._show_secret(board)

    def wants_another_game(self) -> bool:
        """Ask, after the end of a game."""
        self.board = None  # its secret has been told
        while True:
            answer = self._asked("Play again? [yes]").strip().casefold()
            if answer in YES:
                return True
            if answer in NO | QUITS:
                return False
            self._explain("Type yes or no.")

    def show_goodbye(self) -> None:
        """Say goodbye to an unfinished game. The person who looked for the code may see it now."""
        if self.board is not None and not self.shows_secret:
            self._show_secret(self.board)
        self.console.print(Text("Goodbye."))

    def _show_secret(self, board: Board) -> None:
        self.console.print(Text.assemble("The secret code was: ", self._canvas.letters(board.secret_code or ())))

    @property
    def _canvas(self) -> Canvas:
        """The terminal as it is now; its window may have been resized."""
        return Canvas(self.console.width, self.console.encoding.lower().startswith("utf"), self.palette)

    def _read(self, text: str, configuration: Configuration, hint: Callable[[], str]) -> Code | None:
        """The code that was typed; None where it was something else, which is then dealt with."""
        word = text.strip().casefold()
        if word in QUITS:
            raise _Quit
        if word in HELPS:
            self.show_help()
        elif word in HINTS:
            self.console.print(Text(hint()))
        else:
            try:
                return read_entry(text, self.palette, configuration)
            except CodeError as error:
                self._explain(str(error))
        return None

    def _hint(self, configuration: Configuration, turns: Sequence[Turn]) -> str:
        guess, possible = self.hint(configuration, turns)
        advice = f"Try {self._canvas.letters(guess)}."
        if possible is None:
            return f"{advice} There are too many codes to count those that are left."
        return f"{advice} {possible} codes are possible." if possible != 1 else f"{advice} It is the only code left."

    def _explain(self, why: str) -> None:
        self.console.print(Text(why, style="bold"))

    def _asked(self, question: str, *, is_hidden: bool = False) -> str:
        try:
            return self.console.input(Text(f"{question}> "), password=is_hidden)
        except (EOFError, KeyboardInterrupt):
            self.console.print()
            raise _Quit from None


_WORDS = re.compile(r"[\s,;-]+")
_TEXT_LENGTH_MAX = 1_000


def read_entry(text: str, palette: _Palette, configuration: Configuration) -> Code:
    """Reads a Mastermind code typed at a terminal: `red blue green yellow`, `r b g y`, `rbgy`, `0123`, a mixture.

    Raises `CodeError` where it is none of this game.
    """
    if len(text) > _TEXT_LENGTH_MAX:
        raise CodeError(f"That is too long for a code of {_colours(configuration.code_length)}.")
    words = [word for word in _WORDS.split(text.casefold()) if word]
    if not words:
        raise CodeError(f"Type {_colours(configuration.code_length)}, such as: {_example(palette, configuration)}")
    alone = len(words) == 1
    code = tuple(value for word in words for value in _values_of(word, palette, alone=alone))
    try:
        return check_code(configuration, code)
    except CodeError:
        wanted, got = configuration.code_length, len(code)
        example = _example(palette, configuration)
        raise CodeError(f"The code has {_colours(wanted)} and not {got}. Type for example: {example}") from None


def _value_of_mark(mark: str, palette: _Palette) -> int | None:
    for value, colour in enumerate(palette.colours):
        if mark in {colour.letter.casefold(), str(value)}:
            return value
    return None


def _values_of(word: str, palette: _Palette, *, alone: bool) -> tuple[int, ...]:
    """The values of letters and digits in a row, or of one colour.

    A word such as `or` can be both: alone it is letters, among other words the beginning of a name.
    """
    values = tuple(value for mark in word if (value := _value_of_mark(mark, palette)) is not None)
    is_row = len(values) == len(word) > 1
    if is_row and (alone or not any(colour.name.startswith(word) for colour in palette.colours)):
        return values
    return (_value_of(word, palette),)


def _value_of(word: str, palette: _Palette) -> int:
    """The value of a letter, a digit, a name, or the beginning of one name alone."""
    value = _value_of_mark(word, palette)
    if value is not None:
        return value
    names = [colour.name for colour in palette.colours]
    meant = [name for name in names if name.startswith(word)]
    if len(meant) == 1:
        return names.index(meant[0])
    if meant:
        raise CodeError(f"{word!r} could be {' or '.join(meant)}; type a letter more.")
    if word.isdecimal():
        raise CodeError(f"{word!r} is none of the numbers here, which go from 0 to {len(names) - 1}.")
    close = difflib.get_close_matches(word, names, n=1)
    advice = f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}."
    raise CodeError(f"{word[:30]!r} is not a colour here; {advice}")


def _example(palette: _Palette, configuration: Configuration) -> str:
    colours = palette.colours
    return " ".join(colours[place % len(colours)].letter for place in range(configuration.code_length)).casefold()


def _colours(count: int) -> str:
    return "1 colour" if count == 1 else f"{count} colours"


# As in the original game; what got neither mark comes last.
EXACT, PARTIAL, NEITHER = "X", "O", "."


def _marks(feedback: Feedback, code_length: int) -> str:
    """The answer to a guess, a mark for each place, in no relation to the places."""
    return (EXACT * feedback.exact + PARTIAL * feedback.partial).ljust(code_length, NEITHER)


def draw_board(board: Board, canvas: Canvas, *, with_secret: bool) -> RenderableType:
    """Draws all Mastermind turns at the terminal, first to last, and the secret or as many question marks.

    A table with coloured pegs, or bare letters where the terminal is too narrow for it.
    """
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
        table.add_row(str(number), canvas.code(turn.guess), Text(_marks(turn.feedback, length), style="bold"))
    return table


def _lines(board: Board, canvas: Canvas, secret: Code | None) -> Group:
    length = board.configuration.code_length
    shown = " ".join("?" * length) if secret is None else canvas.letters(secret)
    lines = [f"   {shown}"]
    for number, turn in enumerate(board.turns, start=1):
        lines.append(f"{number:2} {canvas.letters(turn.guess)} {_marks(turn.feedback, length)}")
    return Group(*(Text(line) for line in lines))


def draw_key(canvas: Canvas) -> RenderableType:
    """Draws the key of Mastermind at the terminal: the input for each colour, and the meaning of the marks."""
    colours = [
        Text.assemble(canvas.peg(colour), f" {value} {colour.name}")
        for value, colour in enumerate(canvas.palette.colours)
    ]
    told = f"{EXACT} right colour, right place   {PARTIAL} right colour, other place   {NEITHER} neither"
    return Group(Columns(colours, padding=(0, 2)), Text(told))
