"""Messages to lines and back, against the document's table of keys."""

import json
import typing

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.protocol import RoomShown, RoomsListed
from protocols.connect_four import schema
from protocols.connect_four.schema import (
    ACTIONS,
    EVENTS,
    Error,
    FreeLobby,
    Game,
    GameOver,
    Lobby,
    MakeMove,
    Message,
    MissingKeys,
    NoObject,
    OpponentMoved,
    Reason,
    Request,
    Started,
    Winner,
    read_request,
    write,
)
from tests.support.connect_four_client import ConnectFourClient, opened
from tests.support.examples import JSON, TEXT

REQUESTS = st.one_of(*(st.builds(request) for request in ACTIONS if not attrs.fields(request))) | st.one_of(
    st.builds(schema.Connect, TEXT),
    st.builds(schema.Join, st.integers(-(2**63), 2**64 - 1)),
    st.builds(schema.Move, TEXT),
)


def test_every_class_has_its_tag():
    assert set(ACTIONS) == set(typing.get_args(Request))
    assert set(EVENTS) == set(typing.get_args(Message))
    assert set(schema.NEEDS) <= set(ACTIONS.values())


@given(REQUESTS)
def test_a_request_comes_back_from_its_line(request):
    assert read_request(write(request)) == request


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (
            Lobby((FreeLobby(0, "Ann"),)),
            '{"event":"lobby","free lobbies":[{"room number":0,"opponent":"Ann"}],"message":"lobby message"}',
        ),
        (Game("bob"), '{"event":"game","opponent":"bob","message":"game message"}'),
        (Started("bob"), '{"event":"started","opponent":"bob","message":"game started message"}'),
        (Started("bob", ()), '{"event":"started","opponent":"bob","moves":[],"message":"game started message"}'),
        (MakeMove(), '{"event":"make move","message":"make move message"}'),
        (OpponentMoved("a0"), '{"event":"opponent moved","move":"a0","message":"opponent moved message"}'),
        (
            GameOver(Winner.YOU, ("000", "100", "200", "300")),
            '{"event":"game over","winner":"you","winning move":["000","100","200","300"],"message":"lost message"}',
        ),
        (
            GameOver(Winner.DRAW, None),
            '{"event":"game over","winner":"draw","winning move":null,"message":"lost message"}',
        ),
        (Error(Reason.MISSING_KEYS, message="x"), '{"event":"error","reason":"missing keys","message":"x"}'),
        (Error(Reason.INVALID_MOVE, "a4", "x"), '{"event":"error","reason":"invalid move","move":"a4","message":"x"}'),
    ],
)
def test_the_lines_of_the_document(message, line):
    """Key for key as the original sent them, but for the order, which no client can see."""
    assert write(message) == line.encode() + b"\n"


@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_line_is_a_request_or_raises_a_documented_error(line):
    try:
        request = read_request(line)
    except (NoObject, MissingKeys):
        return
    assert type(request) in ACTIONS


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        (rb'{"action":"move","move":"a0\ud800"}', schema.Move("a0?")),
        (rb'{"action":"move","move":"\uDFFF"}', schema.Move("?")),
        (
            rb'{"action":"connect","name":"zoe\ud800","secret":"\ud83d\ude00\udc00"}',
            schema.Connect("zoe?", "\U0001f600?"),
        ),
    ],
)
def test_half_a_character_is_read_as_a_question_mark(line, request_):
    """RFC 8259 section 8.2 lets it in, so whoever sent it is to be answered, and not taken for no object."""
    assert read_request(line) == request_


@pytest.mark.parametrize("line", [rb'{"move":"\ud800"', rb'{"a":NaN,"b":"\ud800"}', b"[" * 9000 + rb'"\ud800"'])
def test_broken_json_with_half_a_character_is_discarded(line):
    with pytest.raises(NoObject):
        read_request(line)


@given(TEXT.filter(str.isprintable))
def test_no_name_breaks_out_of_its_line(name):
    client = ConnectFourClient().enter()
    (line,) = client.hears(RoomsListed((RoomShown(0, name),)))
    assert json.loads(line)["free lobbies"] == [{"room number": 0, "opponent": name}]
    (line,) = client.hears(opened(0, players=("ann", name)))
    assert json.loads(line)["opponent"] == name
