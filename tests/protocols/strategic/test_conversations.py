"""Conversations of the original servers: what is sent, what the lobby answers, and what is heard."""

import pytest

from gameserver.protocol import (
    Accept,
    Challenge,
    ChallengeOpened,
    Code,
    EndReason,
    Enter,
    GameEnded,
    ListGames,
    ListPlayers,
    MatchEnded,
    MatchOpened,
    Play,
    Rejected,
    Reply,
    Resign,
    Say,
    Seek,
    Withdraw,
)
from protocols.strategic.profiles import PROFILES
from tests.protocols.strategic.answers import GAMELIST, OK, YOURTURN, players
from tests.support.strategic_client import StrategicClient, lines_of, moved, turn


def test_the_conversation_before_and_in_the_lobby():
    client = StrategicClient("2015")
    assert lines_of(client.adapter.greeting()) == [
        "Strategic Game Server Fixed [Version 1.1.0]",
        "(C) Copyright 2015 Hanzehogeschool Groningen",
    ]
    games = ["OK", 'SVR GAMELIST ["Reversi", "Tic-tac-toe"]']
    assert client.told("foo") == ["ERR Unsupported command: 'foo'"]
    assert client.told("foo bar baz") == ["ERR Unsupported command: 'foo'"]
    assert client.told("get") == ["ERR Unknown GET argument: ''"]
    assert client.asks("get gamelist", GAMELIST) == games
    assert client.asks("GET GAMELIST", GAMELIST) == games
    assert client.asks("get playerlist", players()) == ["OK", "SVR PLAYERLIST []"]
    assert client.told("get foo") == ["ERR Unknown GET argument: 'foo'"]
    assert client.told("help nope") == ["ERR Unknown command 'nope'."]
    assert client.told("subscribe Tic-tac-toe") == ["ERR Not logged in"]
    assert client.told("move 1") == ["ERR Not logged in"]
    assert client.told("forfeit") == ["ERR Not in any match"]
    assert client.told('challenge "x" "y"') == ["ERR Not logged in"]
    assert client.told("login") == ["ERR No name entered"]
    assert client.told("login ") == ["ERR No name entered"]
    assert client.send("login  alice ").name == "alice"
    assert client.hears(answer=OK) == ["OK"]
    assert client.told("login bob") == ["ERR Already logged in"]
    assert client.told("LOGIN carol") == ["ERR Already logged in"]
    assert client.asks("get playerlist", players("alice")) == ["OK", 'SVR PLAYERLIST ["alice"]']
    assert client.told("subscribe") == ["ERR No game name entered"]
    unknown = Rejected(Code.UNKNOWN_GAME, {"game": "nope"})
    assert client.asks("subscribe nope", answer=unknown) == ["ERR Unknown game: 'nope'"]
    assert client.asks("subscribe Tic-tac-toe") == ["OK"]
    assert client.told("move") == ["ERR No move entered"]
    nowhere = Rejected(Code.NOT_IN_MATCH)
    assert client.asks("move 1", answer=nowhere) == ["ERR Not in any match"]
    assert client.asks("forfeit", answer=nowhere) == ["ERR Not in any match"]
    assert client.told("challenge") == ["ERR Illegal argument(s) for command"]
    assert client.told("challenge accept x") == ["ERR Illegal argument(s) for command"]
    missing = Rejected(Code.UNKNOWN_CHALLENGE, {"number": "99"})
    assert client.asks("challenge accept 99", answer=missing) == ["ERR Invalid challenge number '99'"]
    nobody = Rejected(Code.UNKNOWN_PLAYER, {"player": "nobody"})
    assert client.asks('challenge "nobody" "Tic-tac-toe"', answer=nobody) == ["ERR Unknown player: 'nobody'"]
    assert client.asks('challenge "alice" "nope"', answer=unknown) == ["ERR Unknown game: 'nope'"]
    assert client.told('challenge "" ""') == ["ERR Illegal argument(s) for command"]


def test_the_conversation_of_line_ends():
    client = StrategicClient("2015")
    client.adapter.receive(b"\r\n\r\nlogin eve\r\nget gamelist\r\nget playerlist\r\n", 0)
    assert isinstance(client.adapter.next(), Enter)
    assert client.hears(answer=OK) == ["OK"]
    assert client.adapter.next() == ListGames(7)
    assert client.hears(GAMELIST, answer=OK)[0] == "OK"
    assert client.adapter.next() == ListPlayers(7)
    assert client.hears(players("eve"), answer=OK)[0] == "OK"
    client.adapter.receive(b"get game", 0)
    assert client.adapter.next() is None
    client.adapter.receive(b"list\n", 0)
    assert client.adapter.next() == ListGames(7)
    client.hears(GAMELIST, answer=OK)
    client.adapter.receive(b"get gamelist\r", 0)
    assert client.adapter.next() == ListGames(7)
    client.hears(GAMELIST, answer=OK)
    assert client.told(" get gamelist") == ["ERR Unsupported command: ''"]
    assert client.send("get  gamelist") == ListGames(7)
    client.hears(GAMELIST, answer=OK)
    client.adapter.receive(b"get\tgamelist\n", 0)
    assert client.adapter.next() == Reply(b"ERR Unsupported command: 'get\tgamelist'\r\n")
    assert client.send("get gamelist ") == ListGames(7)
    client.hears(GAMELIST, answer=OK)
    assert client.told("   ") == ["ERR Unsupported command: ''"]
    client.adapter.receive(b"\n", 0)
    assert client.adapter.next() is None


def test_the_conversation_of_a_won_game():
    ann, bob = StrategicClient("2015").login("ann"), StrategicClient("2015").login("bob")
    for seat, client, opponent in ((0, ann, "bob"), (1, bob, "ann")):
        assert client.hears(MatchOpened(1, "Tic-tac-toe", ("ann", "bob"), seat, 0, 10_000), turn(0)) == [
            f'SVR GAME MATCH {{PLAYERTOMOVE: "ann", GAMETYPE: "Tic-tac-toe", OPPONENT: "{opponent}"}}',
            *([YOURTURN] if seat == 0 else []),
        ]
    for number, field in enumerate((0, 3, 1, 4)):
        seat = number % 2
        mover, other = (ann, bob) if seat == 0 else (bob, ann)
        move = moved(("ann", "bob")[seat], field, seat)
        line = f'SVR GAME MOVE {{PLAYER: "{move.player}", MOVE: "{field}", DETAILS: ""}}'
        assert mover.asks(f"move {field}", move, turn(1 - seat)) == ["OK", line]
        assert other.hears(move, turn(1 - seat)) == [line, YOURTURN]
    end = (moved("ann", 2), GameEnded(1, (1, -1), (0,), EndReason.PLAYED), MatchEnded(1, EndReason.PLAYED))
    line = 'SVR GAME MOVE {PLAYER: "ann", MOVE: "2", DETAILS: ""}'
    scores = '{PLAYERONESCORE: "1", PLAYERTWOSCORE: "-1", COMMENT: ""}'
    assert ann.asks("move 2", *end) == ["OK", line, f"SVR GAME WIN {scores}"]
    assert bob.hears(*end) == [line, f"SVR GAME LOSS {scores}"]
    assert ann.asks("move 5", answer=Rejected(Code.NOT_IN_MATCH)) == ["ERR Not in any match"]


def test_the_conversation_of_a_drawn_game():
    drawn = GameEnded(1, (0, 0), (), EndReason.PLAYED)
    line = 'SVR GAME DRAW {PLAYERONESCORE: "0", PLAYERTWOSCORE: "0", COMMENT: ""}'
    assert [StrategicClient().play(seat).hears(drawn) for seat in (0, 1)] == [[line], [line]]


def test_the_conversation_of_a_silent_pass():
    client = StrategicClient("2015").play(game="Reversi")
    assert client.asks("move 17", moved("ann", 17), turn(0, number=2)) == [
        "OK",
        'SVR GAME MOVE {PLAYER: "ann", MOVE: "17", DETAILS: ""}',
        YOURTURN,
    ]


def test_the_conversation_of_a_game_that_speaks():
    client = StrategicClient("2009").login("bob")
    assert client.hears(
        MatchOpened(1, "Ultra Guess Game", ("bob", "ann"), 0, 0, 10_000), turn(0, prompt="Raad het getal")
    ) == [
        'SVR GAME MATCH {PLAYERTOMOVE: "bob", GAMETYPE: "Ultra Guess Game", OPPONENT: "ann"}',
        'SVR GAME YOURTURN {TURNMESSAGE: "Raad het getal"}',
    ]
    assert client.hears(
        moved("ann", 4, 1, details="Geraden"), GameEnded(1, (-1, 1), (1,), EndReason.PLAYED, reason_text="Geraden")
    ) == [
        'SVR GAME MOVE {PLAYER: "ann", MOVE: "4", DETAILS: "Geraden"}',
        'SVR GAME LOSS {PLAYERONESCORE: "-1", PLAYERTWOSCORE: "1", COMMENT: "Geraden"}',
    ]


def test_the_conversation_of_2016():
    ann, bob = StrategicClient("2016").login("ann"), StrategicClient("2016").login("bob")
    assert ann.asks("unsubscribe") == ["OK"]
    assert ann.send('challenge "bob" "Tic-tac-toe" 2') == Challenge(7, "bob", "Tic-tac-toe", 2000)
    assert ann.hears(answer=OK) == ["OK"]
    assert bob.hears(ChallengeOpened(7, "ann", "Tic-tac-toe", 2000)) == [
        'SVR GAME CHALLENGE {CHALLENGER: "ann", CHALLENGENUMBER: "7", GAMETYPE: "Tic-tac-toe", TURNTIME: "2"}'
    ]
    assert bob.send("CHALLENGE ACCEPT 7") == Accept(7, 7)
    opened = MatchOpened(1, "Tic-tac-toe", ("bob", "ann"), 0, 0, 2000)
    assert bob.hears(opened, turn(0), answer=OK) == [
        "OK",
        'SVR GAME MATCH {PLAYERTOMOVE: "bob", GAMETYPE: "Tic-tac-toe", OPPONENT: "ann"}',
        YOURTURN,
    ]
    assert bob.hears(GameEnded(1, (-1, 1), (1,), EndReason.LATE, 0), MatchEnded(1, EndReason.LATE)) == [
        'SVR GAME LOSS {PLAYERONESCORE: "0", PLAYERTWOSCORE: "0", COMMENT: "Turn timelimit reached"}'
    ]
    assert ann.told('challenge "bob" "Tic-tac-toe" x') == ["ERR Illegal argument(s) for command"]
    assert ann.send('challenge "bob" "Tic-tac-toe"5') == Challenge(7, "bob", "Tic-tac-toe", 5000)
    ann.hears(answer=OK)
    assert ann.send('message "cyd" hello "there", {x}') == Say(7, "cyd", "hello  there , {x}")
    ann.hears(answer=OK)
    pointless = Rejected(Code.SAY_SELF, {"player": "ann"})
    assert ann.asks('msg "ann" me', answer=pointless) == ["ERR It is pointless to send a message to yourself ann"]
    assert ann.told("msg bob me") == ["ERR The message should not be empty"]
    assert ann.told('msg "bob"') == ["ERR The message should not be empty"]
    assert ann.told('msg "bob" ' + "y" * 141) == ["ERR Messages should not contain more than 140 characters"]


def test_the_conversation_of_the_new_game_server():
    client = StrategicClient("ngs")
    client.adapter.receive(b"login test2\nsubscribe reversi\n", 0)
    heard = lines_of(client.adapter.greeting())
    while client.adapter.next() is not None:
        heard += client.hears(answer=OK)
    assert heard == ["New Game Server [Version 1.0]", "(C) Copyright 2021 Hanzehogeschool Groningen", "OK", "OK"]
    assert client.hears(
        MatchOpened(1, "Reversi", ("test2", "test1"), 0, 0, 10_000),
        turn(0),
        GameEnded(1, (-1, 1), (1,), EndReason.ILLEGAL, 0),
    ) == [
        'SVR GAME MATCH {PLAYERTOMOVE: "test2", GAMETYPE: "Reversi", OPPONENT: "test1"}',
        YOURTURN,
        'SVR GAME LOSS {PLAYERONESCORE: "-1", PLAYERTWOSCORE: "1", COMMENT: "Invalid move"}',
    ]


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_understands_what_any_client_sends(profile):
    client = StrategicClient(profile).login()
    for line, command in {
        "GET PLAYERLIST": ListPlayers(7),
        "SUBSCRIBE tic-tac-toe": Seek(7, "Tic-tac-toe"),
        "UNSUBSCRIBE ": Withdraw(7),
        "challenge bob Reversi": Challenge(7, "bob", "Reversi"),
        'challenge "bob" "reversi" 30': Challenge(7, "bob", "Reversi", 30_000),
        'challenge accept "3"': Accept(7, 3),
        "challenge accept": Accept(7, None),
        "challenge forfeit": Resign(7, match=0),
        'msg "bob" hi': Say(7, "bob", "hi"),
        "MOVE 4 ": Play(7, "4", 0),
    }.items():
        assert client.send(line) == command
        assert client.hears(answer=OK) == ["OK"]
    assert client.told("help LOGIN")[0] == "OK"
