"""A client whose network went logs in again under its name: the installed server, and clients over TCP."""

import json
import time

import pytest

from tests.end_to_end.blocking_client import begin, play
from tests.end_to_end.support import LOCAL, NEIGHBOUR
from tests.support.silence import lose_network, needs_linux

LISTEN = (f"strategic={LOCAL}:0", f"connect-four={LOCAL}:0")
SOON_S = 1.5
"""A live connection is idle for a second before the kernel probes it; then its answer is there at once."""


@pytest.fixture
def server(serve):
    return serve(match={"drop_grace_s": 30, "first_move_pause_ms": 0}, listen=LISTEN)


def timed(client, command):
    """The answer to a command, and how many seconds it took."""
    began_s = time.monotonic()
    return client.ask(command), time.monotonic() - began_s


@needs_linux
def test_client_whose_network_went_plays_on_and_wins(server):
    clients = {name: server.client(name) for name in ("ann", "bob")}
    first, second = begin(*clients.values())
    play(first, second, 4, 0)
    (name,) = [name for name, client in clients.items() if client is first]
    lose_network(first.socket)
    time.sleep(0.2)
    again = server.client()
    again.send(f"login {name}", "get gamelist")
    began_s = time.monotonic()
    again.expect("OK")
    assert 2.5 < time.monotonic() - began_s < 4
    again.expect(
        "SVR GAME MATCH ", f'SVR GAME MOVE {{PLAYER: "{name}", MOVE: "4"', "SVR GAME MOVE {", "SVR GAME YOURTURN "
    )
    again.expect("OK", "SVR GAMELIST ")
    play(again, second, 1, 2)
    assert again.ask("move 7") == "OK"
    again.expect("SVR GAME MOVE ", "SVR GAME WIN ")
    second.expect("SVR GAME MOVE ", "SVR GAME LOSS ")
    (match,) = server.matches()
    assert sorted(match.results) == ["loss", "win"]


@needs_linux
def test_player_in_lobby_whose_network_went_keeps_its_name(server):
    lose_network(server.client("ann").socket)
    time.sleep(0.2)
    answer, waited_s = timed(server.client(), "login ann")
    assert (answer, 2.5 < waited_s < 4) == ("OK", True)


def test_live_connection_keeps_its_seat(server):
    ann, bob = server.client("ann"), server.client("bob")
    first, second = begin(ann, bob)
    for idle_s in (0, 1.2):
        time.sleep(idle_s)
        answer, waited_s = timed(server.client(), "login ann")
        assert (answer, waited_s < SOON_S) == ("ERR Duplicate name exists", True)
    play(first, second, 4, 0, 1, 2)


@needs_linux
def test_stranger_is_refused_at_once(server):
    begin(server.client("ann"), server.client("bob"))
    silent = server.client("cyd")
    lose_network(silent.socket)
    time.sleep(0.2)
    answer, waited_s = timed(server.client(source=NEIGHBOUR), "login cyd")
    assert (answer, waited_s < 0.5) == ("ERR Duplicate name exists", True)


class Room:
    """A client of 3D Connect Four, line by line."""

    def __init__(self, server, name):
        self.client = server.client(port=server.port_of("connect-four"), banner=False)
        self.heard = self.ask("connect", name=name)

    def say(self, action, **more):
        message = {"action": action} | {key.replace("_", " "): value for key, value in more.items()}
        self.client.send_bytes(json.dumps(message).encode() + b"\n")

    def hear(self):
        unread = b""
        while not unread.endswith(b"\n"):
            received = self.client.socket.recv(1)
            assert received, "the end"
            unread += received
        return json.loads(unread)

    def ask(self, action, **more):
        self.say(action, **more)
        return self.hear()


@needs_linux
def test_connect_four_client_whose_network_went_plays_on(server):
    rooms = {name: Room(server, name) for name in ("Ann", "Bob")}
    for room in rooms.values():
        room.ask("join", room_number=3)
        room.say("start")
    ann, bob = rooms.values()
    assert [room.hear()["event"] for room in (ann, ann, bob)] == ["started", "make move", "started"]
    ann.say("move", move="a0")
    assert bob.hear()["event"] == "opponent moved"
    assert bob.hear()["event"] == "make move"
    bob.say("move", move="b0")
    assert [ann.hear()["event"] for _ in range(2)] == ["opponent moved", "make move"]
    lose_network(ann.client.socket)
    time.sleep(0.2)
    began_s = time.monotonic()
    again = Room(server, "Ann")
    assert again.heard["event"] == "lobby"
    assert 2.5 < time.monotonic() - began_s < 4
    assert again.ask("join", room_number=3)["opponent"] == "Bob"
    started = again.ask("start")
    assert (started["event"], started["moves"]) == ("started", ["a0", "b0"])
    assert again.hear()["event"] == "make move"
    again.say("move", move="a0")
    assert bob.hear()["event"] == "opponent moved"


def test_connect_four_client_that_is_there_keeps_its_name(server):
    Room(server, "Ann")
    time.sleep(1.2)
    began_s = time.monotonic()
    refused = Room(server, "Ann").heard
    assert (refused["reason"], time.monotonic() - began_s < SOON_S) == ("lobby entry denied", True)
