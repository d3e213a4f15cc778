"""One connection: every stage, every event, and the conversations that the originals were heard in."""

import itertools
from enum import Enum

import pytest
from attrs import evolve
from hypothesis import example, given
from hypothesis import strategies as st

from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.identity import judge_name
from gameserver.protocol import (
    Accept,
    Accepted,
    BrokenInput,
    By,
    Challenge,
    ChallengeClosed,
    ChallengeOpened,
    Code,
    EndReason,
    Enter,
    GameEnded,
    GamesListed,
    ListGames,
    ListPlayers,
    MatchEnded,
    MatchOpened,
    MatchShown,
    MovePlayed,
    MoveRefused,
    Output,
    Play,
    PlayerShown,
    PlayersListed,
    Refusal,
    Rejected,
    Reply,
    Resign,
    RoomsListed,
    Said,
    Say,
    SeatDropped,
    Seated,
    SeatReturned,
    Seek,
    Unseated,
    UnseatedWhy,
    Withdraw,
)
from protocols.strategic.handlers import HANDLERS
from protocols.strategic.parsing import VERBS, Verb
from protocols.strategic.profiles import PROFILES
from protocols.strategic.rendering import safe
from tests.support.strategic_client import SVR_LINE, StrategicClient, lines_of, moved, turn

YOURTURN = 'SVR GAME YOURTURN {TURNMESSAGE: ""}'


class Stage(Enum):
    """The facts that decide about a connection: it has entered, it is in a match, it has left."""

    ARRIVED = (False, False, False)
    LOBBY = (True, False, False)
    PLAYING = (True, True, False)
    LEFT = (False, False, True)


def stage_of(client):
    session = client.adapter.session
    return Stage((session.entered, session.view is not None, session.left))


# Which stage takes which command.

NOT_LOGGED_IN = "ERR Not logged in"
NOT_IN_MATCH = "ERR Not in any match"
ALREADY = "ERR Already logged in"

ARGUMENTS = {
    Verb.LOGIN: "eve",
    Verb.GET: "playerlist",
    Verb.SUBSCRIBE: "Reversi",
    Verb.MOVE: "4",
    Verb.CHALLENGE: '"bob" "Reversi"',
    Verb.MESSAGE: '"bob" hi',
    Verb.HELP: "forfeit",
}

IN_THE_LOBBY = {
    Verb.LOGIN: ALREADY,
    Verb.LOGOUT: None,
    Verb.GET: ListPlayers(7),
    Verb.SUBSCRIBE: Seek(7, "Reversi"),
    Verb.UNSUBSCRIBE: Withdraw(7),
    Verb.MOVE: Play(7, "4", 0),
    Verb.FORFEIT: Resign(7, match=0),
    Verb.CHALLENGE: Challenge(7, "bob", "Reversi"),
    Verb.MESSAGE: Say(7, "bob", "hi"),
    Verb.HELP: "OK",
}

TAKEN = {
    Stage.ARRIVED: {
        Verb.LOGIN: Enter(7, "eve", "strategic", "10.0.0.1", (Capability.CHAT, Capability.CHALLENGE)),
        Verb.LOGOUT: None,
        Verb.GET: ListPlayers(7),
        Verb.SUBSCRIBE: NOT_LOGGED_IN,
        Verb.UNSUBSCRIBE: NOT_LOGGED_IN,
        Verb.MOVE: NOT_LOGGED_IN,
        Verb.FORFEIT: NOT_IN_MATCH,
        Verb.CHALLENGE: NOT_LOGGED_IN,
        Verb.MESSAGE: NOT_LOGGED_IN,
        Verb.HELP: "OK",
    },
    Stage.LOBBY: IN_THE_LOBBY,
    Stage.PLAYING: IN_THE_LOBBY | {Verb.MOVE: Play(7, "4", 1), Verb.FORFEIT: Resign(7, match=1)},
    Stage.LEFT: dict.fromkeys(Verb),
}


def client_at(stage):
    client = StrategicClient()
    if stage is Stage.LOBBY:
        client.login()
    elif stage is Stage.PLAYING:
        client.play()
    elif stage is Stage.LEFT:
        client.send("bye")
    assert stage_of(client) is stage
    return client


@pytest.mark.parametrize(("stage", "word"), [*itertools.product(Stage, VERBS)])
def test_every_command_at_every_stage(stage, word):
    verb = VERBS[word]
    argument = ARGUMENTS.get(verb, "")
    expected = TAKEN[stage][verb]
    for line in (f"{word} {argument}", f"{word.upper()}   {argument}  "):
        client = client_at(stage)
        asked = client.send(line)
        if isinstance(expected, str):
            assert isinstance(asked, Reply)
            assert lines_of(asked.data)[0] == expected
        else:
            assert asked == expected
        assert client.adapter.finished is (verb is Verb.LOGOUT or stage is Stage.LEFT)


def test_the_table_names_every_stage():
    assert set(TAKEN) == set(Stage)
    assert set(HANDLERS) == {False, True}
    assert all(set(row) == set(Verb) for row in TAKEN.values())


@pytest.mark.parametrize(
    ("stage", "line", "expected"),
    [
        (Stage.ARRIVED, "login", "ERR No name entered"),
        (Stage.LOBBY, "login", "ERR No name entered"),
        (Stage.ARRIVED, "subscribe", NOT_LOGGED_IN),
        (Stage.ARRIVED, "move", NOT_LOGGED_IN),
        (Stage.ARRIVED, "challenge x", NOT_LOGGED_IN),
        (Stage.ARRIVED, "challenge forfeit", NOT_LOGGED_IN),
        (Stage.ARRIVED, "msg", NOT_LOGGED_IN),
        (Stage.LOBBY, "subscribe", "ERR No game name entered"),
        (Stage.LOBBY, "move", "ERR No move entered"),
        (
            Stage.LOBBY,
            "challenge x",
            'ERR Illegal argument(s) for command, the game is missing: challenge "x" "Reversi"',
        ),
        (Stage.PLAYING, "challenge x", "ERR Currently in match"),
        (Stage.PLAYING, 'challenge "bob" "Tic-tac-toe" x', "ERR Currently in match"),
        (Stage.PLAYING, "challenge accept x", "ERR Currently in match"),
    ],
)
def test_which_of_two_mistakes_is_named(stage, line, expected):
    assert client_at(stage).told(line) == [expected]


def test_forfeit_has_two_spellings():
    assert client_at(Stage.PLAYING).send("challenge FORFEIT") == Resign(7, match=1)
    assert client_at(Stage.PLAYING).send("forfeit") == Resign(7, match=1)


# Coming and going.


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


# What events sound like.


def test_lists():
    client = StrategicClient()
    players = PlayersListed((PlayerShown("ann", "strategic"), PlayerShown("house-greedy", "house", house=True)))
    assert client.asks("get playerlist", players) == ["OK", 'SVR PLAYERLIST ["ann", "house-greedy"]']
    assert client.asks("GET PLAYERLIST", PlayersListed(())) == ["OK", "SVR PLAYERLIST []"]


def test_challenges():
    client = StrategicClient().login("bob")
    assert client.hears(ChallengeOpened(1, "ann", "Tic-tac-toe", 10_000)) == [
        'SVR GAME CHALLENGE {CHALLENGER: "ann", CHALLENGENUMBER: "1", GAMETYPE: "Tic-tac-toe", TURNTIME: "10"}'
    ]
    assert client.hears(ChallengeClosed(1)) == ['SVR GAME CHALLENGE CANCELLED {CHALLENGENUMBER: "1"}']


def test_a_move_is_a_number_where_the_game_has_numbers():
    client = StrategicClient().play()
    assert client.hears(moved("ann", 4, details="Hoger")) == [
        'SVR GAME MOVE {PLAYER: "ann", MOVE: "4", DETAILS: "Hoger"}'
    ]
    assert client.hears(MovePlayed(1, 0, "ann", "e4", 28, "")) == [
        'SVR GAME MOVE {PLAYER: "ann", MOVE: "28", DETAILS: ""}'
    ]
    assert client.hears(MovePlayed(1, 0, "ann", "e4", None, "")) == [
        'SVR GAME MOVE {PLAYER: "ann", MOVE: "e4", DETAILS: ""}'
    ]


def test_a_draw_by_chance_has_no_line():
    assert StrategicClient().play().hears(
        MovePlayed(1, None, "", "3 5", None, "", By.CHANCE), turn(0, prompt="3 5")
    ) == ['SVR GAME YOURTURN {TURNMESSAGE: "3 5"}']


def test_a_move_in_a_late_player_s_place():
    assert StrategicClient().play().hears(moved("ann", 4, by=By.SERVER, details="x")) == [
        'SVR GAME MOVE {PLAYER: "ann", MOVE: "4", DETAILS: "Turn timelimit reached"}'
    ]


def test_a_move_that_costs_the_match():
    refused = MoveRefused(1, 0, "ann", "4", "field 4 is taken")
    ended = GameEnded(1, (-1, 1), (1,), EndReason.ILLEGAL, 0)
    lines = ['SVR GAME MOVE {PLAYER: "ann", MOVE: "4", DETAILS: "Illegal move"}']
    scores = '{PLAYERONESCORE: "-1", PLAYERTWOSCORE: "1", COMMENT: "Illegal move"}'
    ann, bob = StrategicClient().play(seat=0), StrategicClient().play(seat=1)
    assert ann.asks("move 4", refused, ended, MatchEnded(1, EndReason.ILLEGAL)) == [
        "OK",
        *lines,
        f"SVR GAME LOSS {scores}",
    ]
    assert bob.hears(refused, ended, MatchEnded(1, EndReason.ILLEGAL)) == [*lines, f"SVR GAME WIN {scores}"]


def test_a_move_that_costs_nothing():
    refused = Rejected(Code.ILLEGAL_MOVE, {"move": "4", "why": "field 4 is taken"})
    assert StrategicClient().play().asks("move 4", turn(0), answer=refused) == [
        "ERR Illegal move: field 4 is taken",
        YOURTURN,
    ]


@pytest.mark.parametrize("seat", [0, 1])
def test_only_who_is_to_act_in_this_match_hears_of_a_turn(seat):
    client = StrategicClient().play(seat)
    assert client.hears(turn(seat)) == [YOURTURN]
    assert client.hears(turn(0, 1)) == [YOURTURN]
    assert client.hears(turn(1 - seat)) == []
    assert client.hears(turn(seat, match=2)) == []
    client.hears(MatchEnded(1, EndReason.PLAYED))
    assert client.hears(turn(seat)) == []


def test_player_one_is_the_one_who_moves_first():
    players = ("ann", "bob")
    client = StrategicClient().login()
    assert client.hears(MatchOpened(1, "Reversi", players, 0, 1, 10_000)) == [
        'SVR GAME MATCH {PLAYERTOMOVE: "bob", GAMETYPE: "Reversi", OPPONENT: "bob"}'
    ]
    assert client.hears(GameEnded(1, (14, 50), (1,), EndReason.PLAYED)) == [
        'SVR GAME LOSS {PLAYERONESCORE: "50", PLAYERTWOSCORE: "14", COMMENT: ""}'
    ]


def test_more_than_two_players():
    client = StrategicClient().login()
    assert client.hears(MatchOpened(1, "Ludo", ("ann", "bob", "cyd"), 1, 2, None)) == [
        'SVR GAME MATCH {PLAYERTOMOVE: "cyd", GAMETYPE: "Ludo", OPPONENT: "ann, cyd"}'
    ]
    assert client.hears(GameEnded(1, (1, 2, 3), (1, 2), EndReason.PLAYED)) == [
        'SVR GAME WIN {PLAYERONESCORE: "3", PLAYERTWOSCORE: "1", COMMENT: ""}'
    ]


def test_the_next_match_follows_the_result():
    client = StrategicClient().play()
    client.hears(turn(0))
    assert client.asks(
        "forfeit",
        GameEnded(1, (-1, 1), (1,), EndReason.RESIGNED, 0),
        MatchEnded(1, EndReason.RESIGNED),
        MatchOpened(2, "Tic-tac-toe", ("cyd", "ann"), 1, 1, 10_000),
        turn(1, match=2),
    ) == [
        "OK",
        'SVR GAME LOSS {PLAYERONESCORE: "0", PLAYERTWOSCORE: "0", COMMENT: "Player forfeited match"}',
        'SVR GAME MATCH {PLAYERTOMOVE: "ann", GAMETYPE: "Tic-tac-toe", OPPONENT: "cyd"}',
        YOURTURN,
    ]
    assert stage_of(client) is Stage.PLAYING


def test_another_match_s_end_is_not_mine():
    client = StrategicClient().play()
    assert client.hears(GameEnded(2, (0, 0), (), EndReason.PLAYED), MatchEnded(2, EndReason.PLAYED)) == []
    assert stage_of(client) is Stage.PLAYING


def test_events_without_a_line_are_silent():
    client = StrategicClient().play()
    assert client.outputs(SeatDropped(1, 1, "bob", 5), SeatReturned(1, 1, "bob")) == []
    assert client.outputs(MatchEnded(1, EndReason.PLAYED)) == []
    assert client.outputs(RoomsListed(()), Seated(3, "bob"), Unseated(3, UnseatedWhy.LEFT, ())) == []


def test_messages():
    assert StrategicClient().login("cyd").hears(Said("ann", 'hello "there", {x}')) == [
        'SVR MESSAGE {PLAYERNAME: "ann", MESSAGE: "hello  there , {x}"}'
    ]


# Lines that are held back, and matches that are shown again.

MOVE_0 = b'SVR GAME MOVE {PLAYER: "ann", MOVE: "0", DETAILS: ""}\r\n'
MOVE_4 = b'SVR GAME MOVE {PLAYER: "bob", MOVE: "4", DETAILS: ""}\r\n'
MATCH = b'SVR GAME MATCH {PLAYERTOMOVE: "ann", GAMETYPE: "Tic-tac-toe", OPPONENT: "bob"}\r\n'
TURN = YOURTURN.encode() + b"\r\n"


def test_lines_after_a_held_one_ride_with_it():
    client = StrategicClient().play()
    client.send("move 0")
    assert client.outputs(
        moved("ann", 0, release_ms=500), moved("bob", 4, 1, release_ms=500), turn(0), answer=Accepted()
    ) == [Output(b"OK\r\n"), Output(MOVE_0 + MOVE_4 + TURN, 500)]


def test_releases_never_go_back():
    client = StrategicClient().play()
    assert client.outputs(
        moved("ann", 0, release_ms=500), moved("bob", 4, 1, release_ms=300), moved("ann", 0, release_ms=800), turn(0)
    ) == [Output(MOVE_0 + MOVE_4, 500), Output(MOVE_0 + TURN, 800)]


def test_a_refused_move_is_held_too():
    refused = MoveRefused(1, 1, "bob", "9", "no such field", release_ms=500)
    ended = GameEnded(1, (1, -1), (0,), EndReason.ILLEGAL, 1)
    (output,) = StrategicClient().play().outputs(refused, ended)
    assert output.release_ms == 500
    assert [line.split()[2] for line in lines_of(output.data)] == ["MOVE", "WIN"]


def test_without_a_hold_everything_goes_in_one_piece():
    client = StrategicClient().play()
    assert client.outputs(moved("ann", 0), turn(0)) == [Output(MOVE_0 + TURN)]


@pytest.mark.parametrize("my_turn", [True, False])
def test_a_returned_player_hears_the_match_so_far(my_turn):
    client = StrategicClient()
    moves = (moved("ann", 0, release_ms=500), moved("bob", 4, 1, release_ms=500))
    shown = MatchShown(1, "Tic-tac-toe", ("ann", "bob"), 0, 0, 10_000, moves)
    client.send("login ann")
    events = (shown, turn(0)) if my_turn else (shown,)
    assert client.outputs(*events, answer=Accepted()) == [
        Output(b"OK\r\n" + MATCH),
        Output(MOVE_0 + MOVE_4 + (TURN if my_turn else b""), 500),
    ]
    assert stage_of(client) is Stage.PLAYING


def test_a_returned_player_hears_a_match_without_moves():
    client = StrategicClient()
    client.send("login ann")
    shown = MatchShown(1, "Tic-tac-toe", ("ann", "bob"), 0, 0, 10_000, ())
    assert client.outputs(shown, turn(0), answer=Accepted()) == [Output(b"OK\r\n" + MATCH + TURN)]


# Conversations of the originals: sent, what the lobby says to it, heard.

OK = Accepted()
GAMELIST = GamesListed(("Reversi", "Tic-tac-toe"))


def players(*names):
    return PlayersListed(tuple(PlayerShown(name, "strategic") for name in names))


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


HELP = {
    "login": [
        "usage: login <player name>",
        "",
        "Valid options and arguments:",
        "  <player name>    : Name to login with",
    ],
    "logout": [
        "usage: logout",
        "",
        "Command aliases: 'exit', 'quit', 'disconnect', 'bye'",
    ],
    "get": [
        "usage: get <gamelist | playerlist>",
        "",
        "Valid options and arguments:",
        "  <gamelist>      : Available games",
        "  <playerlist>    : Currently logged in players",
    ],
    "subscribe": [
        "usage: subscribe <game>",
        "",
        "Valid options and arguments:",
        "  <game>    : Game name to subscribe to",
    ],
    "unsubscribe": ["usage: unsubscribe"],
    "move": [
        "usage: move <game move>",
        "",
        "Valid options and arguments:",
        "  <game move>    : Game-specific move to make",
    ],
    "forfeit": ["usage: forfeit"],
    "challenge": [
        "usage: challenge [accept] [args]",
        "",
        "Valid options and arguments:",
        '  "<player>" "<game>"          : Challenge player for game',
        '  "<player>" "<game>" <sec>    : Challenge with so many seconds for each turn',
        "  accept <challenge number>    : Accept challenge",
        "  forfeit                      : Forfeit current match",
    ],
    "message": [
        'usage: message "<player>" <text>',
        "",
        "Valid options and arguments:",
        '  "<player>"    : Receiver',
        "  <text>        : At most 140 characters",
        "",
        "Command aliases: 'msg'",
    ],
    "help": [
        "usage: help [command]",
        "",
        "Valid options and arguments:",
        "  <command>    : Command to display detailed help information for",
    ],
}


@pytest.mark.parametrize("command", HELP)
def test_help_for_a_command(command):
    heading = [f"Help information for command '{command}'.", ""]
    expected = ["OK", *(f"SVR HELP {line}" for line in heading + HELP[command])]
    for profile in ("2009", "2015", "2016", "ngs"):
        assert StrategicClient(profile).told(f"help {command.upper()}") == expected
    if command not in {"move", "challenge"}:  # one is longer where no original is imitated, one is broken differently
        assert StrategicClient().told(f"help {command}") == expected


def test_help_for_get_has_the_lines_that_a_client_counts():
    assert len(StrategicClient().told("help get")) == 1 + 7


def test_help():
    assert StrategicClient("2015").told("help") == [
        "OK",
        "SVR HELP Help information for Strategic Game Server Fixed [Version 1.1.0] commands.",
        "SVR HELP ",
        "SVR HELP For more information on a command, type 'help <command>'.",
        "SVR HELP ",
        "SVR HELP Available commands:",
        "SVR HELP login        : Login as player",
        "SVR HELP logout       : Logout and disconnect",
        "SVR HELP get          : Get server data",
        "SVR HELP subscribe    : Subscribe for a game",
        "SVR HELP unsubscribe  : Unsubscribe from the game",
        "SVR HELP move         : Make a game move in current match",
        "SVR HELP forfeit      : Forfeit current match",
        "SVR HELP challenge    : Handle challenges",
        "SVR HELP message      : Send a message to a player",
        "SVR HELP help         : Displays this help information",
    ]
    assert set(HELP) == set(Verb)


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


# What the originals got wrong.


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


# Properties.

ANY_TEXT = st.text(st.characters(), max_size=30)
HALF_A_PAIR = "a\ud800b"


def events_of(text):
    return [
        PlayersListed((PlayerShown(text, "mastermind"), PlayerShown("bob", "strategic"))),
        GamesListed((text, "Reversi")),
        ChallengeOpened(1, text, text, 10_000),
        ChallengeClosed(1),
        MatchOpened(1, text, (text, "bob"), 1, 0, None),
        MatchShown(1, text, (text, "bob"), 1, 0, None, (MovePlayed(1, 0, text, text, None, text),)),
        turn(1, prompt=text),
        MovePlayed(1, 0, text, text, None, text),
        MovePlayed(1, 0, text, text, 4, text, By.SERVER),
        MoveRefused(1, 0, text, text, text),
        GameEnded(1, (0, 0), (), EndReason.PLAYED, reason_text=text),
        Said(text, text),
    ]


@given(ANY_TEXT)
@example(HALF_A_PAIR)
def test_no_text_breaks_out_of_its_quotes(text):
    events = events_of(text)
    ok, *lines = StrategicClient().asks("login ann", *events)
    assert ok == "OK"
    assert len(lines) == len(events) + 1
    for line in lines:
        assert SVR_LINE.fullmatch(line), line


@given(ANY_TEXT.filter(lambda name: judge_name(name, 64) is None))
def test_a_name_that_the_lobby_accepts_is_shown_as_it_is(name):
    assert safe(name) == name
    (line,) = StrategicClient().hears(PlayersListed((PlayerShown(name, "strategic"),)))
    assert line == f'SVR PLAYERLIST ["{name}"]'


@given(st.sampled_from([*Code]), ANY_TEXT, st.sampled_from([*PROFILES]))
def test_no_fact_breaks_out_of_its_line(code, text, profile):
    facts = dict.fromkeys(("name", "why", "game", "player", "min_s", "max_s", "number", "count", "move"), text)
    (line,) = StrategicClient(profile).asks("get gamelist", answer=Rejected(code, facts))
    assert line.startswith("ERR ")


SENT = st.sampled_from(
    [
        b"login ann",
        b"LOGIN bob ",
        b"get gamelist",
        b"help get",
        b"subscribe reversi",
        b'challenge "bob" "Reversi" 5',
        b"challenge accept",
        b'msg "bob" h\xc3\xa9',
        b"move 4",
        b"foo",
        b" ",
        b"\xff\xfd\x01get gamelist",
        b"login \xe9",
        b"bye",
        b"x" * 70,
    ]
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r", b"\r\0", b"\n\n"])


def conversation(chunks):
    """Everything that is asked and told when the bytes come in these pieces; the lobby accepts it all."""
    client = StrategicClient(line_bytes_max=64)
    heard = []

    def drain():
        while (item := client.adapter.next()) is not None:
            # Which match a move is meant for depends on when it was read; nothing else does.
            heard.append(evolve(item, match=None) if isinstance(item, Play | Resign) else item)
            if not isinstance(item, Reply):
                heard.append(client.hears(answer=Accepted()))

    try:
        for chunk in chunks:
            client.adapter.receive(chunk, 0)
            drain()
        client.adapter.receive_eof()
        drain()
    except BrokenInput as broken:
        heard.append(broken.last_words)
    else:
        assert client.adapter.finished
    return heard


@given(st.lists(st.tuples(SENT, ENDS), max_size=12), SENT, st.data())
def test_every_chunking_is_the_same_conversation(lines, last, data):
    whole = b"".join(itertools.chain.from_iterable(lines)) + last
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=20)))
    chunks = [whole[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    expected = conversation([whole])
    assert conversation(chunks) == expected
    assert conversation([whole[at : at + 1] for at in range(len(whole))]) == expected


@given(st.lists(st.binary(max_size=100), max_size=10))
def test_random_bytes_raise_nothing_but_broken_input(chunks):
    conversation(chunks)


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=40), max_size=10))
def test_random_lines_raise_nothing_but_broken_input(lines):
    client = StrategicClient().login()
    for line in lines:
        for word in ("", *VERBS):
            client.adapter.receive(f"{word} {line}\n".encode(), 0)
            while (item := client.adapter.next()) is not None:
                if not isinstance(item, Reply):
                    assert client.hears(answer=Accepted()) == ["OK"]
            if client.adapter.finished:
                client = StrategicClient().login()
