"""One compression for many viewers: every viewer's stream is a whole one, whatever parts it was made of."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import HTTPConnection

from gameserver.web.ui.shared_compression import DeflateStream, PlainStream, shared_message, takes_coding

MESSAGES = [shared_message(data) for data in (b"", b"data: a\n\n", b"<td>1</td>" * 9_000, bytes(range(256)) * 300)]


@given(st.lists(st.one_of(st.binary(max_size=200), st.sampled_from(MESSAGES)), max_size=12))
def test_parts_in_any_order_make_one_stream(parts) -> None:
    streams = (DeflateStream(), PlainStream())
    written = [stream.begin() for stream in streams]
    for part in parts:
        for number, stream in enumerate(streams):
            written[number] += stream.own(part) if isinstance(part, bytes) else stream.shared(part)
    packed, plain = (text + stream.end() for text, stream in zip(written, streams, strict=True))
    assert plain == b"".join(part if isinstance(part, bytes) else part.plain for part in parts)
    assert zlib.decompress(packed) == plain, "which checks the sum at the end, too"


@pytest.mark.parametrize(
    ("accepted", "takes"),
    [
        ("gzip, deflate, br", True),
        ("DEFLATE;q=0.5", True),
        ("gzip", False),
        ("deflate; q=0", False),
        ("deflate;q=0.000", False),
        ("", False),
    ],
)
def test_only_clients_that_take_the_coding_are_sent_it(accepted: str, takes: bool) -> None:
    scope = {"type": "http", "headers": [(b"accept-encoding", accepted.encode())] if accepted else []}
    assert takes_coding(HTTPConnection(scope)) == takes
