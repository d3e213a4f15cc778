"""A connection from its first line to its last: logging in, leaving, and lines that wait for their turn."""

from gameserver.protocol import (
    Accepted,
    Code,
    EndReason,
    Enter,
    GameEnded,
    GamesListed,
    ListGames,
    MatchEnded,
    MatchOpened,
    Play,
    Refusal,
    Rejected,
    Reply,
    Resign,
    Result,
)
from gameserver.time_control import TimeControl
from tests.protocols.strategic.answers import GAMELIST, OK
from tests.support.strategic_client import StrategicClient, turn


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


def test_line_read_before_the_next_match_is_not_meant_for_it():
    client = StrategicClient().play()
    client.adapter.receive(b"get gamelist\nmove 4\nforfeit\nmove 5", 0)
    assert client.adapter.next() == ListGames(7)
    over = GameEnded(1, Result(EndReason.DROPPED, (1, -1), (0,), 1)), MatchEnded(1, Result(EndReason.DROPPED, (), ()))
    client.hears(*over, MatchOpened(2, "Reversi", ("eve", "cyd"), 0, 0, TimeControl(10_000)), turn(0, match=2))
    client.hears(GAMELIST, answer=OK)
    client.adapter.receive(b"\n", 0)
    asked = []
    while (item := client.adapter.next()) is not None:
        asked.append(item)
        client.hears(answer=Rejected(Code.NOT_IN_MATCH))
    assert asked == [Play(7, "4", 1), Resign(7, match=1), Play(7, "5", 2)]
