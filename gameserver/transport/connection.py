"""One connection of a player or a browser: a raw non-blocking socket, an adapter, and what is on its way between them.

It is synchronous from end to end. The reactor calls `on_readable` and `on_writable` when the socket is ready; the
sequencer calls `deliver` with answers and events; timers call back. Nothing here waits, so a peer that does not read,
or sends half a message, delays nobody.

The rule for input: one command in flight. `_take_items` takes the next item from the adapter only while nothing is in
flight and the peer reads its answers. While input is left over, the socket is not read. So a peer that does not read
its answers is not read either, and costs no memory. Output goes through `SendQueue`.

Its life: OPEN until the adapter is finished, the peer breaks off, or the server closes; then the session ends
(`ConnectionServices.left`). CLOSING sends what is left, LINGERING has shut its side and waits a moment for the peer's
end, because closing a socket with unread input would reset it and destroy the last words.

Besides reading and answering, a connection runs its adapter's timed work and `Work`: one timer and at most one task for
each connection that asks for them, none for the others.

Bytes are stamped when they are read. A connection with a backlog is not read, so a move that arrived in time can be
read long after its deadline where commits are slow. It is stamped with that deadline, like input that the alarm can
read.

Whoever runs connections provides `ConnectionServices`, as the benchmarks do.
"""

import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from enum import Enum, auto
from typing import Any, Protocol

import structlog
import trio
from attrs import define, field

from gameserver.flow_control.connection_limiter import AdmittedConnection
from gameserver.flow_control.fair_scheduler import REQUEST_S, Share, Timer, Timers
from gameserver.flow_control.limits import Limits
from gameserver.flow_control.rates import AddressBuckets, RateLimiter
from gameserver.protocol import Adapter, Answer, BrokenInput, Command, Event, Query, Refusal, RefusalKind, Reply, Work
from gameserver.transport.first_line import FirstLine
from gameserver.transport.send_queue import SendQueue

log = structlog.get_logger()

# Bytes that are read and parsed at once: hundreds of commands. A hundred peers that fill every read made a pass of the
# reactor last 4 ms and more (measured), so what such a peer has left waits for a turn (`epoll_reactor`).
_READ_BYTES = 8_192
# Nobody parses what a closing connection is sent, so it is read in larger pieces, up to a limit: a peer that goes on
# sending must not keep the socket. Both are judgement.
_DISCARDED_BYTES = 65_536
_DISCARD_BYTES_MAX = 1_048_576
# As many as one read takes: a move behind more input than that is not the player's next one.
_NOTED_BYTES_MAX = _READ_BYTES
# Items of one connection that are taken in a row before the others get their turn. Judgement.
_PUMP_ITEMS = 8
# Seconds for the peer to read its last words and to close. Judgement: a round trip or two, and patience.
_LINGER_S = 2.0
_INPUT_ONLY = (True, False)
_NOT_FOR_THE_LOBBY = (Reply, Work)  # `Reply | Work`, made anew for each check, takes four times as long (measured)
_OVER = "closed by the player"
# The beginnings of reasons for an end that the peer brought about and that is no error.
_GONE = (_OVER, "connection lost")
_OUR_MISTAKE = "the server made a mistake with this connection"
# Packages that call adapters: they are on the traceback of an adapter's bug, too.
_RUNTIME = tuple(f"gameserver.{part}." for part in ("engine", "flow_control", "server", "transport", "wire_log"))


class ConnectionState(Enum):
    """The stages in the life of a connection, in their order."""

    OPEN = auto()
    CLOSING = auto()
    LINGERING = auto()
    CLOSED = auto()


# Every move uses these: in Python 3.11, looking an enum member up by its class costs more than a call.
OPEN, CLOSING, LINGERING, CLOSED = ConnectionState


class ConnectionServices(Protocol):
    """The services that a server provides to its connections, their acceptor and their adapters' tasks."""

    limits: Limits
    timers: Timers
    turns: Share
    match_requests: AddressBuckets

    def now_ms(self) -> int:
        """Read the server's clock for a connection, in milliseconds."""

    def start_soon(self, run: Callable[..., Awaitable[None]], *args: Any) -> None:
        """Run a task beside a connection until the server stops; it raises nothing."""

    def opened(self, connection: "Connection", protocol: str) -> None:
        """Register a connection that a protocol's listener accepted."""

    def submit(self, command: Command | Query, stamp_ms: int, sender: "Connection") -> None:
        """Take a command from a connection, to which the answer comes by `deliver`."""

    def may_begin(self, work: Work, sender: "Connection") -> bool:
        """True if a connection may begin its adapter's work; else it is ended."""

    def interest_changed(self, connection: "Connection") -> None:
        """Have the reactor watch what a connection wants now: to read, to write, or neither."""

    def left(self, connection: "Connection", why: str, fault: str = "") -> None:
        """End the session of a connection; `fault` names the module whose bug ended it, if one did."""

    def closed(self, connection: "Connection") -> None:
        """Forget a connection whose socket is about to be closed."""


@define(eq=False)
class Connection(AdmittedConnection):
    """A peer's connection, from accept to close: its socket, its adapter, and the session in the lobby."""

    sock: socket.socket
    adapter: Adapter
    session: int
    address: str
    _services: ConnectionServices
    stage: ConnectionState = OPEN
    in_flight: bool = False
    _send_queue: SendQueue = field(init=False)
    _rate_limiter: RateLimiter = field(init=False)
    _tasks: "_AdapterTasks" = field(init=False)
    stamp_ms: int = 0
    """The server time at which something last came."""
    is_forwarded: bool = False
    """True if a trusted proxy passes it on: then the kernel's peer is the proxy."""
    _eof: bool = False
    _noted_bytes: int = 0
    """Bytes unread in the kernel that get an earlier stamp; usually none."""
    _noted_ms: int = -1
    """The stamp for these bytes."""
    _discards: int = _DISCARD_BYTES_MAX
    interest: tuple[bool, bool] = _INPUT_ONLY
    """The directions that the reactor watches: input, room to send. It is told of every change."""
    _login_timer: Timer | None = None
    _fault: str = ""
    """The module whose bug ends the connection."""
    _first_line: FirstLine | None = None
    """Set until the peer is known to speak neither HTTP nor TLS where the port does not."""
    _receive: Callable[[bytes, int], None] = field(init=False)
    """Hands bytes to the adapter: a message pays nothing for the look at the first ones."""

    def __attrs_post_init__(self) -> None:
        services = self._services
        limits, timers, now_ms = services.limits, services.timers, services.now_ms
        self._send_queue = SendQueue(self.sock, limits, timers, now_ms, self.abort, self.on_writable)
        self._rate_limiter = RateLimiter(services, self.session, self.address, self._go_on)
        self._tasks = self._tasks_of(self.adapter)
        self._receive = self.adapter.receive if self._first_line is None else self._receive_first

    @property
    def wants_read(self) -> bool:
        """True if the socket of the connection may be read now."""
        if self._eof or self.stage is CLOSED:
            return False
        return self.stage is not OPEN or not self.is_backlogged

    @property
    def wants_write(self) -> bool:
        """True if the connection has something to send."""
        return bool(self._send_queue.ready) and self.stage is not CLOSED

    @property
    def is_backlogged(self) -> bool:
        """True if the connection has input that has to wait for its turn."""
        return self._has_pending and (self._must_wait or self._tasks.is_working)

    @property
    def is_quiet(self) -> bool:
        """True if everything that was read from the connection has been answered."""
        return not self.in_flight and not self.is_backlogged

    @property
    def has_ended(self) -> bool:
        """True if the peer has closed its side of the connection, or the connection is closed."""
        return self._eof or self.stage is CLOSED

    @property
    def _has_pending(self) -> bool:
        """True while finished input waits."""
        return not self._ask(lambda adapter: adapter.pending_bytes == 0)

    @property
    def _must_wait(self) -> bool:
        return self.in_flight or self._rate_limiter.wait is not None or self._send_queue.is_backpressured

    def open(self) -> None:
        """Send the greeting of a new connection, and start the time limit for its login."""
        try:
            self.put(self.adapter.greeting())
            self.flush()
            self._tasks.watch()
        except Exception as error:  # noqa: BLE001 - it is logged there
            self._adapter_failed(error)
        self._login_timer = self._services.timers.after(self._services.limits.login_timeout_s, self._login_is_due)

    def on_readable(self, now_ms: int) -> bool:
        """Read what the socket has, stamped `now_ms`, up to the limit of one read; True if that was reached."""
        size = limit = _READ_BYTES if self.stage is OPEN else _DISCARDED_BYTES
        if self._noted_bytes:
            # No byte beyond the noted ones: what came later has a stamp of its own, or keeping a connection busy would
            # stop its clock.
            limit, now_ms, self._noted_bytes = self._noted_bytes, self._noted_ms, 0
        try:
            data = self.sock.recv(limit)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError as error:
            self.abort(f"connection lost: {error.strerror or error}")
            return False
        self._eof = not data  # recv(2): no bytes from a stream is its end
        if self.stage is OPEN:
            self.stamp_ms = now_ms if data else self.stamp_ms
            self._run(data)
        else:
            self._discards -= len(data)
            if self._discards < 0 or (self._eof and self.stage is LINGERING):
                self.abort("")
            elif self._eof:
                self._update_interest()  # epoll reports an end that is not closed at every poll
        return len(data) == size

    def note_unread(self, due_ms: int) -> None:
        """Have the bytes that wait unread in the kernel stamped `due_ms`, as of the first call for that time.

        Where commits are slow, a move behind other commands of its player is read long after it arrived, and would
        prove itself late.
        """
        if due_ms != self._noted_ms:
            self._noted_ms, self._noted_bytes = due_ms, 0
            with suppress(OSError):
                self._noted_bytes = len(self.sock.recv(_NOTED_BYTES_MAX, socket.MSG_PEEK))

    def on_writable(self) -> None:
        """Go on sending on the connection, and take the commands that waited for room."""
        self.flush()
        self._update_interest()

    def on_hangup(self) -> None:
        """Close the connection whose peer is gone for good, after reading what it sent last."""
        if self.wants_read:
            self.on_readable(self._services.now_ms())  # it finds the error or the end, behind the last lines
        else:
            self.abort("connection lost")

    def deliver(self, answer: Answer | None, events: Sequence[Event]) -> None:
        """Render an answer or events of the lobby for the connection's peer; `flush` sends them."""
        if self.stage is not OPEN:
            return
        if answer is not None:
            self.in_flight = False
        try:
            for output in self.adapter.render(answer, events):
                self._send_queue.put(output.data, output.release_ms)
            if self._tasks.keep_time:
                self._tasks.watch()
        except Exception as error:  # noqa: BLE001 - it is logged there
            self._adapter_failed(error)

    def resume(self) -> None:
        """Go on with the connection's input that waited for an answer: one item now, the rest in its turn."""
        if self.stage is not OPEN:
            return
        try:
            has_pending, is_waiting = self.adapter.pending_bytes > 0, self.adapter.is_waiting
        except Exception as error:  # noqa: BLE001 - it is logged there
            self._adapter_failed(error)
            return
        if has_pending:
            self._wait_for_turn()
            self._update_interest()  # more input would put its own, later stamp on the lines that wait
        elif not is_waiting:
            self._run()

    def put(self, data: bytes, release_ms: int = 0) -> None:
        """Queue bytes for the connection's peer behind all others, not to be sent before `release_ms`."""
        if data and self.stage is not CLOSED:
            self._send_queue.put(data, release_ms)

    def flush(self) -> None:
        """Send as much of the connection's output as the kernel takes now. Commands that waited for room go on."""
        if self.stage is CLOSED:
            return
        if self._send_queue.flush():
            # An event may find the room before the reactor does. Then nothing else would wake these commands.
            self.resume()
        if self._send_queue.ready:
            self._update_interest()  # a peer that asks for nothing itself would else never get the rest of an event
        elif self.stage is CLOSING and self._send_queue.is_empty:
            self._shut()

    def end(self, why: str, last_words: bytes = b"", *, is_logged: bool = False) -> None:
        """End the connection's session, and close it once everything that is queued has been sent."""
        if self.stage is not OPEN:
            return
        self.stage = CLOSING
        self._tasks.stop()
        self._send_queue.release_all()  # the last words go out behind what was held back
        self.put(last_words)
        _log_end(self.adapter, self.session, self.address, why, is_logged=is_logged)
        self._services.left(self, why, self._fault)
        # Only now: where the peer's side is closed already, this closes the socket, and the session has to end first.
        self.flush()
        self._update_interest()

    def abort(self, why: str) -> None:
        """Close the connection now, whatever is queued."""
        if self.stage is CLOSED:
            return
        was_open = self.stage is OPEN
        self.stage = CLOSED  # first of all: what is called below may find this connection and call it again
        if self._login_timer is not None:
            self._login_timer.cancel()
        self._rate_limiter.stop()
        self._tasks.stop()
        self._send_queue.clear()
        if was_open:
            _log_end(self.adapter, self.session, self.address, why)
            self._services.left(self, why, self._fault)
        self._services.closed(self)  # while the socket still has the number by which epoll knows it
        self.sock.close()

    def crash(self, error: Exception) -> None:
        """Close the connection now, because its own code failed. No player loses a match by it."""
        self._note_fault("connection failed", error)
        self.abort(_OUR_MISTAKE)

    def farewell(self, why: str, kind: RefusalKind) -> None:
        """End the connection with a reason, in the words of its protocol."""
        words = b""
        try:
            words = self.adapter.farewell(Refusal(why, kind))
        except Exception as error:  # noqa: BLE001 - it is logged there
            _log_bug("adapter failed", self.adapter, self.session, self.address, error)
        # The limiter logs these with a count: a line for each connection was most of the log in a flood.
        self.end(why, words, is_logged=kind is RefusalKind.FULL)

    def dismiss(self, why: str) -> None:
        """End the connection at the wish of the teacher, or of its player, who has come in by another one."""
        self.farewell(why, RefusalKind.DISMISSED)

    def _tick(self, now_ms: int) -> None:
        try:
            self.adapter.tick(now_ms)
        except Exception as error:  # noqa: BLE001 - it is logged there
            self._adapter_failed(error)
        self.resume()

    def _run(self, data: bytes | None = None) -> None:
        """Feed the adapter what was read (no bytes: the end), take its next items, send what is ready."""
        has_pending = False
        try:
            if data:
                self._receive(data, self.stamp_ms)
            elif data is not None:
                self.adapter.receive_eof()
            if not self.in_flight:
                # The rate limiter takes the reactor's time, which saves a look at the clock.
                self._take_items(self.stamp_ms if data else self._services.now_ms())
            if self._tasks.keep_time:
                self._tasks.watch()
            has_pending = self.adapter.pending_bytes > 0
        except Exception as error:  # noqa: BLE001 - it is logged there
            self._adapter_failed(error)
        if self._send_queue.ready:
            self.flush()
        # A connection at rest, as after nearly every line of a player, is watched for input already: no call is needed.
        is_at_rest = self.stage is OPEN and not (has_pending or self._eof or self._send_queue.ready)
        if not is_at_rest or self.interest != _INPUT_ONLY:
            self._update_interest()

    def _receive_first(self, data: bytes, at_ms: int) -> None:
        """Hand the adapter the first bytes, unless they are HTTP or TLS. Raises what adapters raise."""
        first_line = self._first_line
        assert first_line is not None, "without one, the adapter is called"
        why = first_line.refusal(data)
        if why:
            raise BrokenInput(why, self.adapter.farewell(Refusal(why, RefusalKind.DISMISSED)))
        if first_line.is_over:
            self._first_line, self._receive = None, self.adapter.receive
        self.adapter.receive(data, at_ms)

    def _take_items(self, now_ms: int) -> None:
        adapter, rate_limiter, queue = self.adapter, self._rate_limiter, self._send_queue
        for _ in range(_PUMP_ITEMS):
            # This is `_must_wait`, for a connection that has nothing in flight.
            if self.stage is not OPEN or rate_limiter.wait is not None or (queue.ready and queue.is_backpressured):
                return
            if adapter.pending_bytes and rate_limiter.is_too_fast(now_ms):
                return
            item = adapter.next()
            if item is None:
                if adapter.finished:
                    self.end(_OVER)
                return
            rate_limiter.count(item, now_ms)
            if not isinstance(item, _NOT_FOR_THE_LOBBY):
                self.in_flight = True
                self._services.submit(item, self.stamp_ms, self)
                return
            if isinstance(item, Reply):
                self._say(item)
                adapter = self.adapter
            elif self._services.may_begin(item, self):
                self._tasks.start(item)
        self._wait_for_turn()

    def _say(self, reply: Reply) -> None:
        self.put(reply.data)
        if reply.then is not None:
            # After its handshake a WebSocket is served by its own adapter. Through the adapter of the HTTP listener,
            # every byte and event took a dozen calls more.
            self._tasks.stop()
            self.adapter, self._receive = reply.then, reply.then.receive
            self._tasks = self._tasks_of(reply.then)
        if self._send_queue.is_backpressured:
            self._send_queue.flush()

    def _tasks_of(self, adapter: Adapter) -> "_AdapterTasks":
        return _AdapterTasks(adapter, self._services, self._tick, self.resume, self._adapter_failed)

    def _wait_for_turn(self) -> None:
        if not self._must_wait:
            self._rate_limiter.wait_for_turn()

    def _go_on(self) -> None:
        if self.stage is OPEN:
            self._run()

    def _update_interest(self) -> None:
        """Tell the reactor what to watch for, if that has changed."""
        # While earlier lines wait, nothing is read: it would put its own, later stamp on them, and a move that came in
        # time would be late.
        is_at_rest = self.stage is OPEN and not self._eof and not self._has_pending
        interest = (is_at_rest or self.wants_read, self.wants_write if self._send_queue.ready else False)
        if interest != self.interest:
            self.interest = interest
            self._services.interest_changed(self)

    def _login_is_due(self) -> None:
        if self.stage is OPEN and not self._ask(lambda adapter: adapter.identified):
            seconds = self._services.limits.login_timeout_s
            why = f"No login within {seconds:g} seconds; connect again when you are ready"
            self.farewell(why, RefusalKind.LATE)

    def _ask(self, look: Callable[[Adapter], bool]) -> bool:
        """Ask the adapter about itself. If it fails, end the connection and return True.

        The reactor and the alarm ask, too: what an adapter raised there would end their task, and the server with it.
        """
        try:
            return look(self.adapter)
        except Exception as error:  # noqa: BLE001 - it is logged there
            self._adapter_failed(error)
            return True

    def _shut(self) -> None:
        if self._eof:
            self.abort("")
            return
        self.stage = LINGERING
        # RFC 1122, 4.2.2.13: closing with unread input resets the connection, and a reset destroys what the peer has
        # not read yet.
        with suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)
        self._services.timers.after(_LINGER_S, lambda: self.abort(""))

    def _adapter_failed(self, error: Exception) -> None:
        """End the connection whose adapter raised an exception, and only that one."""
        if isinstance(error, BrokenInput):
            self.end(error.why, error.last_words)
            return
        # The session ends by our fault, so its seat waits: a bug must not cost a player the match.
        self._note_fault("adapter failed", error)
        if self.stage is OPEN:
            self.farewell("The server made a mistake with this connection; please connect again", RefusalKind.FAULT)

    def _note_fault(self, what: str, error: Exception) -> None:
        module = _log_bug(what, self.adapter, self.session, self.address, error)
        if self.stage is OPEN:
            self._fault = module


@define(eq=False)
class _AdapterTasks:
    """The timer and the task of one connection's adapter.

    `tick` carries out what is due; `go_on` asks the adapter for what it has now; `fail` ends the connection.
    """

    _adapter: Adapter
    _services: ConnectionServices
    _tick: Callable[[int], None]
    _go_on: Callable[[], None]
    _fail: Callable[[Exception], None]
    keep_time: bool = field(init=False)
    """True if `watch` has anything to do: most protocols do nothing by the clock."""
    _timer: Timer | None = field(default=None, init=False)
    _timer_ms: int = field(default=0, init=False)
    _scope: trio.CancelScope | None = field(default=None, init=False)

    @keep_time.default
    def _has_due_times(self) -> bool:
        return type(self._adapter).due_ms is not Adapter.due_ms

    @property
    def is_working(self) -> bool:
        """True if a task of the adapter is under way."""
        return self._scope is not None

    def watch(self) -> None:
        """Set the timer for what the adapter has to do next.

        When the time has moved to later, the timer stays and only checks again when it fires. Protocols extend their
        limits with every message, so that must cost nothing.
        """
        due_ms = self._adapter.due_ms
        if due_ms is None or (self._timer is not None and self._timer_ms <= due_ms):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_ms = due_ms
        wait_ms = max(0, due_ms - self._services.now_ms())
        self._timer = self._services.timers.after(wait_ms / 1000, self._look)

    def start(self, work: Work) -> None:
        """Start an adapter's work in a task beside the connection."""
        assert self._scope is None, "an adapter does one work at a time"
        self._scope = trio.CancelScope()
        self._services.turns.begin(REQUEST_S)
        self._services.start_soon(self._carry_out, work, self._scope)

    def stop(self) -> None:
        """Cancel the adapter's timer and task: the connection ends."""
        if self._timer is not None:
            self._timer.cancel()
        if self._scope is not None:
            self._scope.cancel()

    def _look(self) -> None:
        self._timer = None
        now_ms = self._services.now_ms()
        try:
            due_ms = self._adapter.due_ms
        except Exception as error:  # noqa: BLE001 - `fail` logs it
            self._fail(error)
            return
        if due_ms is not None and due_ms <= now_ms:
            self._tick(now_ms)
        else:
            self.watch()

    async def _carry_out(self, work: Work, scope: trio.CancelScope) -> None:
        with scope:
            try:
                await work.run(self._go_on)
                self._scope = None  # before the adapter is asked on: it may have the next work
                self._go_on()
            except Exception as error:  # noqa: BLE001 - `fail` logs it
                self._fail(error)


def _log_end(adapter: Adapter, session: int, address: str, why: str, *, is_logged: bool = False) -> None:
    """Log that a session ended. HTTP requests, and peers that leave without a login, are logged at debug level.

    `is_logged`: the reason is in the log, with how many connections ended for it.
    """
    try:
        is_passing = why.startswith(_GONE) and (adapter.is_passing or not adapter.identified)
        discarded = adapter.discarded
    except Exception as error:  # noqa: BLE001 - `_log_bug` logs it
        _log_bug("adapter failed", adapter, session, address, error)
        discarded, is_passing = 0, False
    more = {"discarded": discarded} if discarded else {}
    tell = log.debug if is_passing or is_logged else log.info  # else a flood, or every page, would fill the log
    tell("connection ends", session=session, address=address, why=why, **more)


def _log_bug(what: str, adapter: Adapter, session: int, address: str, error: Exception) -> str:
    """Log that a connection's code failed. Gives the module at fault."""
    module = _module_of(error, type(adapter).__module__)
    log.error(what, session=session, address=address, module=module, exc_info=error)
    return module


def _module_of(error: BaseException, default: str) -> str:
    """Names the innermost module on the traceback that is not Python's own; `default` where there is none."""
    found, trace = default, error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "")
        if name.partition(".")[0] not in sys.stdlib_module_names and not name.startswith(_RUNTIME):
            found = name
        trace = trace.tb_next
    return found
