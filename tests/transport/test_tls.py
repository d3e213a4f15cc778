"""TLS below every protocol, spoken by the standard library's and by trio's clients."""

import json
import shutil
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import evolve
from trio.testing import MockClock, wait_all_tasks_blocked

from gameserver.flow_control.connection_limiter import DOUBTED_MAX
from gameserver.flow_control.limits import Limits
from gameserver.http.listener import HttpProtocol
from gameserver.server.server import Listening
from gameserver.transport.epoll_reactor import EpollReactor
from gameserver.transport.first_line import HTTP_REQUEST
from gameserver.transport.listener import Address, open_listeners
from gameserver.transport.reactors import TaskReactor
from gameserver.transport.tls import HELLO, Certificate, CertificateError, TlsSocket
from protocols.strategic import PROTOCOL
from tests.clients.websocket import handshake
from tests.http.support import Browser
from tests.support.echo import EchoProtocol
from tests.support.proxies import header
from tests.support.rosters import roster_on
from tests.support.serving import LineClient, Running, serving

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="certificates are made with openssl")


def make(directory: Path, name: str) -> tuple[Path, Path]:
    """A certificate for localhost, and its key."""
    certificate, key = directory / f"{name}.pem", directory / f"{name}.key"
    command = [
        *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
        *("-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"),
        *("-keyout", str(key), "-out", str(certificate)),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make(tmp_path_factory.mktemp("tls"), "server")


@asynccontextmanager
async def encrypted(files: tuple[Path, Path], **setup: Any) -> AsyncIterator[Running]:
    """The text protocol and HTTP, both encrypted; the text protocol in the clear too."""
    certificate = Certificate(*files)
    certificate.load()
    beside = [
        Listening(
            protocol,
            tuple(open_listeners(Address("127.0.0.1", 0))),
            protocol.profiles[0],
            protocol.options_type(),
            certificate.context,
        )
        for protocol in (PROTOCOL, HttpProtocol([EchoProtocol()]))
    ]
    async with serving(beside=beside, **setup) as running:
        plain = running.server._setup.listening[0].sockets[0].getsockname()[1]
        yield evolve(running, port=plain)


async def spoken(running: Running, files: tuple[Path, Path], protocol: str = "strategic") -> trio.SSLStream[Any]:
    """A stream that trusts this certificate alone."""
    context = ssl.create_default_context(cafile=files[0])
    sock = await running.connect(running.ports[protocol])
    return trio.SSLStream(sock.stream, context, server_hostname="localhost", https_compatible=True)


@pytest.mark.parametrize("reactor", [EpollReactor, TaskReactor])
async def test_a_match_of_an_encrypted_and_a_plain_client(
    autojump_clock: MockClock, files: tuple[Path, Path], reactor: type
) -> None:
    async with encrypted(files, reactor=reactor) as running:
        ann = LineClient(await spoken(running, files))  # type: ignore[arg-type]
        await ann.send("login ann", "subscribe Tic-tac-toe")
        assert (await ann.lines(4))[2:] == ["OK", "OK"]
        bob = await running.connect()
        await bob.send("login bob", "subscribe Tic-tac-toe")
        assert (await bob.lines(4))[2:] == ["OK", "OK"]
        matched = await ann.line()
        assert matched.startswith("SVR GAME MATCH")
        await bob.line()
        await ann.send("forfeit")
        await bob.until("WIN")
        await ann.send("bye")
        assert "LOSS" in (await ann.rest())[-1]


async def test_much_in_both_directions(autojump_clock: MockClock, files: tuple[Path, Path]) -> None:
    """More than fits into one record, one read, or the kernel's buffers, and a reader that starts late."""
    async with encrypted(files) as running:
        stream = await spoken(running, files)
        ann = LineClient(stream)  # type: ignore[arg-type]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.send, "login ann", *["help"] * 900, "get gamelist")
            await trio.sleep(1)
            lines = await ann.until("SVR GAMELIST")
        assert lines.count("OK") == 902
        assert sum(len(line) for line in lines) > 300_000


async def test_web_page_executes_nothing_on_encrypted_port_of_lines(
    autojump_clock: MockClock, files: tuple[Path, Path]
) -> None:
    async with encrypted(files) as running:
        stream = await spoken(running, files)
        await stream.send_all(b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\nlogin eve\n")
        said = b"".join([piece async for piece in stream]).decode().splitlines()
        assert said[2:] == [f"ERR {HTTP_REQUEST}"]
        assert not running.server.lobby.sessions


async def test_connection_over_the_rate_is_refused_without_a_handshake(
    autojump_clock: MockClock, files: tuple[Path, Path]
) -> None:
    limits = Limits(connections_per_address_max=1, new_connections_per_s=0.01)
    async with encrypted(files, limits=limits) as running:
        for _ in range(2):
            client = await running.connect(running.ports["strategic"])
            await client.stream.aclose()
        running.server._connection_limiter._new_logins.of("127.0.0.1", trio.current_time()).spend()
        stream = await spoken(running, files)
        with pytest.raises(trio.BrokenResourceError) as refused:
            await stream.do_handshake()
        assert "ALERT_ACCESS_DENIED" in str(refused.value.__cause__).upper()


async def test_http_and_websockets(autojump_clock: MockClock, files: tuple[Path, Path]) -> None:
    async with encrypted(files) as running:
        browser = Browser(await spoken(running, files, "http"))  # type: ignore[arg-type]
        assert (await browser.get("/health")).text == "Healthy"
        assert (await browser.get("/api/stream?chunks=200")).status == 200
        await browser.send(handshake())
        said = bytes(await browser.stream.receive_some())
        assert said.startswith(b"HTTP/1.1 101 Switching Protocols")


@pytest.mark.parametrize("reactor", [EpollReactor, TaskReactor])
async def test_header_of_a_proxy_comes_before_the_handshake(
    autojump_clock: MockClock, files: tuple[Path, Path], reactor: type
) -> None:
    limits = Limits(trusted_proxies=("127.0.0.2",), connections_per_address_max=1)
    async with encrypted(files, limits=limits, reactor=reactor) as running:
        port, context = running.ports["strategic"], ssl.create_default_context(cafile=files[0])

        async def behind_a_proxy(head: bytes) -> trio.SSLStream[Any]:
            sock = await trio.open_tcp_stream("127.0.0.1", port, local_address="127.0.0.2")
            running.clients.append(LineClient(sock))
            await sock.send_all(head)
            return trio.SSLStream(sock, context, server_hostname="localhost", https_compatible=True)

        for number, address in enumerate(("192.0.2.7", "192.0.2.8")):
            client = LineClient(await behind_a_proxy(header(address)))  # type: ignore[arg-type]
            await client.login(f"player {number}")
        addresses = [connection.address for connection in running.server._connections.values()]
        assert addresses == ["192.0.2.7", "192.0.2.8"]
        with pytest.raises(trio.BrokenResourceError) as refused:
            await (await behind_a_proxy(b"")).do_handshake()
        assert "ALERT_ACCESS_DENIED" in str(refused.value.__cause__).upper()


async def test_client_without_tls_is_told(autojump_clock: MockClock, files: tuple[Path, Path]) -> None:
    async with encrypted(files) as running:
        client = await running.connect(running.ports["strategic"])
        await client.send("login ann")
        assert (await client.line()) == "ERR This port speaks TLS; connect with TLS, or to a port without it"
        browser = await Browser.connect(running, running.ports["http"])
        answer = await browser.get("/health")
        assert (answer.status, "This port speaks TLS" in answer.text) == (503, True)
        silent = await running.connect(running.ports["strategic"])
        began_s = trio.current_time()
        assert "no handshake was complete in 10 seconds" in await silent.line()
        assert 10 <= trio.current_time() - began_s < 11


@pytest.mark.parametrize("junk", [b"\x16\x03\x01\xff\xff", b"\x16" + b"junk" * 100, b"\x16\x03\x01\x00\x05hello"])
async def test_half_a_handshake_and_junk_hold_up_nobody(
    autojump_clock: MockClock, files: tuple[Path, Path], junk: bytes
) -> None:
    async with encrypted(files) as running:
        bad = await running.connect(running.ports["strategic"])
        await bad.stream.send_all(junk)
        ann = LineClient(await spoken(running, files))  # type: ignore[arg-type]
        assert (await ann.line()).startswith("Game Server")
        with trio.fail_after(20), suppress(trio.BrokenResourceError):
            while await bad.stream.receive_some():
                pass


def test_certificates(tmp_path: Path, files: tuple[Path, Path]) -> None:
    other = make(tmp_path, "other")
    with pytest.raises(CertificateError, match=r"none.pem .* cannot be used: No such file"):
        Certificate(tmp_path / "none.pem", files[1]).load()
    with pytest.raises(CertificateError, match="not a matching certificate and key in PEM"):
        Certificate(files[0], other[1]).load()
    both = tmp_path / "both.pem"
    both.write_bytes(files[0].read_bytes() + files[1].read_bytes())
    kept = Certificate(both, both)
    kept.load()
    both.write_text("nonsense")
    with pytest.raises(CertificateError):
        kept.load()


def test_bytes_are_reported_as_sent_once_and_in_order(files: tuple[Path, Path]) -> None:
    certificate = Certificate(*files)
    certificate.load()
    kernel = Kernel()
    server = TlsSocket(kernel, certificate.context)  # type: ignore[arg-type]
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client_context = ssl.create_default_context(cafile=files[0])
    client = client_context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    done = False
    for _ in range(100):
        with suppress(ssl.SSLWantReadError):
            client.do_handshake()
        server.feed(outgoing.read())
        done = done or server.do_handshake()
        incoming.write(bytes(kernel.taken))
        kernel.taken.clear()
    assert done
    ready = bytearray(json.dumps(list(range(40_000))).encode())
    whole, heard = bytes(ready), b""
    for _ in range(2_000):
        try:
            del ready[: server.send(ready)]
        except BlockingIOError:
            ready += b"!" if len(heard) == 0 and len(ready) == len(whole) else b""
        incoming.write(bytes(kernel.taken))
        kernel.taken.clear()
        with suppress(ssl.SSLWantReadError):
            heard += client.read(1_000_000)
        if not ready:
            break
    assert not ready
    assert heard == whole + b"!"


class Kernel:
    """A socket that takes a few bytes at a time, and none every second time."""

    def __init__(self) -> None:
        self.taken = bytearray()
        self.calls = 0

    def recv(self, _size: int) -> bytes:
        raise BlockingIOError

    def send(self, data: bytes) -> int:
        self.calls += 1
        if self.calls % 2:
            raise BlockingIOError
        self.taken += data[:1000]
        return min(1000, len(data))


@asynccontextmanager
async def crowded(files: tuple[Path, Path], directory: Path) -> AsyncIterator[Running]:
    """A server that doubts every newcomer after the sixth, and has room for three of an address."""
    limits = Limits(connections_per_address_max=3, new_connections_per_s=0.001)
    async with encrypted(files, limits=limits, roster=roster_on(directory, {"ann": "apple-pie-1"})) as running:
        for _ in range(6):
            (await running.connect()).stream.socket.close()
        await trio.sleep(1)
        yield running


async def test_handshake_that_gives_way_before_its_turn_leaves_no_socket(
    autojump_clock: MockClock, files: tuple[Path, Path], tmp_path: Path
) -> None:
    async with crowded(files, tmp_path) as running:
        server = running.server
        autojump_clock.autojump_threshold = float("inf")
        ours, theirs = zip(*(socket.socketpair() for _ in range(100)), strict=True)
        for sock, peer in zip(ours, theirs, strict=True):
            sock.setblocking(False)
            peer.send(HELLO)
            autojump_clock.jump(0.2)
            server._acceptor.accepted(server._setup.listening[1], sock, "127.0.0.1")
        await wait_all_tasks_blocked()
        still_open = [sock for sock in ours if sock.fileno() != -1]
        assert 0 < len(still_open) <= DOUBTED_MAX + 3, "the others gave way, though there was no time for their turns"
        autojump_clock.autojump_threshold = 0
        for peer in theirs:
            peer.close()
        await trio.sleep(1)
        assert all(sock.fileno() == -1 for sock in ours)
        assert (server._connection_limiter._sockets, server._connection_limiter.doubts) == (0, {})


async def test_silent_handshake_gives_way_before_one_that_has_spoken(
    autojump_clock: MockClock, files: tuple[Path, Path], tmp_path: Path
) -> None:
    async with crowded(files, tmp_path) as running:
        oldest, *silent = [await running.connect(running.ports["strategic"]) for _ in range(3)]
        await trio.sleep(1)
        await oldest.stream.send_all(HELLO)
        await trio.sleep(1)
        await running.connect(running.ports["strategic"])
        assert await silent[0].stream.receive_some() == b""
        with trio.move_on_after(1):
            raise AssertionError(f"the one that has spoken heard {await oldest.stream.receive_some()!r}")
