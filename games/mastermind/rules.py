"""Mastermind as a game of the lobby: seat 0 makes the code, seat 1 breaks it.

The maker's only move is the secret; every other move is a guess. Feedback is computed, not asked for, so that no maker
can err or lie. Until the end nobody but the maker is shown the secret: others see `?` for the move that set it, and
nothing of it in views and boards.

With the option `secret_is_drawn` the server draws the secret as it draws dice, and the maker's seat has nothing to do.
This serves protocols whose clients always break the server's code. The match begins with the breaker's turn, and the
secret follows from the journaled seed.

The picture has the code above, every guess with its answer below, and room for further guesses.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import attrs
from attrs import field, frozen, validators

from games.mastermind.board import (
    Board,
    Code,
    CodeError,
    CodeSpace,
    Configuration,
    Turn,
    Winner,
    example_code,
    feedback_of,
    random_code,
    read_code,
    write_code,
)
from games.mastermind.coding import coding_of
from games.mastermind.solver import BREAKERS, HARD_CODES, LISTED_CODES_MAX, Breaker, consistent
from gameserver import drawing, game
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
from gameserver.game import Chance, Choose, Coding, Game, IllegalMove, Outcome, Picture, Seat, Side, State, Strategy

MAKER, BREAKER = 0, 1

_SEATS = {MAKER: Winner.MAKER, BREAKER: Winner.BREAKER}

_HIDDEN = "?"


_NOVICE_MEMORY = 2
"""The answers that a novice keeps in mind."""

_TRIED_CODES = 6
"""Codes of which the hardest is taken, in a game whose hard codes are not known."""


def novice(configuration: Configuration, turns: Sequence[Turn], choose: Choose[int]) -> Code:
    """Plays the lobby's novice: any code that fits the latest two answers; four of five are found in twelve."""
    return consistent(configuration, turns[-_NOVICE_MEMORY:], choose)


def hard_secret(configuration: Configuration, choose: Choose[int]) -> Code:
    """Makes the secret of the lobby's house player of Mastermind: one that breakers need many guesses for.

    At the usual size one of those that all breakers of the house need most for. Elsewhere some codes
    are broken by trial, and the one that took longest is taken. Where codes are too many to list, any.
    """
    # The only size whose hard codes were found beforehand: 141 codes for which each weighing breaker needs five
    # guesses.
    if (configuration.code_length, configuration.value_count) == (4, 6):
        return HARD_CODES[choose(range(len(HARD_CODES)))]
    if configuration.code_count > LISTED_CODES_MAX:
        # Breaking one by trial takes up to half a second there.
        return random_code(configuration, choose)
    codes = [random_code(configuration, choose) for _ in range(_TRIED_CODES)]
    took = [_guesses_for(code, configuration, choose) for code in codes]
    return codes[took.index(max(took))]


def _guesses_for(secret: Code, configuration: Configuration, choose: Choose[int]) -> int:
    turns: tuple[Turn, ...] = ()
    while not turns or turns[-1].guess != secret:
        guess = consistent(configuration, turns, choose)
        turns = (*turns, Turn(guess, feedback_of(guess, secret)))
    return len(turns)


@frozen
class MastermindOptions(Configuration):
    """The options of a Mastermind match. `secret_is_drawn`: the server makes the code, not seat 0."""

    secret_is_drawn: bool = field(default=False, validator=validators.instance_of(bool))


@frozen
class MastermindPosition(State[Code]):
    """One position of Mastermind in the lobby: the board, and the origin of its secret."""

    table: Board
    secret_is_drawn: bool = False

    @property
    def turn(self) -> game.Turn:
        """The turn of Mastermind: the maker's comes once, as number 0; each guess is a turn of its own."""
        if self.table.secret_code is None:
            return game.Turn(0, () if self.secret_is_drawn else (MAKER,))
        seats = () if self.table.is_over else (BREAKER,)
        return game.Turn(1 + len(self.table.turns), seats)

    def legal_moves(self, seat: Seat) -> Sequence[Code]:
        """Every code of a Mastermind game: repeats are legal, if foolish. Never a list, for there may be too many."""
        return CodeSpace(self.table.configuration) if seat in self.turn.seats else ()

    def play(self, seat: Seat, move: Code) -> "MastermindPosition":
        """Sets Mastermind's secret, or makes a guess."""
        if seat not in self.turn.seats:
            raise IllegalMove(self._refusal())
        try:
            table = self.table.with_secret(move) if seat == MAKER else self.table.guessed(move)
        except CodeError as error:
            raise IllegalMove(str(error)) from error
        return attrs.evolve(self, table=table)

    def _refusal(self) -> str:
        if self.table.is_over:
            return "the game is over, no move can follow"
        waited_for = self.turn.seats
        return f"it is not your turn, the {_SEATS[waited_for[0]]} is to move" if waited_for else "the code is not drawn"

    @property
    def chance(self) -> Chance | None:
        """The draw of Mastermind's secret by the server: for each place a number from 1, one more than the value."""
        if not self.secret_is_drawn or self.table.secret_code is not None:
            return None
        return Chance(self.table.configuration.code_length, self.table.configuration.value_count)

    def drawn(self, values: tuple[int, ...]) -> "MastermindPosition":
        """Makes the Mastermind position with the secret that was drawn."""
        return attrs.evolve(self, table=self.table.with_secret(tuple(value - 1 for value in values)))

    @property
    def outcome(self) -> Outcome | None:
        """The outcome: the breaker wins by finding the code, the maker once the turns are used up."""
        winner, secret = self.table.winner, self.table.secret_code
        if winner is None or secret is None:
            return None
        guesses = len(self.table.turns)
        found = "found" if winner is Winner.BREAKER else "not found"
        reason = f"The code {write_code(secret)} was {found} in {guesses} {'guess' if guesses == 1 else 'guesses'}"
        return self._won_by(BREAKER if winner is Winner.BREAKER else MAKER, reason)

    def resigned(self, seat: Seat) -> Outcome:
        """The outcome if a seat gives up. The code is revealed nevertheless."""
        return self._won_by(1 - seat)

    def _won_by(self, seat: Seat, reason: str = "") -> Outcome:
        secret = self.table.secret_code
        revealed = "" if secret is None else write_code(secret)
        return Outcome((1, -1) if seat == MAKER else (-1, 1), (seat,), reason, revealed)

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        """Shows the Mastermind turns, and the secret to the maker alone until the game is over."""
        configuration, secret = self.table.configuration, self._secret_for(viewer)
        return {
            "code_length": configuration.code_length,
            "value_count": configuration.value_count,
            "max_turns": configuration.max_turns,
            "secret": None if secret is None else list(secret),
            "turns": [
                {"guess": list(turn.guess), "exact": turn.feedback.exact, "partial": turn.feedback.partial}
                for turn in self.table.turns
            ],
        }

    def board(self, viewer: Seat | None) -> str:
        """Writes the Mastermind board: a line for the secret, and one for each turn."""
        secret = self._secret_for(viewer)
        lines = [f"code  {_HIDDEN * self.table.configuration.code_length if secret is None else write_code(secret)}"]
        for number, turn in enumerate(self.table.turns, start=1):
            lines.append(f"{number:4}  {write_code(turn.guess)}  {turn.feedback.text}")
        return "\n".join(lines)

    def picture(self, viewer: Seat | None) -> Picture:
        """Draws the Mastermind board; the secret as in `view`. The seat that is to act composes its code."""
        return self._with_code(_picture_of(self.table, self._secret_for(viewer)), viewer)

    def small_picture(self, viewer: Seat | None) -> Picture:
        """Draws the latest guesses of a Mastermind game."""
        return self._with_code(_picture_of(self.table, self._secret_for(viewer), _SMALL_ROWS_MAX), viewer)

    def _with_code(self, picture: Picture, viewer: Seat | None) -> Picture:
        if viewer is None or viewer not in self.turn.seats:
            return picture
        purpose = Purpose.SECRET if viewer == MAKER else Purpose.GUESS
        return attrs.evolve(picture, code=_choices_of(self.table.configuration, purpose))

    def sides(self, viewer: Seat | None) -> Sequence[Side]:
        """The two roles of Mastermind, and how many guesses the breaker has made."""
        return Side(Winner.MAKER.value), Side(Winner.BREAKER.value, score=len(self.table.turns), unit="guesses")

    def _secret_for(self, viewer: Seat | None) -> Code | None:
        return self.table.secret_code if viewer == MAKER or self.table.is_over else None

    def prompt(self, seat: Seat) -> str:
        """Tells a Mastermind player the task, and how a code is written."""
        configuration = self.table.configuration
        form = f"{configuration.code_length} values from 0 to {configuration.value_count - 1}"
        task = "Make the code"
        if seat == BREAKER:
            task = f"Guess {1 + len(self.table.turns)} of {configuration.max_turns}"
        return f"{task}: {form} such as {example_code(configuration)}"

    def reaction(self, viewer: Seat | None) -> str:
        """Tells the feedback on the last Mastermind guess, for `Feedback.read`."""
        return self.table.turns[-1].feedback.text if self.table.turns else ""


Maker = Callable[[Configuration, Choose[int]], Code]
"""Makes the secret."""


def _house(breaker: Breaker, maker: Maker = random_code) -> Strategy:
    """A house player that makes a code, any if nothing else is said, and breaks one, knowing no more than a guest."""

    def play(position: MastermindPosition, seat: Seat, choose: Choose[Any]) -> Code:
        configuration = position.table.configuration
        if seat == MAKER:
            return maker(configuration, choose)
        return breaker(configuration, position.table.turns, choose)

    return play


class Mastermind(Game[Code]):
    """The game of Mastermind as such, for the lobby."""

    name = "Mastermind"
    roles = (Winner.MAKER.value, Winner.BREAKER.value)
    options_type = MastermindOptions
    strategies: ClassVar[Mapping[str, Strategy]] = {
        "novice": _house(novice),
        "club": _house(BREAKERS["consistent"]),
        "master": _house(BREAKERS["most-parts"]),
        "evil": _house(BREAKERS["most-parts"], hard_secret),
        **{name: _house(BREAKERS[name]) for name in ("consistent", "knuth", "most-parts")},
    }
    guide = """\
One player makes a code, the other breaks it within 12 guesses. A code has 4 values from 0 to 5.
The code maker moves first: the first move sets the code, and the other player is shown MOVE ? for it.
The code breaker then guesses; every move is a guess. DETAILS has the answer: the number of exact values,
which are in their place, and of partial values, which are elsewhere in the code.
Write a code as digits, such as 0123. If a value is above 9, write the values with hyphens between
them, such as 3-11-0-7; a code of one such value ends with a hyphen."""
    how_to_play = (
        "One player makes a secret code, usually a row of four colours, and the other has to find it, usually "
        "within twelve guesses. A colour may come more than once.\n"
        "Each guess is answered by two numbers: how many places have the right colour (exact), and how many more "
        "colours are in the code, but in another place (partial). The breaker wins by finding the code, the maker "
        "if all guesses are used up.\n"
        "Touch the colours of your row one after the other, then send it."
    )

    def start(self, options: MastermindOptions) -> MastermindPosition:
        """Begins Mastermind without a code and without turns."""
        configuration = Configuration(options.code_length, options.value_count, options.max_turns)
        return MastermindPosition(Board(configuration), options.secret_is_drawn)

    def coding(self, options: MastermindOptions) -> Coding[Code] | None:
        """Codes Mastermind for agents that learn, unless it is too big."""
        return coding_of(options)

    def read_move(self, text: str) -> Code:
        """Reads a Mastermind code of whatever length and values; `play` says if it fits the match."""
        try:
            return read_code(text)
        except CodeError as error:
            raise IllegalMove(str(error)) from error

    def write_move(self, move: Code) -> str:
        """Writes a Mastermind code in its one spelling."""
        return write_code(move)

    def seen(self, state: State[Code], move: Code, by: Seat, viewer: Seat | None) -> str:
        """Shows a Mastermind move to a viewer: guesses are open; the secret is the maker's own."""
        return _HIDDEN if by == MAKER and viewer != MAKER else self.write_move(move)

    def seen_draw(self, state: State[Code], values: tuple[int, ...], viewer: Seat | None) -> str:
        """Hides Mastermind's draw from a viewer, as it is the secret."""
        return super().seen_draw(state, values, viewer) if viewer == MAKER else _HIDDEN


_PITCH, _RADIUS = 42, 17

_LEFT, _TOP = 50, 34

_ROWS_MAX = 24
"""The most rows drawn. Of more guesses, the last ones are drawn."""

_SMALL_ROWS_MAX = 6

_PEGS_MAX = 16
"""The most pegs drawn in a row. Of a longer code, the beginning is drawn."""


def _picture_of(board: Board, secret: Code | None, rows_max: int = _ROWS_MAX) -> Picture:
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


def _choices_of(configuration: Configuration, purpose: Purpose) -> drawing.Code:
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
