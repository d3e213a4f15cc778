"""The way of a commit: on the event loop while the disk is quick, in the thread while it is slow or fails."""

import threading
from collections.abc import Sequence

import pytest

from gameserver.engine.clock import STALL_MS, ServerClock
from gameserver.engine.committer import QUICK_COMMITS, Committer
from gameserver.journal.journal import JournalError, JournalRow
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.tournament_record import Record
from tests.support.serving import NO_PAUSE, serving

LOOP, THREAD = "loop", "thread"


class Disk(MemoryJournal):
    """A journal as on a local disk, which notes the thread that commits."""

    blocks = True
    is_local = True

    def __init__(self) -> None:
        super().__init__()
        self.fails = 0
        self.ways: list[str] = []
        self._loop = threading.current_thread()

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        self.ways.append(LOOP if threading.current_thread() is self._loop else THREAD)
        if self.fails:
            self.fails -= 1
            raise JournalError("database or disk is full")
        super().append(rows, records)


@pytest.fixture
def commit_clock() -> list[float]:
    """The clock that measures commits, which stands until a test moves it."""
    return [0.0]


class Metered(Disk):
    """Takes its time on the clock of the test."""

    def __init__(self, clock: list[float]) -> None:
        super().__init__()
        self._clock = clock
        self.took_s = 0.0

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        self._clock[0] += self.took_s
        super().append(rows, records)


def row(number: int) -> JournalRow:
    return JournalRow(number, 0, 0, 0, "play", 1, b"{}")


async def commits(one: Committer, journal: Disk, count: int) -> list[str]:
    """Make so many commits; the threads that made them."""
    journal.ways.clear()
    for _ in range(count):
        rows = [row(journal.last() + 1)]
        if not one.commit_at_once(rows, ()):
            await one.commit(rows, ())
    return journal.ways


async def test_a_commit_that_fails_on_the_loop_is_made_in_the_thread(commit_clock: list[float]) -> None:
    journal = Metered(commit_clock)
    one = Committer(journal, work_s=lambda: commit_clock[0])
    await commits(one, journal, QUICK_COMMITS)
    journal.fails = 1
    assert await commits(one, journal, 2) == [LOOP, THREAD, THREAD]
    assert journal.last() == QUICK_COMMITS + 2


async def test_a_journal_over_a_network_never_holds_the_loop(commit_clock: list[float]) -> None:
    journal = Metered(commit_clock)
    journal.is_local = False  # type: ignore[misc] - of this one
    one = Committer(journal, work_s=lambda: commit_clock[0])
    assert await commits(one, journal, 2 * QUICK_COMMITS) == [THREAD] * 2 * QUICK_COMMITS


async def test_nobody_is_charged_for_a_snapshot_that_everybody_waits_for() -> None:
    seconds = [0.0]
    clock = ServerClock(lambda: seconds[0])
    await Committer(MemoryJournal(), clock.held).carry_out(lambda: seconds.append(seconds.pop() + 60.0))
    assert clock.now_ms() <= STALL_MS


async def test_checkpoint_is_made_in_the_thread_under_play() -> None:
    threads: list[str] = []

    class Filling(Disk):
        """Has a checkpoint to make after every ten commits."""

        @property
        def checkpoint_is_due(self) -> bool:
            return len(self.ways) >= 10

        def checkpoint(self) -> None:
            threads.append(LOOP if threading.current_thread() is self._loop else THREAD)
            self.ways.clear()

    journal = Filling()
    async with serving(journal=journal, rules=NO_PAUSE) as running:
        (ann,) = await running.enter("ann")
        for _ in range(15):
            await ann.send("subscribe Reversi", "unsubscribe")
            assert await ann.lines(2) == ["OK", "OK"]
    assert threads == [THREAD] * 3
