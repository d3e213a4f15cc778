"""The simulated world with connections that send what no client should, and what must hold after each operation.

The server is the one that ships, over the simulator's kernel and disk; a run takes no real time, and nothing but the
operations and the seed decides what happens in it.
"""

import gc
from collections.abc import Callable, Iterable, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, ClassVar

import trio
from attrs import define, frozen

from gameserver.flow_control.limits import Limits
from gameserver.game import Game
from gameserver.protocol import BrokenInput, Command, Query, RefusalKind, Reply, WireProtocol, Work
from gameserver.transport.connection import OPEN
from gameserver.transport.connection import Connection as ServedConnection
from tests.fuzz.dialect import Dialect
from tests.simulation.plan import Plan
from tests.simulation.power import Machine
from tests.simulation.violation import Violation
from tests.simulation.wire import Wire
from tests.simulation.witness import Witness
from tests.simulation.world import World
from tests.support.own_plugins import OWN

BREATH_S = 0.001
"""The time between two pieces: as long as nothing passes, the kernel takes many looks at its sockets for a loop."""
ROOM_BYTES = 1 << 24
PATIENCE_MS = 2_000
"""The milliseconds that a peer may wait for its turn, after many that asked for much."""
IDLE_MS = 200_000
"""The time until a connection that has nothing to say is let go."""
STOP_MS = 30_000
RESTING_BYTES_MAX = 1_000
"""The bytes that a connection may keep at rest, with the lists of players and games that connections share."""


@frozen
class Operation:
    """Something that happens: `open`, `feed`, `end`, `lose` or `dismiss` a connection, or `wait`."""

    kind: str
    connection: int = 0
    what: Any = None
    """The pieces of bytes, the kind of refusal, or the milliseconds."""


@frozen
class FuzzPlan(Plan):
    """A run with connections of one protocol, in which nothing else goes wrong."""

    games: ClassVar[Mapping[str, Game[Any]]] = {game.name.lower(): game for game in OWN.games.values()}
    bots: int = 0
    faults: tuple[str, ...] = ()

    def limits(self) -> Limits:
        return Limits()


@define(eq=False)
class Watch(Witness):
    """An adapter of the server's, held to what every adapter promises."""

    fresh_bytes: int = 0
    """The bytes that it kept when it was new."""

    def __attrs_post_init__(self) -> None:
        self.fresh_bytes = held_bytes(self.inner)

    def receive(self, data: bytes, at_ms: int) -> None:
        self._guarded(lambda: super(Watch, self).receive(data, at_ms))

    def receive_eof(self) -> None:
        self._guarded(super().receive_eof)

    def next(self) -> Command | Query | Reply | Work | None:
        return self._guarded(super().next)  # type: ignore[no-any-return]

    def _guarded(self, step: Callable[[], Any]) -> Any:
        try:
            return step()
        except BrokenInput as broken:
            if not broken.last_words or not broken.why:
                self._machine.world.wrong("a connection is told why it is broken off", repr(broken.why))
            raise


class FuzzedMachine(Machine):
    """A server with a listener of one protocol. All its peers are one person at one place."""

    world: "FuzzWorld"
    witness: ClassVar[type[Witness]] = Watch
    witnesses: dict[int, Watch]  # type: ignore[assignment] # as `witness` makes them

    def _protocols(self) -> dict[str, WireProtocol]:
        protocol = self.world.dialect.protocol
        return {protocol.name: protocol}

    def bot_of(self, session: int) -> int:
        return 0

    def served(self, session: int) -> ServedConnection | None:
        """A connection as the server has it; None once it is closed."""
        return None if self._server is None else self._server._connections.get(session)


@define(eq=False)
class Connection:
    """A connection, as its client has it."""

    number: int
    wire: Wire
    heard: bytes = b""
    """The last words."""

    @property
    def is_open(self) -> bool:
        """True if the server would take more."""
        return not self.wire.client_done and not self.wire.is_over


class FuzzWorld(World):
    """One run: operations as they come, and what must hold after each of them."""

    machine: ClassVar[type[Machine]] = FuzzedMachine
    process: FuzzedMachine

    def __init__(self, dialect: Dialect, seed: int, operations: "Callable[[FuzzWorld], Iterable[Operation]]") -> None:
        self.dialect = dialect
        self.connections: list[Connection] = []
        self.done: list[Operation] = []
        self._operations = operations
        super().__init__(FuzzPlan(seed, protocols=(dialect.protocol.name,)))

    async def play(self) -> None:
        for operation in self._operations(self):
            self.done.append(operation)
            await self.do(operation)
        await self._look_over()

    async def do(self, operation: Operation) -> None:
        """Carry an operation out. Raises `Violation` if something does not hold then."""
        if operation.kind == "open":
            self._open()
        elif operation.kind == "wait":
            await trio.sleep(operation.what / 1000)
        elif operation.connection < len(self.connections) and self.connections[operation.connection].is_open:
            await getattr(self, f"_{operation.kind}")(self.connections[operation.connection], operation.what)
        await self._pass()
        for connection in self.connections:
            self._look_at(connection)

    def _open(self) -> None:
        number = len(self.connections)
        self.dialect.connects(self.process, number)
        wire = Wire(ROOM_BYTES)
        self.connections.append(Connection(number, wire))
        self.wires.append(wire)
        address = f"10.0.0.{2 if number % 7 == 0 else 1}"
        self.process.accept(wire, address, 0, self.dialect.protocol.name)

    async def _feed(self, connection: Connection, pieces: tuple[bytes, ...]) -> None:
        for piece in pieces:
            connection.wire.send(piece)
            await self._pass()

    async def _end(self, connection: Connection, _: None) -> None:
        connection.wire.client_done = True

    async def _lose(self, connection: Connection, _: None) -> None:
        connection.wire.client_done = True
        connection.wire.cut()

    async def _dismiss(self, connection: Connection, kind: RefusalKind) -> None:
        served = self.process.served(connection.wire.session)
        if served is not None:
            served.farewell("the server has had enough", kind)

    async def _pass(self) -> None:
        for connection in self.connections:
            connection.wire.carry(ROOM_BYTES, self.real_ms, self.process.axis_ms)
        self.look()
        await trio.sleep(BREATH_S)

    def _look_at(self, connection: Connection) -> None:
        said = connection.wire.take(ROOM_BYTES, self.real_ms)
        if said:
            connection.heard = said
            self.dialect.check(connection.number, said)
        served = self.process.served(connection.wire.session)
        if served is not None and served.stage is OPEN and served.is_quiet and served.adapter.pending_bytes:
            raise Violation("nothing is left lying", f"{served.adapter.pending_bytes} bytes")

    async def _look_over(self) -> None:
        """Check that little is kept, every peer is answered, and the server stops in good order."""
        dialect = self.dialect
        self._weigh(dialect.unfinished_bytes_max)
        if dialect.probe is None:
            await self.do(Operation("wait", what=IDLE_MS))
            self._weigh(dialect.unfinished_bytes_max)
        for connection in self.connections if dialect.probe else ():
            connection.heard = b""
            await self.do(Operation("feed", connection.number, (dialect.probe,)))
            if not connection.heard:
                await self.do(Operation("wait", what=PATIENCE_MS))
            if connection.is_open and not connection.heard:
                raise Violation("every peer is answered", f"not connection {connection.number}")
            self._weigh(RESTING_BYTES_MAX, connection)
        self.truth.check_replay(self.disk.history)
        self.process.stop()
        await self.do(Operation("wait", what=STOP_MS))
        if not self.process.is_over:
            raise Violation("the server stops", f"not in {STOP_MS} ms")

    def _weigh(self, bytes_max: int, *connections: Connection) -> None:
        for connection in connections or self.connections:
            session = connection.wire.session
            served, watch = self.process.served(session), self.process.witnesses.get(session)
            if served is not None and connection.is_open:
                fresh_bytes = 0 if watch is None else watch.fresh_bytes  # HTTP itself is not watched
                kept = held_bytes(served.adapter) - fresh_bytes
                if kept > bytes_max:
                    raise Violation("a connection keeps little", f"{kept} bytes")


_SHARED = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, Machine, Wire)
_SHARED_MODULES = ("gameserver.server", "gameserver.engine", "gameserver.read_model", "trio")


def held_bytes(adapter: object) -> int:
    """The text that an adapter keeps, wherever in it, without what its class, its module and the server have."""
    seen: set[int] = set()
    waiting: list[Any] = [adapter]
    held = 0
    while waiting:
        item = waiting.pop()
        if id(item) in seen or isinstance(item, _SHARED) or type(item).__module__.startswith(_SHARED_MODULES):
            continue
        seen.add(id(item))
        if isinstance(item, bytes | bytearray | str):
            held += len(item)
        else:
            waiting += gc.get_referents(item)
    return held
