"""The relay: accepts clients, opens one connection to the server for each, and does to them what the faults say.

Whoever runs it may change the faults, put lines in between, hold everything back, and cut the connections.
"""

from collections.abc import Awaitable, Callable, Sequence
from random import Random

import trio

from gameserver.proxy import streams
from gameserver.proxy.connection import Connection, Edit, Way, now_us
from gameserver.proxy.crossings import Crossing, Incident, Kind
from gameserver.proxy.faults import Direction, Faults
from gameserver.proxy.lane import Lane
from gameserver.proxy.measures import duration_text

BOTH = (Direction.TO_CLIENT, Direction.TO_SERVER)


def _ignore(_: Incident) -> None:
    """Tell nobody."""


class Relay:
    """Connects each client of its listeners with the server that `connect` reaches.

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
        self._faults = dict.fromkeys(BOTH, faults)
        self._chance = chance
        self._trace = trace
        self._edit = edit
        self._tell = tell
        self._held: set[Direction] = set()
        self._refuse_until_us = 0
        self._cuts = 0
        self._accepted = 0
        self._nursery: trio.Nursery | None = None
        self._connections: dict[int, Connection] = {}

    @property
    def connections(self) -> int:
        """The number of connections that are open."""
        return len(self._connections)

    async def run(
        self,
        listeners: Sequence[trio.abc.Listener[trio.abc.Stream]],
        task_status: trio.TaskStatus[object] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve until cancelled; then all connections are closed."""
        async with trio.open_nursery() as self._nursery:
            await trio.serve_listeners(self._serve, list(listeners), task_status=task_status)

    def set_faults(self, to_client: Faults, to_server: Faults) -> None:
        """Change the faults of all connections, for what comes from now on; timed ones count from now."""
        self._faults = {Direction.TO_CLIENT: to_client, Direction.TO_SERVER: to_server}
        for connection in self._connections.values():
            connection.set_faults(self._faults)

    def inject_to_client(self, content: bytes, connection: int | None = None) -> bool:
        """Put a line or a message between those of the server; False if no connection can take one.

        Without a number it is the newest connection on which lines or messages are spoken. Only a relay with `edit`
        knows where lines begin, and the frames of WebSockets.
        """
        return self._inject(Direction.TO_CLIENT, content, connection)

    def inject_to_server(self, content: bytes, connection: int | None = None) -> bool:
        """As `inject_to_client`, between those of the client."""
        return self._inject(Direction.TO_SERVER, content, connection)

    async def cut(self, away_us: int = 0, towards: Sequence[Direction] = BOTH) -> None:
        """Reset all connections, and for `away_us` new ones as soon as they are accepted.

        The receivers that `towards` leaves out are not told: their connections stay open and silent.
        """
        self._cuts += 1
        if away_us and self._nursery is not None:
            self._refuse_until_us = max(self._refuse_until_us, now_us() + away_us)
            self._nursery.start_soon(self._restore)
        for connection in list(self._connections.values()):
            await connection.reset(towards)

    def hold(self, *directions: Direction) -> None:
        """Let everything wait that goes these ways, both if none is named."""
        self._set_held(directions or BOTH, is_held=True)

    def release(self, *directions: Direction) -> None:
        """Let go on what waits."""
        self._set_held(directions or BOTH, is_held=False)

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
            await streams.reset(client)
            return
        address = streams.peer_address(client)
        self._happened(number, Kind.OPENED, f"a client has connected{address and f' from {address}'}")
        try:
            server = await self._connect()
        except OSError as error:
            self._happened(number, Kind.NOT_REACHED, f"the server does not answer: {error}")
            await streams.reset(client)
            return
        if self._cuts != cuts_before:
            self._happened(number, Kind.REFUSED, "refused: the network went away before the server answered")
            await streams.reset(client, server)
            return
        connection = self._connections[number] = self._connection(number, client, server)
        try:
            await connection.run()
        finally:
            del self._connections[number]

    def _connection(self, number: int, client: trio.abc.Stream, server: trio.abc.Stream) -> Connection:
        ends = {Direction.TO_CLIENT: (server, client), Direction.TO_SERVER: (client, server)}
        ways, since_us = {}, now_us()
        for direction, (source, sink) in ends.items():
            streams.send_at_once(sink)
            lane = Lane(self._faults[direction], Random(self._chance.getrandbits(64)))  # noqa: S311
            ways[direction] = Way(direction, source, sink, lane, since_us, is_held=direction in self._held)
            if self._faults[direction].slow_read_bytes_s:
                streams.receive_little(source)
        return Connection(number, ways, self._edit, self._trace, self._tell, self._drop)

    async def _restore(self) -> None:
        """Tell when new connections are served again."""
        until_us = self._refuse_until_us
        await trio.sleep_until(until_us / 1_000_000)
        if until_us == self._refuse_until_us:
            self._happened(0, Kind.RESTORED, "restored: new connections are served again")

    async def _drop(self, restore_us: int, towards: Sequence[Direction]) -> None:
        """The fault `drop-and-restore`."""
        self._happened(0, Kind.DROPPED, f"all connections are dropped; new ones for {duration_text(restore_us)}, too")
        await self.cut(restore_us, towards)

    def _happened(self, number: int, kind: Kind, text: str) -> None:
        self._tell(Incident(number, kind, now_us(), text))
