"""A connection as the two kernels and the network between them have it. No protocol is known here."""

from random import Random

from attrs import define, field, frozen

PROBE_MS = 3_000
"""The time in which the server's kernel finds a dead peer if it was asked to."""


@frozen
class Arrival:
    """The byte up to which the client's words had come at a time: in real time, and by the server's axis."""

    end: int
    real_ms: int
    axis_ms: int


@frozen
class MatchTold:
    """A match that the server meant, and how many moves it told with it: the text does not say it."""

    match: int
    real_ms: int
    moves: int = 0
    players: tuple[str, ...] = ()
    seat: int = 0


@frozen
class TurnTold:
    """A turn that the server told this client of."""

    match: int
    turn: int
    real_ms: int
    allowed_ms: int | None
    deadline_ms: int | None
    banks_ms: tuple[int | None, ...] = ()


@define(eq=False)
class Wire:
    """Bytes on their way, both ways. The server's end is `read` and `push`, the client's `send` and `take`."""

    room_bytes: int
    """Bytes that the client's kernel and the network hold for a client that does not read."""
    flying: bytearray = field(factory=bytearray)
    arrived: bytearray = field(factory=bytearray)
    coming: bytearray = field(factory=bytearray)
    sent_bytes: int = 0
    arrivals: list[Arrival] = field(factory=list)
    reads: list[Arrival] = field(factory=list)
    client_done: bool = False
    """The client will send no more; the end of its words travels behind them."""
    client_closed: bool = False
    """The client reads no more either: what is sent to it comes back as a reset."""
    end_arrived: bool = False
    server_done: bool = False
    broken: bool = False
    """Reset: whatever was on its way is lost, and both ends know."""
    silent_since_ms: int | None = None
    """Time since when the network swallows everything, and neither end knows."""
    probed_ms: int | None = None
    """Time since when the server's kernel has been probing for the peer."""
    held_until_ms: int = 0
    matches_told: list[MatchTold] = field(factory=list)
    """The matches that the client was told of, in this order."""
    turns_told: list[TurnTold] = field(factory=list)
    is_displaced: bool = False
    """True if the server meant the connection to end because its player had come by another one."""
    chance: Random = field(factory=lambda: Random(0))
    """Draws the pieces in which bytes come."""
    listener: str = ""
    owner: int = -1
    """The index of the client at the other end."""
    machine: int = 0
    """The number of the machine that it was opened to."""
    session: int = 0
    """The session that the server gave it; 0 before it is accepted."""
    server_closed: bool = False
    """True if the server's kernel has forgotten it."""
    heard_ms: int = 0
    """Time at which the server's kernel last had anything from the client."""
    pushed_bytes: int = 0
    last_said: bytes = b""
    """The end of what the server has sent."""
    _arrived_bytes: int = 0

    @property
    def silent(self) -> bool:
        return self.silent_since_ms is not None

    @property
    def readable(self) -> bool:
        """True if the server's kernel has something to tell."""
        return self.broken or bool(self.arrived) or self.end_arrived

    @property
    def has_room(self) -> bool:
        """True if the server's kernel takes more, if only to lose it."""
        return self.client_closed or len(self.coming) < self.room_bytes

    @property
    def is_over(self) -> bool:
        """True if the client has nothing more to hear."""
        return self.broken or (self.server_done and not self.coming)

    @property
    def is_empty(self) -> bool:
        return not (self.flying or self.arrived or self.coming)

    def send(self, data: bytes) -> int:
        """Say something as the client; gives the number of its last byte."""
        assert not self.client_done, "a client that has ended its words says no more"
        if not self.broken and not self.server_done:
            self.flying += data
        self.sent_bytes += len(data)
        return self.sent_bytes

    def carry(self, limit: int, real_ms: int, axis_ms: int) -> None:
        """Bring the client's words, or some of them, to the server's kernel."""
        if self.silent or self.broken or real_ms < self.held_until_ms:
            return
        if self.flying:
            self.arrived += self.flying[:limit]
            self._arrived_bytes += len(self.flying[:limit])
            del self.flying[:limit]
            self.arrivals.append(Arrival(self._arrived_bytes, real_ms, axis_ms))
            self.heard_ms = real_ms
        if self.client_done and not self.flying:
            self.end_arrived = True

    def arrival_of(self, end: int) -> Arrival | None:
        return next((arrival for arrival in self.arrivals if arrival.end >= end), None)

    def take(self, limit: int, real_ms: int) -> bytes:
        if self.silent or self.broken or real_ms < self.held_until_ms:
            return b""
        data = bytes(self.coming[:limit])
        del self.coming[:limit]
        return data

    def read_of(self, end: int) -> Arrival | None:
        return next((read for read in self.reads if read.end >= end), None)

    @property
    def read_bytes(self) -> int:
        return self._arrived_bytes - len(self.arrived)

    def peek(self, limit: int) -> bytes | None:
        """Give what the server would read: None where nothing is there, b"" at the end."""
        if self.arrived:
            return bytes(self.arrived[:limit])
        return b"" if self.end_arrived else None

    def read(self, limit: int) -> bytes | None:
        """Read as the server: None where nothing is there, b"" at the end."""
        data = self.peek(limit)
        if data:
            del self.arrived[: len(data)]
        return data

    def push(self, data: bytes | bytearray) -> int:
        """Send as the server; gives how many bytes there was room for."""
        if self.broken:
            raise ConnectionResetError
        if self.client_closed:
            self.cut()
            return len(data)
        taken = min(len(data), max(0, self.room_bytes - len(self.coming)))
        self.coming += data[:taken]
        self.pushed_bytes += taken
        return taken

    def cut(self) -> None:
        self.broken = True
        for way in (self.flying, self.arrived, self.coming):
            way.clear()

    def server_died(self, reaches_client: int) -> None:
        """End the server's side with its process; so many bytes of its last words still arrive."""
        del self.coming[reaches_client:]
        self.server_done = True
        self.flying.clear()
        self.arrived.clear()
