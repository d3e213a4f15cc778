"""The relay: accepts clients, opens one connection to the server for each, and does to them what the faults say.

Its user may change the faults, put lines in between, hold everything back, and cut the connections, and is told what
passes through; times are on trio's clock, in microseconds.

A client's connection and the one to the server have four tasks that read and write, and one for timed faults. Each
direction is a `_Way`: a task reads, what it has read goes through the lane, and a task writes what is due. A way that
falls silent (`half-open`) is cancelled and closes nothing. An end travels through the lane as bytes do. A connection
that its peer resets is reset at its other end too, once everything that came before has been passed on. Streams that
are no sockets, such as those in memory, are just closed.
"""

import os
import socket
import struct
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from enum import Enum
from functools import partial
from random import Random

import trio
from attrs import Factory, define, field

from gameserver.proxy.faults import Direction, Faults, duration_text
from gameserver.proxy.lane import Lane, Piece
from gameserver.proxy.units import Conversation, UnitForm, framed, without_extensions
from gameserver.values import value

# `struct linger` has shorts on Windows, and ints elsewhere.
_RESET_ON_CLOSE = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
_SLOW_BUFFER_BYTES = 2_048
"""The receive buffer of a slow reader: the system's own takes megabytes before a sender notices anything."""
# By judgement: a close by force needs no peer, so this is for a system that is overloaded.
_CLOSE_S = 1.0
_READ_BYTES = 65_536
_BOTH = (Direction.TO_CLIENT, Direction.TO_SERVER)
Edit = Callable[[bytes, Direction], Sequence[bytes]]
"""Gives for a line (with its end) or a message what is to be sent in its place: itself, something else, nothing."""


@value
class Crossing:
    """A piece that the relay sends on now, by one call."""

    connection: int
    direction: Direction
    at_us: int
    piece: Piece


class Kind(Enum):
    """The kinds of incidents that a relay tells of, beside bytes."""

    OPENED = "opened"
    NOT_REACHED = "not reached"
    REFUSED = "refused"
    ENDED = "ended"
    LOST = "lost"
    RESET = "reset"
    HALF_OPENED = "half-opened"
    DROPPED = "dropped"
    RESTORED = "restored"
    CLOSED = "closed"


@value
class Incident:
    """An incident of a relay's connection, or of all if the number is 0. The text is a sentence part."""

    connection: int
    kind: Kind
    at_us: int
    text: str


@define(eq=False)
class _Way:
    """One direction of a connection."""

    direction: Direction
    source: trio.abc.Stream
    sink: trio.abc.Stream
    lane: Lane
    since_us: int
    """The time at which its faults came into force; timed ones count from here."""
    is_held: bool = False
    is_silent: bool = False
    is_reset: bool = False
    """True if its source was reset."""
    scope: trio.CancelScope = Factory(trio.CancelScope)
    _changed: trio.Event = Factory(trio.Event)

    def wake(self) -> None:
        """Let everybody look again who waits for a change of this way."""
        self._changed.set()
        self._changed = trio.Event()

    async def change(self, until_us: int | None = None) -> None:
        """Wait until something changes, or until the time comes."""
        deadline_s = float("inf") if until_us is None else until_us / 1_000_000
        with trio.move_on_at(deadline_s):
            await self._changed.wait()

    def fall_silent(self) -> None:
        self.is_silent = True
        self.scope.cancel()


@define(eq=False)
class RelayedConnection:
    """A relay's connection: a client and the server, connected through two ways."""

    number: int
    ways: dict[Direction, _Way]
    _edit: Edit | None
    _trace: Callable[[Crossing], None]
    _tell: Callable[[Incident], None]
    _drop: Callable[[int, Sequence[Direction]], Awaitable[None]]
    """Resets all connections, and new ones for so long."""
    conversation: Conversation = field(factory=Conversation, init=False)
    _scope: trio.CancelScope = field(factory=trio.CancelScope, init=False)
    _faults_changed: trio.Event = field(factory=trio.Event, init=False)

    async def run(self) -> None:
        """Relay everything between a client and the server until both ways are over, or until a reset."""
        with self._scope:
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._run_timed_faults)
                    async with trio.open_nursery() as both:
                        for way in self.ways.values():
                            both.start_soon(self._run_way, way)
                    if all(way.is_silent for way in self.ways.values()):
                        # Half open in both directions: nothing is closed until the relay is.
                        await trio.sleep_forever()
                    nursery.cancel_scope.cancel()
            finally:
                await close(*(way.sink for way in self.ways.values()))
        self._happened(Kind.CLOSED, "closed")

    def set_faults(self, faults: dict[Direction, Faults]) -> None:
        """Change the faults of a relayed connection for what comes from now on; timed ones count from now."""
        since_us = now_us()
        for direction, way in self.ways.items():
            way.lane.faults, way.since_us = faults[direction], since_us
            if faults[direction].slow_read_bytes_s:
                _receive_little(way.source)
            way.wake()
        self._faults_changed.set()
        self._faults_changed = trio.Event()

    def inject(self, direction: Direction, content: bytes) -> bool:
        """Put a line or a message into a relayed connection, behind what has been read; False if that way is over."""
        way = self.ways[direction]
        if way.is_silent or way.lane.is_ended:
            return False
        way.lane.feed(self.conversation.framed(direction, content), now_us())
        way.wake()
        return True

    def hold(self, direction: Direction, *, is_held: bool) -> None:
        """Hold back everything that a relayed connection passes this way; or let it go on."""
        self.ways[direction].is_held = is_held
        self.ways[direction].wake()

    async def reset(self, towards: Iterable[Direction]) -> None:
        """Reset a relayed connection to these receivers.

        The other one is not told: its connection stays, and is silent.
        """
        ends = [self.ways[direction].sink for direction in towards]
        for way in self.ways.values():
            way.fall_silent()
        await reset(*ends)
        if len(ends) == len(self.ways):
            self._scope.cancel()

    def _happened(self, kind: Kind, text: str) -> None:
        self._tell(Incident(self.number, kind, now_us(), text))

    async def _run_way(self, way: _Way) -> None:
        with way.scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._read, way)
                await self._write(way)
                nursery.cancel_scope.cancel()

    async def _read(self, way: _Way) -> None:
        sender = way.direction.sender
        try:
            while data := bytes(await way.source.receive_some(_READ_BYTES)):
                way.lane.feed(data if self._edit is None else self._edited(way.direction, data), now_us())
                way.wake()
                while way.lane.is_full:
                    await way.change()
            self._happened(Kind.ENDED, f"the {sender} has ended its side")
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            if way.is_silent:
                return  # it was reset from here
            way.is_reset = True
            self._happened(Kind.LOST, f"the {sender} has reset the connection")
        if self._edit is not None:
            # A line without an end is passed on all the same: the server sees what the client sent.
            way.lane.feed(self.conversation.rest(way.direction), now_us())
        way.lane.end(now_us())
        way.wake()

    async def _write(self, way: _Way) -> None:
        while not (way.lane.is_over(now_us()) and not way.is_held):
            due_us = way.lane.due()
            if way.is_held or due_us is None or due_us > now_us():
                await way.change(None if way.is_held else due_us)
                continue
            for piece in way.lane.take(now_us()):
                self._trace(Crossing(self.number, way.direction, now_us(), piece))
                try:
                    await way.sink.send_all(piece.data)
                except (trio.BrokenResourceError, trio.ClosedResourceError):
                    return  # the other way reads the same, and tells it
            way.wake()
        if way.is_reset:
            await self.reset(Direction)
        else:
            await _send_end(way.sink)

    def _edited(self, direction: Direction, data: bytes) -> bytes:
        assert self._edit is not None
        parts: list[bytes] = []
        for unit in self.conversation.read(direction, data):
            if unit.form is UnitForm.LINE:
                parts += self._edit(unit.content, direction)
            elif unit.form is UnitForm.MESSAGE:
                edited = list(self._edit(unit.content, direction))
                is_same = edited == [unit.content]
                frames = [framed(content, direction, unit.opcode) for content in edited]
                # A message that is not edited keeps its bytes, and so its fragments and masks.
                parts += [unit.raw] if is_same else frames
            elif unit.form is UnitForm.HEAD and direction is Direction.TO_SERVER:
                parts.append(without_extensions(unit.raw))
            else:
                parts.append(unit.raw)
        return b"".join(parts)

    async def _run_timed_faults(self) -> None:
        while True:
            changed, due = self._faults_changed, self._timed()
            next_us = min((at_us for at_us, _ in due), default=None)
            with trio.move_on_at(float("inf") if next_us is None else next_us / 1_000_000):
                await changed.wait()
                continue
            for at_us, act in due:
                if at_us == next_us:
                    await act()

    def _timed(self) -> list[tuple[int, Callable[[], Awaitable[None]]]]:
        """The timed faults that have not happened yet, each with its time."""
        table: list[tuple[str, Callable[[Sequence[Direction]], Awaitable[None]]]] = [
            ("half_open_after_us", self._half_open),
            ("reset_after_us", self._reset_by_fault),
            ("drop_after_us", self._drop_by_fault),
        ]
        found: list[tuple[int, Callable[[], Awaitable[None]]]] = []
        for name, act in table:
            times: dict[int, list[Direction]] = {}
            for direction, way in self.ways.items():
                after_us = getattr(way.lane.faults, name)
                if after_us is not None and not way.is_silent:
                    times.setdefault(way.since_us + after_us, []).append(direction)
            found += [(at_us, partial(act, directions)) for at_us, directions in times.items()]
        return found

    async def _half_open(self, directions: Sequence[Direction]) -> None:
        for direction in directions:
            self.ways[direction].fall_silent()
        where = "in both directions" if len(directions) > 1 else directions[0].value
        self._happened(Kind.HALF_OPENED, f"half open: nothing passes {where} any more, and nothing is closed")
        await trio.lowlevel.checkpoint()

    async def _reset_by_fault(self, directions: Sequence[Direction]) -> None:
        who = " and the ".join(direction.receiver for direction in directions)
        after_us = self.ways[directions[0]].lane.faults.reset_after_us or 0
        self._happened(Kind.RESET, f"reset, for the {who}, after {duration_text(after_us)}")
        await self.reset(directions)

    async def _drop_by_fault(self, directions: Sequence[Direction]) -> None:
        await self._drop(self.ways[directions[0]].lane.faults.restore_us, directions)


def _ignore(_: Incident) -> None:
    """Tell nobody."""


class Relay:
    """A relay: connects each client of its listeners with the server that `connect` reaches.

    `trace` is called for every send, `tell` for everything else that happens. With `edit` it passes on whole lines and
    messages, each as `edit` gives it. `chance` decides where streams are cut and how late reads are; the connections
    draw from it in the order in which they are served.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[trio.abc.Stream]],
        faults: Faults,
        chance: Random,
        trace: Callable[[Crossing], None],
        edit: Edit | None = None,
        *,
        tell: Callable[[Incident], None] = _ignore,
    ) -> None:
        self._connect = connect
        self._faults = dict.fromkeys(_BOTH, faults)
        self._chance = chance
        self._trace = trace
        self._edit = edit
        self._tell = tell
        self._held: set[Direction] = set()
        self._refuse_until_us = 0
        self._cuts = 0
        self._accepted = 0
        self._nursery: trio.Nursery | None = None
        self._connections: dict[int, RelayedConnection] = {}

    @property
    def connections(self) -> int:
        """The number of connections that the relay has open."""
        return len(self._connections)

    async def run(
        self,
        listeners: Sequence[trio.abc.Listener[trio.abc.Stream]],
        task_status: trio.TaskStatus[object] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Relay connections until cancelled; then all of them are closed."""
        async with trio.open_nursery() as self._nursery:
            await trio.serve_listeners(self._serve, list(listeners), task_status=task_status)

    def set_faults(self, to_client: Faults, to_server: Faults) -> None:
        """Change the faults of all the relay's connections, for what comes from now on; timed ones count from now."""
        self._faults = {Direction.TO_CLIENT: to_client, Direction.TO_SERVER: to_server}
        for connection in self._connections.values():
            connection.set_faults(self._faults)

    def inject_to_client(self, content: bytes, connection: int | None = None) -> bool:
        """Put a line or a message between those that the relay passes to a client; False if no connection can take one.

        Without a number it is the newest connection on which lines or messages are spoken. Only a relay with `edit`
        knows where lines begin, and the frames of WebSockets.
        """
        return self._inject(Direction.TO_CLIENT, content, connection)

    def inject_to_server(self, content: bytes, connection: int | None = None) -> bool:
        """Put a line or a message between those that the relay passes to the server, as `inject_to_client` does."""
        return self._inject(Direction.TO_SERVER, content, connection)

    async def cut(self, away_us: int = 0, towards: Sequence[Direction] = _BOTH) -> None:
        """Reset all the relay's connections, and for `away_us` new ones as soon as they are accepted.

        The receivers that `towards` leaves out are not told: their connections stay open and silent.
        """
        self._cuts += 1
        if away_us and self._nursery is not None:
            self._refuse_until_us = max(self._refuse_until_us, now_us() + away_us)
            self._nursery.start_soon(self._restore)
        for connection in list(self._connections.values()):
            await connection.reset(towards)

    def hold(self, *directions: Direction) -> None:
        """Hold back everything that the relay passes these ways, both if none is named."""
        self._set_held(directions or _BOTH, is_held=True)

    def release(self, *directions: Direction) -> None:
        """Let everything go on that the relay holds back."""
        self._set_held(directions or _BOTH, is_held=False)

    def _set_held(self, directions: Sequence[Direction], *, is_held: bool) -> None:
        for direction in directions:
            (self._held.add if is_held else self._held.discard)(direction)
            for connection in self._connections.values():
                connection.hold(direction, is_held=is_held)

    def _inject(self, direction: Direction, content: bytes, number: int | None) -> bool:
        for each in sorted(self._connections, reverse=True) if number is None else [number]:
            connection = self._connections.get(each)
            if connection is not None and connection.conversation.has_units:
                return connection.inject(direction, content)
        return False

    async def _serve(self, client: trio.abc.Stream) -> None:
        self._accepted += 1
        number, cuts_before = self._accepted, self._cuts
        if now_us() < self._refuse_until_us:
            self._happened(number, Kind.REFUSED, "refused: the network is away")
            await reset(client)
            return
        address = _peer_address(client)
        self._happened(number, Kind.OPENED, f"a client has connected{address and f' from {address}'}")
        try:
            server = await self._connect()
        except OSError as error:
            self._happened(number, Kind.NOT_REACHED, f"the server does not answer: {error}")
            await reset(client)
            return
        # A connection that was being made when the network went has no entry yet that a cut could find.
        if self._cuts != cuts_before:
            self._happened(number, Kind.REFUSED, "refused: the network went away before the server answered")
            await reset(client, server)
            return
        connection = self._connections[number] = self._connection(number, client, server)
        try:
            await connection.run()
        finally:
            del self._connections[number]

    def _connection(self, number: int, client: trio.abc.Stream, server: trio.abc.Stream) -> RelayedConnection:
        ends = {Direction.TO_CLIENT: (server, client), Direction.TO_SERVER: (client, server)}
        ways, since_us = {}, now_us()
        for direction, (source, sink) in ends.items():
            _send_at_once(sink)
            # Drawn only for connections that are served, so that refused ones do not move the seed on.
            lane = Lane(self._faults[direction], Random(self._chance.getrandbits(64)))  # noqa: S311
            ways[direction] = _Way(direction, source, sink, lane, since_us, is_held=direction in self._held)
            if self._faults[direction].slow_read_bytes_s:
                _receive_little(source)
        return RelayedConnection(number, ways, self._edit, self._trace, self._tell, self._drop)

    async def _restore(self) -> None:
        """Tell when new connections are served again."""
        until_us = self._refuse_until_us
        await trio.sleep_until(until_us / 1_000_000)
        # A later cut has put the end off, and tells of it itself.
        if until_us == self._refuse_until_us:
            self._happened(0, Kind.RESTORED, "restored: new connections are served again")

    async def _drop(self, restore_us: int, towards: Sequence[Direction]) -> None:
        """The fault `drop-and-restore`."""
        self._happened(0, Kind.DROPPED, f"all connections are dropped; new ones for {duration_text(restore_us)}, too")
        await self.cut(restore_us, towards)

    def _happened(self, number: int, kind: Kind, text: str) -> None:
        self._tell(Incident(number, kind, now_us(), text))


def now_us() -> int:
    """The time on trio's clock, in the relay's microseconds."""
    return round(trio.current_time() * 1_000_000)


def _send_at_once(stream: trio.abc.Stream) -> None:
    """Let every send be a packet of its own."""
    if isinstance(stream, trio.SocketStream):
        with suppress(OSError):
            # Nagle's algorithm would join the pieces of a split again.
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _receive_little(stream: trio.abc.Stream) -> None:
    """Let the peer's sends wait as soon as a little is unread."""
    if isinstance(stream, trio.SocketStream):
        with suppress(OSError):
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SLOW_BUFFER_BYTES)


def _peer_address(stream: trio.abc.Stream) -> str:
    """The address of the other end, such as `192.0.2.7:50412`; empty where there is none."""
    if not isinstance(stream, trio.SocketStream):
        return ""
    try:
        host, port = stream.socket.getpeername()[:2]
    except OSError:
        return ""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def reset(*streams: trio.abc.Stream) -> None:
    """Closes the relay's streams to clients or server by a TCP reset: their peers read an error, not an end."""
    for stream in streams:
        if isinstance(stream, trio.SocketStream):
            with suppress(OSError):
                # A close with a linger time of 0 discards what is unsent, and sends a reset.
                stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    await close(*streams)


async def close(*streams: trio.abc.Stream) -> None:
    """Close streams of the relay, even in a task that is cancelled."""
    # Shielded: a relay that is cancelled still has to let go of its sockets.
    with trio.move_on_after(_CLOSE_S, shield=True):
        for stream in streams:
            await trio.aclose_forcefully(stream)


async def _send_end(stream: trio.abc.Stream) -> None:
    """Tell the peer that nothing more will come."""
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        if isinstance(stream, trio.abc.HalfCloseableStream):
            await stream.send_eof()
        else:
            await stream.aclose()
