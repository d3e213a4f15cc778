"""The server's end of a connection: the contract of `gameserver.transport.connection`, without a socket.

One command in flight; the next line is parsed when the answer is released; a connection with a
backlog is not read; output that must not go out yet keeps what follows it waiting. The adapter and
the send buffer are the real ones, and so is the work of HTTP handlers, one at a time beside the
connection. Left out: rates, logins that never come, patience with slow readers.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from attrs import define, field

from gameserver.protocol import (
    Adapter,
    Answer,
    BrokenInput,
    Displaced,
    Event,
    MatchOpened,
    MatchPaired,
    MatchShown,
    Refusal,
    RefusalKind,
    Reply,
    TurnStarted,
    Work,
)
from gameserver.transport.connection_state import ConnectionState
from gameserver.transport.send_queue import SendBuffer
from tests.simulation.tasks import Task
from tests.simulation.violation import Violation
from tests.simulation.wire import MatchTold, TurnTold, Wire

if TYPE_CHECKING:
    from tests.simulation.process import Process

OUTBOX_BYTES_MAX = {"http": 65_536, "strategic": 65_536}
"""Far less than in earnest. A long match that is shown again to a text player takes 20 KB, a page more."""
OUTBOX_BYTES_MAX_ELSEWHERE = 16_384
DISMISSED = "The teacher has ended this connection: "
TOLD_AT_ITS_BEGINNING = ("strategic", "connect-four")
"""The protocols whose players hear of a match when it begins, and not that it waits for somebody."""
CHOKED_BYTES = 1_000
"""How much may wait before the peer is asked for nothing more; less than in earnest, so that it comes to that."""


BUGS = ("receive", "next", "render")
"""The parts of an adapter that can be made to fail."""


class PlantedBug(Exception):
    """What an adapter raises that has a bug."""


@define(eq=False)
class Endpoint:
    """From accept to close. `bot` is who is really at the other end; only the invariants look at it."""

    wire: Wire
    adapter: Adapter
    session: int
    address: str
    bot: int
    listener: str
    _process: "Process"
    stage: ConnectionState = ConnectionState.OPEN
    in_flight: bool = False
    planted: str = ""
    """The part of the adapter that fails when it is asked next; empty for none."""
    stamp_ms: int = 0
    _due_ms: int = -1
    _unread_bytes: int = 0
    """So much of what is unread counts as of the time that was due."""
    _ended: bool = False
    _buffer: SendBuffer = field(factory=SendBuffer)
    _put_bytes: int = 0
    _pushed_bytes: int = 0
    _fault: str = ""
    """The module whose bug ends the connection."""
    _task: Task | None = None
    """The work under way."""
    _held: deque[tuple[int, int]] = field(factory=deque)
    """From which byte on nothing may be sent before which time."""

    @property
    def wants_read(self) -> bool:
        if self._ended or self.stage is ConnectionState.CLOSED:
            return False
        return self.stage is not ConnectionState.OPEN or not self._is_backlogged

    @property
    def is_quiet(self) -> bool:
        return not self.in_flight and not self._is_backlogged

    @property
    def is_backpressured(self) -> bool:
        """Whether the peer is asked for nothing more until it reads what waits for it."""
        return len(self._buffer.ready) > CHOKED_BYTES

    @property
    def _is_backlogged(self) -> bool:
        must_wait = self.in_flight or self.is_backpressured or self._task is not None
        return must_wait and self.adapter.pending_bytes > 0

    @property
    def has_output(self) -> bool:
        """Whether something waits to be sent."""
        return self._buffer.bytes_waiting > 0

    @property
    def can_go_on(self) -> bool:
        """Whether the socket or the clock has brought something that can be dealt with now."""
        wire = self.wire
        if wire.broken or (wire.readable and self.wants_read):
            return True
        if self._buffer.ready:
            can_send = wire.has_room
        else:
            can_send = bool(self._held) and self._held[0][1] <= self._process.axis_ms
        return can_send or self._has_duties

    @property
    def _has_duties(self) -> bool:
        """Whether work can go on, or the adapter has something to do by the clock."""
        if self.stage is not ConnectionState.OPEN:
            return False
        due_ms = self.adapter.due_ms
        is_due = due_ms is not None and due_ms <= self._process.axis_ms
        return is_due or (self._task is not None and self._task.is_ready)

    def open(self) -> None:
        self.put(self.adapter.greeting())
        self.flush()

    def on_ready(self, stamp_ms: int) -> None:
        """The socket has something: bytes, the end, or an error."""
        if self.wants_read:
            self._read(stamp_ms)
        elif self.wire.broken:
            self.abort("connection lost")

    def note_unread(self, due_ms: int) -> None:
        """Count what is unread as of `due_ms`, if it was there when this was first asked for that time."""
        if due_ms != self._due_ms:
            self._due_ms, self._unread_bytes = due_ms, len(self.wire.arrived)

    def _read(self, stamp_ms: int) -> None:
        limit = None
        if self._unread_bytes:
            limit, stamp_ms, self._unread_bytes = self._unread_bytes, self._due_ms, 0
        try:
            data = self.wire.recv(limit, self._process.world.real_ms, stamp_ms)
        except ConnectionResetError:
            self.abort("connection lost")
            return
        if data is None:
            return
        self._ended = data == b""
        if self.stage is not ConnectionState.OPEN:
            return
        if data:
            self.stamp_ms = stamp_ms
            self._guard(lambda: self._receive(data, stamp_ms))
        else:
            self._guard(self.adapter.receive_eof)
        self._run()

    def deliver(self, answer: Answer | None, events: Sequence[Event]) -> None:
        if self.stage is not ConnectionState.OPEN:
            return
        if answer is not None:
            if not self.in_flight:
                raise Violation("every command is answered once", f"session {self.session} had asked nothing: {answer}")
            self.in_flight = False
        self._tag(events)
        self._guard(lambda: self._render(answer, events))

    def _receive(self, data: bytes, stamp_ms: int) -> None:
        self._may_fail("receive")
        self.adapter.receive(data, stamp_ms)

    def _may_fail(self, part: str) -> None:
        if self.planted == part:
            self.planted = ""
            raise PlantedBug(part)

    def _render(self, answer: Answer | None, events: Sequence[Event]) -> None:
        self._may_fail("render")
        for output in self.adapter.render(answer, events):
            self.put(output.data, output.release_ms)

    def resume(self) -> None:
        if self.stage is ConnectionState.OPEN:
            self._run()

    def put(self, data: bytes, release_ms: int = 0) -> None:
        if not data or self.stage is ConnectionState.CLOSED:
            return
        now_ms = self._process.now_ms()
        if release_ms > now_ms:
            self._held.append((self._put_bytes, release_ms))
        self._put_bytes += len(data)
        self._process.world.secrets.check(data, self.bot)
        self._buffer.put(data, release_ms, now_ms)
        if self._buffer.bytes_waiting > OUTBOX_BYTES_MAX.get(self.listener, OUTBOX_BYTES_MAX_ELSEWHERE):
            self._process.world.count("outbox full")
            self.abort("the peer does not read")

    def flush(self) -> None:
        if self.stage is ConnectionState.CLOSED:
            return
        was_backpressured = self.is_backpressured
        self._send()
        if was_backpressured and not self.is_backpressured:
            self.resume()

    def _send(self) -> None:
        ready = self._buffer.ready
        if ready:
            try:
                pushed = self.wire.push(ready)
            except ConnectionResetError:
                self.abort("connection lost")
                return
            del ready[:pushed]
            self._pushed_bytes += pushed
            self._check_held()
        if self.stage is ConnectionState.CLOSING and self._buffer.bytes_waiting == 0:
            self.abort("all is said")

    def tick(self) -> None:
        """Do what is due: by the adapter's clock, in the work beside, and with what could not be sent before."""
        now_ms = self._process.axis_ms
        if self.stage is ConnectionState.OPEN:
            if self._task is not None:
                self._work_on(self._task)
            due_ms = self.adapter.due_ms
            if due_ms is not None and due_ms <= now_ms:
                self._guard(lambda: self.adapter.tick(now_ms))
                self.resume()
        if self._buffer.bytes_waiting:
            self._buffer.release(now_ms)
            self.flush()

    def end(self, why: str, last_words: bytes = b"") -> None:
        if self.stage is not ConnectionState.OPEN:
            return
        self.stage = ConnectionState.CLOSING
        self._stop_work()
        self._process.world.note("session %d ends: %s", self.session, why)
        self.put(last_words)
        self._process.left(self, self._fault)
        self.flush()

    def abort(self, why: str) -> None:
        if self.stage is ConnectionState.CLOSED:
            return
        was_open = self.stage is ConnectionState.OPEN
        self.stage = ConnectionState.CLOSED
        self._stop_work()
        self._buffer.clear()
        if was_open:
            self._process.world.note("session %d breaks: %s", self.session, why)
            self._process.left(self, self._fault)
        self._process.closed(self)
        self.wire.server_done = True

    def farewell(self, why: str, kind: RefusalKind = RefusalKind.STOPPING) -> None:
        self.end(why, self.adapter.farewell(Refusal(why, kind)))

    def dismiss(self, why: str) -> None:
        self.farewell(f"{DISMISSED}{why}", RefusalKind.DISMISSED)

    def _work_on(self, task: Task) -> None:
        """Take the work a step further; when it is through, its connection goes on."""
        if not task.is_ready:
            return
        task.step()
        if task.is_done and self._task is task:
            self._task = None
            self.resume()

    def die(self) -> None:
        """The process is no more."""
        self._stop_work()

    def _stop_work(self) -> None:
        if self._task is not None:
            task, self._task = self._task, None
            task.cancel()

    def _run(self) -> None:
        self._guard(self._pump)
        self.flush()

    def _pump(self) -> None:
        while self.stage is ConnectionState.OPEN and not self.in_flight and not self.is_backpressured:
            self._may_fail("next")
            item = self.adapter.next()
            if item is None:
                if self.adapter.finished:
                    self.end("closed by the player")
                return
            if isinstance(item, Reply):
                self.put(item.data)
                self.adapter = item.then or self.adapter
                if self.is_backpressured:
                    self._send()
            elif isinstance(item, Work):
                self._task = Task.of(item, self.resume)
            else:
                self.in_flight = True
                self._process.submit(item, self.stamp_ms, self)

    def _guard(self, work: Callable[[], None]) -> None:
        """Broken input ends the connection; anything else that an adapter raises is a find."""
        try:
            work()
        except BrokenInput as broken:
            self.end(broken.why, broken.last_words)
        except PlantedBug as bug:
            self._process.world.count(f"bug in {bug}")
            self._fault = f"tests.{bug}"
            self.end("an adapter failed")

    def _tag(self, events: Sequence[Event]) -> None:
        """Note what the text does not say: which match is meant, and how long the turn may take."""
        process = self._process
        for event in events:
            if isinstance(event, MatchShown) and event.ready is not None and self.listener in TOLD_AT_ITS_BEGINNING:
                continue
            if isinstance(event, MatchOpened | MatchShown | MatchPaired):
                process.world.auditor.seated(event.match, event.seat)
                shown = event.moves if isinstance(event, MatchShown) else ()
                moves = sum(move.seat is not None for move in shown)
                told = MatchTold(event.match, process.world.real_ms, moves, event.players, event.seat)
                self.wire.matches_told.append(told)
            elif isinstance(event, Displaced):
                self.wire.is_displaced = True
            elif isinstance(event, TurnStarted):
                allowed_ms = process.allowed_ms.get((event.match, event.turn, self.session))
                self.wire.turns_told.append(
                    TurnTold(
                        match=event.match,
                        turn=event.turn,
                        real_ms=process.world.real_ms,
                        allowed_ms=allowed_ms,
                        deadline_ms=event.deadline_ms,
                        alarm_is_late=process.world.alarm_pause_ms > 0,
                    )
                )

    def _check_held(self) -> None:
        now_ms = self._process.now_ms()
        while self._held and self._held[0][0] < self._pushed_bytes:
            release_ms = self._held.popleft()[1]
            if release_ms > now_ms:
                raise Violation("nothing goes out before its time", f"{release_ms - now_ms} ms too early")
