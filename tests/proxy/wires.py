"""A relay between a client and a server that the test plays, in memory and under virtual time."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

import trio
from attrs import define, field
from trio.testing import memory_stream_pair

from gameserver.proxy.faults import Faults, faults_of
from gameserver.proxy.relay import Crossing, Edit, Incident, Relay


class MemoryListener(trio.abc.Listener[trio.abc.Stream]):
    """Accepts the streams that it is given."""

    def __init__(self) -> None:
        self.send, self._receive = trio.open_memory_channel[trio.abc.Stream](10)

    async def accept(self) -> trio.abc.Stream:
        return await self._receive.receive()

    async def aclose(self) -> None:
        self._receive.close()


@define
class End:
    """The test's end of a connection."""

    stream: trio.abc.Stream

    async def send(self, data: bytes) -> None:
        await self.stream.send_all(data)

    async def hear(self, size: int) -> bytes:
        """So many bytes; fewer if the connection ends."""
        heard = b""
        while len(heard) < size and (data := await self.stream.receive_some(size - len(heard))):
            heard += data
        return heard

    async def reads(self, seconds: float) -> list[tuple[float, bytes]]:
        """The bytes of each read of this time, and when it comes."""
        begun_s, reads = trio.current_time(), []
        with trio.move_on_after(seconds):
            while data := bytes(await self.stream.receive_some()):
                reads.append((round(trio.current_time() - begun_s, 6), data))
        return reads


@define
class Wire:
    """The relay, with what it traced and told."""

    listener: MemoryListener = field(factory=MemoryListener)
    servers: list[End] = field(factory=list)
    crossings: list[Crossing] = field(factory=list)
    incidents: list[Incident] = field(factory=list)
    is_server_away: bool = False
    answers_after_s: float = 0.0
    relay: Relay = field(init=False)

    async def connect(self) -> tuple[End, End]:
        """A client and its server."""
        client = await self.call()
        await trio.testing.wait_all_tasks_blocked()
        return client, self.servers[-1]

    async def call(self) -> End:
        near, far = memory_stream_pair()
        await self.listener.send.send(far)
        return End(near)

    async def reach_server(self) -> trio.abc.Stream:
        if self.is_server_away:
            raise OSError("connection refused")
        await trio.sleep(self.answers_after_s)
        near, far = memory_stream_pair()
        self.servers.append(End(far))
        return near


@asynccontextmanager
async def running_relay(faults: Faults | str = "", *, edit: Edit | None = None, seed: int = 1) -> AsyncIterator[Wire]:
    wire = Wire()
    faults = faults_of(faults) if isinstance(faults, str) else faults
    wire.relay = Relay(wire.reach_server, faults, Random(seed), wire.crossings.append, edit, tell=wire.incidents.append)
    async with trio.open_nursery() as nursery:
        await nursery.start(wire.relay.run, [wire.listener])
        yield wire
        nursery.cancel_scope.cancel()
