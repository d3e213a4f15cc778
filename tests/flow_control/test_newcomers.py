"""New connections: how fast they may come, and who comes in where everything is full."""

import itertools
import socket
from contextlib import suppress
from pathlib import Path

import pytest
import trio
import trio.lowlevel
from trio.testing import MockClock

from gameserver.flow_control.connection_limiter import ConnectionLimiter
from gameserver.flow_control.fair_scheduler import HOLD_S, SHARES, CommitGate
from gameserver.flow_control.limits import Limits
from gameserver.transport.listener import Address, accept_forever, open_listeners
from tests.admin.support import BEARER, get, serving_admin
from tests.support.rosters import roster_on
from tests.support.serving import serving

NAMES = [f"p{number:02}" for number in range(27)]
NEWCOMERS = SHARES["newcomers"]


async def test_refused_connection_that_returns_has_to_wait(autojump_clock: MockClock) -> None:
    came, heard = trio.open_memory_channel[float](3)
    stays: list[bool] = []

    def accepted(sock: socket.socket, address: str) -> bool:
        sock.close()
        came.send_nowait(trio.current_time())
        stays.append(len(stays) == 0)
        return stays[-1]

    (listener,) = open_listeners(Address("127.0.0.1", 0))
    port = listener.getsockname()[1]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(accept_forever, listener, accepted)
        times_s = []
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", port)):
                times_s.append(await heard.receive())
        nursery.cancel_scope.cancel()
    first_s, second_s, third_s = times_s
    assert second_s == first_s
    assert third_s - second_s == pytest.approx(NEWCOMERS.rest_s)


async def test_nobody_is_accepted_while_others_are_in_a_hurry(autojump_clock: MockClock) -> None:
    hold, came = CommitGate(), trio.Event()

    def accepted(sock: socket.socket, address: str) -> bool:
        sock.close()
        came.set()
        return True

    (listener,) = open_listeners(Address("127.0.0.1", 0))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(accept_forever, listener, accepted, hold)
        with hold.held(), socket.create_connection(("127.0.0.1", listener.getsockname()[1])):
            await trio.sleep(HOLD_S / 2)
            assert not came.is_set()
        await came.wait()
        nursery.cancel_scope.cancel()


async def test_connections_come_at_a_rate(autojump_clock: MockClock) -> None:
    async with serving_admin(limits=Limits(connections_per_address_max=3, new_connections_per_s=1)) as running:

        async def comes() -> list[str]:
            client = await running.connect()
            said = [await client.line()]
            if not said[0].startswith("ERR"):
                client.stream.socket.close()
                await trio.lowlevel.checkpoint()
            return said

        for _ in range(6):
            assert not (await comes())[0].startswith("ERR")
        running.server._connection_limiter._new_logins.of("127.0.0.1", trio.current_time()).spend(2)
        refused = await comes()
        assert refused[0].startswith("ERR Too many connections from 127.0.0.1 in so short a time")
        assert "more than 1 a second; wait a little" in refused[0]
        assert (await get(running, "/api/status", BEARER)).status == 200, "the teacher always comes in"
        await trio.sleep(2)
        assert not (await comes())[0].startswith("ERR")


@pytest.mark.parametrize("name", ["", "storm{}", "bob"], ids=["no login", "new names", "a classmate's program"])
async def test_storm_from_one_address_keeps_no_classmate_out(
    autojump_clock: MockClock, tmp_path: Path, name: str
) -> None:
    """None of them has a secret. A storm of logins takes nothing from other names on the roster."""
    roster = roster_on(tmp_path, dict.fromkeys([*NAMES, "bob"], ""))
    limits = Limits(connections_per_address_max=100, new_connections_per_s=20)

    async def storm() -> None:
        for number in itertools.count():
            stream = await trio.open_tcp_stream("127.0.0.1", running.port)
            if name:
                with suppress(trio.BrokenResourceError):
                    await stream.send_all(f"login {name.format(number)}\nbye\n".encode())
            stream.socket.close()
            await trio.sleep(0.002)

    async with serving(limits=limits, roster=roster) as running, trio.open_nursery() as nursery:
        for _ in range(2):
            nursery.start_soon(storm)
        await trio.sleep(0.5)
        classmates = [await running.connect() for _ in NAMES]
        for number, classmate in enumerate(classmates):
            await classmate.send(f"login {NAMES[number]}")
        assert [(await classmate.lines(3))[2] for classmate in classmates] == ["OK"] * len(NAMES)
        nursery.cancel_scope.cancel()


def test_addresses_are_forgotten_before_they_fill_the_memory(autojump_clock: MockClock) -> None:
    async def main() -> None:
        admission = ConnectionLimiter(Limits(), lambda: 0, lambda: False, lambda: False)
        for number in range(20_001):
            assert admission.receive(str(number)) is None
        assert len(admission._rates) <= 10_000

    trio.run(main)
