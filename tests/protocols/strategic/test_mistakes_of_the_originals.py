"""Mistakes of the original servers that this one does not repeat."""

import pytest

from gameserver.protocol import BrokenInput, Code, ListGames, MoveRefused, Rejected, Reply, Say
from tests.protocols.strategic.answers import GAMELIST, OK, YOURTURN, players
from tests.support.strategic_client import StrategicClient, turn


def test_a_line_without_end_costs_its_own_connection_alone():
    client = StrategicClient()
    client.adapter.receive(b"get gamelist\n" + b"x" * 20_000, 0)
    assert client.adapter.next() == ListGames(7)
    assert client.hears(GAMELIST, answer=OK)[0] == "OK"
    with pytest.raises(BrokenInput) as caught:
        client.adapter.next()
    assert caught.value.last_words == b"ERR Payload too large\r\n"


def test_a_list_of_any_length_arrives():
    names = [f"{number:03}-{'x' * 60}" for number in range(300)]
    assert StrategicClient().asks("get playerlist", players(*names)) == [
        "OK",
        "SVR PLAYERLIST [" + ", ".join(f'"{name}"' for name in names) + "]",
    ]


@pytest.mark.parametrize(
    ("line", "refusal", "expected"),
    [
        ("move 3", Rejected(Code.NOT_YOUR_TURN, {"player": "ann"}), "ERR It is not ann's turn"),
        ('challenge "ann" "Reversi"', Rejected(Code.CHALLENGE_SELF), "ERR Cannot challenge self"),
        ('challenge "cyd" "Reversi"', Rejected(Code.IN_MATCH), "ERR Currently in match"),
        ("challenge accept 5", Rejected(Code.IN_MATCH), "ERR Currently in match"),
    ],
)
def test_one_answer_to_one_command(line, refusal, expected):
    assert StrategicClient().play().asks(line, answer=refusal) == [expected]


def test_the_match_stays_after_a_refused_second_one():
    client = StrategicClient().play()
    client.asks("challenge accept 5", answer=Rejected(Code.IN_MATCH))
    assert client.hears(turn(0)) == [YOURTURN]


@pytest.mark.parametrize("line", ["msg", "message", "msg  ", 'msg "'])
def test_no_exception_text_for_an_empty_message(line):
    assert StrategicClient().login().told(line) == [
        'ERR The message should not be empty, write: message "<player>" <text>'
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
    client = StrategicClient(messages_per_10_s=3).login()
    for at_ms in (0, 4000, 9000):
        assert client.send('msg "bob" hi', at_ms) == Say(7, "bob", "hi")
        client.hears(answer=OK)
    assert client.told('msg "bob" ', 9500) == ['ERR The message should not be empty, write: message "<player>" <text>']
    too_many = ["ERR Too many messages, at most 3 in 10 seconds"]
    assert client.told('msg "bob" hi', 9999) == too_many
    assert client.send('msg "bob" hi', 10_000) == Say(7, "bob", "hi")
    client.hears(answer=OK)
    assert client.told('msg "bob" hi', 13_999) == too_many
    assert client.send('msg "bob" hi', 14_000) == Say(7, "bob", "hi")


@pytest.mark.parametrize("line", [b"login a\x07b", b"login \xe9", b'msg "bob" \x1b[2J', b"move \xff\xff"])
def test_control_characters_and_other_bytes_are_refused(line):
    client = StrategicClient()
    client.adapter.receive(line + b"\r\n", 0)
    reply = client.adapter.next()
    assert isinstance(reply, Reply)
    assert reply.data.startswith(b"ERR The line ")
    assert client.asks("login ann") == ["OK"]


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
