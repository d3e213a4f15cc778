"""Whole matches over sockets, in virtual time: turns, time-outs, pauses, the house, restarts."""

import trio
from trio.testing import MockClock

from gameserver.journal.memory import MemoryJournal
from tests.support.serving import serving


async def test_the_house_plays_to_the_end(autojump_clock: MockClock) -> None:
    async with serving() as running:
        (ann,) = await running.enter("ann")
        for opponent in ("house-random", "house-perfect"):
            await ann.send(f'challenge "{opponent}" "Tic-tac-toe" 1')
            assert await ann.line() == "OK"
            assert opponent in await ann.line()
            assert (await ann.until("LOSS"))[-1].endswith('COMMENT: "Turn timelimit reached"}')


async def test_a_seat_that_stays_empty_after_a_restart_voids_the_match(autojump_clock: MockClock) -> None:
    journal = MemoryJournal()
    async with serving(journal=journal) as running:
        first, _ = await running.match()
        await first.send("move 4")
        await first.lines(2)
    async with serving(journal=journal) as running:
        began = trio.current_time()
        (waiting,) = await running.enter(first.name)
        assert (await waiting.until("DRAW"))[-1].endswith('COMMENT: "Match void"}')
        assert 59.9 <= trio.current_time() - began < 60.2
