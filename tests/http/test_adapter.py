"""HTTP requests over real sockets, in virtual time: bodies, heads, order, routes and streams of events."""

import re
from contextlib import suppress
from pathlib import Path

import pytest
import trio
from structlog.testing import capture_logs
from trio.testing import MockClock, wait_all_tasks_blocked

from gameserver.flow_control.limits import Limits
from gameserver.http.listener import HttpProtocol
from gameserver.protocol import Refusal, RefusalKind, Work
from tests.clients.websocket import handshake
from tests.http.support import ECHO_OPTIONS, Browser, Line, raw, serving_http
from tests.support.drivers import DRIVERS
from tests.support.echo import EchoProtocol, streams_open
from tests.support.scenarios import fault_in_text, scenarios_in
from tests.support.serving import serving

EXCHANGES = scenarios_in(Path(__file__).parent / "exchanges")


def bytes_of(text: str) -> bytes:
    """The bytes that escapes stand for; `{x*3}` is `xxx`."""
    text = re.sub(r"\{(.)\*(\d+)\}", lambda found: found[1] * int(found[2]), text)
    return text.encode().decode("unicode_escape").encode("latin-1")


@pytest.mark.parametrize("title", EXCHANGES)
async def test_requests_are_answered_as_written(autojump_clock: MockClock, title: str) -> None:
    async with serving_http() as running:
        for line, expected in EXCHANGES[title].steps:
            began_s = trio.current_time()
            said = (await raw(running, bytes_of(line.text.removeprefix("> ")))).decode("latin-1")
            said += f"\nafter {trio.current_time() - began_s:.0f} s"
            for one in expected:
                text = one.text if one.text.startswith("~ ") else bytes_of(one.text).decode()
                assert fault_in_text(text, said) == "", (one, said)
            assert "Traceback" not in said


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


async def test_events_come_as_they_happen_until_the_viewer_goes(autojump_clock: MockClock) -> None:
    echo = EchoProtocol()
    async with serving(protocol=HttpProtocol([echo]), options=ECHO_OPTIONS) as running:
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
        head %= b"x" * (ECHO_OPTIONS.head_bytes_max + over - len(head % b""))
        assert len(head) == ECHO_OPTIONS.head_bytes_max + over
        if in_pieces:
            await browser.send(head[:-1])
            await wait_all_tasks_blocked(0.01)
            await browser.send(head[-1:])
        else:
            await browser.send(head + b"GET /health HTTP/1.1\r\nHost: t\r\n\r\n")
        answer = await browser.answer()
        assert answer.status == status
        assert ("2000 bytes" in answer.text) == (status == 431)


@DRIVERS
async def test_a_half_closed_peer_gets_its_answers(autojump_clock: MockClock, reactor: type) -> None:
    async with serving_http(reactor=reactor) as running:
        browser = await Browser.connect(running)
        await browser.send(b"GET /api/games HTTP/1.1\r\nHost: t\r\n\r\nGET /health HTTP/1.1\r\nHost: t\r\n\r\n")
        await browser.stream.send_eof()
        assert [answer.status for answer in await browser.answers("GET", "GET")] == [200, 200]
        assert await browser.rest() == b""


async def test_times(autojump_clock: MockClock) -> None:
    async with serving_http() as running:
        silent, slow, kept = [await Browser.connect(running) for _ in range(3)]
        began = trio.current_time()
        await slow.send(b"POST /api/echo HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nabc")
        assert await silent.rest() == b"", "nothing was asked, nothing is said"
        assert 20 <= trio.current_time() - began < 20.5
        told = await slow.answer("POST")
        assert (told.status, told.text) == (408, "The request was not complete in 20 seconds\n")
        assert (await kept.stream.receive_some()) == b""
        kept = await Browser.connect(running)
        await kept.get("/health")
        began = trio.current_time()
        assert await kept.rest() == b""
        assert 59 <= trio.current_time() - began < 81


async def test_a_drip_of_bytes_does_not_extend_the_time(autojump_clock: MockClock) -> None:
    async with serving_http() as running:
        browser = await Browser.connect(running)
        began = trio.current_time()
        with suppress(trio.BrokenResourceError):
            for byte in b"GET /health HTTP/1.1\r\nHost: t\r\nX: " + b"x" * 1_000:
                await browser.send(bytes([byte]))
                await trio.sleep(1)
        assert trio.current_time() - began < 25


async def test_a_long_response_has_all_the_time_it_needs(autojump_clock: MockClock) -> None:
    async with serving_http() as running:
        browser = await Browser.connect(running)
        await browser.send(b"GET /api/never HTTP/1.1\r\nHost: t\r\n\r\n")
        with trio.move_on_after(1_000) as waited:
            await browser.answer()
        assert waited.cancelled_caught
        (connection,) = running.server._connections.values()
        assert connection._tasks.is_working
        await browser.stream.send_eof()
        began = trio.current_time()
        assert await browser.rest() == b"", "a handler for nobody does not wait for ever"
        assert trio.current_time() - began < 41


@DRIVERS
async def test_a_handler_ends_with_its_peer(autojump_clock: MockClock, reactor: type) -> None:
    async with serving_http(reactor=reactor) as running:
        browser = await Browser.connect(running)
        await browser.send(b"GET /api/never HTTP/1.1\r\nHost: t\r\n\r\n")
        await wait_all_tasks_blocked(0.01)
        before = trio.lowlevel.current_statistics().tasks_living
        browser.stream.setsockopt(1, 13, b"\x01\0\0\0\0\0\0\0")  # SO_LINGER: a reset
        await browser.stream.aclose()
        await wait_all_tasks_blocked(0.01)
        assert trio.lowlevel.current_statistics().tasks_living < before
        assert running.server._connections == {}


async def test_a_response_is_made_no_faster_than_it_is_read(autojump_clock: MockClock) -> None:
    """Seven megabytes for a peer that reads late: they never wait in memory, and come complete."""
    async with serving_http() as running:
        browser = await Browser.connect(running)
        await browser.send(b"GET /api/stream?chunks=1500 HTTP/1.1\r\nHost: t\r\n\r\n")
        await wait_all_tasks_blocked(0.01)
        (connection,) = running.server._connections.values()
        assert connection._send_queue._buffer.bytes_waiting < 200_000
        said, received = bytearray(), b"-"
        while received and not said.endswith(b"0\r\n\r\n"):
            said += (received := await browser.stream.receive_some(1 << 20))
        assert [said.count(b"%d\n" % number) for number in range(1_000, 1_500)] == [1_000] * 500


async def test_a_full_server_says_so_in_http(autojump_clock: MockClock) -> None:
    async with serving_http(limits=Limits(connections_max=1)) as running:
        waiting = await Browser.connect(running)
        await waiting.send(b"GET /api/never HTTP/1.1\r\nHost: t\r\n\r\n")
        await wait_all_tasks_blocked(0.01)
        said = await raw(running, b"")
        assert said.startswith(b"HTTP/1.1 503 ")
        assert b"(connections_max); try again later" in said


async def test_connection_that_has_asked_nothing_gives_way(autojump_clock: MockClock) -> None:
    async with serving_http(limits=Limits(connections_max=2)) as running:
        silent = await Browser.connect(running)
        asked = await Browser.connect(running)
        await asked.get("/health")
        assert (await (await Browser.connect(running)).get("/health")).status == 200
        said = await silent.stream.receive_some()
        assert said.startswith(b"HTTP/1.1 503 ")
        assert b"(connections_max)" in said
        assert (await (await Browser.connect(running)).get("/health")).status == 200
        assert await asked.stream.receive_some() == b"", "no answer that nobody asked for"


async def test_waiting_clients_are_told_of_a_stop(autojump_clock: MockClock) -> None:
    async with serving_http() as running:
        idle, waiting, streaming, talking = [await Browser.connect(running) for _ in range(4)]
        await idle.get("/health")
        await waiting.send(b"GET /api/never HTTP/1.1\r\nHost: t\r\n\r\n")
        await talking.send(handshake())
        assert b"101 Switching" in await talking.stream.receive_some()
        await wait_all_tasks_blocked(0.01)
        began = trio.current_time()
        running.server.request_stop()
        assert await idle.rest() == b""
        told = await waiting.answer()
        assert (told.status, "The server is stopping" in told.text) == (503, True)
        said = await talking.rest()
        assert b"sorry: The server is stopping" in said
        assert b"\x03\xe9The server is stopping" in said, "1001"
        assert trio.current_time() - began < 1.1


def test_a_goodbye_to_nobody_is_silence() -> None:
    line = Line()
    assert line.adapter.farewell(Refusal("stopping", RefusalKind.STOPPING)) == b""
    line = Line()
    line.hear(b"GET /health HT")
    assert line.adapter.farewell(Refusal("stopping", RefusalKind.STOPPING)).startswith(b"HTTP/1.1 503 ")


async def test_answer_after_the_farewell_is_not_an_error(nursery: trio.Nursery) -> None:
    """A stop while a request is under way: h11 was asked for a second response, and the log had a traceback."""
    line = Line(nursery)
    with capture_logs() as logs:
        line.adapter.receive(b"GET /health HTTP/1.1\r\nHost: t\r\n\r\n", 0)
        work = line.adapter.next()
        assert isinstance(work, Work)
        told = line.adapter.farewell(Refusal("stopping", RefusalKind.STOPPING))
        assert told.startswith(b"HTTP/1.1 503 ")
        nursery.start_soon(line._work, work)
        await trio.testing.wait_all_tasks_blocked()
    assert line.said == b""
    assert logs == []
