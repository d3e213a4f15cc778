"""The adapter of the text protocol: any bytes, commands by stage, and reasons that are told."""

import itertools
import re
from collections.abc import Callable
from enum import Enum
from typing import Any

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gameserver.protocol import (
    Accepted,
    By,
    ChallengeClosed,
    ChallengeOpened,
    Code,
    EndReason,
    Enter,
    GameEnded,
    GamesListed,
    ListGames,
    MatchEnded,
    MatchOpened,
    MatchPaired,
    MatchShown,
    MovePlayed,
    MoveRefused,
    Play,
    PlayerShown,
    PlayersListed,
    Refusal,
    Rejected,
    Reply,
    Resign,
    Result,
    Said,
    Say,
    Why,
)
from gameserver.time_control import TimeControl
from protocols.strategic.handlers import HANDLERS
from protocols.strategic.parsing import VERBS, Verb
from protocols.strategic.profiles import PROFILES
from protocols.strategic.rendering import BYTES_MAX, fitted
from tests.clients.strategic import Ended, read_line
from tests.protocols.strategic.answers import GAMELIST, NOT_LOGGED_IN, OK, players
from tests.support.strategic_client import StrategicClient, lines_of, turn
from tests.support.tables import table


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


class Stage(Enum):
    """The facts that decide about a connection: it has entered, it is in a match, it has left."""

    ARRIVED = (False, False, False)
    LOBBY = (True, False, False)
    PLAYING = (True, True, False)
    LEFT = (False, False, True)


def client_at(stage):
    client = StrategicClient()
    if stage is Stage.LOBBY:
        client.login()
    elif stage is Stage.PLAYING:
        client.play()
    elif stage is Stage.LEFT:
        client.send("bye")
    session = client.adapter.session
    assert (session.entered, session.view is not None, session.left) == stage.value
    return client


def words_of(asked):
    """The answer's first line, or what is asked of the lobby with all that is not usual about it."""
    if isinstance(asked, Reply):
        return lines_of(asked.data)[0]
    if asked is None:
        return "nothing"
    assert asked.session == 7
    fields = [field for field in attrs.fields(type(asked)) if field.name != "session"]
    said = [getattr(asked, field.name) for field in fields if getattr(asked, field.name) != field.default]
    return " ".join([type(asked).__name__, *(",".join(one) if isinstance(one, tuple) else str(one) for one in said)])


ROWS = table(__file__, "commands, and what becomes of them on arrival, in the lobby and in a match")
"""Where a cell says nothing, it is as in the one before."""
TAKEN = {
    VERBS[line.split(" ")[0]]: (line.partition(" ")[2], [arrived, lobby or arrived, playing or lobby or arrived])
    for line, arrived, lobby, playing in ROWS
}


@pytest.mark.parametrize(("stage", "word"), [*itertools.product(Stage, VERBS)])
def test_every_command_at_every_stage(stage, word):
    verb = VERBS[word]
    argument, answers = TAKEN[verb]
    for line in (f"{word} {argument}", f"{word.upper()}   {argument}  "):
        client = client_at(stage)
        asked = client.send(line)
        assert words_of(asked) == dict(zip(Stage, [*answers, "nothing"], strict=True))[stage]
        assert client.adapter.finished is (verb is Verb.LOGOUT or stage is Stage.LEFT)


def test_the_tables_are_whole():
    assert set(HANDLERS) == {False, True}
    assert set(TAKEN) == set(Verb)


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


ANY_TEXT = st.text(st.characters(), max_size=30)

HALF_A_PAIR = "a\ud800b"


def events_of(text):
    paired = MatchPaired(1, text, None, (text, "bob"), 1, TimeControl())
    return [
        PlayersListed((PlayerShown(text, "mastermind"), PlayerShown("bob", "strategic"))),
        GamesListed((text, "Reversi")),
        ChallengeOpened(1, text, text, TimeControl(10_000)),
        ChallengeClosed(1),
        MatchOpened(1, text, (text, "bob"), 1, 0, TimeControl()),
        MatchShown(1, text, (text, "bob"), 1, 0, TimeControl(), (MovePlayed(1, 0, text, text, None, text),), paired),
        turn(1, prompt=text),
        MovePlayed(1, 0, text, text, None, text),
        MovePlayed(1, 0, text, text, 4, text, By.SERVER),
        MoveRefused(1, 0, text, text, text),
        GameEnded(1, Result(EndReason.PLAYED, (0, 0), (), reason_text=text)),
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
        read_line(line)


@given(st.sampled_from([*Code]), ANY_TEXT, st.sampled_from([*PROFILES]))
def test_no_fact_breaks_out_of_its_line(code, text, profile):
    facts = dict.fromkeys(("name", "why", "game", "player", "min_s", "max_s", "number", "count", "move"), text)
    (line,) = StrategicClient(profile).asks("get gamelist", answer=Rejected(code, facts))
    assert line.startswith("ERR ")


def lost(reason: EndReason, why: Why | None, reason_text: str = "") -> GameEnded:
    return GameEnded(1, Result(reason, (2, 3), (1,), 0, reason_text), why=why)


def read_why(words: str) -> Why:
    given = dict(word.partition("=")[::2] for word in words.split("; "))
    read: dict[str, Callable[[str], Any]] = {"rule": str, "clock": TimeControl.read, "late_ms": int}
    return Why(**{name: read.get(name, lambda _: True)(text) for name, text in given.items()})


@pytest.mark.parametrize(("reason", "why", "said"), table(__file__, "losses, why, and what the loser is told"))
def test_the_loser_is_told_why(reason: str, why: str, said: str) -> None:
    (line,) = StrategicClient().play(seat=0).hears(lost(EndReason[reason.upper()], read_why(why)))
    assert line.endswith(f', REASON: "{said}"}}')


def test_the_loser_is_told_how_the_game_says_it_ended() -> None:
    ended = lost(EndReason.PLAYED, Why(clock=TimeControl(10_000)), "The code 0123 was found")
    said = "The code 0123 was found"
    (line,) = StrategicClient().play(seat=0).hears(ended)
    assert line.endswith(f', REASON: "{said}"}}')


@pytest.mark.parametrize("reason", [EndReason.ILLEGAL, EndReason.PLAYED, EndReason.RESIGNED])
def test_nobody_else_is_told(reason):
    why = Why("cell 4 is taken")
    assert "REASON" not in StrategicClient().play(seat=1).hears(lost(reason, why))[0]
    drawn = GameEnded(1, Result(EndReason.VOID, (0, 0), ()), why=why)
    assert "REASON" not in StrategicClient().play(seat=0).hears(drawn)[0]
    assert "REASON" not in StrategicClient().play(seat=0).hears(lost(reason, None))[0]


@pytest.mark.parametrize("profile", [profile for profile in PROFILES if profile != "document"])
def test_no_original_said_why(profile):
    said, unsaid = (StrategicClient(profile).play().hears(lost(EndReason.ILLEGAL, why)) for why in (Why("no"), None))
    assert said == unsaid


LONG = [("é" * 60, "é" * 40), ("word " * 17, "word " * 15 + "word")]


@pytest.mark.parametrize(("sentence", "said"), [*table(__file__, "sentences, and what of them fits"), *LONG])
def test_a_sentence_is_cut_to_what_fits(sentence, said):
    assert fitted(sentence) == said


@given(st.text())
def test_whatever_a_game_says_the_line_can_be_parsed(rule):
    (line,) = StrategicClient().play(seat=0).hears(lost(EndReason.ILLEGAL, Why(rule)))
    assert isinstance(read_line(line), Ended)
    found = re.search(r'REASON: "(.*)"\}$', line)
    assert found is not None
    assert not set(found[1]) & set(',"{}')
    assert len(found[1].encode()) <= BYTES_MAX
