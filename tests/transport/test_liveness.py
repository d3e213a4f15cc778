"""Newcomers whose name is taken, also behind a proxy: whether they wait, until when, and what they hear."""

import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from attrs import evolve
from trio.testing import MockClock

from games.backgammon import BACKGAMMON, TAVLA
from gameserver.flow_control.limits import Limits
from gameserver.http.listener import HttpProtocol
from gameserver.server.server import GOODBYE
from gameserver.transport.liveness import PROBE_EVERY_S, SILENCE_S, WAIT_S
from gameserver.transport.tcp_info import LastContact
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.gammonx import GammonXProtocol
from protocols.gammonx.schema import MatchModus
from tests.http.support import Browser
from tests.support.games import catalogue
from tests.support.proxies import header
from tests.support.serving import NO_PAUSE, LineClient, Running, serving
from tests.support.socket_clients import HubClient

TAKEN = "ERR Duplicate name exists"
GRACE = evolve(NO_PAUSE, drop_grace_ms=30_000)
IDLE_S = 5.0
needs_options = pytest.mark.skipif(not hasattr(socket, "TCP_KEEPIDLE"), reason="other kernels have other options")


class Kernel:
    """Tells when a peer was there: `last_s` on the axis of the test. Segments in flight take the place of probes."""

    def __init__(self) -> None:
        self.last_s = trio.current_time() - IDLE_S
        self.begins_s = float("inf")
        """Time at which the peer acknowledges something again."""
        self.segments_in_flight = 0
        self.probes_unanswered = 3
        self.tells = True

    def contact(self, _: socket.socket) -> LastContact | None:
        now_s = trio.current_time()
        last_s = now_s if now_s >= self.begins_s else self.last_s
        ago_s = now_s - last_s
        return LastContact(ago_s, ago_s, self.segments_in_flight, self.probes_unanswered) if self.tells else None


def probes(running: Running) -> list[bool]:
    """Of each connection: whether the kernel is to probe it every second."""
    socks = [connection.sock for connection in running.server._connections.values()]
    return [sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 1 for sock in socks]


@asynccontextmanager
async def beside_ann() -> AsyncIterator[tuple[Running, LineClient, Kernel]]:
    """A server with ann, of whom nothing has been heard for some seconds."""
    kernel = Kernel()
    async with serving(last_contact=kernel.contact) as running:
        (ann,) = await running.enter("ann")
        yield running, ann, kernel


async def answer(client: LineClient, name: str = "ann") -> tuple[str, float]:
    """The answer to a login, after the banner, and how many seconds it took."""
    began_s = trio.current_time()
    await client.send(f"login {name}")
    said = (await client.lines(3))[2]
    return said, round(trio.current_time() - began_s, 1)


async def refused_at_once(running: Running, client: LineClient | None = None) -> bool:
    """True if a login as ann is refused at once, and nobody is probed."""
    client = await running.connect() if client is None else client
    return await answer(client) == (TAKEN, 0) and not any(probes(running))


@pytest.mark.parametrize(("in_flight", "unanswered"), [(0, 3), (0, 2), (2, 0)])
async def test_newcomer_takes_seat_of_dead_connection(
    autojump_clock: MockClock, in_flight: int, unanswered: int
) -> None:
    kernel = Kernel()
    kernel.segments_in_flight, kernel.probes_unanswered = in_flight, unanswered
    async with serving(rules=GRACE, last_contact=kernel.contact) as running:
        first, second = await running.match()
        await first.send("move 4")
        await first.lines(2)
        assert len(await second.lines(2)) == 2
        again = await running.connect()
        await again.send(f"login {first.name}", "get gamelist")
        await again.lines(2)
        began_s = trio.current_time()
        assert await again.line() == "OK"
        assert 2.9 < trio.current_time() - began_s < 3.2
        said = await again.lines(4)
        assert [line.partition(" {")[0] for line in said] == [
            "SVR GAME MATCH",
            "SVR GAME MOVE",
            "OK",
            'SVR GAMELIST ["Reversi", "Tic-tac-toe"]',
        ]
        assert await first.rest() == []
        for mover, move in ((second, 0), (again, 1), (second, 2), (again, 7)):
            await mover.send(f"move {move}")
            await mover.until("OK")
        assert await again.until("WIN")


@pytest.mark.parametrize(
    ("facts", "expected"),
    [({"begins_s": 0.8}, (TAKEN, 0.8)), ({"probes_unanswered": 1}, (TAKEN, 3)), ({"tells": False}, (TAKEN, 0))],
    ids=["it acknowledges", "one lost probe", "the kernel does not tell"],
)
async def test_newcomer_is_refused_beside_peer_that_may_live(
    autojump_clock: MockClock, facts: dict[str, Any], expected: tuple[str, float]
) -> None:
    async with beside_ann() as (running, ann, kernel):
        for name, value in facts.items():
            setattr(kernel, name, value + trio.current_time() if name == "begins_s" else value)
        assert await answer(await running.connect()) == expected
        await ann.send("get gamelist")
        assert await ann.line() == "OK"


@needs_options
async def test_peer_that_was_just_there_is_not_probed(autojump_clock: MockClock) -> None:
    async with beside_ann() as (running, _, kernel):
        for _ in range(2):  # and no question is used up by it
            kernel.last_s = trio.current_time()
            assert await refused_at_once(running)
        kernel.last_s = trio.current_time() - IDLE_S
        assert await answer(await running.connect()) == ("OK", 3)


@needs_options
async def test_stranger_is_refused_at_once(autojump_clock: MockClock) -> None:
    async with beside_ann() as (running, _, _):
        stream = await trio.open_tcp_stream("127.0.0.1", running.port, local_address="127.0.0.2")
        stranger = LineClient(stream)
        running.clients.append(stranger)
        assert await refused_at_once(running, stranger)


@needs_options
async def test_seat_that_would_be_lost_is_not_waited_for(autojump_clock: MockClock) -> None:
    async with serving(last_contact=Kernel().contact) as running:
        await running.match()
        assert await refused_at_once(running)


@needs_options
async def test_kernel_asks_once_a_minute_and_stops(autojump_clock: MockClock) -> None:
    async with beside_ann() as (running, _, kernel):
        kernel.begins_s = trio.current_time() + 1
        newcomers = [await running.connect() for _ in range(2)]
        said = {}

        async def ask(newcomer: LineClient) -> None:
            said[newcomers.index(newcomer)] = await answer(newcomer)
            assert probes(running)[0]

        async with trio.open_nursery() as nursery:
            for newcomer in newcomers:
                nursery.start_soon(ask, newcomer)
        assert set(said.values()) == {(TAKEN, 1.0)}
        await trio.sleep(10)
        assert not any(probes(running))
        kernel.last_s, kernel.begins_s = trio.current_time() - IDLE_S, float("inf")
        assert await refused_at_once(running)
        await trio.sleep(PROBE_EVERY_S - 10)
        kernel.last_s = trio.current_time() - IDLE_S
        assert await answer(await running.connect()) == ("OK", 3)


async def test_newcomer_that_hung_up_is_forgotten(autojump_clock: MockClock) -> None:
    """A client with a short patience comes again: its own first attempt must not have its seat."""
    async with serving(rules=GRACE, last_contact=Kernel().contact) as running:
        first, _ = await running.match()
        for _ in range(2):
            impatient = await running.connect()
            await impatient.send(f"login {first.name}", "get gamelist")
            await impatient.lines(2)  # closing with something unread would reset the connection
            await trio.sleep(1)
            await impatient.stream.aclose()
        said, waited_s = await answer(await running.connect(), first.name)
        assert (said, 0.9 < waited_s < 1.2) == ("OK", True)


async def test_newcomer_that_ended_its_words_is_answered_at_once(autojump_clock: MockClock) -> None:
    async with beside_ann() as (running, _, _):
        newcomer = await running.connect()
        await newcomer.send("login ann")
        await newcomer.stream.send_eof()
        began_s = trio.current_time()
        assert (await newcomer.rest())[2:] == [TAKEN]
        assert trio.current_time() - began_s < 0.2


async def test_first_of_several_newcomers_gets_in(autojump_clock: MockClock) -> None:
    async with beside_ann() as (running, _, _):
        newcomers = [await running.connect() for _ in range(3)]
        for newcomer in newcomers:
            await newcomer.send("login ann")
        assert sorted([(await newcomer.lines(3))[2] for newcomer in newcomers]) == [TAKEN, TAKEN, "OK"]


async def test_stop_answers_those_who_wait(autojump_clock: MockClock) -> None:
    async with beside_ann() as (running, _, _):
        newcomer = await running.connect()
        await newcomer.send("login ann")
        await newcomer.lines(2)
        await trio.sleep(1)
        running.server.request_stop()
        assert await newcomer.rest() == [f"ERR {GOODBYE}"]


async def test_connect_four_client_waits_too(autojump_clock: MockClock) -> None:
    async with serving(others=[CONNECT_FOUR], last_contact=Kernel().contact) as running:
        ann, again = [await running.connect(running.ports["connect-four"]) for _ in range(2)]
        for client, waits_s in ((ann, 0), (again, 3)):
            began_s = trio.current_time()
            await client.stream.send_all(b'{"action":"connect","name":"ann"}\n')
            assert b'"lobby"' in await client.stream.receive_some()
            assert round(trio.current_time() - began_s, 1) == waits_s


PROXY = "127.0.0.2"
ANN = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
BOB = "f6f9bb06-cbf6-4f42-80bf-5d62be34cff6"
NORMAL, BOT = MatchModus.NORMAL, MatchModus.BOT
PONG_S = 8.0
TAKEN_BEHIND_A_PROXY = "Another connection of this player"


async def join(running: Running, player: str, modus: MatchModus) -> Any:
    body = {"PlayerId": player, "MatchVariant": 1, "MatchModus": modus.value, "MatchType": 2}
    browser = await Browser.connect(running)
    return (await browser.post("/api/matches/join", json.dumps(body).encode(), "Content-Type: application/json")).json


async def by_proxy(running: Running) -> trio.SocketStream:
    """A connection that the proxy passes on from this machine, where the joins come from."""
    stream = await trio.open_tcp_stream("127.0.0.1", running.port, local_address=PROXY)
    running.clients.append(LineClient(stream))
    await stream.send_all(header("127.0.0.1"))
    return stream


@pytest.mark.parametrize(
    ("modus", "is_by_proxy", "has_token", "pongs", "waits_s", "gets_in"),
    [
        pytest.param(BOT, True, False, False, SILENCE_S, True, id="id that nobody else has"),
        pytest.param(BOT, True, False, True, PONG_S, False, id="pong"),
        pytest.param(BOT, False, False, False, WAIT_S, False, id="acknowledged by the machine itself"),
        pytest.param(NORMAL, True, False, False, WAIT_S, False, id="id that the opponent has too"),
        pytest.param(NORMAL, True, True, False, 0, True, id="token"),
    ],
)
async def test_silent_seat_goes_to_its_player(
    autojump_clock: MockClock,
    modus: MatchModus,
    is_by_proxy: bool,
    has_token: bool,
    pongs: bool,
    waits_s: float,
    gets_in: bool,
) -> None:
    heard_s = 0.0

    def contact(_: object) -> LastContact:
        return LastContact(trio.current_time() - heard_s, 0, 0, 0)

    protocol, games = HttpProtocol([GammonXProtocol()]), catalogue(BACKGAMMON, TAVLA)
    limits = Limits(trusted_proxies=(PROXY,))
    async with serving(others=[protocol], games=games, limits=limits, last_contact=contact) as served:
        running = evolve(served, port=served.ports["http"])
        payload = (await join(running, ANN, modus))["payload"]
        match_id, token = payload["matchId"], payload["token"] if has_token else ""
        if modus is NORMAL:
            await join(running, BOB, modus)
            bob = await HubClient.connect(running, BOB, match_id)
            await bob.until("match-lobby-waiting")
        old = await HubClient.connect(running, ANN, match_id, stream=await by_proxy(running) if is_by_proxy else None)
        await old.until("match-started")
        await trio.sleep(1)
        for _ in range(2):  # a refusal does not keep the player from trying again
            began_s = trio.current_time()
            again = await HubClient.connect(running, ANN, match_id, token=token, stream=await by_proxy(running))
            if pongs:
                await trio.sleep(PONG_S)
                heard_s = trio.current_time()
            told = await again.until("match-lobby-found", "error")
            waited_s = trio.current_time() - began_s
            assert (TAKEN_BEHIND_A_PROXY not in told.get("message", ""), abs(waited_s - waits_s) < 0.2) == (
                gets_in,
                True,
            ), waited_s
            if gets_in or waits_s == WAIT_S:
                break
