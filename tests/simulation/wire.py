"""A connection as the two kernels and the network between them have it. No protocol is known here."""

from random import Random

from attrs import define, field, frozen

PROBE_MS = 3_000
"""How long the server's kernel takes to find out that nobody is there: by itself, and when it was asked to."""


@frozen
class Arrival:
    """Up to which byte the client's words had come at a time: in real time, and as the server's axis stood."""

    end: int
    real_ms: int
    axis_ms: int


@frozen
class MatchTold:
    """Which match the server meant, and how many moves it told with it: the text does not say it."""

    match: int
    real_ms: int
    moves: int = 0
    players: tuple[str, ...] = ()
    seat: int = 0


@frozen
class TurnTold:
    """What the server meant by a turn that it told this client of."""

    match: int
    turn: int
    real_ms: int
    allowed_ms: int | None
    deadline_ms: int | None


@define(eq=False)
class Wire:
    """Bytes on their way, both ways. The server's end is `read` and `push`, the client's `send` and `take`."""

    room_bytes: int
    """How much the client's kernel and the network hold for a client that does not read."""
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
    """Since when the network swallows everything, and neither end knows."""
    probed_ms: int | None = None
    """Since when the server's kernel has been asking whether anybody is still there."""
    held_until_ms: int = 0
    matches_told: list[MatchTold] = field(factory=list)
    """Each match that the client is told of, in this order."""
    turns_told: list[TurnTold] = field(factory=list)
    is_displaced: bool = False
    """Whether the server meant the connection to end because its player had come by another one."""
    chance: Random = field(factory=lambda: Random(0))
    """How the bytes of this connection come in pieces."""
    listener: str = ""
    owner: int = -1
    """Which client is at the other end."""
    machine: int = 0
    """The number of the machine that it was opened to."""
    session: int = 0
    """The session that the server gave it; 0 before it is accepted."""
    server_closed: bool = False
    """The server's kernel knows nothing of it any more."""
    heard_ms: int = 0
    """When the server's kernel last had anything from the client."""
    pushed_bytes: int = 0
    """So many bytes the server has sent."""
    last_said: bytes = b""
    """The end of what the server has sent."""
    _arrived_bytes: int = 0

    @property
    def silent(self) -> bool:
        """Whether the network swallows everything."""
        return self.silent_since_ms is not None

    @property
    def readable(self) -> bool:
        """Whether the server's kernel has something to say."""
        return self.broken or bool(self.arrived) or self.end_arrived

    @property
    def has_room(self) -> bool:
        """Whether the server's kernel takes more, if only to lose it."""
        return self.client_closed or len(self.coming) < self.room_bytes

    @property
    def is_over(self) -> bool:
        """Whether the client has nothing more to hear."""
        return self.broken or (self.server_done and not self.coming)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is on its way."""
        return not (self.flying or self.arrived or self.coming)

    def send(self, data: bytes) -> int:
        """The client says something; returns the number of its last byte."""
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
        """When the byte with this number arrived."""
        return next((arrival for arrival in self.arrivals if arrival.end >= end), None)

    def take(self, limit: int, real_ms: int) -> bytes:
        """The client reads what has come."""
        if self.silent or self.broken or real_ms < self.held_until_ms:
            return b""
        data = bytes(self.coming[:limit])
        del self.coming[:limit]
        return data

    def read_of(self, end: int) -> Arrival | None:
        """When the server read the byte with this number."""
        return next((read for read in self.reads if read.end >= end), None)

    @property
    def read_bytes(self) -> int:
        """So many bytes the server has read."""
        return self._arrived_bytes - len(self.arrived)

    def peek(self, limit: int) -> bytes | None:
        """What the server would read: None where nothing is there, b"" at the end."""
        if self.arrived:
            return bytes(self.arrived[:limit])
        return b"" if self.end_arrived else None

    def read(self, limit: int) -> bytes | None:
        """The server reads: None where nothing is there, b"" at the end."""
        data = self.peek(limit)
        if data:
            del self.arrived[: len(data)]
        return data

    def push(self, data: bytes | bytearray) -> int:
        """The server sends; returns how many bytes there was room for."""
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
        """Reset the connection."""
        self.broken = True
        for way in (self.flying, self.arrived, self.coming):
            way.clear()

    def server_died(self, reaches_client: int) -> None:
        """The server's process is gone; so many bytes of its last words still arrive."""
        del self.coming[reaches_client:]
        self.server_done = True
        self.flying.clear()
        self.arrived.clear()
