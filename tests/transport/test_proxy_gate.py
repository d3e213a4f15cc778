"""Players behind a trusted proxy are known by their own addresses, and everybody else as before."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from attrs import evolve
from structlog.testing import capture_logs
from trio.testing import MockClock, wait_all_tasks_blocked

from gameserver.flow_control.limits import Limits, TrustedProxies
from gameserver.http.listener import HttpProtocol
from gameserver.transport import proxy_gate
from gameserver.transport.epoll_reactor import EpollReactor
from gameserver.transport.proxy_gate import HEADER_S, TOLD
from gameserver.transport.reactors import TaskReactor
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.strategic import PROTOCOL as STRATEGIC
from tests.clients.websocket import handshake
from tests.http.support import Browser
from tests.support.echo import EchoProtocol
from tests.support.proxies import SIGNATURE, header, local
from tests.support.serving import NO_PAUSE, LineClient, Running, serving
from tests.support.tables import table

PROXY = "127.0.0.2"
ANN, BOB = "192.0.2.7", "2001:db8::8"
TRUSTING = Limits(trusted_proxies=(PROXY,))
REACTORS = pytest.mark.parametrize("reactor", [EpollReactor, TaskReactor])


@asynccontextmanager
async def behind(limits: Limits = TRUSTING, **setup: Any) -> AsyncIterator[Running]:
    async with serving(limits=evolve(limits, trusted_proxies=(PROXY,)), **setup) as running:
        yield running


async def through(running: Running, head: bytes, port: int = 0) -> LineClient:
    """A client whose connection comes from the proxy, behind this header."""
    client = LineClient(await trio.open_tcp_stream("127.0.0.1", port or running.port, local_address=PROXY), None)
    running.clients.append(client)
    if head:
        await client.stream.send_all(head)
    return client


def addresses(running: Running) -> list[str]:
    return [connection.address for connection in running.server._connections.values()]


def counted(running: Running) -> int:
    """The connections that count against the limits."""
    return len(running.server._connection_limiter._guests)


@REACTORS
async def test_header_may_come_byte_by_byte(autojump_clock: MockClock, reactor: type) -> None:
    async with behind(reactor=reactor) as running:
        client = await through(running, b"")
        for byte in header("::ffff:192.0.2.7", "::1") + b"login ann\n":
            await client.stream.send_all(bytes((byte,)))
            await trio.sleep(0.03)
        assert (await client.lines(3))[2] == "OK"
        assert addresses(running) == [ANN]


async def test_same_address_is_the_players_own(autojump_clock: MockClock) -> None:
    """Another player's computer behind the same proxy cannot take a seat that waits."""
    async with behind(rules=evolve(NO_PAUSE, drop_grace_ms=60_000)) as running:
        ann, bob = await through(running, header(ANN)), await through(running, header("192.0.2.8"))
        for client, name in ((ann, "ann"), (bob, "bob")):
            await client.login(name)
            await client.send("subscribe Tic-tac-toe")
            await client.line()
        await bob.line()
        await ann.stream.aclose()
        await trio.sleep(0.1)
        stranger = await through(running, header("192.0.2.9"))
        await stranger.send("login ann")
        assert (await stranger.lines(3))[2].startswith("ERR")
        again = await through(running, header(ANN))
        await again.send("login ann")
        assert (await again.lines(4))[2:][0] == "OK"


async def test_limits_by_address_count_players_and_not_the_proxy(autojump_clock: MockClock) -> None:
    async with behind(Limits(connections_per_address_max=2)) as running:
        for address in (ANN, "192.0.2.8"):
            for number in range(2):
                await (await through(running, header(address))).login(f"player {address} {number}")
        third = await through(running, header(ANN))
        assert (await third.rest())[-1].startswith(f"ERR There are 2 connections from {ANN} already")
        assert counted(running) == 4


async def test_header_without_an_address_means_the_proxys_own(autojump_clock: MockClock) -> None:
    async with behind() as running:
        unknown = await through(running, SIGNATURE + b"\x21\x00\x00\x00")
        await unknown.login("ann")
        assert addresses(running) == [PROXY]


async def test_health_check_of_the_proxy_is_answered_by_a_full_server(autojump_clock: MockClock) -> None:
    """It counts against no limit: the proxy would take a full server for a dead one, and drop its players."""
    http = HttpProtocol([EchoProtocol()])
    async with behind(Limits(connections_max=1, new_connections_per_s=0.01), others=[http]) as running:
        ann = await through(running, header(ANN))
        await ann.login("ann")
        for _ in range(5):
            check = await through(running, local(), running.ports["http"])
            assert (await Browser(check.stream).get("/health")).text == "Healthy"
        assert (await (await through(running, local())).line()).startswith("Game Server")
        assert counted(running) == 1
        refused = await through(running, header(BOB))
        assert (await refused.rest())[-1].startswith("ERR The server is full")
        await ann.send("get playerlist")
        assert '"ann"' in (await ann.lines(2))[1]


@REACTORS
@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (b"PROXY TCP4 192.0.2.7 198.51.100.1 5 6\r\nlogin ann\r\n", "it sends version 1 of the PROXY protocol"),
        (b"login ann\r\n", "it sends no header of the PROXY protocol"),
        (b"", f"it sends no header within {HEADER_S:g} seconds"),
        (header(ANN)[:20], f"it sends no header within {HEADER_S:g} seconds"),
        (SIGNATURE + b"\x31\x11\x00\x0c" + bytes(12), "its header has version 3 and command 1"),
    ],
)
async def test_proxy_without_a_header_is_refused_and_the_log_says_what_to_configure(
    autojump_clock: MockClock, reactor: type, sent: bytes, why: str
) -> None:
    with capture_logs() as logs:
        async with behind(reactor=reactor) as running:
            began_s = trio.current_time()
            for _ in range(3):
                client = await through(running, sent)
                assert await client.rest() == [f"ERR {TOLD}"]
            assert trio.current_time() - began_s < 3 * HEADER_S + 1
            assert running.server._connections == {}
            await trio.sleep(60)
            assert await (await through(running, sent)).rest() == [f"ERR {TOLD}"]
    told = [entry for entry in logs if entry["event"] == "proxy refused"]
    assert [(entry["address"], entry["why"], entry["count"]) for entry in told] == [(PROXY, why, 1), (PROXY, why, 3)]
    assert "send-proxy-v2" in told[0]["hint"]


async def test_connection_that_ends_before_its_header_is_no_news(autojump_clock: MockClock) -> None:
    with capture_logs() as logs:
        async with behind() as running:
            for sent in (b"", header(ANN)[:5]):
                client = await through(running, sent)
                await client.stream.send_eof()
                assert await client.rest() == []
    assert not [entry for entry in logs if entry["log_level"] in {"warning", "error"}]


async def test_nobody_else_is_believed(autojump_clock: MockClock) -> None:
    """The header of a stranger is input like any other."""
    async with behind(protocol=CONNECT_FOUR) as running:
        liar = await running.connect()
        await liar.stream.send_all(header(ANN) + b"\n")
        await trio.sleep(1)
        assert addresses(running) == ["127.0.0.1"]
        await liar.stream.send_all(b'{"action":"disconnect"}\n')
        assert await liar.rest() == []


async def test_http_and_websockets_behind_a_proxy(autojump_clock: MockClock) -> None:
    http = HttpProtocol([EchoProtocol()])
    async with behind(Limits(connections_per_address_max=2), others=[http]) as running:
        for address in (ANN, BOB, "192.0.2.9"):
            browser = Browser((await through(running, header(address), running.ports["http"])).stream)
            assert (await browser.get("/health")).text == "Healthy"
            await browser.send(handshake())
            assert bytes(await browser.stream.receive_some()).startswith(b"HTTP/1.1 101 ")


class Unlimited(type(STRATEGIC)):  # type: ignore[misc]
    """Counts nobody, as the admin listener."""

    is_limited = False


async def test_this_machine_reaches_the_admin_listener_without_a_header(autojump_clock: MockClock) -> None:
    """The commands connect to it directly, also where a proxy of this machine is trusted."""
    async with serving(protocol=Unlimited(), limits=Limits(trusted_proxies=("::1", PROXY))) as running:
        direct, silent = await running.connect(), await running.connect()
        await direct.login("ann")
        assert (await silent.line()).startswith("Game Server"), "one that waits for the first word gets it late"
        local_proxy = await running.connect()
        local_proxy.client = None  # what it sends is not of the text protocol alone
        await local_proxy.stream.send_all(header(ANN) + b"login bob\n")
        assert (await local_proxy.lines(3))[2] == "OK"
        assert (await (await through(running, b"login cyd\n")).rest()) == [f"ERR {TOLD}"]
        assert sorted(addresses(running)) == ["127.0.0.1", "127.0.0.1", ANN]


async def test_crowd_that_waits_for_its_headers_has_an_end(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy_gate, "WAITING_MAX", 2)
    async with behind() as running:
        waiting = [await through(running, b"") for _ in range(2)]
        await trio.sleep(0.1)
        assert (await (await through(running, b"")).rest()) == [f"ERR {TOLD}"]
        for number, client in enumerate(waiting):
            await client.stream.send_all(header(ANN))
            await client.login(f"player {number}")
        await (await through(running, header(ANN))).login("ann")


async def test_stop_closes_connections_that_wait_for_their_header(autojump_clock: MockClock) -> None:
    async with behind() as running:
        client = await through(running, header(ANN)[:7])
        await trio.sleep(0.1)
        with trio.fail_after(HEADER_S - 1):
            await running.stop()
        assert await client.rest() == []


async def test_accepting_rests_after_a_flood_behind_a_proxy(autojump_clock: MockClock) -> None:
    """A player who connects too fast is known only by the header: the next one accepted is told so."""
    async with behind(Limits(connections_per_address_max=1, new_connections_per_s=0.001)) as running:
        autojump_clock.autojump_threshold = float("inf")
        listening = running.server._setup.listening[0]
        answers = []
        for _ in range(5):
            ours, theirs = socket.socketpair()
            ours.setblocking(False)
            answers.append(running.server._accepted(listening, ours, PROXY))
            theirs.send(header(ANN))
            await wait_all_tasks_blocked()
            theirs.close()
        assert answers == [True, True, True, False, False]


@pytest.mark.parametrize(("texts", "trusted", "others"), table(__file__, "proxies, addresses of theirs, and others"))
def test_addresses_and_networks(texts: str, trusted: str, others: str) -> None:
    proxies = TrustedProxies(texts.split())
    assert [address in proxies for address in trusted.split()] == [True] * len(trusted.split())
    assert not any(address in proxies for address in others.split())
