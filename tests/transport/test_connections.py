"""One connection never disturbs another: idle, fast, loud, dead and half-closed ones, and too many."""

from typing import Any

import pytest
import trio
from structlog.testing import capture_logs
from trio.testing import MockClock

from gameserver.flow_control.limits import Limits
from gameserver.flow_control.rates import TokenBucket
from gameserver.protocol import Adapter
from gameserver.transport.epoll_reactor import EpollReactor
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.strategic import PROTOCOL as STRATEGIC
from tests.support.drivers import DRIVERS
from tests.support.serving import serving


@DRIVERS
async def test_a_half_closed_peer_is_answered_to_the_end(autojump_clock: MockClock, reactor: type) -> None:
    async with serving(reactor=reactor) as running:
        client = await running.connect()
        await client.send("login ann", "get gamelist", "get playerlist")
        await client.send_bytes(b"help login")
        await client.half_close()
        said = await client.rest()
        assert [line.split()[0] for line in said[2:]] == ["OK", "OK", "SVR", "OK", "SVR", "OK", *["SVR"] * 6]
        (other,) = await running.enter("ann")


async def test_fast_commands_are_slowed_down_and_all_answered(autojump_clock: MockClock) -> None:
    async with serving(limits=Limits(commands_per_s=10)) as running:
        (ann,) = await running.enter("ann")
        began = trio.current_time()
        await ann.send(*["get gamelist"] * 119)
        await ann.lines(238)
        assert 9.5 <= trio.current_time() - began < 11


async def test_how_many_lines_were_discarded_is_in_the_log(autojump_clock: MockClock) -> None:
    with capture_logs() as logs:
        async with serving(protocol=CONNECT_FOUR) as running:
            client = await running.connect()
            await client.stream.send_all(b'junk\n\n[]\n{"action":"disconnect"}\n')
            assert await client.rest() == []
    assert [entry.get("discarded") for entry in logs if entry["event"] == "connection ends"] == [3]


async def test_a_name_is_free_at_once_when_its_connection_is_dead(autojump_clock: MockClock) -> None:
    async with serving() as running:
        (ann,) = await running.enter("ann")
        again = await running.connect()
        await again.send("login ann")
        assert (await again.lines(3))[2] == "ERR Duplicate name exists"
        ann.stream.socket.close()
        await again.send("login ann")
        assert await again.line() == "OK"


async def test_connection_that_waits_for_its_turn_when_that_of_its_backlog_comes_is_read_again(
    autojump_clock: MockClock,
) -> None:
    async with serving(reactor=EpollReactor) as running:
        (ann,) = await running.enter("ann")
        (connection,), reactor = running.server._connections.values(), running.server._reactor
        adapter: Any = connection.adapter
        reactor._put_off(connection.sock.fileno(), connection)
        adapter.pending_bytes = 1  # as by a tick, such as a ping that is due
        connection.resume()
        (turn,) = reactor._backlogs.values()
        turn.fire()
        adapter.pending_bytes = 0
        await trio.sleep(1)
        await ann.send("get gamelist")
        with trio.fail_after(10):
            await ann.until("GAMELIST")


class FailsOnce(type(STRATEGIC)):  # type: ignore[misc]
    """A protocol that cannot make its first adapter."""

    fails = True

    def adapter(self, *given: Any) -> Adapter:
        if self.fails:
            self.fails = False
            raise ZeroDivisionError
        return super().adapter(*given)


async def test_a_protocol_that_cannot_make_an_adapter_loses_that_connection(autojump_clock: MockClock) -> None:
    async with serving(protocol=FailsOnce()) as running:
        assert await (await running.connect()).rest() == []
        await running.enter("ann")


@DRIVERS
async def test_input_is_left_unread_while_lines_that_came_before_wait_for_their_turn(
    autojump_clock: MockClock, reactor: type
) -> None:
    """Reading it would put the stamp of what was read last on the lines before, such as a move that came in time."""
    async with serving(reactor=reactor) as running:
        await running.enter("ann")
        (connection,) = running.server._connections.values()
        adapter: Any = connection.adapter
        adapter.pending_bytes = 1
        connection._update_interest()  # as by an answer of which the kernel took a part
        connection.resume()
        assert connection.interest == (False, False)


def test_a_rate_permits_a_burst_and_then_its_pace() -> None:
    rate = TokenBucket(10, now_s=0)
    for _ in range(20):
        assert rate.wait_s(0) == 0
        rate.spend()
    assert rate.wait_s(0) == pytest.approx(0.1)
    assert rate.wait_s(0.05) == pytest.approx(0.05)
    assert rate.wait_s(0.1) == 0
    assert rate.wait_s(100) == 0
