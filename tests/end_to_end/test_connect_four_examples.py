"""The Connect Four clients in `examples/`, as a student starts them: with each other, text clients, over a restart."""

import json
import re
import socket
from contextlib import closing

import pytest

from tests.end_to_end.example_bots import ExampleBot, check_told, python_command
from tests.end_to_end.support import DEADLINE_S, EXAMPLES, LOCAL, eventually
from tests.support.java import java_command

MATCHES = 3
SLOW_MOVES_MS = 40
"""With this pause between moves a match lasts long enough to be interrupted."""

FREE = "No player1 yet"


@pytest.fixture(scope="session")
def command(tmp_path_factory):
    """Gives the command of a client by its language and its protocol; Java is compiled once."""
    started = {
        ("Python", "JSON"): python_command("connect_four_bot.py"),
        ("Python", "text"): python_command("random_bot.py"),
    }

    def command_of(language, protocol):
        if (language, protocol) not in started:
            name = {"JSON": "ConnectFourBot", "text": "RandomBot"}[protocol]
            started[language, protocol] = java_command(tmp_path_factory, name)
        return started[language, protocol]

    return command_of


@pytest.fixture
def bots(command, to_end):
    """Starts clients against a server."""

    def start(server, client, name, *arguments):
        language, protocol = client.split()
        port = server.port_of({"JSON": "connect-four", "text": "strategic"}[protocol])
        if protocol == "text":
            arguments = ("--game", "Connect-four-3D", *arguments)
        return ExampleBot.start(to_end, command(language, protocol), port, name, *arguments)

    return start


def rooms(server):
    """The player who waits in each room, as somebody who looks in is shown."""
    with (
        closing(socket.create_connection((LOCAL, server.port_of("connect-four")), DEADLINE_S)) as peer,
        peer.makefile() as lines,
    ):
        peer.sendall(b'{"action":"connect","name":"Passerby"}\n')
        lobby = json.loads(lines.readline())
        peer.sendall(b'{"action":"disconnect"}\n')
        lines.read()  # until the server has closed: the name is free again
    return {room["room number"]: room["opponent"] for room in lobby["free lobbies"] if room["opponent"] != FREE}


def start_pair(server, bots, first, second, *arguments):
    """Two clients, the second one started when the first one waits. The first one begins the first match."""
    ann = bots(server, first, "ann", *arguments)
    eventually(lambda: rooms(server) == {0: "ann"}, "ann waits in room 0")
    return ann, bots(server, second, "bob", *arguments)


def check(server, ann, bob, matches):
    """Both tell of the same matches, move by move, as they are on record."""
    stories, recorded = (ann.finish(), bob.finish()), server.matches()
    assert [match.reason for match in recorded] == ["played"] * matches
    assert recorded[0].players == ["ann", "bob"]
    for name, story in zip(("ann", "bob"), stories, strict=True):
        assert len(story.results) == matches
        check_told(name, story, recorded)
    return recorded, *stories


@pytest.mark.parametrize(
    ("first", "second", "end"), [("Java JSON", "Python text", "kill"), ("Java text", "Python JSON", "stop")]
)
def test_they_outlive_a_restart(serve, bots, first, second, end):
    """In the middle of a match. Both come back to it, and go on from where it was."""
    listen = (f"strategic={LOCAL}:0", f"connect-four={LOCAL}:0")
    server = serve(listen=listen, rooms={"move_pause_ms": SLOW_MOVES_MS})
    ann, bob = start_pair(server, bots, first, second, "--matches", MATCHES, "--seed", 7)
    eventually(lambda: re.search(r"RESULT.*?\nmatch.*?(move.*?){4}", ann.printed.text, re.DOTALL), "a second match")
    getattr(server, end)()
    server.start_where_it_was()
    recorded, *stories = check(server, ann, bob, MATCHES)
    for client, bot, story in zip((first, second), (ann, bob), stories, strict=True):
        assert len(story.moves[0]) == len(recorded[0].moves), "a match without a restart is told from its first move"
        unknown = [line for line in bot.printed.lines if "server says" in line and "is stopping" not in line]
        assert client.endswith("text") or not unknown
        assert "connection lost" in bot.printed.text
        shown = len(re.findall("^match of", bot.printed.text, re.MULTILINE))
        assert shown == MATCHES + 1, "one match was shown twice, and no other was begun"
    interrupted = recorded[1].moves
    for client, bot in ((first, ann), (second, bob)):
        if client.endswith("JSON"):
            so_far = re.search(r"match of Connect-four-3D against \w+, (\d+) moves so far", bot.printed.text)
            assert so_far is not None, bot.printed.text
            assert 0 < int(so_far[1]) < len(interrupted)


def test_the_transcript_of_the_page_on_protocols_can_be_followed(server):
    """Line by line as it stands there, with the players' lines in any order that the network makes of it."""
    page = (EXAMPLES.parent / "docs" / "protocols.md").read_text(encoding="utf-8")
    (transcript,) = re.findall(r"<!-- transcript -->\n```\n(.*?)```\n<!-- end -->", page, re.DOTALL)
    lines = [re.fullmatch(r" *(ann|bob) ([<>]) (.*)", line) for line in transcript.splitlines()]
    assert len(lines) > 30
    with closing(socket.create_connection((LOCAL, server.port_of("connect-four")), DEADLINE_S)) as bob:
        ann = server.client()
        heard_by_bob = bob.makefile(encoding="utf-8")
        for line in lines:
            assert line is not None
            who, direction, text = line.groups()
            if direction == ">":
                (ann.send_bytes if who == "ann" else bob.sendall)(f"{text}\n".encode())
                continue
            heard = ann.line() if who == "ann" else heard_by_bob.readline().rstrip("\n")
            assert re.fullmatch(re.escape(text).replace(r"\.\.\.", ".*"), heard), (
                f"the page has {text!r}, not {heard!r}"
            )
