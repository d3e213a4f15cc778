"""Reading messages: what is taken, what is refused with which sentence, and that nothing else ever happens."""

import json
import re

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.protocol import Scope, TimeControl
from protocols.web import schema
from protocols.web.schema import REQUESTS, Unreadable, read_request
from tests.clients.web import line
from tests.support.tables import table

TEXT = st.text(max_size=20)

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXT

JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3))

KEYS = sorted({known.name for kind in REQUESTS.values() for known in attrs.fields(kind)} | {"do", "id"})

ALMOST = st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6)
"""Objects that look like messages."""

DO = st.sampled_from([{"do": do} for do in REQUESTS] + [{}])

LINES = st.builds(lambda content, do: json.dumps(content | do).encode(), ALMOST, DO)


@given(st.binary() | LINES)
def test_every_line_is_a_message_or_unreadable(data: bytes) -> None:
    try:
        request, _, named = read_request(data)
    except Unreadable:
        return
    assert type(request) is REQUESTS[named]


@pytest.mark.parametrize("kind", REQUESTS.values())
def test_a_whole_message_is_read_whole(kind: type) -> None:
    samples = {
        "name": "ada",
        "secret": "s",
        "key": "k",
        "to": "bob",
        "game": "Reversi",
        "turn_time_s": 2.5,
        "clock": "3m+2s",
        "at": 1,
        "options": {"a": [1]},
        "number": 3,
        "move": "d3",
        "match": 7,
        "scope": "game",
        "text": "hello",
        "small": True,
        "challenge": True,
        "hex": "2a00ff",
        "seat": 1,
    }
    given_ = {known.name: samples[known.name] for known in attrs.fields(kind)}
    do = kind.__name__.lower()
    request, id_, _ = read_request(line(do=do, id=5, unknown=[{}], **given_))
    assert (type(request), id_) == (kind, 5)
    read = {"scope": Scope.GAME, "clock": TimeControl.read("3m+2s")}
    assert attrs.asdict(request, recurse=False) == {key: read.get(key, sent) for key, sent in given_.items()}


WRONG = [("[" * 100_000, "a message is a JSON object"), *table(__file__, "messages, and what is wrong with them")]


@pytest.mark.parametrize(("message", "says"), WRONG)
def test_what_is_wrong_is_said(message: str, says: str) -> None:
    with pytest.raises(Unreadable, match=re.escape(says)):
        read_request(message.encode("latin-1"))


def test_the_id_of_an_unreadable_message_is_known() -> None:
    with pytest.raises(Unreadable) as refused:
        read_request(line(do="move", id="x" * 64))
    assert (refused.value.id, refused.value.do) == ("x" * 64, "move")


def test_half_a_character_is_a_question_mark() -> None:
    request, id_, _ = read_request(rb'{"do":"say","to":"bob","text":"\ud800!","id":"\udc00"}')
    assert (request, id_) == (schema.Say("bob", "?!"), "?")
