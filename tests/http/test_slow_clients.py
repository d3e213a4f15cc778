"""Clients that are slow, deaf or gone: time limits, backpressure and the rate of requests."""

from contextlib import suppress

import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from tests.http.echo_server import serving_http
from tests.http.support import Browser
from tests.support.drivers import DRIVERS


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
        body = (await browser.answer()).body
        assert len(body) == sum(len(f"{number}\n") * 1_000 for number in range(1_500))
