"""One client's connection and the one to the server: four tasks that read and write, and one for timed faults.

Each direction is a `Way`: a task reads, what it has read goes through the lane, and a task writes what is due. A way
that falls silent (`half-open`) is cancelled and closes nothing. An end travels through the lane as bytes do. A
connection that its peer resets is reset at its other end too, once everything that came before has been passed on.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial

import trio
from attrs import Factory, define, field

from gameserver.proxy import streams
from gameserver.proxy.crossings import Crossing, Incident, Kind
from gameserver.proxy.faults import Direction, Faults
from gameserver.proxy.lane import Lane
from gameserver.proxy.measures import duration_text
from gameserver.proxy.units import Conversation, Form, framed, without_extensions

READ_BYTES = 65_536
Edit = Callable[[bytes, Direction], Sequence[bytes]]
"""Gives for a line (with its end) or a message what is to be sent in its place: itself, something else, nothing."""


def now_us() -> int:
    """The time on trio's clock."""
    return round(trio.current_time() * 1_000_000)


@define(eq=False)
class Way:
    """One direction of a connection."""

    direction: Direction
    source: trio.abc.Stream
    sink: trio.abc.Stream
    lane: Lane
    since_us: int
    """When its faults came into force; timed ones count from here."""
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
        """Neither read nor write from now on."""
        self.is_silent = True
        self.scope.cancel()


@define(eq=False)
class Connection:
    """A client and the server, connected through two ways."""

    number: int
    ways: dict[Direction, Way]
    _edit: Edit | None
    _trace: Callable[[Crossing], None]
    _tell: Callable[[Incident], None]
    _drop: Callable[[int, Sequence[Direction]], Awaitable[None]]
    """Resets all connections, and new ones for so long."""
    conversation: Conversation = field(factory=Conversation, init=False)
    _scope: trio.CancelScope = field(factory=trio.CancelScope, init=False)
    _faults_changed: trio.Event = field(factory=trio.Event, init=False)

    async def run(self) -> None:
        """Pass everything on until both ways are over, or until a reset."""
        with self._scope:
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._run_timed_faults)
                    async with trio.open_nursery() as both:
                        for way in self.ways.values():
                            both.start_soon(self._run_way, way)
                    if all(way.is_silent for way in self.ways.values()):
                        await trio.sleep_forever()
                    nursery.cancel_scope.cancel()
            finally:
                await streams.close(*(way.sink for way in self.ways.values()))
        self._happened(Kind.CLOSED, "closed")

    def set_faults(self, faults: dict[Direction, Faults]) -> None:
        """Change the faults of what comes from now on; timed ones count from now."""
        since_us = now_us()
        for direction, way in self.ways.items():
            way.lane.faults, way.since_us = faults[direction], since_us
            if faults[direction].slow_read_bytes_s:
                streams.receive_little(way.source)
            way.wake()
        self._faults_changed.set()
        self._faults_changed = trio.Event()

    def inject(self, direction: Direction, content: bytes) -> bool:
        """Put a line or a message behind what has been read; False if that way is over."""
        way = self.ways[direction]
        if way.is_silent or way.lane.is_ended:
            return False
        way.lane.feed(self.conversation.framed(direction, content), now_us())
        way.wake()
        return True

    def hold(self, direction: Direction, *, is_held: bool) -> None:
        """Let everything wait that goes this way; or let it go on."""
        self.ways[direction].is_held = is_held
        self.ways[direction].wake()

    async def reset(self, towards: Iterable[Direction]) -> None:
        """Reset the connection to these receivers. The other one is not told: its connection stays, and is silent."""
        ends = [self.ways[direction].sink for direction in towards]
        for way in self.ways.values():
            way.fall_silent()
        await streams.reset(*ends)
        if len(ends) == len(self.ways):
            self._scope.cancel()

    def _happened(self, kind: Kind, text: str) -> None:
        self._tell(Incident(self.number, kind, now_us(), text))

    async def _run_way(self, way: Way) -> None:
        with way.scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._read, way)
                await self._write(way)
                nursery.cancel_scope.cancel()

    async def _read(self, way: Way) -> None:
        sender = way.direction.sender
        try:
            while data := bytes(await way.source.receive_some(READ_BYTES)):
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
            way.lane.feed(self.conversation.rest(way.direction), now_us())
        way.lane.end(now_us())
        way.wake()

    async def _write(self, way: Way) -> None:
        while not (way.lane.is_over(now_us()) and not way.is_held):
            due_us = way.lane.due()
            if way.is_held or due_us is None or due_us > now_us():
                await way.change(None if way.is_held else due_us)
                continue
            for piece in way.lane.take(now_us()):
                came = (piece.came_us, piece.is_cut, piece.joined)
                self._trace(Crossing(self.number, way.direction, now_us(), piece.data, *came))
                try:
                    await way.sink.send_all(piece.data)
                except (trio.BrokenResourceError, trio.ClosedResourceError):
                    return  # the other way reads the same, and tells it
            way.wake()
        if way.is_reset:
            await self.reset(Direction)
        else:
            await streams.send_end(way.sink)

    def _edited(self, direction: Direction, data: bytes) -> bytes:
        assert self._edit is not None
        parts: list[bytes] = []
        for unit in self.conversation.read(direction, data):
            if unit.form is Form.LINE:
                parts += self._edit(unit.content, direction)
            elif unit.form is Form.MESSAGE:
                edited = list(self._edit(unit.content, direction))
                is_same = edited == [unit.content]
                frames = [framed(content, direction, unit.opcode) for content in edited]
                parts += [unit.raw] if is_same else frames
            elif unit.form is Form.HEAD and direction is Direction.TO_SERVER:
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
