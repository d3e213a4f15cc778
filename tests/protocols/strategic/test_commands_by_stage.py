"""The commands that are taken at each stage of a connection, and the answers to the others."""

import itertools
from enum import Enum

import pytest

from gameserver.core.commands import Capability
from gameserver.protocol import Challenge, Contribute, Enter, ListPlayers, Play, Reply, Resign, Say, Seek, Withdraw
from protocols.strategic.handlers import HANDLERS
from protocols.strategic.parsing import VERBS, Verb
from tests.protocols.strategic.answers import ALREADY, NOT_IN_MATCH, NOT_LOGGED_IN
from tests.support.strategic_client import StrategicClient, lines_of


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


ARGUMENTS = {
    Verb.LOGIN: "eve",
    Verb.GET: "playerlist",
    Verb.SUBSCRIBE: "Reversi",
    Verb.MOVE: "4",
    Verb.CHALLENGE: '"bob" "Reversi"',
    Verb.MESSAGE: '"bob" hi',
    Verb.HELP: "forfeit",
    Verb.CONTRIBUTE: "2a00ff",
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
    Verb.CONTRIBUTE: Contribute(7, "2a00ff"),
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
        Verb.CONTRIBUTE: NOT_LOGGED_IN,
    },
    Stage.LOBBY: IN_THE_LOBBY,
    Stage.PLAYING: IN_THE_LOBBY | {Verb.MOVE: Play(7, "4", 1), Verb.FORFEIT: Resign(7, match=1)},
    Stage.LEFT: dict.fromkeys(Verb),
}


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
