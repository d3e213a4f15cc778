"""SignalR: records are what lies between separators, and junk leads to nothing but an end in words."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.signalr.messages import BadMessage, Records
from tests.support.examples import JSON, examples
from tests.support.signalr_client import call, opened, records

TARGETS = st.sampled_from(["Join", "Tell", "Introduce", "Players", "Move", "Version", "Refuse", "move", "Nope"])
CALLS = st.builds(
    lambda target, arguments, number, type: call(target, *arguments, id=number, type=type),  # noqa: A006
    TARGETS,
    st.lists(JSON, max_size=3),
    st.none() | st.text(min_size=1, max_size=5),
    st.just(1),
)


@given(st.lists(st.binary(max_size=12), max_size=12), st.integers(1, 20))
def test_records_are_split_at_separators(pieces: list[bytes], limit: int) -> None:
    taken: list[bytes] = []
    read = Records(limit)
    too_long = False
    for piece in pieces:
        read.feed(piece)
    counted = read.pending_bytes
    try:
        while (record := read.take()) is not None:
            taken.append(record)
    except BadMessage:
        too_long = True
    *whole, rest = b"".join(pieces).split(b"\x1e")
    expected = []
    for record in whole:
        if len(record) > limit:
            break
        expected.append(record)
    assert taken == expected
    assert too_long == (len(expected) < len(whole) or len(rest) > limit)
    assert (counted, read.pending_bytes) == (sum(len(record) + 1 for record in expected), 0)


JUNK = st.lists(
    st.one_of(
        st.binary(max_size=40),
        st.binary(max_size=40).map(lambda junk: junk + b"\x1e"),
        CALLS,
        JSON.map(lambda value: json.dumps(value).encode() + b"\x1e"),
        st.dictionaries(
            st.sampled_from(["type", "target", "arguments", "invocationId", "error"]),
            JSON | st.integers(0, 9) | TARGETS | st.lists(JSON, max_size=3),
        ).map(lambda message: json.dumps(message).encode() + b"\x1e"),
    ),
    max_size=8,
)


@settings(max_examples=examples(200), deadline=None)
@given(JUNK)
def test_junk_ends_the_connection_in_words_and_raises_nothing_else(pieces: list[bytes]) -> None:
    """`Wire` lets everything through that is not the documented error."""
    wire = opened()
    for piece in pieces:
        wire.hear(piece)
    wire.hear_eof()
    assert wire.ended is not None
    told = records(wire.said)
    if wire.ended != "finished":
        assert told[-1]["type"] == 7
        assert told[-1]["error"]
    assert all(record["type"] != 7 for record in told[:-1])
