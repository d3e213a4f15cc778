"""The terminal as the game's IO: draws the board, asks for codes, explains what cannot be read."""

from collections.abc import Callable, Sequence

from attrs import define
from rich.console import Console
from rich.text import Text

from games.mastermind import Board, Code, Configuration, GameIO, Turn, Winner
from games.mastermind.terminal.board_text import Canvas, draw_board, draw_key
from games.mastermind.terminal.code_entry import EntryError, read_entry
from games.mastermind.terminal.palette import Palette

HELPS, HINTS, QUITS = {"help", "?"}, {"hint"}, {"q", "quit", "exit"}
YES, NO = {"", "y", "yes"}, {"n", "no"}


class Quit(Exception):
    """The person wants to stop."""


@define
class TerminalIO(GameIO):
    """A person's terminal, for one or two people who sit at it."""

    console: Console
    palette: Palette
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
            raise Quit
        if word in HELPS:
            self.show_help()
        elif word in HINTS:
            self.console.print(Text(hint()))
        else:
            try:
                return read_entry(text, self.palette, configuration)
            except EntryError as error:
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
            raise Quit from None
