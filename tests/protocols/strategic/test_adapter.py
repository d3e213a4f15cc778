"""A connection from its first line to its last: logging in, leaving, and lines that wait for their turn."""

from gameserver.protocol import (
    Accepted,
    Enter,
    GamesListed,
    ListGames,
    Refusal,
    Reply,
)
from tests.support.strategic_client import StrategicClient


def test_a_closed_side_is_answered_to_the_end():
    client = StrategicClient()
    client.adapter.receive(b"login ann\nget gamelist\nhelp nope\nfoo", 0)
    client.adapter.receive_eof()
    client.adapter.receive_eof()
    client.adapter.receive(b"get playerlist\n", 0)
    assert isinstance(client.adapter.next(), Enter)
    assert not client.adapter.finished
    assert client.hears(answer=Accepted()) == ["OK"]
    assert client.adapter.next() == ListGames(7)
    assert client.hears(GamesListed(("Reversi",)), answer=Accepted()) == ["OK", 'SVR GAMELIST ["Reversi"]']
    assert client.adapter.next() == Reply(b"ERR Unknown command 'nope'.\r\n")
    assert not client.adapter.finished
    assert client.adapter.next() == Reply(b"ERR Unsupported command: 'foo'\r\n")
    assert client.adapter.finished
    assert client.adapter.next() is None
    assert client.hears(answer=Accepted()) == []


def test_farewell():
    client = StrategicClient()
    assert client.adapter.farewell(Refusal("The server stops\r\nSVR now")) == b"ERR The server stops  SVR now\r\n"
