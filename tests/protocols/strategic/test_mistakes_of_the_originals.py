"""Mistakes of the original servers that this one does not repeat."""

import pytest

from gameserver.protocol import Code, MoveRefused, Rejected, Reply, Say
from tests.protocols.strategic.answers import OK, players
from tests.support.strategic_client import StrategicClient


def test_a_list_of_any_length_arrives():
    names = [f"{number:03}-{'x' * 60}" for number in range(300)]
    assert StrategicClient().asks("get playerlist", players(*names)) == [
        "OK",
        "SVR PLAYERLIST [" + ", ".join(f'"{name}"' for name in names) + "]",
    ]


def test_a_flood_is_answered_line_by_line_and_leaves_nothing_behind():
    client = StrategicClient()
    client.adapter.receive(b"null\r\n" * 10_000, 0)
    assert client.adapter.pending_bytes == 40_000
    for _ in range(10_000):
        assert client.adapter.next() == Reply(b"ERR Unsupported command: 'null'\r\n")
    assert (client.adapter.next(), client.adapter.pending_bytes) == (None, 0)
    assert client.asks("login ann") == ["OK"]


def test_a_flood_of_messages_is_refused():
    client = StrategicClient().login()
    for at_ms in (0, *[4000] * 18, 9000):
        assert client.send('msg "bob" hi', at_ms) == Say(7, "bob", "hi")
        client.hears(answer=OK)
    assert client.told('msg "bob" ', 9500) == ['ERR The message should not be empty, write: message "<player>" <text>']
    too_many = ["ERR Too many messages, at most 20 in 10 seconds"]
    assert client.told('msg "bob" hi', 9999) == too_many
    assert client.send('msg "bob" hi', 10_000) == Say(7, "bob", "hi")
    client.hears(answer=OK)
    assert client.told('msg "bob" hi', 13_999) == too_many
    assert client.send('msg "bob" hi', 14_000) == Say(7, "bob", "hi")


@pytest.mark.parametrize("line", ["{}", "get {}", "help {}"])
def test_long_echoes_are_cut(line):
    (told,) = StrategicClient().told(line.format("x" * 9000))
    assert len(told) < 150
    assert "x" * 100 + "..." in told


def test_long_facts_are_cut():
    client = StrategicClient().login()
    (told,) = client.asks("subscribe x", answer=Rejected(Code.UNKNOWN_GAME, {"game": "x" * 9000}))
    assert told == f"ERR Unknown game: '{'x' * 100}...'"
    (told,) = client.asks("move x", answer=Rejected(Code.ILLEGAL_MOVE, {"move": "x", "why": "y" * 9000}))
    assert told == f"ERR Illegal move: {'y' * 240}..."
    (told,) = client.hears(MoveRefused(1, 0, "ann", "x" * 9000, ""))
    assert told == f'SVR GAME MOVE {{PLAYER: "ann", MOVE: "{"x" * 100}...", DETAILS: "Illegal move"}}'


def test_a_fact_that_is_missing_costs_nobody_the_connection():
    assert StrategicClient().asks("get gamelist", answer=Rejected(Code.UNKNOWN_GAME)) == ["ERR Unknown game: '?'"]
