"""Real sockets see the faults: packets, resets, and a sender that has to wait."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from random import Random

import pytest
import trio

from gameserver.proxy import relay
from gameserver.proxy.faults import Direction, Faults, faults_of
from gameserver.proxy.relay import Crossing, Relay

LOCAL = "127.0.0.1"
SOON_S = 10.0


@asynccontextmanager
async def relayed(to_client: str, to_server: str = "") -> AsyncIterator[tuple[trio.SocketStream, trio.SocketStream]]:
    """A client and its server, with a relay between them."""
    accepted_send, accepted = trio.open_memory_channel[trio.SocketStream](1)

    async def accept(stream: trio.SocketStream) -> None:
        await accepted_send.send(stream)
        await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        (target,) = await trio.open_tcp_listeners(0, host=LOCAL)
        (listener,) = await trio.open_tcp_listeners(0, host=LOCAL)
        nursery.start_soon(trio.serve_listeners, accept, [target])
        reach = target.socket.getsockname()[:2]
        crossings: list[Crossing] = []
        relay = Relay(partial(trio.open_tcp_stream, *reach), Faults(), Random(1), crossings.append)
        relay.set_faults(faults_of(to_client), faults_of(to_server))
        await nursery.start(relay.run, [listener])
        with trio.fail_after(SOON_S):
            async with await trio.open_tcp_stream(*listener.socket.getsockname()[:2]) as client:
                yield client, await accepted.receive()
        nursery.cancel_scope.cancel()


async def test_every_byte_is_a_read_of_its_own() -> None:
    async with relayed("split every-byte") as (client, server):
        await server.send_all(b"SVR GAME YOURTURN\r\n")
        reads = []
        while sum(map(len, reads)) < 19:
            reads.append(bytes(await client.receive_some()))
    assert b"".join(reads) == b"SVR GAME YOURTURN\r\n"
    # On a machine that stands still for some milliseconds two may lie in the buffer together.
    assert len(reads) > 10


@pytest.mark.parametrize("towards", list(Direction), ids=lambda direction: direction.name)
async def test_a_reset_is_a_reset(towards: Direction) -> None:
    fault = "reset-after 10ms"
    words = (fault, "") if towards is Direction.TO_CLIENT else ("", fault)
    async with relayed(*words) as ends:
        hit, other = ends if towards is Direction.TO_CLIENT else ends[::-1]
        with pytest.raises(trio.BrokenResourceError):
            await hit.receive_some()
        with trio.move_on_after(0.05) as patience:
            await other.receive_some()
        assert patience.cancelled_caught, "the other side was told"


async def test_reset_by_a_peer_resets_the_other_one() -> None:
    async with relayed("") as (client, server):
        await relay.reset(server)
        with pytest.raises(trio.BrokenResourceError):
            await client.receive_some()


async def test_the_sender_to_a_slow_reader_has_to_wait() -> None:
    async with relayed("", "slow-read 1KB/s") as (client, server):
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
        sent = 0
        with trio.move_on_after(0.3):
            while True:
                await client.send_all(bytes(1_000))
                sent += 1_000
        # The system's own buffers would take 100,000 bytes and more.
        assert sent < 50_000
        assert len(await server.receive_some()) <= 1_000
