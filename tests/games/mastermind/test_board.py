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
STYLE = r"\x1b\[[0-9;]*m"


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


CONVERSATIONS = dict(
    part.split("\n", 1) for part in Path(__file__).with_name("at_a_terminal.txt").read_text("utf-8").split("\n# ")[1:]
)


@pytest.mark.parametrize("title", CONVERSATIONS)
def test_game_goes_as_written(play, title):
    shown, (start, *steps) = "", filter(None, CONVERSATIONS[title].splitlines())
    words = start.split()[1:]
    child = play(*(word for word in words if word != "echo=1"), echo="echo=1" in words)
    for step in steps:
        verb, _, text = step.partition(" ")
        if verb == ">":
            child.sendline(text)
        elif verb.startswith("^"):
            child.sendcontrol(verb[1])
        elif verb in {"has", "lacks"}:
            assert (text.replace(r"\x1b", "\x1b") in shown) == (verb == "has"), step
        else:
            shown = ends(child) if verb == "ends" else says(child, step)
    assert not re.search("Traceback|Aborted", shown)


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
