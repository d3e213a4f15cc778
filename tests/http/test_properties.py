"""Properties: requests in any pieces give the same answers, and junk only ends its connection."""

from typing import Any

import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import wait_all_tasks_blocked

from tests.clients.websocket import handshake
from tests.http.support import Line
from tests.support.examples import examples

REQUESTS = [
    b"GET /health HTTP/1.1\r\nHost: t\r\n\r\n",
    b"HEAD /api/echo HTTP/1.1\r\nHost: t\r\n\r\n",
    b"POST /api/echo HTTP/1.1\r\nHost: t\r\nContent-Length: 7\r\n\r\nGET / H",
    b"POST /api/echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    b"GET /api/games HTTP/1.1\r\nHost: t\r\n\r\n",
    b"GET /api/fail HTTP/1.1\r\nHost: t\r\n\r\n",
    b"GET /nothing HTTP/1.1\r\nHost: t\r\n\r\n",
    b"GET /echo HTTP/1.1\r\nHost: t\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
]


async def in_pieces(pieces: list[bytes], *, patient: bool) -> Line:
    async with trio.open_nursery() as nursery:
        line = Line(nursery)
        for piece in pieces:
            line.hear(piece)
            if patient:
                await wait_all_tasks_blocked()
        await wait_all_tasks_blocked()
        line.hear_eof()
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    return line


@settings(max_examples=examples(60), deadline=None)
@given(requests=st.lists(st.sampled_from(REQUESTS), max_size=5), patient=st.booleans(), data=st.data())
async def test_any_pieces_of_the_same_requests_give_the_same(requests: list[bytes], patient: bool, data: Any) -> None:
    sent = b"".join(requests)
    whole = await in_pieces([sent], patient=True)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=10)))
    pieces = [sent[start:end] for start, end in zip([0, *cuts], [*cuts, len(sent)], strict=True) if start != end]
    cut = await in_pieces(pieces, patient=patient)
    assert cut.said == whole.said
    assert cut.asked == whole.asked
    assert whole.said.count(b"HTTP/1.1 ") == len(requests)
    assert (cut.ended, whole.ended) == ("finished", "finished")


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=80), st.sampled_from([*REQUESTS, handshake()])), max_size=6))
async def test_junk_ends_the_connection_and_raises_nothing_else(pieces: list[bytes]) -> None:
    line = await in_pieces([piece for piece in pieces if piece], patient=False)
    assert line.ended is not None
