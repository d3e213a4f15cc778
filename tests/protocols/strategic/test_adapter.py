"""A connection from its first line to its last: logging in, leaving, and lines that wait for their turn."""

import pytest

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
    MatchShown,
    Play,
    Refusal,
    Rejected,
    Reply,
    Resign,
    Seek,
)
from tests.protocols.strategic.answers import ALREADY, GAMELIST, NOT_LOGGED_IN, OK
from tests.protocols.strategic.stages import Stage, client_at
from tests.support.strategic_client import StrategicClient, turn


def test_nothing_but_the_banner_is_said_before_the_client_speaks():
    client = StrategicClient()
    assert client.adapter.next() is None
    assert client.outputs() == []
    assert (client.adapter.identified, client.adapter.finished) == (False, False)


def test_a_login_counts_when_the_lobby_accepts_it():
    client = StrategicClient()
    assert client.asks("login ann", answer=Rejected(Code.NAME_TAKEN, {"name": "ann"})) == ["ERR Duplicate name exists"]
    assert not client.adapter.identified
    assert client.told("subscribe Reversi") == [NOT_LOGGED_IN]
    assert client.asks("login anna") == ["OK"]
    assert client.adapter.identified
    assert client.told("login bob") == [ALREADY]


def test_login_and_subscribe_in_one_packet():
    client = StrategicClient()
    client.adapter.receive(b"login ann\r\nsubscribe stratego\r\nsubscribe tic-tac-toe\r\n", 0)
    assert isinstance(client.adapter.next(), Enter)
    assert client.hears(answer=Accepted()) == ["OK"]
    assert client.adapter.next() == Seek(7, "stratego")
    assert client.hears(answer=Rejected(Code.UNKNOWN_GAME, {"game": "stratego"})) == ["ERR Unknown game: 'stratego'"]
    assert client.adapter.next() == Seek(7, "Tic-tac-toe")
    assert client.hears(answer=Accepted()) == ["OK"]
    assert client.adapter.next() is None


@pytest.mark.parametrize("word", ["logout", "exit", "quit", "disconnect", "bye"])
def test_goodbye_has_no_answer_and_nothing_after_it_counts(word):
    client = client_at(Stage.PLAYING)
    client.adapter.receive(f"{word}\r\nmove 4\r\n".encode(), 0)
    assert client.adapter.next() is None
    assert client.adapter.finished
    assert client.adapter.pending_bytes == 0
    assert client.hears(GameEnded(1, (0, 0), (1,), EndReason.DROPPED, 0), answer=Accepted()) == []


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


def test_a_login_cut_off_in_its_last_answer_is_still_answered():
    client = StrategicClient()
    client.adapter.receive(b"login ann", 0)
    client.adapter.receive_eof()
    assert isinstance(client.adapter.next(), Enter)
    assert not client.adapter.finished
    assert client.hears(answer=Accepted()) == ["OK"]
    assert client.adapter.finished


def test_an_answer_to_no_question_of_the_player_s_has_no_words():
    client = StrategicClient().login()
    assert client.outputs(answer=Accepted()) == []
    assert client.outputs(answer=Rejected(Code.STALE)) == []


def test_farewell():
    client = StrategicClient()
    assert client.adapter.farewell(Refusal("The server stops\r\nSVR now")) == b"ERR The server stops  SVR now\r\n"


def test_line_read_before_the_next_match_is_not_meant_for_it():
    client = StrategicClient().play()
    client.adapter.receive(b"get gamelist\nmove 4\nforfeit\nmove 5", 0)
    assert client.adapter.next() == ListGames(7)
    over = GameEnded(1, (1, -1), (0,), EndReason.DROPPED, 1), MatchEnded(1, EndReason.DROPPED)
    client.hears(*over, MatchOpened(2, "Reversi", ("eve", "cyd"), 0, 0, 10_000), turn(0, match=2))
    client.hears(GAMELIST, answer=OK)
    client.adapter.receive(b"\n", 0)
    asked = []
    while (item := client.adapter.next()) is not None:
        asked.append(item)
        client.hears(answer=Rejected(Code.NOT_IN_MATCH))
    assert asked == [Play(7, "4", 1), Resign(7, match=1), Play(7, "5", 2)]


def test_move_right_after_reconnecting_counts_for_the_resumed_match():
    client = StrategicClient()
    client.adapter.receive(b"login eve\nmove 4\n", 0)
    client.adapter.next()
    client.hears(MatchShown(3, "Reversi", ("eve", "cyd"), 0, 0, 10_000, ()), answer=OK)
    assert client.adapter.next() == Play(7, "4", None)


def test_it_waits_for_more_only_where_there_is_nothing_left_to_say():
    def asks(*data):
        client = StrategicClient().login()
        for piece in (b"get gamelist\n", *data):
            client.adapter.receive(piece, 0)
        assert client.adapter.next() == ListGames(7)
        return client.adapter

    assert asks().is_waiting
    assert asks(b"unfinished").is_waiting
    assert not asks(b"get playerlist\n").is_waiting
    assert not asks(b"x" * 100_000).is_waiting
    half_closed = asks()
    half_closed.receive_eof()
    assert not half_closed.is_waiting
    left = asks(b"logout\n")
    assert (left.next(), left.is_waiting) == (None, False)
