"""A scenario's changes to the lines between the client and the server."""

import re

import pytest
from attrs import evolve

from gameserver.check.scenario import Rewrite, Scenario, read
from gameserver.check.wire import Editor
from gameserver.proxy.faults import Direction
from tests.check.test_scenario import text

TO_CLIENT, TO_SERVER = Direction.TO_CLIENT, Direction.TO_SERVER
PLAIN = read(text(), "f", "f")


def editor(scenario: Scenario = PLAIN) -> Editor:
    return Editor(scenario, lambda content: content.startswith(b"move"))


def test_lines_pass_as_they_are() -> None:
    assert editor().edit(b"SVR \xff\r\n", TO_CLIENT) == [b"SVR \xff\r\n"]
    assert editor().edit(b"move 4\r\n", TO_SERVER) == [b"move 4\r\n"]


def test_each_direction_has_its_own_rewrites() -> None:
    to_client, to_server = Rewrite(re.compile("^A"), "B"), Rewrite(re.compile("A$"), "C")
    edited = editor(evolve(PLAIN, rewrites=(to_client,), rewrites_to_server=(to_server,)))
    assert edited.edit(b"A A\r\n", TO_CLIENT) == [b"B A\r\n"]
    assert edited.edit(b"A A\n", TO_SERVER) == [b"A C\n"]


@pytest.mark.parametrize(("name", "end"), [("LF", b"\n"), ("CR", b"\r"), ("CRLF", b"\r\n")])
def test_lines_to_client_have_the_line_end_of_the_scenario(name: str, end: bytes) -> None:
    edited = editor(read(text(head=f"line ends: {name}\n"), "f", "f"))
    assert edited.edit(b"OK\r\n", TO_CLIENT) == [b"OK" + end]
    assert edited.edit(b"move 4\r\n", TO_SERVER) == [b"move 4\r\n"]


def test_message_without_line_end_gets_none() -> None:
    assert editor(evolve(PLAIN, line_end="\r")).edit(b'{"type":6}\x1e', TO_CLIENT) == [b'{"type":6}\x1e']


@pytest.mark.parametrize(
    ("change", "value", "heard"),
    [("is_heard_twice", True, [b"move 4\r\n", b"move 4\r\n"]), ("replacement", "move 999", [b"move 999\r\n"])],
)
def test_only_one_move_is_changed(change: str, value: object, heard: list[bytes]) -> None:
    edited = editor()
    setattr(edited, change, value)
    assert edited.edit(b"get gamelist\n", TO_SERVER) == [b"get gamelist\n"]
    assert edited.edit(b"move 4\r\n", TO_SERVER) == heard
    assert edited.edit(b"move 5\n", TO_SERVER) == [b"move 5\n"]


def test_move_is_kept_with_all_that_comes_after_it() -> None:
    edited = editor()
    edited.keeps_move = True
    assert edited.edit(b"get gamelist\n", TO_SERVER) == [b"get gamelist\n"]
    assert edited.edit(b"move 4\n", TO_SERVER) == []
    assert edited.edit(b"get gamelist\n", TO_SERVER) == []
    assert edited.hand_over() == [b"move 4\n", b"get gamelist\n"]
    assert edited.edit(b"move 5\n", TO_SERVER) == [b"move 5\n"]


def test_line_is_held_back_with_all_that_come_after_it() -> None:
    edited = editor()
    edited.holds_back = "YOURTURN"
    assert edited.edit(b"OK\n", TO_CLIENT) == [b"OK\n"]
    assert edited.edit(b"SVR GAME YOURTURN\n", TO_CLIENT) == []
    assert edited.edit(b"OK\n", TO_CLIENT) == []
    assert edited.let_go() == [b"SVR GAME YOURTURN\n", b"OK\n"]
    assert edited.edit(b"SVR GAME YOURTURN\n", TO_CLIENT) == [b"SVR GAME YOURTURN\n"]
