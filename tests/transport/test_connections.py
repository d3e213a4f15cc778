"""Connections: what is accepted, their first line, and one that never disturbs another, however slow it reads."""

import errno
import random
import socket
import ssl
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from time import perf_counter
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs
from trio.testing import MockClock, wait_all_tasks_blocked

from gameserver.flow_control.limits import Limits
from gameserver.flow_control.rates import TokenBucket
from gameserver.protocol import Adapter, WireProtocol
from gameserver.transport import listener
from gameserver.transport.connection import Connection, ConnectionState
from gameserver.transport.epoll_reactor import EpollReactor
from gameserver.transport.first_line import CLIENT_HELLO, HTTP_REQUEST, FirstLine
from gameserver.transport.send_queue import SendBuffer
from gameserver.transport.tls import HELLO
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.mastermind import PROTOCOL as MASTERMIND
from protocols.strategic import PROTOCOL as STRATEGIC
from tests.support.drivers import DRIVERS
from tests.support.serving import LineClient, serving
from tests.support.tables import lines
from tests.testing.simple_json import EXAMPLE


@DRIVERS
async def test_a_half_closed_peer_is_answered_to_the_end(autojump_clock: MockClock, reactor: type) -> None:
    async with serving(reactor=reactor) as running:
        client = await running.connect()
        await client.send("login ann", "get gamelist", "get playerlist")
        await client.send_bytes(b"help login")
        await client.half_close()
        said = await client.rest()
        assert [line.split()[0] for line in said[2:]] == ["OK", "OK", "SVR", "OK", "SVR", "OK", *["SVR"] * 6]
        (other,) = await running.enter("ann")


async def test_fast_commands_are_slowed_down_and_all_answered(autojump_clock: MockClock) -> None:
    async with serving(limits=Limits(commands_per_s=10)) as running:
        (ann,) = await running.enter("ann")
        began = trio.current_time()
        await ann.send(*["get gamelist"] * 119)
        await ann.lines(238)
        assert 9.5 <= trio.current_time() - began < 11


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


async def test_connection_that_waits_for_its_turn_when_that_of_its_backlog_comes_is_read_again(
    autojump_clock: MockClock,
) -> None:
    async with serving(reactor=EpollReactor) as running:
        (ann,) = await running.enter("ann")
        (connection,), reactor = running.server._connections.values(), running.server._reactor
        adapter: Any = connection.adapter
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


class FailsOnce(type(STRATEGIC)):  # type: ignore[misc]
    """A protocol that cannot make its first adapter."""

    fails = True

    def adapter(self, *given: Any) -> Adapter:
        if self.fails:
            self.fails = False
            raise ZeroDivisionError
        return super().adapter(*given)


async def test_a_protocol_that_cannot_make_an_adapter_loses_that_connection(autojump_clock: MockClock) -> None:
    async with serving(protocol=FailsOnce()) as running:
        assert await (await running.connect()).rest() == []
        await running.enter("ann")


@DRIVERS
async def test_input_is_left_unread_while_lines_that_came_before_wait_for_their_turn(
    autojump_clock: MockClock, reactor: type
) -> None:
    """Reading it would put the stamp of what was read last on the lines before, such as a move that came in time."""
    async with serving(reactor=reactor) as running:
        await running.enter("ann")
        (connection,) = running.server._connections.values()
        adapter: Any = connection.adapter
        adapter.pending_bytes = 1
        connection._update_interest()  # as by an answer of which the kernel took a part
        connection.resume()
        assert connection.interest == (False, False)


def test_a_rate_permits_a_burst_and_then_its_pace() -> None:
    rate = TokenBucket(10, now_s=0)
    for _ in range(20):
        assert rate.wait_s(0) == 0
        rate.spend()
    assert rate.wait_s(0) == pytest.approx(0.1)
    assert rate.wait_s(0.05) == pytest.approx(0.05)
    assert rate.wait_s(0.1) == 0
    assert rate.wait_s(100) == 0


def client_hello() -> bytes:
    """The first bytes of a TLS client."""
    outgoing = ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


def chunkings(data: bytes) -> Iterator[list[bytes]]:
    """The same bytes whole, one by one, in two pieces, and in pieces by chance."""
    yield [data]
    yield [data[at : at + 1] for at in range(len(data))]
    yield from ([data[:at], data[at:]] for at in range(1, min(len(data), 80)))
    chance = random.Random(31)
    cuts = sorted(chance.sample(range(1, len(data)), min(5, len(data) - 1)))
    yield [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]


REQUESTS = [request.encode("latin-1") for request in lines(__file__, "requests of HTTP")]
HEAD = REQUESTS[0]
OTHERS = [line.encode("latin-1") for line in lines(__file__, "first lines of other protocols")]
ENDLESS = [b"POST /" + b"x:" * 25_000 + b" HTTP/1.1\r\n", b"X" * 50_000 + b" / HTTP/1.1\r\n"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        *((request, HTTP_REQUEST) for request in [*REQUESTS, *ENDLESS]),
        (client_hello(), CLIENT_HELLO),
        *((line, "") for line in OTHERS),
    ],
    ids=lambda value: repr(value[:16]) if isinstance(value, bytes) and value[0] != HELLO[0] else "",
)
def test_first_line_is_judged_whatever_its_chunks(data: bytes, why: str) -> None:
    for chunks in chunkings(data):
        first_line, said = FirstLine(), []
        for chunk in chunks:
            said.append(first_line.refusal(chunk))
            assert len(first_line.begun) < 40, "little is kept of what a peer may send for ever"
            if said[-1] or first_line.is_over:
                break
        assert said[-1] == why
        assert not any(said[:-1])
        assert why or first_line.is_over


BODIES: dict[WireProtocol, bytes] = {
    STRATEGIC: b"login eve\nsubscribe Tic-tac-toe\n",
    CONNECT_FOUR: b'{"action":"connect","name":"eve"}\n',
    MASTERMIND: b"NewGame|{}\n",
    EXAMPLE.PROTOCOL: b'{"do": "login", "name": "eve"}\n',
}
"""Commands that a page would have a browser send, by protocol; the last one is a third party's."""


@pytest.mark.parametrize("protocol", BODIES, ids=lambda protocol: protocol.name)
async def test_browser_executes_nothing_on_port_of_lines(autojump_clock: MockClock, protocol: WireProtocol) -> None:
    async with serving(protocol=protocol) as running:
        for opening, why in ((HEAD, HTTP_REQUEST), (client_hello(), CLIENT_HELLO)):
            data = opening + BODIES[protocol]
            for chunks in ([data], [data[:7], data[7:]], [data[:14], data[14:15], data[15:]]):
                client = await running.connect()
                for chunk in chunks:
                    await client.send_bytes(chunk)
                    await wait_all_tasks_blocked(0.01)
                with trio.fail_after(10):
                    said = b"".join([piece async for piece in client.stream])
                lines = said.splitlines()[2 if protocol is STRATEGIC else 0 :]
                assert len(lines) == 1
                assert why.encode() in lines[0]
        lobby = running.server.lobby
        assert not lobby.players


@DRIVERS
async def test_lines_that_came_in_one_read_with_first_one_are_answered(
    autojump_clock: MockClock, reactor: type
) -> None:
    async with serving(reactor=reactor) as running:
        client = await running.connect()
        await client.lines(2)
        await client.send_bytes(b"lo")
        await trio.sleep(1)
        await client.send_bytes(b"gin ann\nPOST / HTTP/1.1\nget gamelist\n")
        said = await client.lines(4)
        assert [line.split()[0] for line in said] == ["OK", "ERR", "OK", "SVR"]


def test_accepting_goes_on_when_files_run_out() -> None:
    errors = [OSError(errno.ECONNABORTED, "gone"), OSError(errno.EMFILE, "Too many open files")]

    class Exhausted:
        def accept(self) -> Any:
            raise errors.pop(0)

    accepted: list[Any] = []
    _, error = listener._accept_some(Exhausted(), lambda *args: not accepted.append(args), perf_counter)
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


def test_sockets_are_tuned() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        sock, _ = server.accept()
        with sock:
            listener._tune(sock)
            assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            assert sock.gettimeout() == 0


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
