"""One connection never disturbs another: slow ones, broken ones, fast ones, half-closed ones."""

import errno
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs
from trio.testing import MockClock

from gameserver.flow_control.limits import Limits
from gameserver.flow_control.token_bucket import TokenBucket
from gameserver.protocol import Adapter, Answer, BrokenInput, Context, Event, Output, Peer, Refusal, Reply, WireProtocol
from gameserver.transport import listener
from gameserver.transport.connection import Connection
from gameserver.transport.connection_state import ConnectionState
from gameserver.transport.epoll_reactor import EpollReactor
from gameserver.transport.send_queue import SendBuffer
from gameserver.transport.task_reactor import TaskReactor
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from tests.support.serving import LineClient, serving

DRIVERS = pytest.mark.parametrize("reactor", [EpollReactor, TaskReactor])


@DRIVERS
async def test_a_half_closed_peer_is_answered_to_the_end(autojump_clock: MockClock, reactor: type) -> None:
    async with serving(reactor=reactor) as running:
        client = await running.connect()
        await client.send("login ann", "get gamelist", "get playerlist")
        await client.stream.send_all(b"help login")
        await client.stream.send_eof()
        said = await client.rest()
        assert [line.split()[0] for line in said[2:]] == ["OK", "OK", "SVR", "OK", "SVR", "OK", *["SVR"] * 6]
        (other,) = await running.enter("ann")


@DRIVERS
async def test_a_peer_that_does_not_read_ends_alone(autojump_clock: MockClock, reactor: type) -> None:
    limits = Limits(commands_per_s=1_000_000)
    async with serving(reactor=reactor, limits=limits) as running:
        glutton, ann = await running.enter("glutton", "ann")

        async def devour() -> None:
            while True:
                await glutton.stream.send_all(b"help\n" * 1_000)
                await ann.send("get playerlist")
                await ann.lines(2)

        with pytest.raises(trio.BrokenResourceError):
            await devour()
        await ann.send("get playerlist")
        assert "glutton" not in (await ann.lines(2))[1]


@DRIVERS
async def test_a_peer_that_takes_nothing_is_given_up(autojump_clock: MockClock, reactor: type) -> None:
    limits = Limits(send_timeout_s=20, commands_per_s=1_000_000)
    async with serving(reactor=reactor, limits=limits) as running:
        glutton, ann = await running.enter("glutton", "ann")
        with trio.move_on_after(5):
            await glutton.stream.send_all(b"help\n" * 20_000)
        await trio.sleep(30)
        await ann.send("get playerlist")
        assert "glutton" not in (await ann.lines(2))[1]


@DRIVERS
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other kernels have buffers of other sizes")
async def test_a_slow_peer_that_reads_all_the_time_is_not_given_up(autojump_clock: MockClock, reactor: type) -> None:
    """It takes so little that the socket does not become writable for several times `send_timeout_s`."""
    limits = Limits(send_timeout_s=20, commands_per_s=1_000_000)
    async with serving(reactor=reactor, limits=limits) as running:
        (reader,) = await running.enter("reader")
        sock = reader.stream.socket
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        with trio.move_on_after(5):
            await reader.stream.send_all(b"help\n" * 40_000)
        (connection,) = running.server._connections.values()
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
    async with serving(reactor=reactor, limits=Limits(commands_per_s=1_000_000)) as running:
        (ann,) = await running.enter("ann")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.stream.send_all, b"help\n" * 3_000 + b"get gamelist\n")
            said = await ann.until("GAMELIST")
        assert sum(line == "OK" for line in said) == 3_001


@DRIVERS
async def test_a_peer_that_was_behind_hears_all_that_others_brought_about(
    autojump_clock: MockClock, reactor: type
) -> None:
    """It asks for nothing meanwhile, so nothing but room in the kernel makes its connection go on."""
    size = 20_000_000
    async with serving(reactor=reactor, limits=Limits(outbox_bytes_max=2 * size)) as running:
        (ann,) = await running.enter("ann")
        (connection,) = running.server._connections.values()
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
    async with serving(reactor=reactor, limits=Limits(commands_per_s=1_000_000)) as running:
        (ann,) = await running.enter("ann")
        (connection,) = running.server._connections.values()
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
    limits = Limits(outbox_bytes_max=4_096, commands_per_s=1_000_000)
    async with serving(reactor=reactor, limits=limits) as running:
        ann, deaf = await running.enter("ann", "deaf")
        (session,) = [number for number in running.server._connections if number != 1]
        connection = running.server._connections[session]
        connection.put(b"x" * 4_000)
        assert connection.stage is ConnectionState.OPEN
        connection.put(b"x" * 100)
        await ann.send("get playerlist")
        assert "deaf" not in (await ann.lines(2))[1]


async def test_time_to_log_in(autojump_clock: MockClock) -> None:
    async with serving(limits=Limits(login_timeout_s=30)) as running:
        idle = await running.connect()
        (ann,) = await running.enter("ann")
        began = trio.current_time()
        said = await idle.rest()
        assert said[2].startswith("ERR No login within 30 seconds")
        assert 30 <= trio.current_time() - began < 31
        await ann.send("get playerlist")
        assert "ann" in (await ann.lines(2))[1]


async def test_too_many_connections(autojump_clock: MockClock) -> None:
    async with serving(limits=Limits(connections_per_address_max=2)) as running:
        ann, bob = await running.enter("ann", "bob")
        third = await running.connect()
        assert (await third.rest())[-1].startswith("ERR There are 2 connections from 127.0.0.1 already")
        await ann.send("bye")
        await ann.rest()
        await running.enter("cyd")


async def test_a_full_server(autojump_clock: MockClock) -> None:
    async with serving(limits=Limits(connections_max=1)) as running:
        await running.enter("ann")
        second = await running.connect()
        assert (await second.rest())[-1].startswith("ERR The server is full with 1 connections")


async def test_fast_commands_are_slowed_down_and_all_answered(autojump_clock: MockClock) -> None:
    async with serving(limits=Limits(commands_per_s=10)) as running:
        (ann,) = await running.enter("ann")
        began = trio.current_time()
        await ann.send(*["get gamelist"] * 119)
        await ann.lines(238)
        assert 9.5 <= trio.current_time() - began < 11


async def test_a_long_line_ends_one_connection(autojump_clock: MockClock) -> None:
    async with serving(limits=Limits(line_bytes_max=1_000)) as running:
        loud, ann = await running.enter("loud", "ann")
        await loud.stream.send_all(b"x" * 5_000)
        assert await loud.rest() == ["ERR Payload too large"]
        await ann.send("get playerlist")
        assert "loud" not in (await ann.lines(2))[1]


async def test_how_many_lines_were_discarded_is_in_the_log(autojump_clock: MockClock) -> None:
    with capture_logs() as logs:
        async with serving(protocol=CONNECT_FOUR) as running:
            client = await running.connect()
            await client.stream.send_all(b'junk\n\n[]\n{"action":"disconnect"}\n')
            assert await client.rest() == []
    assert [entry.get("discarded") for entry in logs if entry["event"] == "connection ends"] == [3]


async def test_a_name_is_free_at_once_when_its_connection_is_dead(autojump_clock: MockClock) -> None:
    async with serving() as running:
        (ann,) = await running.enter("ann")
        again = await running.connect()
        await again.send("login ann")
        assert (await again.lines(3))[2] == "ERR Duplicate name exists"
        ann.stream.socket.close()
        await again.send("login ann")
        assert await again.line() == "OK"


class HostileAdapter(Adapter):
    """Fails where the peer tells it to."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def greeting(self) -> bytes:
        return b"hello\r\n"

    def receive(self, data: bytes, at_ms: int) -> None:
        self.asked += data.decode().split()
        if "receive" in self.asked:
            raise ZeroDivisionError

    def receive_eof(self) -> None:
        raise ZeroDivisionError

    def next(self) -> Any:
        word = self.asked.pop(0) if self.asked else None
        if word == "next":
            raise ZeroDivisionError
        if word == "broken":
            raise BrokenInput("not understood", b"what?\r\n")
        return None if word is None else Reply(f"{word}\r\n".encode())

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        raise ZeroDivisionError

    def farewell(self, refusal: Refusal) -> bytes:
        return f"sorry: {refusal.why}\r\n".encode()

    pending_bytes = 0
    identified = True
    finished = False


class HostileProtocol(WireProtocol):
    name = "hostile"
    title = "Hostile"
    default_port = 1
    fails_at_accept = False

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        if self.fails_at_accept:
            self.fails_at_accept = False
            raise ZeroDivisionError
        return HostileAdapter()


@DRIVERS
@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("receive", "sorry: The server made a mistake with this connection; please connect again"),
        ("next", "sorry: The server made a mistake with this connection; please connect again"),
        ("broken", "what?"),
    ],
)
async def test_exception_of_an_adapter_ends_only_its_connection(
    autojump_clock: MockClock, reactor: type, said: str, heard: str
) -> None:
    async with serving(protocol=HostileProtocol(), reactor=reactor) as running:
        victim, other = await running.connect(), await running.connect()
        await victim.send(said)
        assert await victim.rest() == ["hello", heard]
        await other.send("word")
        assert await other.lines(2) == ["hello", "word"]


async def test_a_protocol_that_cannot_make_an_adapter_loses_that_connection(autojump_clock: MockClock) -> None:
    protocol = HostileProtocol()
    protocol.fails_at_accept = True
    async with serving(protocol=protocol) as running:
        first = await running.connect()
        assert await first.rest() == []
        second: LineClient = await running.connect()
        assert await second.line() == "hello"


def test_accepting_goes_on_when_files_run_out() -> None:
    errors = [OSError(errno.ECONNABORTED, "gone"), OSError(errno.EMFILE, "Too many open files")]

    class Exhausted:
        def accept(self) -> Any:
            raise errors.pop(0)

    accepted: list[Any] = []
    _, error = listener._accept_some(Exhausted(), lambda *args: not accepted.append(args))
    assert error is not None
    assert error.errno == errno.EMFILE
    assert accepted == []


@pytest.mark.parametrize(
    ("sockaddr", "host"),
    [
        (("::ffff:10.1.2.3", 5, 0, 0), "10.1.2.3"),
        (("::1", 5, 0, 0), "127.0.0.1"),
        (("fe80::1", 5, 0, 0), "fe80::1"),
        (("10.1.2.3", 5), "10.1.2.3"),
    ],
)
def test_hosts_have_one_spelling(sockaddr: tuple[Any, ...], host: str) -> None:
    assert listener._host(sockaddr) == host


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

    async with serving(reactor=reactor, limits=Limits(commands_per_s=1_000_000)) as running:
        (glutton,) = await running.enter("glutton")
        glutton.stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        (connection,) = running.server._connections.values()
        while not connection._send_queue.is_backpressured:
            await glutton.stream.send_all(b"help\n" * 100)
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


async def test_connection_that_waits_for_its_turn_when_that_of_its_backlog_comes_is_read_again(
    autojump_clock: MockClock,
) -> None:
    async with serving(reactor=EpollReactor) as running:
        (ann,) = await running.enter("ann")
        (connection,), reactor = running.server._connections.values(), running.server._reactor
        adapter: Any = connection.adapter
        assert isinstance(reactor, EpollReactor)
        reactor._put_off(connection.sock.fileno(), connection)
        adapter.pending_bytes = 1  # as by a tick, such as a ping that is due
        connection.resume()
        (turn,) = reactor._backlogs.values()
        turn.fire()
        adapter.pending_bytes = 0
        await trio.sleep(1)
        await ann.send("get gamelist")
        with trio.fail_after(10):
            await ann.until("GAMELIST")


def test_sockets_are_tuned() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        sock, _ = server.accept()
        with sock:
            listener._tune(sock)
            assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            assert sock.gettimeout() == 0


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


def test_a_rate_permits_a_burst_and_then_its_pace() -> None:
    rate = TokenBucket(10, now_s=0)
    for _ in range(20):
        assert rate.wait_s(0) == 0
        rate.spend()
    assert rate.wait_s(0) == pytest.approx(0.1)
    assert rate.wait_s(0.05) == pytest.approx(0.05)
    assert rate.wait_s(0.1) == 0
    assert rate.wait_s(100) == 0
