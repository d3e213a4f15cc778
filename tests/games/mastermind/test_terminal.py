"""`gameserver play mastermind` in a real terminal: a pseudo-terminal, driven key by key."""

import os
import random
import re
import signal
import sys
from pathlib import Path

import pexpect
import pytest

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
