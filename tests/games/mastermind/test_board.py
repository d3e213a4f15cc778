"""Boards of Mastermind, as they are told in words and drawn at a terminal."""

import io
import os
import random
import re
import signal
import sys
from itertools import combinations
from pathlib import Path

import pexpect
import pytest
from attrs import define, field
from rich.console import Console

from games.mastermind import (
    BREAKERS,
    Board,
    CodeError,
    ComputerPlayer,
    Configuration,
    Feedback,
    GameEngine,
    GameIO,
    HumanPlayer,
    Turn,
    Winner,
)
from games.mastermind.terminal import (
    CLASSIC,
    COLOUR_BLIND,
    COLOUR_COUNT_MAX,
    PALETTES,
    Canvas,
    draw_board,
    draw_key,
    read_entry,
)
from tests.support.tables import table


def board(*guesses, secret=(0, 1, 2, 3), **sizes):
    played = Board(Configuration(**sizes)).with_secret(secret)
    for guess in guesses:
        played = played.guessed(guess)
    return played


def test_the_breaker_wins_by_the_code_even_with_the_last_guess():
    late = board(max_turns=2).guessed((0, 1, 2, 2)).guessed((0, 1, 2, 3))
    assert (late.winner, late.turns_left) == (Winner.BREAKER, 0)
    early = board().guessed((0, 1, 2, 3))
    assert (early.winner, early.is_over) == (Winner.BREAKER, True)


def test_the_maker_wins_when_the_turns_are_used_up():
    played = board(max_turns=2).guessed((0, 0, 0, 0))
    assert (played.winner, played.is_over, played.turns_left) == (None, False, 1)
    assert played.guessed((3, 2, 1, 0)).winner is Winner.MAKER


def test_invalid_guesses_are_refused():
    with pytest.raises(CodeError, match="4 values here and not 1"):
        Board().with_secret((1,))
    with pytest.raises(CodeError, match="and 6 is not among them"):
        board().guessed((0, 0, 0, 6))
    with pytest.raises(ValueError, match="the secret is set already"):
        board().with_secret((0, 0, 0, 0))
    with pytest.raises(ValueError, match="there is no secret yet"):
        Board().guessed((0, 0, 0, 0))
    with pytest.raises(ValueError, match="the game is over"):
        board().guessed((0, 1, 2, 3)).guessed((0, 0, 0, 0))
    with pytest.raises(ValueError, match="is 1 exact 0 partial, not 2 exact 0 partial"):
        board().with_turn(Turn((0, 0, 0, 0), Feedback(2, 0)))


def test_the_secret_is_not_in_the_repr():
    assert repr(board(secret=(5, 4, 5, 4))) == repr(Board(Configuration()))


@define
class Script(GameIO):
    """People who say what is written."""

    secrets: list = field(factory=list)
    guesses: list = field(factory=list)
    shown: list = field(factory=list)

    def ask_secret_code(self, configuration, name):
        self.shown.append(f"{name} makes")
        return self.secrets.pop(0)

    def ask_guess(self, configuration, turns, name):
        self.shown.append(f"{name} guesses {len(turns) + 1}")
        return self.guesses.pop(0)

    def show_board(self, board):
        self.shown.append(f"board {len(board.turns)}")

    def show_outcome(self, board):
        self.shown.append(f"{board.winner} wins")


def test_the_engine_runs_a_game_between_people():
    io = Script([(0, 1, 2, 3)], [(0, 0, 0, 0), (0, 1, 2, 3)])
    last = GameEngine(Configuration(), io, HumanPlayer("ann", io), HumanPlayer("bob", io)).run()
    assert len(last.turns) == 2
    assert io.shown == ["ann makes", "board 0", "bob guesses 1", "board 1", "bob guesses 2", "code breaker wins"]


@pytest.mark.parametrize("name", BREAKERS)
def test_the_engine_runs_a_game_between_computers(name):
    choose = random.Random(5).choice
    io = Script()
    computer = ComputerPlayer("computer", choose, BREAKERS[name])
    last = GameEngine(Configuration(), io, computer, computer).run()
    assert last.winner is Winner.BREAKER
    assert last.turns[-1].guess == last.secret_code


def test_the_code_maker_gives_the_feedback_and_cannot_lie():
    class Liar(ComputerPlayer):
        def feedback(self, guess, secret_code):
            return Feedback(0, 0)

    liar = Liar("liar", lambda items: items[0])
    io = Script([], [(0, 0, 0, 0)])
    with pytest.raises(ValueError, match="the feedback on that guess is 4 exact 0 partial, not 0 exact 0 partial"):
        GameEngine(Configuration(), io, liar, HumanPlayer("bob", io)).run()


COMMAND = str(Path(sys.executable).with_name("gameserver"))
PATIENCE_S = 60
CLEARS = "\x1b[2J"
STYLE = r"\x1b\[[0-9;]*m"


def letters(seed):
    """The code that the computer makes with this seed: it is the first thing that is drawn."""
    choose = random.Random(seed).choice
    return ["RBGYOK"[choose(range(6))] for _ in range(4)]


SURROUNDINGS = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
"""Without the sizes that the workers of a parallel test run are given: the terminal has its own."""


@pytest.fixture
def play():
    """Starts the game; every one that was started is ended."""
    started = []

    def start(*arguments, columns=80, echo=False, **environment):
        child = pexpect.spawn(
            COMMAND,
            ["play", "mastermind", *arguments],
            env={**SURROUNDINGS, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **environment},
            dimensions=(40, columns),
            # A test run in the background ignores Ctrl-C, and its children would, too.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            encoding="utf-8",
            timeout=PATIENCE_S,
        )
        child.setecho(echo)
        started.append(child)
        return child

    yield start
    for child in started:
        child.close(force=True)


def says(child, text):
    """Wait for words, wherever the terminal's width broke the line; give all that was written before and with them."""
    child.expect(rf"(?:\s|{STYLE})+".join(map(re.escape, text.split())))
    return child.before + child.after


def ends(child):
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, child.signalstatus) == (0, None)
    return child.before


def ends_after_a_game(child):
    says(child, "Play again? [yes]>")
    child.sendline("no")
    return ends(child)


def test_a_person_breaks_the_computers_code(play):
    secret = letters(3)
    child = play("--breaker", "human", "--seed", "3")
    first = says(child, "Code breaker, guess 1 of 12>")
    assert CLEARS in first
    assert "48;5;" in first, "colours"
    child.sendline("purple red red red")
    says(child, "'purple' is not a colour here; there are red, blue, green, yellow, orange, black.")
    says(child, "guess 1 of 12>")
    child.sendline("r r r")
    says(child, "The code has 4 colours and not 3.")
    says(child, "guess 1 of 12>")
    wrong = "k" if secret[0] != "K" else "r"
    child.sendline(wrong * 4)
    board = says(child, "guess 2 of 12>")
    assert CLEARS in board, "the board is drawn anew"
    child.sendline(wrong * 4)
    says(child, "That was guess 1 already, and its answer stands.")
    child.sendline("hint")
    says(child, "Try")
    says(child, "codes are possible.")
    child.sendline("help")
    says(child, "by name or the beginning of one, by letter or by number")
    says(child, "guess 2 of 12>")
    child.sendline(" ".join(secret))
    says(child, "The code breaker wins after 2 guesses.")
    says(child, "The secret code was: " + " ".join(secret))
    said = ends_after_a_game(child)
    assert "secret" not in said, "it was told already"


def test_the_computer_breaks_a_persons_code_while_they_look_on(play):
    child = play("--maker", "human", "--strategy", "knuth", "--seed", "1")
    says(child, "Code maker, make a code of 4>")
    child.sendline("hint")
    says(child, "A hint is for who breaks the code.")
    child.sendline("yellow green blue r")
    for _ in range(5):
        if child.expect(["Press Enter for the computer's next guess> ", "The code breaker wins"]) == 1:
            break
        child.sendline("")
    else:
        says(child, "The code breaker wins")
    says(child, "The secret code was: Y G B R")
    ends_after_a_game(child)


def test_two_people_and_a_secret_that_is_not_shown(play):
    child = play("--maker", "human", "--breaker", "human", "--turns", "1", echo=True)
    says(child, "Code maker, make a code of 4>")
    child.sendline("rrkk")
    shown = says(child, "Code breaker, guess 1 of 1>")
    assert "rrkk" not in shown
    assert "R R K K" not in shown
    child.sendline("rrkb")
    assert "rrkb" in says(child, "The code maker wins after 1 guess."), "the terminal shows what may be seen"
    says(child, "The secret code was: R R K K")
    says(child, "Play again? [yes]>")
    child.sendline("maybe")
    says(child, "Type yes or no.")
    child.sendline("")
    says(child, "Code maker, make a code of 4>")
    child.sendline("q")
    assert "Goodbye." in ends(child)


def test_roles_are_asked_for_before_every_game(play):
    child = play("--turns", "1", "--seed", "4")
    says(child, "Do you want to make or to break the code? [break]>")
    child.sendline("dunno")
    says(child, "Type make or break.")
    child.sendline("")
    says(child, "guess 1 of 1>")
    child.sendline("rrrr")
    says(child, "The secret code was: " + " ".join(letters(4)))
    says(child, "Play again? [yes]>")
    child.sendline("y")
    says(child, "Do you want to make or to break the code? [break]>")
    child.sendline("break")
    says(child, "guess 1 of 1>")
    child.sendline("q")
    said = says(child, "The secret code was:") + ends(child)
    assert "Goodbye." in said


def test_the_palette_for_the_colour_blind(play):
    child = play("--breaker", "human", "--palette", "colour-blind", "--seed", "3")
    shown = says(child, "guess 1 of 12>")
    assert "magenta" in shown
    assert "green" not in shown
    child.sendline("white magenta green blue")
    says(child, "'green' is not a colour here")
    child.sendline("wmwm")
    says(child, "guess 2 of 12>")
    ends_politely(child, "c")


@pytest.mark.parametrize(
    ("surroundings", "has", "lacks"),
    [
        pytest.param({"NO_COLOR": "1", "columns": 20}, r" 1 R B G Y [XO.]{4}\r\n", "─|[34]8;", id="narrow, no colour"),
        pytest.param({"TERM": "dumb", "PYTHONIOENCODING": "ascii"}, "1", "[^\0-\x7f]|\x1b", id="dumb, no UTF-8"),
    ],
)
def test_poor_terminals(play, surroundings, has, lacks):
    child = play("--breaker", "human", "--seed", "3", **surroundings)
    says(child, "guess 1 of 12>")
    child.sendline("rbgy")
    board = says(child, "guess 2 of 12>")
    assert re.search(has, re.sub(STYLE, "", board))
    assert not re.search(lacks, board)
    child.sendline("quit")
    ends(child)


def ends_politely(child, key):
    child.sendcontrol(key)
    said = ends(child)
    assert "Goodbye." in said
    assert not re.search("Traceback|Aborted", said)


def test_sizes(play):
    child = play("--breaker", "human", "--length", "6", "--colours", "10", "--turns", "30", "--seed", "2")
    says(child, "guess 1 of 30>")
    child.sendline("hint")
    says(child, "There are too many codes to count those that are left.")
    says(child, "guess 1 of 30>")
    child.sendline("red cyan 9 n w m")
    says(child, "guess 2 of 30>")
    ends_politely(child, "d")


STANDARD = Configuration()
SIX = CLASSIC.first(6)


def drawn(renderable, width=80, **options):
    console = Console(file=io.StringIO(), width=width, **options)
    console.print(renderable)
    return console.file.getvalue()


def test_the_documents_palettes():
    assert [colour.name for colour in SIX.colours] == ["red", "blue", "green", "yellow", "orange", "black"]
    blind = [colour.name for colour in COLOUR_BLIND.first(6).colours]
    assert blind == ["blue", "orange", "yellow", "black", "white", "magenta"]


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_letters_and_shapes_tell_all_colours_apart(palette):
    assert len(palette.colours) == COLOUR_COUNT_MAX
    for one, other in combinations(palette.colours, 2):
        assert one.letter != other.letter
        assert one.shape != other.shape
        assert one.name != other.name
        assert one.style != other.style


@pytest.mark.parametrize(("text", "code"), table(__file__, "ways to type a code"))
def test_ways_to_type_a_code(text, code):
    assert read_entry(text, SIX, STANDARD) == tuple(map(int, code.split()))


@pytest.mark.parametrize(
    ("text", "why"), [*table(__file__, "entries that are wrong"), ("x" * 2000, "That is too long")]
)
def test_entry_errors_are_explained(text, why):
    with pytest.raises(CodeError) as caught:
        read_entry(text, SIX, STANDARD)
    assert why in str(caught.value)


def test_the_board_hides_the_secret_unless_asked():
    played = board((0, 0, 1, 1), (3, 2, 1, 0))
    canvas = Canvas(80, has_shapes=True, palette=SIX)
    hidden = drawn(draw_board(played, canvas, with_secret=False))
    assert hidden.count("?") == 4
    assert "XO.." in hidden
    assert "OOOO" in hidden
    assert "◆Y   ▲G   ■B   ●R" in hidden
    shown = drawn(draw_board(played, canvas, with_secret=True))
    assert "?" not in shown
    assert "●R   ■B   ▲G   ◆Y" in shown


@pytest.mark.parametrize("width", [10, 14, 20, 30, 39, 40, 41, 80])
@pytest.mark.parametrize("length", [1, 4, 12])
def test_every_turn_is_on_one_line_where_the_width_allows_it(width, length):
    played = board((0,) * length, secret=(1,) * length, code_length=length)
    text = drawn(draw_board(played, Canvas(width, has_shapes=True, palette=SIX), with_secret=False), width)
    lines = text.splitlines()
    assert all(len(line) <= width for line in lines)
    letters = "".join(letter for letter in text if letter in "R?.")
    assert letters == "?" * length + "R" * length + "." * length
    if width >= 4 + 3 * length:
        assert any(line.count("R") == length and "." * length in line for line in lines)


def test_colours_are_real_and_can_be_done_without():
    key = draw_key(Canvas(80, has_shapes=True, palette=SIX))
    coloured = drawn(key, force_terminal=True, color_system="truecolor")
    assert "48;2;192;0;0" in coloured
    assert "\x1b" not in drawn(key, force_terminal=False)
    assert "48;" not in drawn(key, force_terminal=True, no_color=True)


def test_a_terminal_without_shapes_gets_plain_letters():
    canvas = Canvas(80, has_shapes=False, palette=CLASSIC)
    text = drawn(draw_board(board((0, 1, 2, 3)), canvas, with_secret=True)) + drawn(draw_key(canvas))
    assert text.isascii()
    assert all(colour.letter in text for colour in CLASSIC.colours)
