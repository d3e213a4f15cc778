"""A server in the test's own process, on real loopback sockets, under the test's clock."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import trio
from attrs import Factory, define, field, frozen

from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver.game import Game
from gameserver.journal.journal import Journal
from gameserver.journal.recovery import Replayed
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.policies import ReasonPolicy, Rules
from gameserver.protocol import WireProtocol
from gameserver.server.server import Listening, Server, Setup
from gameserver.transport.listener import Address, open_listeners
from protocols.strategic import PROTOCOL
from tests.clients.strategic import StrategicClient
from tests.support.games import catalogue

GAMES = catalogue(TIC_TAC_TOE, REVERSI)
NO_PAUSE = Rules(first_move_pause_ms=0, reasons=ReasonPolicy.NEVER)


class Closed(Exception):
    """The server closed the connection."""


@define
class LineClient:
    """A client of a line protocol on a real socket, under the test's clock; it hears the text protocol strictly."""

    stream: trio.SocketStream
    client: StrategicClient | None = Factory(StrategicClient)
    buffer: bytes = b""
    name: str = ""

    async def send(self, *lines: str) -> None:
        await self.send_bytes("".join(f"{line}\n" for line in lines).encode())

    async def send_bytes(self, data: bytes) -> None:
        await self.stream.send_all(data if self.client is None else self.client.wrote(data))

    async def half_close(self) -> None:
        """Say no more."""
        if self.client is not None:
            self.client.wrote_all()
        await self.stream.send_eof()

    async def line(self) -> str:
        """The next line; raises `Closed` at the end."""
        while b"\r\n" not in self.buffer:
            received = await self.stream.receive_some()
            if not received:
                raise Closed(self.buffer)
            self.buffer += received
        line, _, self.buffer = self.buffer.partition(b"\r\n")
        if self.client is not None:
            self.client.hear(line)
        return line.decode()

    async def lines(self, count: int) -> list[str]:
        return [await self.line() for _ in range(count)]

    async def until(self, part: str) -> list[str]:
        """The lines up to the first that contains this."""
        lines = [await self.line()]
        while part not in lines[-1]:
            lines.append(await self.line())
        return lines

    async def rest(self) -> list[str]:
        """Everything up to the end of the connection."""
        lines = []
        try:
            while True:
                lines.append(await self.line())
        except (Closed, trio.BrokenResourceError):
            return lines

    async def silence(self, seconds: float) -> None:
        """Make sure that nothing comes for so long."""
        with trio.move_on_after(seconds):
            raise AssertionError(f"heard {await self.line()!r}")

    async def login(self, name: str) -> None:
        await self.send(f"login {name}")
        assert (await self.lines(3))[2] == "OK"
        self.name = name


@frozen
class Running:
    """A server that runs."""

    server: Server
    journal: Journal
    port: int
    ports: Mapping[str, int] = field(factory=dict)
    """The port of each protocol, by its name."""
    stopped: trio.Event = field(factory=trio.Event)
    clients: list[Any] = field(factory=list)
    """Whatever has a `stream` that is to be closed with the server."""

    async def connect(self, port: int = 0) -> LineClient:
        stream = await trio.open_tcp_stream("127.0.0.1", port or self.port)
        is_text = (port or self.port) == self.ports.get("strategic")
        client = LineClient(stream, StrategicClient() if is_text else None)
        self.clients.append(client)
        return client

    async def stop(self) -> None:
        """Stop in good order; what clients were told can still be read."""
        self.server.request_stop()
        await self.stopped.wait()

    async def enter(self, *names: str) -> list[LineClient]:
        clients = []
        for name in names:
            client = await self.connect()
            await client.login(name)
            clients.append(client)
        return clients

    async def match(self, game: str = "Tic-tac-toe") -> tuple[LineClient, LineClient]:
        """A match of ann and bob: the player to move and the other, the opening heard."""
        ann, bob = await self.enter("ann", "bob")
        await ann.send(f"subscribe {game}")
        await ann.line()
        await bob.send(f"subscribe {game}")
        await bob.line()
        opened = await ann.line()
        await bob.line()
        first, second = (ann, bob) if 'PLAYERTOMOVE: "ann"' in opened else (bob, ann)
        await first.line()
        return first, second


def _listening(protocol: WireProtocol, profile: str | None = None, options: Any = None) -> Listening:
    sockets = tuple(open_listeners(Address("127.0.0.1", 0)))
    profile = protocol.profiles[0] if profile is None else profile
    return Listening(protocol, sockets, profile, protocol.options_type() if options is None else options)


@asynccontextmanager
async def serving(
    *,
    journal: Journal | None = None,
    rules: Rules = NO_PAUSE,
    games: Mapping[str, Game[Any]] = GAMES,
    protocol: WireProtocol = PROTOCOL,
    others: Sequence[WireProtocol] = (),
    beside: Sequence[Listening] = (),
    profile: str = "document",
    options: Any = None,
    replayed: Replayed | None = None,
    **setup: Any,
) -> AsyncIterator[Running]:
    """Serve for as long as the block lasts, then stop in good order; `others` and `beside` are served too."""
    journal = MemoryJournal() if journal is None else journal
    listening = [_listening(protocol, profile, options), *(_listening(other) for other in others), *beside]
    ports = {each.protocol.name: each.sockets[0].getsockname()[1] for each in listening}
    server = Server(
        Setup(games, tuple(listening), rules, has_virtual_time=not journal.blocks, **setup), journal, replayed
    )
    running = Running(server, journal, ports[protocol.name], ports)

    async def run(task_status: trio.TaskStatus[None]) -> None:
        await server.run(task_status)
        running.stopped.set()

    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(run)
            try:
                yield running
            finally:
                server.request_stop()
    finally:
        for client in running.clients:
            client.stream.socket.close()
