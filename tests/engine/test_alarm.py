"""The alarm: never early, patient with what is in the works, and not for ever."""

import os
from collections.abc import Sequence

import pytest
import trio
from attrs import define, evolve, field
from trio.testing import MockClock

from gameserver.core.events import Accepted
from gameserver.core.lobby import Timed
from gameserver.engine.clock import PATIENCE_MS, Alarm
from gameserver.journal.journal import JournalError, JournalRow
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.match_record import MatchRecord
from gameserver.time_control import TimeControl
from gameserver.transport.epoll_reactor import EpollReactor
from gameserver.transport.reactors import TaskReactor
from tests.support.serving import NO_PAUSE, serving

ONE, TWO = ("matches", 1), ("rooms", 1)


@define
class Axis:
    """A clock that follows the test's."""

    start_s: float
    watched: bool = False

    def now_ms(self) -> int:
        return round((trio.current_time() - self.start_s) * 1000)


@define
class Matches:
    """Matches and rooms, and when they are due, and what the alarm did."""

    due: dict[Timed, int] = field(factory=dict)
    busy: set[Timed] = field(factory=set)
    done: list[tuple[str, object, float]] = field(factory=list)

    def due_ms(self, timed: Timed) -> int | None:
        return self.due.get(timed)

    def is_quiet(self, timed: Timed) -> bool:
        return timed not in self.busy

    def read_pass(self, late: Sequence[tuple[int, Timed]]) -> None:
        self.done.append(("read", list(late), round(trio.current_time(), 3)))

    def time_up(self, timed: Timed, *, is_final: bool) -> None:
        self.due.pop(timed, None)
        self.done.append(("at last" if is_final else "up", timed, round(trio.current_time(), 3)))


@pytest.fixture
async def matches(autojump_clock: MockClock, nursery: trio.Nursery) -> tuple[Matches, Alarm]:
    matches = Matches()
    alarm = Alarm(Axis(trio.current_time()), matches)
    nursery.start_soon(alarm.run)
    return matches, alarm


async def test_an_earlier_time_counts(autojump_clock: MockClock, matches: tuple[Matches, Alarm]) -> None:
    watched, alarm = matches
    alarm.watch(ONE, 60_000)
    watched.due[ONE] = 2_000
    alarm.watch(ONE, 2_000)
    await trio.sleep(2.1)
    assert ("up", ONE) in [what[:2] for what in watched.done]


async def test_it_waits_for_what_is_in_the_works_but_not_for_ever(
    autojump_clock: MockClock, matches: tuple[Matches, Alarm]
) -> None:
    watched, alarm = matches
    watched.due = {ONE: 1_000, TWO: 1_000}
    watched.busy = {ONE, TWO}
    for timed in watched.due:
        alarm.watch(timed, 1_000)
    await trio.sleep(1.5)
    watched.busy = {TWO}
    await trio.sleep(0.1)
    assert [what[1] for what in watched.done if what[0] == "up"] == [ONE]
    await trio.sleep(PATIENCE_MS / 1000)
    assert [what[:2] for what in watched.done if what[0] != "read"] == [("up", ONE), ("at last", TWO)]


async def test_with_nothing_due_it_sleeps(autojump_clock: MockClock, matches: tuple[Matches, Alarm]) -> None:
    await trio.testing.wait_all_tasks_blocked()
    assert trio.lowlevel.current_statistics().seconds_to_next_deadline == float("inf")


async def test_the_time_of_one_is_not_that_of_another(autojump_clock: MockClock) -> None:
    """Stamp what others send during a late turn by its own time, as their turns may be younger than that."""
    async with serving() as running:
        first, second = await running.match()
        await trio.sleep(5)
        now_ms = running.server.now_ms()
        for client in (first, second):
            os.write(client.stream.socket.fileno(), b"get playerlist\n")
        running.server.read_pass([(now_ms - 400, ("matches", 1))])
        stamps = sorted(connection.stamp_ms for connection in running.server._connections.values())
        assert stamps == [now_ms - 400, now_ms]


class SlowJournal(MemoryJournal):
    """Takes its time over every commit once it is told to: the first three tries of each fail.

    The first is made in the event loop and the second right after it, so that there are two pauses.
    """

    is_slow = False
    tries = 0

    def append(self, rows: Sequence[JournalRow], records: Sequence[MatchRecord] = ()) -> None:
        self.tries += 1
        if self.is_slow and self.tries % 4:
            raise JournalError("database is locked")
        super().append(rows, records)


@pytest.mark.parametrize("reactor", [EpollReactor, TaskReactor])
async def test_a_move_behind_a_backlog_counts_as_of_its_arrival(autojump_clock: MockClock, reactor: type) -> None:
    """While other commands of its player wait for slow commits, it is not read."""
    journal = SlowJournal()
    async with serving(journal=journal, rules=evolve(NO_PAUSE, clock=TimeControl(1_000)), reactor=reactor) as running:
        first, second = await running.match()
        await trio.sleep(0.025)  # or the alarm would look at the very moments at which commits end
        journal.is_slow = True
        began_ms = running.server.now_ms()
        await first.send(*["unsubscribe"] * 20)
        await trio.sleep(1)
        await first.send("move 4")
        assert running.server.now_ms() - began_ms < 1_000
        assert 'MOVE: "4"' in await second.line()
        assert running.server.now_ms() - began_ms > 1_250


async def test_move_behind_a_backlog_after_the_first_look_is_late(autojump_clock: MockClock) -> None:
    async with serving() as running:
        first, _ = await running.match()
        name = first.stream.socket.getsockname()
        late = next(one for one in running.server._connections.values() if one.sock.getpeername() == name)
        late.in_flight = True  # as while a commit runs
        os.write(first.stream.socket.fileno(), b"unsubscribe\n")
        running.server.read_pass([])
        os.write(first.stream.socket.fileno(), b"move 4\n")
        for _ in range(2):
            running.server.read_pass([(1_250, ONE)])
            os.write(first.stream.socket.fileno(), b"move 5\n")
        late.deliver(Accepted(), ())
        late.on_readable(running.server.now_ms())  # and the first command is taken
        assert (late.stamp_ms, late.adapter.pending_bytes) == (1_250, len("move 4"))


async def test_move_that_came_in_time_is_not_late_because_it_is_read_before_the_alarm_looks(
    autojump_clock: MockClock,
) -> None:
    async with serving(reactor=EpollReactor) as running:
        first, _ = await running.match()
        server, name = running.server, first.stream.socket.getsockname()
        late = next(one for one in server._connections.values() if one.sock.getpeername() == name)
        due_ms = server.due_ms(ONE)
        assert due_ms is not None
        await trio.sleep((due_ms - server.now_ms() - 30) / 1000)
        os.write(first.stream.socket.fileno(), b"move 4\n")
        autojump_clock.jump(0.08)  # as while a commit holds up all input
        server._reactor.read_ready()
        assert late.stamp_ms == due_ms
