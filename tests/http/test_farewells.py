"""The last words to a client where the server is full or stops."""

import trio
from structlog.testing import capture_logs
from trio.testing import MockClock, wait_all_tasks_blocked

from gameserver.flow_control.limits import Limits
from gameserver.protocol import Refusal, RefusalKind, Work
from tests.clients.websocket import handshake
from tests.http.echo_server import raw, serving_http
from tests.http.support import Browser, Line


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
