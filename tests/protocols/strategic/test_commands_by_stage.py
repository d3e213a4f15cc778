"""The commands that are taken at each stage of a connection, and the answers to the others."""

import itertools
from enum import Enum

import attrs
import pytest

from gameserver.protocol import Reply
from protocols.strategic.handlers import HANDLERS
from protocols.strategic.parsing import VERBS, Verb
from tests.protocols.strategic.answers import NOT_LOGGED_IN
from tests.support.strategic_client import StrategicClient, lines_of
from tests.support.tables import table


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
