"""The machine: one life of the server's process, from its start to its end, with the power that may fail.

The server on it is the one that ships, in every part. The power fails at the n-th meeting of a point: when so many
times bytes were read or sent, or rows or a snapshot were about to be kept, or just were. From then on nothing that
the process does has an effect any more; its tasks are cancelled at their next wait.
"""

from collections import Counter, defaultdict, deque
from contextvars import ContextVar
from random import Random
from typing import TYPE_CHECKING, ClassVar

import trio

from gameserver.admin.listener import AdminOptions, AdminProtocol
from gameserver.cli.effective_config import OF_TEACHERS, pages
from gameserver.core.commands import HOUSE_SESSION, Command
from gameserver.core.lobby import Lobby
from gameserver.endpoints import HttpEndpoint, LazyApp
from gameserver.engine.committer import JournalWorker
from gameserver.http.listener import HttpProtocol
from gameserver.journal.journal import Journal
from gameserver.journal.recovery import Replayed, replay
from gameserver.protocol import Adapter, Event, Peer, WireProtocol
from gameserver.server.server import Listening, Server, Setup
from gameserver.settings import HouseTerms
from gameserver.transport.reactors import TaskReactor
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.gammonx import GammonXProtocol
from protocols.mastermind import PROTOCOL as MASTERMIND
from protocols.strategic import PROTOCOL as STRATEGIC
from protocols.web import PROTOCOL as WEB
from tests.simulation.disk import DiskThread, JournalOnDisk
from tests.simulation.kernel import Kernel, Listener, last_contact_of
from tests.simulation.spectators import TOKEN
from tests.simulation.wire import Arrival, Wire
from tests.simulation.witness import Witness

if TYPE_CHECKING:
    from tests.simulation.world import World

POINTS = ("recv", "send", "before append", "after append", "before snapshot", "after snapshot")
"""Points at which the power may fail."""
ID_BYTES = 11
PAGES = (HttpEndpoint("/", LazyApp(lambda: pages({}))),)
MACHINE: "ContextVar[Machine]" = ContextVar("MACHINE")
"""The machine that a task runs on."""


class Machine:
    """A server's process."""

    witness: ClassVar[type[Witness]] = Witness
    """The fuzzer has one of its own."""

    def __init__(self, world: "World", number: int) -> None:
        self.world = world
        self.number = number
        self.began_ms = world.real_ms
        self.has_power = True
        self.is_over = False
        """True if the process has ended, in whatever way."""
        self.serves = False
        """True if the start is through, so that connections are accepted."""
        self.doom: tuple[str, int] | None = None
        """The point at which the power fails, and at which meeting of it."""
        self.kernel = Kernel(self)
        self.protocols = self._protocols()
        self.listeners = {name: Listener(self) for name in self.protocols}
        self.wires: dict[int, Wire] = {}
        """The connections by session, also those that are over."""
        self.kept: Counter[tuple[int, type]] = Counter()
        """The number of commands of each kind on the disk, by session."""
        self.meant: defaultdict[int, deque[Event]] = defaultdict(deque)
        """By session: events that the rows on the disk have brought and that were not told."""
        self.witnesses: dict[int, Witness] = {}
        """By session: the observer of its adapter."""
        self._scope = trio.CancelScope()
        self._server: Server | None = None
        self._ids: Random = world.plan.stream(f"ids {number}")
        self._met: Counter[str] = Counter()
        self._connects = 0

    def _protocols(self) -> dict[str, WireProtocol]:
        found: dict[str, WireProtocol] = {each.name: each for each in (STRATEGIC, CONNECT_FOUR, MASTERMIND)}
        if self.world.plan.has_http:
            found["http"] = HttpProtocol([MASTERMIND, GammonXProtocol(), WEB], PAGES)
        if self.world.plan.has_spectators:
            found["admin"] = AdminProtocol(OF_TEACHERS)
        return found

    @property
    def lobby(self) -> Lobby:
        """The lobby, as far as it is durable."""
        return self.world.truth.lobby

    @property
    def axis_ms(self) -> int:
        """The server's time when it last looked."""
        return 0 if self._server is None else round(self._server._clock._axis_ms)

    async def run(self) -> None:
        """Start and serve, until the power fails or the server stops."""
        MACHINE.set(self)
        try:
            with self._scope:
                await self._serve()
        finally:
            self.serves, self.is_over = False, True
            self._part()

    @property
    def is_committing(self) -> bool:
        """True while a call of the journal is under way."""
        return self.world.disk.at_work is self

    @property
    def is_settled(self) -> bool:
        """True if the lobby holds nothing that is not on the disk."""
        return self.serves and self._server is not None and self._server.lobby is not None

    def ask(self, command: Command) -> None:
        if self._server is not None and self.serves:
            self._server.ask(command)

    def stop(self) -> None:
        if self._server is not None:
            self._server.request_stop()

    def accept(self, wire: Wire, address: str, bot: int, listener: str) -> None:
        """Take in a client that connects to the port of a protocol; `bot` is who it really is."""
        self._connects += 1
        wire.owner, wire.listener, wire.machine = bot, listener, self.number
        wire.chance = self.world.plan.stream(f"network of connection {self.number}.{self._connects}")
        if self.serves and self.has_power:
            self.listeners[listener].connect(wire, address)
        else:
            wire.cut()

    def bot_of(self, session: int) -> int:
        return self.wires[session].owner

    def meet(self, point: str) -> None:
        """Meet a point where the power may fail."""
        if self.doom is not None and self.doom[0] == point and self.has_power:
            self._met[point] += 1
            if self._met[point] >= self.doom[1]:
                self.lose_power(point)

    def lose_power(self, why: str) -> None:
        """From now on nothing that the process does has an effect; a part of what it said still arrives."""
        if not self.has_power:
            return
        self.has_power = self.serves = False
        self.world.note("the server is gone: %s", why)
        self.world.count(f"killed: {why}")
        self._part()
        self._scope.cancel()

    def accepted(self, wire: Wire) -> None:
        """Number the session of a new connection, as the server does."""
        session = HOUSE_SESSION + 1 + len(self.wires)
        self.wires[session] = wire
        wire.session = session

    def read(self, wire: Wire, data: bytes) -> None:
        wire.reads.append(Arrival(wire.read_bytes, self.world.real_ms, self.axis_ms))
        self.world.trace("recv", wire.session, data)
        self.meet("recv")

    def sent(self, wire: Wire, data: bytes) -> None:
        """Note that the server has sent these bytes: it cannot take them back."""
        self.world.trace("send", wire.session, data)
        self.world.told(self, wire, data)
        self.meet("send")

    def _part(self) -> None:
        """End the connections that are left, as the kernel does for a process that is gone."""
        chance = self.kernel.chance
        unaccepted = [wire for listener in self.listeners.values() for wire in listener.unaccepted]
        for wire in (*self.wires.values(), *unaccepted):
            if not wire.server_closed:
                reaches = (
                    len(wire.coming) if wire.server_done else int(len(wire.coming) * min(1.0, 2 * chance.random()))
                )
                wire.server_died(reaches)
                wire.server_closed = True

    async def _serve(self) -> None:
        journal = JournalOnDisk(self)
        await self._serve_from(journal, replay(journal, self.world.plan.games))

    async def _serve_from(self, journal: Journal, replayed: Replayed) -> None:
        world = self.world
        world.started(self, replayed)
        server = Server(self._setup(), journal, replayed)
        self._server = server
        async with trio.open_nursery() as nursery:
            await nursery.start(server.run)
            self.serves = self.has_power
            world.note("start: %d rows replayed, %d matches", replayed.rows, len(replayed.lobby.matches))

    def _setup(self) -> Setup:
        world, plan, ids = self.world, self.world.plan, self._ids

        def new_seed() -> str:
            seed = ids.randbytes(32).hex()
            world.fairness.hide(seed)
            return seed

        listening = tuple(
            Listening(
                protocol,
                (self.listeners[name],),
                plan.profile(name, protocol.profiles),
                AdminOptions(TOKEN) if name == AdminProtocol.name else protocol.options_type(),
            )
            for name, protocol in self.protocols.items()
        )
        more = {"reactor": TaskReactor} if plan.has_task_reactor() else {}
        return Setup(
            plan.games,
            listening,
            world.rules,
            plan.limits(),
            roster=world.opened_roster(self),
            hall=world.hall,
            house_terms=HouseTerms(seed=plan.house_seed()),
            commit_retry_s=world.commit_retry_s,
            wall_ms=world.wall_ms,
            new_seed=new_seed,
            new_id=lambda: ids.randbytes(ID_BYTES).hex(),
            new_key=lambda: ids.randbytes(32),
            last_contact=last_contact_of(lambda: world.real_ms),
            has_virtual_time=True,
            work_s=world.disk.work_s,
            journal_worker=self._journal_worker,
            around=self._around,
            **more,
        )

    def _journal_worker(self) -> JournalWorker:
        return DiskThread(self)

    def _around(self, adapter: Adapter, peer: Peer, protocol: WireProtocol) -> Adapter:
        wire = self.wires.get(peer.session)
        if wire is None:  # an adapter made for its last words alone
            return adapter
        self.witnesses[peer.session] = witness = self.witness(adapter, self, wire, protocol.name)
        return witness
