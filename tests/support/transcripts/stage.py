"""The server and its clients, and the hand that moves them."""

import re
import socket
import struct
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import trio
from attrs import Factory, define
from trio.testing import wait_all_tasks_blocked
from websockets.frames import Opcode

from gameserver.authentication.roster import Roster
from gameserver.core.commands import Conduct, CreateTournament
from gameserver.flow_control.fair_scheduler import SHARES
from gameserver.http.listener import HttpProtocol
from gameserver.journal.journal import Journal
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.server.server import Listening, Server, Setup
from gameserver.tournaments.model import StartTournament
from gameserver.tournaments.presets import preset
from gameserver.transport.listener import Address, open_listeners
from tests.clients.gammonx import HANDSHAKE
from tests.clients.websocket import handshake
from tests.support.games import catalogue
from tests.support.lobbies import lucky_seed
from tests.support.rosters import roster_on
from tests.support.serving import GAMES
from tests.support.transcripts.client import TranscriptClient
from tests.support.transcripts.dialects import DIALECTS, Endpoint
from tests.support.transcripts.hub import Shorthand, TranscriptHubClient, answer, pieces, written_request
from tests.support.transcripts.model import Action, Entry, Manner, Said, Settings
from tests.support.transcripts.websocket import TranscriptWebSocketClient, frames

HOST = "127.0.0.1"
ORIGINAL = {"Host": "localhost:8080", "Origin": "http://localhost:8080"}
"""Headers of the original's test client."""
EVERYWHERE = [
    (dialect, profile) for dialect in DIALECTS.values() if not dialect.is_hub for profile in dialect.protocol.profiles
]
UNITS_S = {"ms": 0.001, "s": 1, "min": 60}
TURNS = 20
"""So many rests between turns it may take to hear what is sent at once, a frame for each byte at the worst."""
QUIET_S = 0.001
"""Real time without anything to do after which one client's bytes are taken to have come before another's."""
PATIENCE_S = (0.0, 0.01, 0.1, 0.5)
"""Real time without anything to do after which a line is given up. Only a line that is missing waits so long."""


class FullJournal(MemoryJournal):
    """Keeps every row, also those that a snapshot made superfluous: a kill loses the snapshots."""

    def trim(self, before: int) -> None:
        """Forget nothing."""


@define
class Stage:
    """The server and its clients, and the hand that moves them."""

    settings: Settings
    manner: Manner
    nursery: trio.Nursery
    journal: Journal = Factory(FullJournal)
    clients: dict[str, TranscriptClient] = Factory(dict)
    heard: defaultdict[str, list[str]] = Factory(lambda: defaultdict(list))
    ports: dict[Endpoint, int] = Factory(dict)
    http_port: int = 0
    shorthand: Shorthand = Factory(Shorthand)
    server: Server | None = None
    stopped: trio.Event = Factory(trio.Event)

    async def start(self) -> None:
        """Start a server on the journal, with a listener for each profile of each protocol."""
        settings = self.settings
        listening = []
        for dialect, profile in EVERYWHERE:
            sockets = open_listeners(Address(HOST, 0))
            self.ports[Endpoint(dialect, profile)] = sockets[0].getsockname()[1]
            options = settings.options.get(dialect.name, dialect.protocol.options_type())
            listening.append(Listening(dialect.protocol, tuple(sockets), profile, options))
        http = HttpProtocol(dialect.protocol for dialect in DIALECTS.values())
        sockets = open_listeners(Address(HOST, 0))
        self.http_port = sockets[0].getsockname()[1]
        listening.append(Listening(http, tuple(sockets), http.profiles[0], http.options_type()))
        setup = Setup(
            games={**GAMES, **catalogue(*settings.games)},
            listening=tuple(listening),
            rules=settings.rules,
            limits=settings.limits,
            options_of=settings.options,
            house=settings.house,
            roster=roster_of(settings.roster),
            wall_ms=lambda: round(trio.current_time() * 1000),
            new_seed=lambda: lucky_seed(settings.begins, settings.code, settings.code_colours),
            has_virtual_time=True,
            new_key=lambda: bytes(32),
        )
        self.server = Server(setup, self.journal)
        self.stopped = trio.Event()
        await self.nursery.start(self._run, self.server)

    async def _run(self, server: Server, task_status: trio.TaskStatus[None]) -> None:
        await server.run(task_status)
        self.stopped.set()

    async def stop(self) -> None:
        """Stop the server in good order."""
        assert self.server is not None
        self.server.request_stop()
        await self.stopped.wait()

    async def perform(self, step: Sequence[Entry]) -> list[str]:
        """Carry out a step; the same step with what the server really said in it."""
        actions = [entry for entry in step if isinstance(entry, Action)]
        for number, ((verb, who), group) in enumerate(groupby(actions, key=lambda action: (action.verb, action.who))):
            if number:
                await wait_all_tasks_blocked(QUIET_S)
            if verb == "sends":
                await self._send(who, self._packets(who, list(group)))
            else:
                for action in group:
                    await VERBS[verb](self, action)
        await self._settle(Counter(entry.who for entry in step if isinstance(entry, Said)))
        return list(self.told(step))

    def _packets(self, who: str, actions: Sequence[Action]) -> list[bytes]:
        client = self.clients[who]
        if isinstance(client, TranscriptHubClient):
            return client.packets(self.manner, actions)
        manner = self.manner if isinstance(client, TranscriptWebSocketClient) else self.manner.over_tcp
        return manner.packets(actions)

    async def _send(self, who: str, packets: Sequence[bytes]) -> None:
        # A server that hung up hears nothing more, and what is missing then shows.
        with suppress(trio.ClosedResourceError, trio.BrokenResourceError):
            for packet in packets:
                await self.clients[who].stream.send_all(packet)
                await wait_all_tasks_blocked()

    async def _settle(self, awaited: Mapping[str, int]) -> None:
        """Let everything come to rest. Virtual time stands meanwhile, but for who sends a heap and waits for turns."""
        for _ in range(TURNS if self.manner.coalesced and awaited else 0):
            await wait_all_tasks_blocked(0)
            if self._has_heard(awaited):
                return
            await trio.sleep(SHARES["connections"].rest_s)
        for quiet_s in PATIENCE_S if awaited else (QUIET_S,):
            await wait_all_tasks_blocked(quiet_s)
            if self._has_heard(awaited):
                return

    def _has_heard(self, awaited: Mapping[str, int]) -> bool:
        return all(len(self.heard[who]) >= lines for who, lines in awaited.items())

    def told(self, step: Sequence[Entry]) -> Iterator[str]:
        """The step's lines, with what was really heard in place of what should have been."""
        for client in self.clients.values():
            client.hear_unfinished()
        for entry in step:
            if not isinstance(entry, Said):
                yield entry.text
            elif self.heard[entry.who]:
                yield self.heard[entry.who].pop(0)
        actor = next((entry.who for entry in reversed(step) if isinstance(entry, Action)), "")
        for who in sorted(self.heard, key=lambda who: who != actor):
            yield from self.heard[who]
            self.heard[who].clear()

    async def connects(self, action: Action) -> None:
        """Open a connection. The kernel accepts it, whatever the server is doing."""
        reached = self.settings.reached(action)
        is_hub = reached.dialect.is_hub
        path = reached.path if is_hub or self.manner.opcode is not None else None
        source = action.given.get("from", HOST)
        port = self.ports[reached] if path is None else self.http_port
        sock = socket.create_connection((HOST, port), source_address=(source, 0))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream = trio.SocketStream(trio.socket.from_stdlib_socket(sock))
        of: Callable[..., TranscriptClient] = TranscriptClient if path is None else TranscriptWebSocketClient
        if is_hub:
            of = partial(TranscriptHubClient, shorthand=self.shorthand)
        client = of(action.who, stream, self.heard[action.who], reached.dialect.line_end)
        self.clients[action.who] = client
        self.nursery.start_soon(client.listen)
        if path is not None:
            query = re.sub(r"\w+", lambda found: self.shorthand.meant(found[0]), action.given.get("with", ""))
            query = f"?{query}" if "=" in query else f"?token={query}" * bool(query)
            await self._send(action.who, [handshake(f"{path}{query}", **ORIGINAL)])
            await self._settle({})
            if is_hub:
                await self._send(action.who, [frames(HANDSHAKE, Opcode.TEXT)])

    async def enters(self, action: Action) -> None:
        """Connect and log in; what is usual about it is not told."""
        reached = self.settings.reached(action)
        self.shorthand.know(action.given["as"])
        dialect, heard = reached.dialect, self.heard[action.who]
        assert dialect.enters is not None
        assert dialect.entered is not None
        before = len(heard)
        greeting = [f"S>{action.who} {line}" for line in dialect.greeting(reached.profile)]
        now_in = before + len(greeting)
        await self.connects(action)
        await self._settle({action.who: now_in})
        login = dialect.enters(action.given["as"]).encode()
        is_framed = isinstance(self.clients[action.who], TranscriptWebSocketClient)
        await self._send(action.who, [frames(login, Opcode.TEXT) if is_framed else login + b"\n"])
        await self._settle({action.who: now_in + 1})
        answer = heard[now_in].removeprefix(f"S>{action.who} ") if len(heard) > now_in else ""
        if heard[before:now_in] == greeting and dialect.entered.fullmatch(answer):
            del heard[before : now_in + 1]

    async def requests(self, action: Action) -> None:
        """Ask over HTTP, by a connection that is there for this alone."""
        method = {"gets": "GET", "posts": "POST"}[action.verb]
        target, _, body = action.what.partition(" ")
        sock = socket.create_connection((HOST, self.http_port), source_address=(HOST, 0))
        async with trio.SocketStream(trio.socket.from_stdlib_socket(sock)) as stream:
            for piece in pieces(written_request(method, target, body, self.shorthand), self.manner):
                await stream.send_all(piece)
            data = b"".join([bytes(received) async for received in stream])
        self.heard[action.who].append(f"S>{action.who} {answer(data, self.shorthand)}")

    async def half_closes(self, action: Action) -> None:
        """Send the end of the stream, and read on."""
        await self.clients[action.who].stream.send_eof()

    async def closes(self, action: Action) -> None:
        """Close in good order."""
        client = self.clients[action.who]
        if goodbye := client.goodbye():
            with suppress(trio.ClosedResourceError, trio.BrokenResourceError):
                await client.stream.send_all(goodbye)
        await client.stream.aclose()

    async def resets(self, action: Action) -> None:
        """Close as a program does that dies with something unsaid."""
        stream = self.clients[action.who].stream
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await stream.aclose()

    async def passes(self, action: Action) -> None:
        """Let time pass."""
        found = re.fullmatch(r"([\d.]+) ?(\w+)", action.what)
        assert found is not None
        await trio.sleep(float(found[1]) * UNITS_S[found[2]])

    async def holds(self, action: Action) -> None:
        """Begin a tournament with everybody who is here."""
        assert self.server is not None
        which, game = action.what.split()
        plan = preset(which, "Cup", game, draw="entry", pause_ms=0)
        for command in (CreateTournament(plan, "7e7e7e7e00112ff3" * 4), Conduct(1, StartTournament(0))):
            self.server._sequencer.submit(command, self.server.now_ms())

    async def restarts(self, action: Action) -> None:
        """Stop the server and start it again."""
        await self.stop()
        await self.start()

    async def is_killed(self, action: Action) -> None:
        """Save what a dead server leaves behind, the journal's rows, before this one can say a word; then restart."""
        left = FullJournal()
        left.append(list(self.journal.read_from(1)), list(self.journal.read_records()))
        for client in self.clients.values():
            client.cut_off()
        await self.stop()
        self.journal = left
        await self.start()


VERBS: Mapping[str, Callable[[Stage, Action], Awaitable[None]]] = {
    "connects": Stage.connects,
    "enters": Stage.enters,
    "gets": Stage.requests,
    "posts": Stage.requests,
    "half-closes": Stage.half_closes,
    "closes": Stage.closes,
    "resets": Stage.resets,
    "passes": Stage.passes,
    "holds": Stage.holds,
    "restart": Stage.restarts,
    "kill": Stage.is_killed,
}


def roster_of(bindings: Sequence[str]) -> Roster:
    """A roster of these names with their secrets; an empty one lets everybody in."""
    if not bindings:
        return Roster(None, trio.current_time)
    with TemporaryDirectory() as directory:
        return roster_on(Path(directory), dict(binding.split("=") for binding in bindings))
