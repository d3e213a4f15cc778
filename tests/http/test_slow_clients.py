"""Clients that are slow, deaf or gone: time limits, backpressure and the rate of requests."""

from contextlib import suppress

import trio
from trio.testing import MockClock

from tests.http.echo_server import serving_http
from tests.http.support import Browser


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
