"""Requests that are no HTTP, ambiguous or too large: how they are answered and closed."""

import pytest
from trio.testing import MockClock, wait_all_tasks_blocked

from tests.http.echo_server import OPTIONS, raw, serving_http
from tests.http.support import Browser


async def test_a_request_of_two_lengths_is_answered_and_closed(autojump_clock: MockClock) -> None:
    """The rest may be another request, smuggled past a proxy that believed the other length."""
    async with serving_http() as running:
        request = b"POST /api/echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
        said = await raw(running, request + b"3\r\nabc\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: t\r\n\r\n")
        head, _, body = said.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 ")
        assert b"connection: close" in head
        assert (body.count(b"abc"), b"Healthy" in body) == (1, False)


@pytest.mark.parametrize("in_pieces", [True, False])
@pytest.mark.parametrize(("over", "status"), [(0, 200), (1, 431)])
@pytest.mark.parametrize("before", [0, 2])
async def test_the_limit_of_a_head_holds_to_the_byte(
    autojump_clock: MockClock, before: int, over: int, status: int, *, in_pieces: bool
) -> None:
    async with serving_http() as running:
        browser = await Browser.connect(running)
        for _ in range(before):
            assert (await browser.get("/health")).status == 200
        head = b"GET /health HTTP/1.1\r\nHost: t\r\nX: %s\r\n\r\n"
        head %= b"x" * (OPTIONS.head_bytes_max + over - len(head % b""))
        assert len(head) == OPTIONS.head_bytes_max + over
        if in_pieces:
            await browser.send(head[:-1])
            await wait_all_tasks_blocked(0.01)
            await browser.send(head[-1:])
        else:
            await browser.send(head + b"GET /health HTTP/1.1\r\nHost: t\r\n\r\n")
        answer = await browser.answer()
        assert answer.status == status
        assert ("2000 bytes (http.head_bytes_max)" in answer.text) == (status == 431)


@pytest.mark.parametrize(
    ("request_bytes", "status", "says"),
    [
        (b"hello\r\n\r\n", 400, "no HTTP request"),
        (b'0|{"NbrColors":6,"MaxTries":12,"CodeLength":4}\n', 400, "a port of its own"),
        (b"login ann\r\n", 400, "a port of its own"),
        (b"login ann\n\n", 400, "no HTTP request"),
        (b"login ann\n\n", 400, "answered: illegal request line\n"),
        (b"\x16\x03\x01\x02\x00", 400, "without TLS"),
        (b"\x16\x03\x01\x02\x00\r\n\r\n", 400, "without TLS"),
        (b"GET /health HTTP/1.1\r\n\r\n", 400, "Host"),
        (b"GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "Host"),
        (b"GET /health HTTP/1.1\r\nHost t\r\n\r\n", 400, "header"),
        (b"GET /health HTTP/2.0\r\nHost: t\r\n\r\n", 505, "HTTP/1.1"),
        (b"GET /a b HTTP/1.1\r\nHost: t\r\n\r\n", 400, ""),
        (b"GET / HTTP/1.1\r\nHost: t\r\nX: " + b"x" * 3_000, 431, ""),
        (b"POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", 400, "Content-Length"),
        (b"POST / HTTP/1.1\r\nHost: t\r\nContent-Length: -5\r\n\r\n", 400, "Content-Length"),
        (b"POST / HTTP/1.1\r\nHost: t\r\nContent-Length: " + b"9" * 1_900 + b"\r\n\r\n", 400, "Content-Length"),
        (b"POST / HTTP/1.1\r\nHost: t\r\nContent-Length: " + b"9" * 20 + b"\r\n\r\n", 413, "5000 bytes"),
        (b"POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: gzip\r\n\r\n", 501, ""),
        (b"POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, ""),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, ""),
    ],
)
async def test_a_bad_request_is_told_in_http(
    autojump_clock: MockClock, request_bytes: bytes, status: int, says: str
) -> None:
    async with serving_http() as running:
        said = await raw(running, request_bytes)
        head, _, body = said.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 %d " % status), said
        assert b"connection: close" in head
        assert says in body.decode()
        assert b"Traceback" not in body
