"""Whole matches over sockets, in virtual time: turns, time-outs, pauses, the house, restarts."""

import pytest
import trio
from trio.testing import MockClock

from gameserver.transport.epoll_reactor import EpollReactor
from gameserver.transport.task_reactor import TaskReactor
from tests.support.serving import NO_PAUSE, serving


async def test_idle_time_is_free(autojump_clock: MockClock) -> None:
    """With nobody playing nothing wakes up: a year passes without a single heartbeat."""
    async with serving(rules=NO_PAUSE) as running:
        await running.enter("ann")
        wakes = trio.lowlevel.current_statistics().seconds_to_next_deadline
        assert wakes > 60


@pytest.mark.parametrize("reactor", [EpollReactor, TaskReactor])
async def test_a_late_player_loses_when_the_time_is_up(autojump_clock: MockClock, reactor: type) -> None:
    async with serving(reactor=reactor) as running:
        first, second = await running.match()
        began = trio.current_time()
        assert await first.line() == (
            'SVR GAME LOSS {PLAYERONESCORE: "0", PLAYERTWOSCORE: "0", COMMENT: "Turn timelimit reached"}'
        )
        assert "WIN" in await second.line()
        assert 10.24 <= trio.current_time() - began < 10.5
