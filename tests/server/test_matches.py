"""Whole matches over sockets, in virtual time: turns, time-outs, pauses, the house, restarts."""

import pytest
import trio
from trio.testing import MockClock

from gameserver.journal.memory import MemoryJournal
from gameserver.policies import Rules
from gameserver.transport.epoll_reactor import EpollReactor
from gameserver.transport.task_reactor import TaskReactor
from tests.support.games import Broken, Countdown, catalogue
from tests.support.serving import NO_PAUSE, serving


async def test_the_house_plays_to_the_end(autojump_clock: MockClock) -> None:
    async with serving() as running:
        (ann,) = await running.enter("ann")
        for opponent in ("house-random", "house-perfect"):
            await ann.send(f'challenge "{opponent}" "Tic-tac-toe" 1')
            assert await ann.line() == "OK"
            assert opponent in await ann.line()
            assert (await ann.until("LOSS"))[-1].endswith('COMMENT: "Turn timelimit reached"}')


async def test_a_drop_is_told_at_once(autojump_clock: MockClock) -> None:
    async with serving() as running:
        first, second = await running.match()
        await first.stream.aclose()
        assert 'COMMENT: "Client disconnected"' in await second.line()


async def test_a_restart_loses_nothing(autojump_clock: MockClock) -> None:
    journal = MemoryJournal()
    async with serving(journal=journal) as running:
        first, second = await running.match()
        for cell, mover, other in ((0, first, second), (3, second, first)):
            await mover.send(f"move {cell}")
            moves = [(await mover.lines(2))[1], *await other.lines(2)]
        await trio.sleep(4)
        await running.stop()
        for client in (first, second):
            assert (await client.rest())[-1].startswith("ERR The server is stopping")
    await trio.sleep(3_600)
    async with serving(journal=journal) as running:
        ann, bob = await running.enter("ann", "bob")
        shown = await ann.lines(3)
        assert shown[0].startswith("SVR GAME MATCH")
        assert [line.split("MOVE: ")[1][:3] for line in shown[1:]] == ['"0"', '"3"']
        assert shown[2] == moves[0]
        assert (await bob.lines(3))[1:] == shown[1:]
        mover = ann if 'PLAYERTOMOVE: "ann"' in shown[0] else bob
        assert "YOURTURN" in await mover.line()
        began = trio.current_time()
        assert "LOSS" in await mover.line()
        assert 6.1 <= trio.current_time() - began < 6.5


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


async def test_a_broken_game_ends_its_match_and_nothing_else(autojump_clock: MockClock) -> None:
    games = catalogue(Broken("play"), Countdown())
    async with serving(games=games) as running:
        first, second = await running.match("Broken-play")
        await first.send("move 2")
        await first.lines(2)
        await second.lines(2)
        await second.send("move 1")
        assert "game made a mistake" in await second.line()
        assert 'COMMENT: "Match void"' in await second.line()
        assert 'COMMENT: "Match void"' in (await first.until("DRAW"))[-1]
        await first.send("subscribe Countdown")
        await second.send("subscribe Countdown")
        await first.until("MATCH")
        await second.until("MATCH")


async def test_idle_time_is_free(autojump_clock: MockClock) -> None:
    """With nobody playing nothing wakes up: a year passes without a single heartbeat."""
    async with serving(rules=NO_PAUSE) as running:
        await running.enter("ann")
        wakes = trio.lowlevel.current_statistics().seconds_to_next_deadline
        assert wakes > 60


async def test_a_challenge_names_its_time(autojump_clock: MockClock) -> None:
    async with serving() as running:
        ann, bob = await running.enter("ann", "bob")
        await ann.send('challenge "bob" "Tic-tac-toe" 100')
        await ann.line()
        assert 'TURNTIME: "100"' in await bob.line()
        await bob.send("challenge accept")
        began = trio.current_time()
        await bob.until("LOSS") if "YOURTURN" in (await bob.lines(3))[2] else await ann.until("LOSS")
        assert 100.24 <= trio.current_time() - began < 100.5


async def test_the_first_move_waits_and_what_follows_keeps_its_order(autojump_clock: MockClock) -> None:
    async with serving(rules=Rules()) as running:
        first, second = await running.match()
        began = trio.current_time()
        await first.send("move 0")
        await second.send("get playerlist")
        assert (await second.until("YOURTURN"))[-2:] == [
            (await first.lines(2))[1],
            'SVR GAME YOURTURN {TURNMESSAGE: ""}',
        ]
        assert 0.09 <= trio.current_time() - began < 0.15


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


async def test_each_turn_has_its_own_time(autojump_clock: MockClock) -> None:
    async with serving() as running:
        mover, other = await running.match()
        for cell in (0, 3, 1, 4):
            await trio.sleep(9.5)
            await mover.send(f"move {cell}")
            await mover.lines(2)
            await other.lines(2)
            mover, other = other, mover
