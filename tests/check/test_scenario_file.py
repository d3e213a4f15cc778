"""Reading scenario files, and the errors in them."""

import re

import pytest

from gameserver.check.report import Level
from gameserver.check.scenario import ScenarioWire, WrongScenario, read
from gameserver.check.steps import ClientHears, ComesIn, Meets, MovesArePlayed, Repeat
from tests.support.tables import table

HEAD = """\
title: A line in two packets
level: required                 # required | advised | curious
source: TCP is a stream of bytes;
    clients that took one read for one line
    lost whole tournaments by it
document: Every line ends with a newline.
change: Read lines.
"""
STEPS = """\
CLIENT comes in
OPPONENT comes in
"""


def text(*steps: str, head: str = "") -> str:
    return "\n".join([HEAD + head, STEPS, *steps])


def test_file_is_read() -> None:
    scenario = read(text("CLIENT meets OPPONENT  # by any way", "# and nothing more"), "a/two.scenario", "two")
    assert (scenario.name, scenario.file, scenario.title) == ("two", "a/two.scenario", "A line in two packets")
    assert scenario.level is Level.REQUIRED
    assert scenario.source.endswith("clients that took one read for one line lost whole tournaments by it")
    assert [placed.step for placed in scenario.steps] == [ComesIn("CLIENT"), ComesIn("OPPONENT"), Meets("OPPONENT")]
    assert [placed.line for placed in scenario.steps] == [9, 10, 12]
    assert scenario.games == ()
    assert scenario.suits("Reversi")


def test_settings_of_server_wire_and_rewrites_are_read() -> None:
    head = (
        "games: Reversi, Tic-tac-toe\nwire: split, delay 200ms\nwire to client: coalesce\n"
        "rewrite: ^(SVR) (.*)$ => \\2 \\1\nrewrite: a => b\n"
        'server: match.clock = "turn 10s"\nserver: connect-four.time_elapsed_error = false\n'
    )
    scenario = read(text(head=head), "f", "f")
    assert (scenario.suits("reversi"), scenario.suits("Mastermind")) == (True, False)
    assert scenario.wire == ScenarioWire(to_client="coalesce", to_server="split, delay 200ms")
    assert [rewrite.applied("SVR abc") for rewrite in scenario.rewrites] == ["abc SVR", "SVR bbc"]
    assert scenario.settings == {"match": {"clock": "turn 10s"}, "connect-four": {"time_elapsed_error": False}}


def test_hash_inside_text_is_no_remark() -> None:
    steps = read(text("CLIENT hears SVR #1 {A: 2}"), "f", "f").steps
    assert steps[-1].step == ClientHears("SVR #1 {A: 2}")


def test_repeated_steps_are_indented() -> None:
    scenario = read(text("repeat 10 times:", "    CLIENT meets OPPONENT", "    3 moves are played"), "f", "f")
    block = scenario.steps[-1].step
    assert isinstance(block, Repeat)
    assert block.count == 10
    assert [placed.step for placed in block.steps] == [Meets("OPPONENT"), MovesArePlayed(3)]
    assert block.steps[-1].line == 14


@pytest.mark.parametrize(
    ("line", "changed", "why"), table(__file__, "lines of the head, what becomes of them, and what is said")
)
def test_wrong_head_is_explained_with_its_line(line: str, changed: str, why: str) -> None:
    assert line in HEAD
    with pytest.raises(WrongScenario, match="^" + re.escape(why)):
        read(f"{HEAD.replace(line, changed)}\n{STEPS}", "f", "f")


@pytest.mark.parametrize(("steps", "why"), table(__file__, "steps after both players, and what is said of them"))
def test_wrong_step_is_explained_with_its_line(steps: str, why: str) -> None:
    with pytest.raises(WrongScenario, match="^" + re.escape(why)):
        read(text(steps), "f", "f")


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (HEAD + STEPS, "f:8: 'CLIENT comes in' is not `key: value`; the steps come after an empty line"),
        (HEAD + "\nANN comes in\n", "f:9: no step lets the client come in"),
        ("", "f:1: 'title' is missing"),
    ],
)
def test_file_that_lacks_a_part_is_explained(wrong: str, why: str) -> None:
    with pytest.raises(WrongScenario, match="^" + re.escape(why)):
        read(wrong, "f", "f")
