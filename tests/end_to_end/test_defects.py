"""The defects of the original servers, each as a test that the originals fail.

The first two took the whole server down: a client that floods, and 20 KB without a line end. A long
list of players was lost. Some commands had two answers, one of them a Java exception, and in one
generation a player could be in two matches at once.
"""

import threading
import time
from contextlib import contextmanager, suppress

import pytest

from tests.end_to_end.blocking_client import begin, fields_of, play
from tests.end_to_end.support import eventually


@contextmanager
def flood(server, clients):
    """Clients whose standard input was closed: they send `null` for ever, and read no answer. Gives what was sent."""
    sent = [0]
    stopped = threading.Event()

    def send(client):
        client.socket.settimeout(0.05)
        while not stopped.is_set():
            with suppress(TimeoutError, ConnectionError):
                sent[0] += client.socket.send(b"null\r\n" * 1000)

    threads = [threading.Thread(target=send, args=(server.client(receive_buffer=2048),)) for _ in range(clients)]
    for thread in threads:
        thread.start()
    yield sent
    stopped.set()
    for thread in threads:
        thread.join()


def test_a_flood_of_null_lines_harms_nobody_else(server):
    first, second = begin(server.client("ann"), server.client("bob"))
    with flood(server, clients=5) as sent:
        eventually(lambda: sent[0] > 100_000, "the flood has come")
        play(first, second, 4, 0)
        began_s = time.monotonic()
        for _ in range(100):
            first.hears_nothing()
        assert time.monotonic() - began_s < 5
        play(first, second, 1, 7)
        server.client("cyd").hears_nothing()


def test_twenty_kilobytes_without_a_line_end_harm_nobody_else(server):
    first, second = begin(server.client("ann"), server.client("bob"))
    client = server.client()
    client.send_bytes(b"\xc3\xa9" * 10_000)
    assert client.rest() == ["ERR Payload too large"]
    play(first, second, 4, 0, 1, 7)


@pytest.mark.parametrize("players", [50, 300])
def test_a_long_list_of_players_arrives_whole(server, players):
    names = [f"{number:03} " + "x" * 60 for number in range(players)]
    clients = [server.client(name) for name in names]
    clients[0].send("get playerlist")
    clients[0].expect("OK")
    line = clients[0].next()
    assert len(line) > 4096 or players == 50
    assert line.startswith("SVR PLAYERLIST [" + ", ".join(f'"{name}"' for name in names) + ", ")
    assert line.endswith('"]')
    clients[0].hears_nothing()


def test_a_move_out_of_turn_has_one_answer(server):
    clients = {name: server.client(name) for name in ("ann", "bob")}
    first, second = begin(*clients.values())
    (name,) = [name for name, client in clients.items() if client is second]
    assert second.ask("move 4") == f"ERR It is not {name}'s turn"
    second.hears_nothing()
    first.hears_nothing()
    play(first, second, 4, 0)
    assert second.ask("move 1").startswith("ERR It is not ")
    play(first, second, 1, 7)


def test_challenge_to_oneself_is_refused_with_one_answer(server):
    ann = server.client("ann")
    assert ann.ask('challenge "ann" "Reversi"') == "ERR Cannot challenge self"
    ann.hears_nothing()
    assert ann.ask("challenge accept") == "ERR Illegal argument(s) for command, nobody's challenge is open"
    assert ann.ask("challenge accept 0") == "ERR Invalid challenge number '0'"
    ann.hears_nothing()


def test_challenge_in_a_match_is_refused_with_one_answer(server):
    clients = {name: server.client(name) for name in ("ann", "bob")}
    cyd = server.client("cyd")
    first, second = begin(*clients.values())
    for client in (first, second):
        assert client.ask('challenge "cyd" "Tic-tac-toe"') == "ERR Currently in match"
        client.hears_nothing()
    for name in clients:
        assert cyd.ask(f'challenge "{name}" "Tic-tac-toe"') == "ERR Other player currently in match"
        cyd.hears_nothing()
    play(first, second, 4, 0)


def test_nobody_is_in_two_matches_at_once(server):
    clients = {name: server.client(name) for name in ("ann", "bob")}
    cyd = server.client("cyd")
    assert cyd.ask('challenge "ann" "Tic-tac-toe"') == "OK"
    number = fields_of(clients["ann"].expect("SVR GAME CHALLENGE "))["CHALLENGENUMBER"]
    first, second = begin(*clients.values())
    # What was received before the match stays open, and is for afterwards.
    assert clients["ann"].ask(f"challenge accept {number}") == "ERR Currently in match"
    # So is a subscription.
    assert clients["ann"].ask("subscribe Reversi") == "OK"
    dan = server.client("dan")
    assert dan.ask("subscribe Reversi") == "OK"
    dan.hears_nothing()
    for client in (first, second):
        client.hears_nothing()
    play(first, second, 0, 3, 1, 4)
    assert first.ask("move 2") == "OK"
    clients["ann"].expect("SVR GAME MOVE ", "SVR GAME ")
    match = fields_of(clients["ann"].expect("SVR GAME MATCH "))
    assert (match["GAMETYPE"], match["OPPONENT"]) == ("Reversi", "dan")
    clients["bob"].expect("SVR GAME MOVE ", "SVR GAME ")
    clients["bob"].hears_nothing()


def test_no_exception_ever_stands_on_the_wire(server):
    client = server.client("ann")
    commands = ("msg", "message", 'msg "', 'msg "bob"', 'msg "" x', "challenge", "challenge accept x", "move", "help x")
    for command in commands:
        answer = client.ask(command)
        assert answer.startswith("ERR ")
        assert "xception" not in answer
    client.hears_nothing()


def test_a_server_without_a_screen_starts(serve):
    server = serve(env={"DISPLAY": "", "TERM": "dumb"})
    server.client("ann").hears_nothing()
