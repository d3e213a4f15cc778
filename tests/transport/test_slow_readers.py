"""Peers that read slowly or not at all: who is given up, who is not, and what waits for them in which order."""

import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
import trio
from trio.testing import MockClock

from gameserver.flow_control.limits import Limits
from gameserver.transport.connection import Connection, ConnectionState
from gameserver.transport.send_queue import SendBuffer
from tests.support.drivers import DRIVERS
from tests.support.serving import LineClient, serving


@asynccontextmanager
async def meeting(
    reactor: type, *names: str, **limits: float
) -> AsyncIterator[tuple[list[LineClient], list[Connection]]]:
    """Players who may ask as fast as they like, and their connections."""
    async with serving(reactor=reactor, limits=Limits(commands_per_s=1_000_000, **limits)) as running:
        yield await running.enter(*names), list(running.server._connections.values())


async def others_of(client: LineClient) -> str:
    await client.send("get playerlist")
    return (await client.lines(2))[1]


@DRIVERS
async def test_a_peer_that_does_not_read_ends_alone(autojump_clock: MockClock, reactor: type) -> None:
    async with meeting(reactor, "glutton", "ann") as ((glutton, ann), _):

        async def devour() -> None:
            while True:
                await glutton.send_bytes(b"help\n" * 1_000)
                await others_of(ann)

        with pytest.raises(trio.BrokenResourceError):
            await devour()
        assert "glutton" not in await others_of(ann)


@DRIVERS
async def test_a_peer_that_takes_nothing_is_given_up(autojump_clock: MockClock, reactor: type) -> None:
    async with meeting(reactor, "glutton", "ann", send_timeout_s=20) as ((glutton, ann), _):
        with trio.move_on_after(5):
            await glutton.send_bytes(b"help\n" * 20_000)
        await trio.sleep(30)
        assert "glutton" not in await others_of(ann)


@DRIVERS
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other kernels have buffers of other sizes")
async def test_a_slow_peer_that_reads_all_the_time_is_not_given_up(autojump_clock: MockClock, reactor: type) -> None:
    """It takes so little that the socket does not become writable for several times `send_timeout_s`."""
    async with meeting(reactor, "reader", send_timeout_s=20) as ((reader,), (connection,)):
        sock = reader.stream.socket
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        with trio.move_on_after(5):
            await reader.send_bytes(b"help\n" * 40_000)
        asked_for_more = 0
        for _ in range(12):
            was_waiting = len(connection._send_queue.ready)
            assert was_waiting > 0, "the peer is not behind, so this shows nothing"
            for _ in range(3):
                await sock.recv(65_536)
            await trio.sleep(10)
            asked_for_more += len(connection._send_queue.ready) != was_waiting
            assert connection.stage is ConnectionState.OPEN
        assert asked_for_more < 6, "the socket became writable all the time, so this shows nothing"


@DRIVERS
async def test_a_peer_that_asks_much_and_reads_it_is_answered(autojump_clock: MockClock, reactor: type) -> None:
    """Two megabytes of answers to one packet: more than may ever wait, but the peer takes them."""
    async with meeting(reactor, "ann") as ((ann,), _):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.send_bytes, b"help\n" * 3_000 + b"get gamelist\n")
            said = await ann.until("GAMELIST")
        assert sum(line == "OK" for line in said) == 3_001


@DRIVERS
async def test_a_peer_that_was_behind_hears_all_that_others_brought_about(
    autojump_clock: MockClock, reactor: type
) -> None:
    """It asks for nothing meanwhile, so nothing but room in the kernel makes its connection go on."""
    size = 12_000_000
    async with meeting(reactor, "ann", outbox_bytes_max=2 * size) as ((ann,), (connection,)):
        connection.put(bytes(size))
        connection.flush()
        assert connection._send_queue.ready, "all of it went at once, so this shows nothing"
        heard = 0
        while received := await ann.stream.receive_some():
            heard += len(received)
            if heard == size:
                break
        assert heard == size


@DRIVERS
async def test_input_resumes_when_a_slow_reader_makes_room(autojump_clock: MockClock, reactor: type) -> None:
    """An event for the peer may find the room before the reactor does."""
    async with meeting(reactor, "ann") as ((ann,), (connection,)):
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
        ann.stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        await ann.send(*["help"] * 1_500)
        await trio.sleep(0.5)
        assert connection.is_backlogged
        heard = bytearray()
        while connection._send_queue.is_backpressured:
            with suppress(BlockingIOError):
                heard += ann.stream.socket._sock.recv(65_536)
            connection.flush()
        assert not connection.is_quiet, "its last commands are not answered yet"
        with trio.fail_after(5):
            while heard.count(b"OK\r\n") < 1_500:
                heard += await ann.stream.receive_some()


@DRIVERS
async def test_a_peer_that_is_told_too_much_is_given_up(autojump_clock: MockClock, reactor: type) -> None:
    async with meeting(reactor, "ann", "deaf", outbox_bytes_max=4_096) as ((ann, _), (_, connection)):
        connection.put(b"x" * 4_000)
        assert connection.stage is ConnectionState.OPEN
        connection.put(b"x" * 100)
        assert "deaf" not in await others_of(ann)


@DRIVERS
async def test_the_end_of_a_peer_that_does_not_read_its_last_words_is_looked_at_once(
    autojump_clock: MockClock, reactor: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0
    on_readable = Connection.on_readable

    def counted(connection: Connection, now_ms: int) -> bool:
        nonlocal looks
        looks += 1
        return on_readable(connection, now_ms)

    async with meeting(reactor, "glutton") as ((glutton,), (connection,)):
        glutton.stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        while not connection._send_queue.is_backpressured:
            await glutton.send_bytes(b"help\n" * 100)
            await trio.sleep(0.01)
        connection.dismiss("enough")
        assert connection.stage is ConnectionState.CLOSING
        await trio.sleep(1)
        await glutton.stream.send_eof()
        monkeypatch.setattr(Connection, "on_readable", counted)
        for _ in range(100):
            await trio.lowlevel.checkpoint()
        assert connection.stage is ConnectionState.CLOSING
        assert looks == 1


def test_send_buffer_keeps_its_order() -> None:
    buffer = SendBuffer()
    assert buffer.put(b"a", 0, 0) == 0
    assert buffer.put(b"b", 100, 40) == 60
    assert buffer.put(b"c", 0, 50) == 0
    assert buffer.put(b"d", 300, 50) == 0
    assert (bytes(buffer.ready), buffer.bytes_waiting) == (b"a", 4)
    assert buffer.release(90) == 10
    assert buffer.release(100) == 200
    assert bytes(buffer.ready) == b"abc"
    assert buffer.release(300) == 0
    assert (bytes(buffer.ready), buffer.bytes_waiting) == (b"abcd", 4)
