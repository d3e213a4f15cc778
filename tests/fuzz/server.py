"""A lobby with connections of one protocol, driven by operations, and what must hold after each of them."""

import gc
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from attrs import define, field, frozen

from gameserver.core.messages.commands import Leave
from gameserver.core.state.lobby import time_up_of
from gameserver.protocol import Adapter, BrokenInput, Code, Peer, Refusal, RefusalKind, Rejected, Reply, Work
from tests.fuzz.dialect import GAMES, Dialect
from tests.fuzz.tasks import Task
from tests.support.lobbies import LobbyHarness, check

TURNS_MAX = 10_000
"""How often an adapter may be asked for the next thing after one input; more would be for ever."""


class Violation(Exception):
    """Something that must hold does not."""


@frozen
class Open:
    """A new connection."""


@frozen
class Feed:
    """Bytes, in pieces."""

    connection: int
    pieces: tuple[bytes, ...]


@frozen
class End:
    """The peer closes its side."""

    connection: int


@frozen
class Lose:
    """The connection is gone."""

    connection: int


@frozen
class Pass:
    """Time passes."""

    passed_ms: int


@frozen
class Dismiss:
    """The server ends the connection."""

    connection: int
    kind: RefusalKind


Operation = Open | Feed | End | Lose | Pass | Dismiss


@define(eq=False)
class Connection:
    """One connection, as the runtime keeps it."""

    session: int
    adapter: Adapter
    said: bytearray = field(factory=bytearray)
    """What has been said since the last look."""
    last_said: bytes = b""
    is_open: bool = True
    task: Task | None = None


@define(eq=False)
class FuzzedServer:
    """A lobby and its connections."""

    dialect: Dialect
    harness: LobbyHarness = field(factory=lambda: LobbyHarness(GAMES, is_checked=False))
    connections: list[Connection] = field(factory=list)

    def do(self, operation: Operation) -> None:
        """Carry an operation out, and look whether everything still holds. Raises `Violation`."""
        match operation:
            case Open():
                self._open()
            case Pass(passed_ms):
                self._pass(passed_ms)
            case _ if self.connections[operation.connection].is_open:
                self._do_to(self.connections[operation.connection], operation)
        for connection in self.connections:
            if connection.said:
                connection.last_said = bytes(connection.said)
                connection.said.clear()
                self.dialect.check(connection.session, connection.last_said)

    def _do_to(self, connection: Connection, operation: Operation) -> None:
        match operation:
            case Feed(_, pieces):
                for piece in pieces:
                    self._feed(connection, piece)
            case End():
                self._guard(connection, connection.adapter.receive_eof)
                self._run(connection)
            case Lose():
                self._close(connection)
            case Dismiss(_, kind):
                self._say(connection, connection.adapter.farewell(Refusal("the server has had enough", kind)))
                self._close(connection)

    def look_over(self) -> None:
        """What holds at the end: little is kept, and whoever is there is answered."""
        check(self.harness.lobby)
        for number, connection in enumerate(self.connections):
            if connection.is_open:
                self._weigh(connection, self.dialect.unfinished_bytes_max)
                self._probe(number, connection)
            if connection.is_open and self.dialect.probe is not None:
                self._weigh(connection, self.dialect.bytes_max)

    def _weigh(self, connection: Connection, bytes_max: int) -> None:
        fresh = self.dialect.adapter(Peer(1, "10.0.0.1"), connection.session)
        kept = held_bytes(connection.adapter) - held_bytes(fresh)
        if kept > bytes_max:
            raise Violation(f"a connection keeps {kept} bytes")

    def _probe(self, number: int, connection: Connection) -> None:
        if self.dialect.probe is None:
            self._pass(self.dialect.patience_ms)
            return
        connection.last_said = b""
        self.do(Feed(number, (self.dialect.probe,)))
        if connection.is_open and not connection.last_said:
            raise Violation("a connection does not answer any more")

    def _open(self) -> None:
        session = 100 + len(self.connections)
        self.dialect.connected(self.harness, session)
        peer = Peer(session, f"10.0.0.{2 if session % 7 == 0 else 1}", self.harness.now_ms)
        connection = Connection(session, self.dialect.adapter(peer, session))
        self.connections.append(connection)
        self._say(connection, connection.adapter.greeting())

    def _feed(self, connection: Connection, piece: bytes) -> None:
        if connection.is_open and piece:
            self._guard(connection, lambda: connection.adapter.receive(piece, self.harness.now_ms))
            self._run(connection)

    def _pass(self, passed_ms: int) -> None:
        self.harness.now_ms += passed_ms
        lobby = self.harness.lobby
        for kind in ("matches", "rooms", "tickets"):
            for key in list(getattr(lobby, kind)):
                due_ms = lobby.due_ms((kind, key))
                if due_ms is not None and due_ms <= self.harness.now_ms:
                    self._do(None, time_up_of((kind, key)))
        for connection in self.connections:
            due_ms = connection.adapter.due_ms if connection.is_open else None
            if due_ms is not None and due_ms <= self.harness.now_ms:
                self._tick(connection)

    def _tick(self, connection: Connection) -> None:
        self._guard(connection, lambda: connection.adapter.tick(self.harness.now_ms))
        self._run(connection)

    def _run(self, connection: Connection) -> None:
        for _ in range(TURNS_MAX):
            if not connection.is_open:
                return
            found: list[Any] = []
            self._guard(connection, lambda found=found: found.append(connection.adapter.next()))
            item = found[0] if found else None
            if item is not None:
                self._carry_out(connection, item)
            elif connection.task is not None and connection.task.is_ready:
                self._work_on(connection, connection.task)
            else:
                if connection.is_open and connection.adapter.finished:
                    self._close(connection)
                elif connection.is_open and connection.task is None and connection.adapter.pending_bytes:
                    raise Violation(f"{connection.adapter.pending_bytes} bytes are left lying")
                return
        raise Violation("an adapter does not come to an end")

    def _carry_out(self, connection: Connection, item: Any) -> None:
        if isinstance(item, Reply):
            self._say(connection, item.data)
            connection.adapter = item.then or connection.adapter
        elif isinstance(item, Work):
            connection.task = Task.of(item, lambda: None)
        else:
            self._do(connection, item)

    def _work_on(self, connection: Connection, task: Task) -> None:
        task.step()
        if task.is_done:
            connection.task = None

    def _do(self, asker: Connection | None, command: Any) -> None:
        answer = self.harness.do(command)
        if isinstance(answer, Rejected) and answer.code is Code.SERVER_FAULT:
            raise Violation(f"the lobby made a mistake of {command}: {answer.facts}")
        told, self.harness.heard = self.harness.heard, {}
        self.harness.rows.clear()
        if asker is not None:
            self._render(asker, answer, told.pop(asker.session, []))
        for session, events in told.items():
            for other in self.connections:
                if other.session == session and other.is_open:
                    self._render(other, None, events)
                    due_ms = other.adapter.due_ms
                    if due_ms is not None and due_ms <= 0:
                        self._tick(other)

    def _render(self, connection: Connection, answer: Any, events: list[Any]) -> None:
        if connection.is_open:
            for output in connection.adapter.render(answer, events):
                self._say(connection, output.data)

    def _say(self, connection: Connection, data: bytes) -> None:
        connection.said += data

    def _guard(self, connection: Connection, step: Any) -> None:
        try:
            step()
        except BrokenInput as broken:
            if not broken.last_words or not broken.why:
                raise Violation(f"a connection is broken off without a word: {broken.why}") from broken
            self._say(connection, broken.last_words)
            self._close(connection)

    def _close(self, connection: Connection) -> None:
        if connection.is_open:
            connection.is_open = False
            if connection.task is not None:
                connection.task.cancel()
                connection.task = None
            self._do(None, Leave(connection.session))


_SHARED = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)


def held_bytes(adapter: Adapter) -> int:
    """How much text an adapter keeps, wherever in it, without what its class and modules have."""
    seen: set[int] = set()
    waiting: list[Any] = [adapter]
    held = 0
    while waiting:
        item = waiting.pop()
        if id(item) in seen or isinstance(item, _SHARED):
            continue
        seen.add(id(item))
        if isinstance(item, bytes | bytearray | str):
            held += len(item)
        else:
            waiting += gc.get_referents(item)
    return held
