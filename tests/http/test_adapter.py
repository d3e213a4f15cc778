"""HTTP requests over real sockets, in virtual time: bodies, heads, order, routes and streams of events."""

import trio
from trio.testing import MockClock

from gameserver.http.listener import HttpProtocol
from tests.http.echo_server import OPTIONS, raw, serving_http
from tests.http.support import Browser
from tests.support.drivers import DRIVERS
from tests.support.echo import EchoProtocol, streams_open
from tests.support.serving import serving


@DRIVERS
async def test_requests_in_one_packet_are_answered_in_order(autojump_clock: MockClock, reactor: type) -> None:
    async with serving_http(reactor=reactor) as running:
        browser = await Browser.connect(running)
        await browser.send(b"".join(b"GET /api/greet/%d HTTP/1.1\r\nHost: t\r\n\r\n" % number for number in range(200)))
        answers = await browser.answers(*["GET"] * 200)
        assert [answer.text for answer in answers] == [f"hello {number}" for number in range(200)]


async def test_routes_ask_the_lobby(autojump_clock: MockClock) -> None:
    async with serving_http() as running:
        browser = await Browser.connect(running)
        assert (await browser.get("/api/games")).text == '["Reversi","Tic-tac-toe"]'
        for _ in range(2):
            assert (await browser.post("/api/players", b'{"name": "ann"}')).text.startswith('{"players":["ann",')
        refused = await browser.post("/api/players", b'{"name": "house-random"}')
        assert (refused.status, refused.text) == (400, '{"error":"name reserved"}')
        heard = await browser.post("/api/heard", b"")
        assert "MatchOpened" in heard.json["told"]
        assert heard.json["heard"] == ["MovePlayed", "TurnStarted"]


async def test_http_1_0_is_answered_and_closed(autojump_clock: MockClock) -> None:
    async with serving_http() as running:
        said = await raw(running, b"GET /health HTTP/1.0\r\n\r\n")
        head, _, body = said.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 OK")
        assert b"connection: close" in head.lower()
        assert body == b"Healthy"
        said = await raw(running, b"GET /api/stream?chunks=3 HTTP/1.0\r\n\r\n")
        assert said.partition(b"\r\n\r\n")[2] == b"0\n" * 1000 + b"1\n" * 1000 + b"2\n" * 1000


async def test_answers_to_head_and_statuses_without_a_body_have_none(autojump_clock: MockClock) -> None:
    async with serving_http() as running:
        browser = await Browser.connect(running)
        for path in ("/health", "/api/stream?chunks=3"):
            await browser.send(f"HEAD {path} HTTP/1.1\r\nHost: t\r\n\r\n".encode())
            answer = await browser.answer("HEAD")
            assert (answer.status, answer.body) == (200, b"")
        for status in (204, 304):
            answer = await browser.get(f"/api/status/{status}")
            assert (answer.status, answer.body) == (status, b"")
        assert (await browser.get("/health")).text == "Healthy"


async def test_a_body_in_chunks(autojump_clock: MockClock) -> None:
    async with serving_http() as running:
        browser = await Browser.connect(running)
        head = b"POST /api/echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
        await browser.send(head + b"3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nTrailer: t\r\n\r\n")
        assert (await browser.answer("POST")).text == "abcdefg"
        assert (await browser.get("/health")).status == 200
        await browser.send(head + b"%x\r\n" % 6_000 + b"x" * 6_000 + b"\r\n0\r\n\r\n")
        too_large = await browser.answer("POST")
        assert (too_large.status, "5000 bytes (http.body_bytes_max)" in too_large.text) == (413, True)


async def test_a_peer_that_waits_for_100_is_told_to_go_on(autojump_clock: MockClock) -> None:
    async with serving_http() as running:
        browser = await Browser.connect(running)
        head = b"POST /api/echo HTTP/1.1\r\nHost: t\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n"
        await browser.send(head % 3)
        assert await browser.stream.receive_some() == b"HTTP/1.1 100 \r\n\r\n"
        await browser.send(b"abc")
        assert (await browser.answer("POST")).text == "abc"
        await browser.send(head % 6_000)
        assert (await browser.answer("POST")).status == 413, "before it is sent"


async def test_a_target_with_the_host_in_it(autojump_clock: MockClock) -> None:
    async with serving_http() as running:
        browser = await Browser.connect(running)
        assert (await browser.get("http://somewhere:80/health")).text == "Healthy"
        assert (await browser.get("*")).status == 404
        said = await raw(running, b"CONNECT far.away:443 HTTP/1.1\r\nHost: t\r\n\r\n")
        assert said.startswith(b"HTTP/1.1 404")


async def test_a_page_may_ask_from_elsewhere_where_the_endpoint_allows(autojump_clock: MockClock) -> None:
    async with serving_http() as running:
        browser = await Browser.connect(running)
        there = await browser.get("/api/games", ["Origin: http://there"])
        assert there.headers["access-control-allow-origin"] == "http://there"
        assert there.headers["access-control-allow-credentials"] == "true"
        here = await browser.get("/health", ["Origin: http://there"])
        assert "access-control-allow-origin" not in here.headers
        await browser.send(
            b"OPTIONS /api/players HTTP/1.1\r\nHost: t\r\nOrigin: http://there\r\n"
            b"Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: x-signalr-user-agent\r\n\r\n"
        )
        preflight = await browser.answer("OPTIONS")
        assert (preflight.status, preflight.headers["access-control-allow-origin"]) == (200, "http://there")
        assert "POST" in preflight.headers["access-control-allow-methods"]
        assert preflight.headers["access-control-allow-headers"] == "x-signalr-user-agent"


async def test_a_handler_that_fails_is_a_500_and_the_connection_goes_on(autojump_clock: MockClock) -> None:
    async with serving_http() as running:
        browser = await Browser.connect(running)
        assert (await browser.get("/api/fail")).status == 500
        assert (await browser.get("/health")).status == 200


async def test_half_a_response_is_never_taken_for_a_whole_one(autojump_clock: MockClock) -> None:
    async with serving_http() as running:
        began = trio.current_time()
        said = await raw(running, b"GET /api/half HTTP/1.1\r\nHost: t\r\n\r\n")
        assert trio.current_time() - began < 1
        assert b"half a page" in said
        assert not said.endswith(b"0\r\n\r\n")


async def test_events_come_as_they_happen_until_the_viewer_goes(autojump_clock: MockClock) -> None:
    echo = EchoProtocol()
    async with serving(protocol=HttpProtocol([echo]), options=OPTIONS) as running:
        viewer = await Browser.connect(running)
        await viewer.send(b"GET /api/ticks HTTP/1.1\r\nHost: t\r\n\r\n")
        said = b""
        began = trio.current_time()
        while b"data: 100" not in said:
            said += await viewer.stream.receive_some()
        assert 99 <= trio.current_time() - began < 101, "no time limit ends it"
        assert b"content-type: text/event-stream" in said
        assert b"event: tick\nid: 1\ndata: 1\ndata: one\n\n" in said
        assert b": still here\n\n" in said
        assert streams_open() == 1
        await viewer.stream.aclose()
        await trio.sleep(5)
        assert streams_open() == 0
        other = await Browser.connect(running)
        await other.send(b"GET /api/ticks HTTP/1.1\r\nHost: t\r\n\r\n")
        await trio.sleep(5)
        assert streams_open() == 1
    assert streams_open() == 0, "a stop closes them too"
