"""Every limit of the configuration, crossed over a real socket.

Whoever crosses it is told, or it stands in the log, and nobody else notices.
"""

import socket
import time
from contextlib import suppress

import psutil
import pytest

from tests.end_to_end.blocking_client import begin, play
from tests.end_to_end.support import LOCAL, NEIGHBOUR, eventually


@pytest.fixture
def neighbours():
    """Two players in a match, who must not notice anything: call it to have them play on."""
    matches = []

    def sit_down(server):
        matches.append(begin(server.client("neighbour 1"), server.client("neighbour 2")))
        return matches[-1]

    yield sit_down
    for first, second in matches:
        play(first, second, 4, 0, 1, 7)
        assert first.ask("move 2") == "OK"
        first.expect("SVR GAME MOVE ")
        assert second.expect("SVR GAME MOVE ", "SVR GAME YOURTURN ")


def read_to_the_end(client):
    """Read what is there until the connection is over, which may be in the midst of a line, and by a reset."""
    with suppress(ConnectionError):
        while client.socket.recv(65_536):
            pass


def test_line_bytes_max(server, neighbours):
    neighbours(server)
    client = server.client("ann")
    client.send_bytes(b"x" * 20_000)
    assert client.rest() == ["ERR Payload too large"]
    server.log.wait_for("connection ends", "a line of more than 16384 bytes")
    eventually(lambda: server.client().ask("login ann") == "OK", "the name is free again")


def test_line_bytes_max_is_a_setting_and_exact(serve):
    server = serve(limits={"line_bytes_max": 256})
    client = server.client("ann")
    longest = "login " + "x" * 250
    assert client.ask(longest) == "ERR Already logged in"
    client.send(longest + "x", "get gamelist")
    assert client.rest() == ["ERR Payload too large"]


def test_lines_before_one_that_is_too_long_are_answered(server):
    client = server.client()
    client.send_bytes(b"login ann\r\nget gamelist\r\n" + b"x" * 20_000)
    client.expect("OK", "OK", "SVR GAMELIST ")
    assert client.rest() == ["ERR Payload too large"]


def test_connections_max(serve, neighbours):
    server = serve(limits={"connections_max": 4})
    neighbours(server)
    third = server.client("third")
    fourth = server.client("fourth")
    refused = server.client(banner=False)
    assert refused.rest() == ["ERR The server is full with 4 connections (connections_max); try again later"]
    server.log.wait_for("refused", "connections_max")
    refused.close()
    fourth.send("bye")
    assert fourth.rest() == []
    fourth.close()
    eventually(lambda: server.client(banner=False).next().startswith("Game Server"), "there is room again")
    third.hears_nothing()


def test_connections_per_address_max(serve, neighbours):
    server = serve(limits={"connections_per_address_max": 3})
    neighbours(server)
    server.client("third")
    refused = server.client(banner=False)
    (words,) = refused.rest()
    assert words.startswith(f"ERR There are 3 connections from {LOCAL} already (connections_per_address_max)")
    server.log.wait_for("refused", LOCAL, "connections_per_address_max")
    server.client("somebody elsewhere", source=NEIGHBOUR).hears_nothing()


def test_login_timeout_s(serve):
    server = serve(limits={"login_timeout_s": 1})
    ann = server.client("ann")
    began_s = time.monotonic()
    client = server.client()
    assert client.ask("get gamelist") == "OK"
    assert client.rest()[1:] == ["ERR No login within 1 seconds; connect again when you are ready"]
    assert time.monotonic() - began_s >= 1
    server.log.wait_for("connection ends", "No login within 1 seconds")
    ann.hears_nothing()


def ask_without_reading(server, times):
    """Somebody who asks for the list of players, over and over, and reads none of the answers."""
    for number in range(60):
        server.client(f"{number:02}" + "x" * 62)
    deaf = server.client("deaf", receive_buffer=2048)
    deaf.send(*["get playerlist"] * times)
    return deaf


def test_outbox_bytes_max(serve, neighbours):
    server = serve(limits={"outbox_bytes_max": 16_384, "commands_per_s": 100_000})
    neighbours(server)
    deaf = ask_without_reading(server, 5000)
    said = server.log.wait_for("connection ends", "wait for a peer that does not read", "outbox_bytes_max")
    assert 16_384 < int(said.partition("why='")[2].split()[0]) < 32_768
    read_to_the_end(deaf)
    eventually(lambda: server.client().ask("login deaf") == "OK", "the name is free again")


def test_send_timeout_s(serve, neighbours):
    server = serve(limits={"outbox_bytes_max": 100_000_000, "send_timeout_s": 0.5, "commands_per_s": 100_000})
    neighbours(server)
    deaf = ask_without_reading(server, 5000)
    server.log.wait_for("connection ends", "the peer took no byte", "send_timeout_s")
    read_to_the_end(deaf)


def test_commands_per_s_slows_down_and_cuts_nobody_off(serve, neighbours):
    per_s, commands = 50, 175
    server = serve(limits={"commands_per_s": per_s})
    neighbours(server)
    client = server.client()
    began_s = time.monotonic()
    client.send("login ann", *(f"nonsense{number}" for number in range(commands)))
    client.expect("OK")
    for number in range(commands):
        assert client.next() == f"ERR Unsupported command: 'nonsense{number}'"
    took_s = time.monotonic() - began_s
    # A burst of twice as many may go at once.
    assert took_s >= (commands - 2 * per_s) / per_s * 0.95
    client.hears_nothing()


def test_commands_per_s_holds_for_commands_that_change_something(serve):
    server = serve(limits={"commands_per_s": 20})
    client = server.client("ann")
    began_s = time.monotonic()
    client.send(*["subscribe Reversi", "unsubscribe"] * 30)
    client.expect(*["OK"] * 60)
    assert time.monotonic() - began_s >= 0.95


def test_messages_per_10_s(serve):
    server = serve(strategic={"messages_per_10_s": 3})
    ann, bob = server.client("ann"), server.client("bob")
    for number in range(3):
        assert ann.ask(f'message "bob" hello {number}') == "OK"
        assert bob.next() == f'SVR MESSAGE {{PLAYERNAME: "ann", MESSAGE: "hello {number}"}}'
    assert ann.ask('msg "bob" hello 4') == "ERR Too many messages, at most 3 in 10 seconds"
    bob.hears_nothing()
    assert bob.ask('msg "ann" not so fast') == "OK"


def test_name_length_max(serve):
    server = serve(lobby={"name_length_max": 10})
    client = server.client()
    assert client.ask("login " + "x" * 11).startswith("ERR Invalid name: a name has at most 10 characters")
    assert client.ask("login " + "é" * 10) == "OK"


def test_messages_can_be_switched_off(serve):
    server = serve(lobby={"messages": "never"})
    ann, bob = server.client("ann"), server.client("bob")
    assert ann.ask('message "bob" hello') == "ERR bob cannot receive messages: messages are switched off here"
    bob.hears_nothing()


def test_running_out_of_open_files_is_survived(serve):
    server = serve(open_files_max=64)
    ann, bob = server.client("ann"), server.client("bob")
    waiting = [socket.create_connection((LOCAL, server.port), timeout=5) for _ in range(80)]
    try:
        server.log.wait_for("cannot accept connections", "limit of open files")
        first, second = begin(ann, bob)
        play(first, second, 4, 0)
        # Connections are accepted in the order in which they came; about fifty were, the others wait for room.
        served, left_out = waiting[:40], waiting[-20:]
        for sock in served:
            assert sock.recv(4096).startswith(b"Game Server")
            sock.close()
        for sock in left_out:
            assert sock.recv(4096).startswith(b"Game Server")
        play(first, second, 1, 7)
    finally:
        for sock in waiting:
            sock.close()
    eventually(lambda: server.client().ask("login cyd") == "OK", "somebody new is let in")
    assert server.stop() == 0


def test_running_out_of_open_files_costs_no_cpu(serve):
    server = serve(open_files_max=64)
    waiting = [socket.create_connection((LOCAL, server.port), timeout=5) for _ in range(80)]
    try:
        server.log.wait_for("cannot accept connections")
        process = psutil.Process(server.process.pid)
        before = sum(process.cpu_times()[:2])
        time.sleep(1)
        assert sum(process.cpu_times()[:2]) - before < 0.1
        assert sum("cannot accept connections" in line for line in server.log.lines) == 1
    finally:
        for sock in waiting:
            sock.close()
