"""Reading scenario files, and the errors in them."""

import re

import pytest

from gameserver.check.report import Level
from gameserver.check.scenario import ScenarioWire, WrongScenario, read
from gameserver.check.steps import ClientHears, ComesIn, Meets, MovesArePlayed, Repeat

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
    ("wrong", "why"),
    [
        (HEAD.replace("level: required", "level: needed") + "\n" + STEPS, "f:2: level 'needed' should be one of"),
        (
            HEAD.replace("change:", "chance:") + "\n" + STEPS,
            "f:7: there is no key 'chance'; did the author mean 'change'",
        ),
        (HEAD.replace("change: Read lines.\n", "") + "\n" + STEPS, "f:1: 'change' is missing"),
        (HEAD + "title: Another\n\n" + STEPS, "f:8: 'title' is there twice"),
        (HEAD + "games:\n\n" + STEPS, "f:8: 'games' has no value"),
        (HEAD + STEPS, "f:8: 'CLIENT comes in' is not `key: value`; the steps come after an empty line"),
        (
            HEAD + "catches: late, tired\n\n" + STEPS,
            "f:8: 'tired' is no reason for a loss",
        ),
        (HEAD + "rewrite: a\n\n" + STEPS, "f:8: a rewrite is `PATTERN => REPLACEMENT`"),
        (HEAD + "rewrite: a => \\1\n\n" + STEPS, "f:8: the rewrite cannot be used: invalid group reference 1"),
        (HEAD + "server: turn time 5\n\n" + STEPS, "f:8: a setting is `section.key = value`"),
        (text("CLIENT meets ANN"), "f:12: ANN has not come in; write `ANN comes in` above"),
        (text("CLIENT meets OPPONENT, ANN first"), "f:12: ANN has not come in"),
        (text("CLIENT comes inn"), "f:12: 'CLIENT comes inn' is not a step; did the author mean"),
        (text("  OPPONENT drops"), "f:12: only the steps below `repeat ... times:` are indented"),
        (text("repeat 2 times:", "OPPONENT drops"), "f:12: the steps to repeat have to follow, indented"),
        (text("repeat 2 times:"), "f:12: the steps to repeat have to follow, indented"),
        (text("repeat 2 times:", "  repeat 2 times:"), "f:13: a `repeat` cannot have another one in it"),
        (HEAD + "\nANN comes in\n", "f:9: no step lets the client come in"),
        ("", "f:1: 'title' is missing"),
    ],
)
def test_wrong_file_is_explained_with_its_line(wrong: str, why: str) -> None:
    with pytest.raises(WrongScenario, match="^" + re.escape(why)):
        read(wrong, "f", "f")
