"""Commits, on the event loop or in the journal's thread: nothing undecided is told, nothing told is lost."""

import threading
from collections.abc import Callable, Sequence
from typing import Never

import pytest
import trio
from trio.testing import MockClock

from gameserver.engine.clock import STALL_MS, ServerClock
from gameserver.engine.committer import QUICK_COMMITS, Committer, JournalStopped, JournalThread
from gameserver.journal.journal import JournalBroken, JournalError, JournalRow, Snapshot
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.match_record import MatchRecord
from gameserver.records.tournament_record import Record
from tests.support.serving import GAMES, NO_PAUSE, serving

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


class FailingJournal(MemoryJournal):
    """Fails for as long as it is told to. What a start asks of it fails some times."""

    questions_fail = 0

    def __init__(self) -> None:
        super().__init__()
        self.failing = False
        self.tries = 0

    def last_match(self) -> int:
        self.questions_fail -= 1
        if self.questions_fail >= 0:
            raise JournalError("the session has ended")
        return super().last_match()

    def append(self, rows: Sequence[JournalRow], records: Sequence[MatchRecord] = ()) -> None:
        if self.failing:
            self.tries += 1
            raise JournalError("database or disk is full")
        super().append(rows, records)


async def test_a_start_asks_again(autojump_clock: MockClock) -> None:
    """A take-over happens just when databases and networks fail."""
    journal = FailingJournal()
    journal.questions_fail = 3
    async with serving(journal=journal) as running:
        await running.match()
    assert journal.questions_fail < 0


async def test_a_journal_that_stays_broken_stops_the_server(autojump_clock: MockClock) -> None:
    journal = FailingJournal()
    stopped = []
    try:
        async with serving(journal=journal, commit_retry_s=10.0) as running:
            first, _ = await running.match()
            journal.failing = True
            began = trio.current_time()
            await first.send("move 4")
            said = await first.rest()
            assert 10 <= trio.current_time() - began < 12
            assert len(said) == 1
            assert said[0].startswith("ERR The server is stopping")
    except* JournalStopped as group:
        stopped = list(group.exceptions)
    assert stopped
    told = replay(journal, GAMES).lobby.matches[1]
    assert told.moves == ()


async def test_an_attempt_that_took_too_long_is_not_the_last(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole server was stopped in the middle of a commit, and its session is over when it goes on."""
    journal = FailingJournal()
    carry_out = Committer._off_the_loop
    attempts = []

    async def stopped_once(committer: Committer, work: Callable[[], None]) -> None:
        attempts.append(trio.current_time())
        if len(attempts) == 1:
            await trio.sleep(40)
            raise JournalError("the session is over")
        await carry_out(committer, work)

    async with serving(journal=journal, commit_retry_s=30.0) as running:
        first, second = await running.match()
        monkeypatch.setattr(Committer, "_off_the_loop", stopped_once)
        journal.failing = True  # so that the batch is not committed on the loop
        await first.send("move 4")
        await trio.sleep(1)
        journal.failing = False
        assert await first.line() == "OK"
        assert "YOURTURN" in (await second.lines(2))[1]
    assert attempts[:2] == [0.0, pytest.approx(40.1)]


@pytest.mark.parametrize("stands_at_s", [(5.0,), (5.05,), (9.99,), (0.0, 5.05, 8.0)])
async def test_time_in_which_the_process_stood_still_is_no_time_of_failure(
    stands_at_s: tuple[float, ...], autojump_clock: MockClock
) -> None:
    """A SIGSTOP or a computer's sleep, in an attempt or between two: the limit is as far away after it as before."""
    stood_s = 0.0

    async def stand_still() -> None:
        nonlocal stood_s
        for at_s in stands_at_s:
            await trio.sleep_until(at_s + stood_s)
            stood_s += 40
            autojump_clock.jump(40)

    def fail() -> Never:
        raise JournalError("the session is over")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(stand_still)
        with pytest.raises(JournalStopped, match="for 10 s: the session is over"):
            await Committer(FailingJournal(), retry_s=10.0).asked(fail)
    assert stood_s == 40 * len(stands_at_s)
    assert 9.5 <= trio.current_time() - stood_s < 11


async def test_stop_that_a_broken_journal_causes_is_not_put_off(autojump_clock: MockClock) -> None:
    errors = [JournalError("the session is over"), JournalBroken("another server leads")]

    def fail() -> Never:
        raise errors.pop(0)

    with pytest.raises(JournalBroken, match="another server leads"):
        await Committer(FailingJournal()).asked(fail)


async def test_a_snapshot_is_written_while_play_goes_on(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In slices of one row, so that the lobby has changed many times before it is done."""
    monkeypatch.setattr("gameserver.engine.committer.SNAPSHOT_ROWS", 20)
    monkeypatch.setattr("gameserver.engine.committer.FORGOTTEN_ROWS", 3)
    monkeypatch.setattr("gameserver.engine.committer.SLICE_S", -1.0)
    journal = MemoryJournal()
    async with serving(journal=journal) as running:
        players = await running.enter(*(f"player{number}" for number in range(8)))
        saved: list[int] = []
        for round_ in range(64):
            player = players[round_ % 8]
            await player.send("subscribe Reversi" if round_ // 8 % 2 == 0 else "forfeit", "get gamelist")
            await player.until("GAMELIST")
            snapshot = journal.load_snapshot()
            if snapshot is not None and snapshot.seq not in saved:
                saved.append(snapshot.seq)
            copy = MemoryJournal()
            journal._connected().backup(copy._connected())
            assert digest(replay(copy, GAMES).lobby) == digest(running.server._sequencer._lobby)
        assert len(saved) > 1
        assert next(journal.read_from(1)).seq <= saved[-2] + 1, "what came after the last but one is kept"
        assert next(journal.read_from(1)).seq > 1


async def test_a_snapshot_that_fails_is_tried_again_at_the_stop(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gameserver.engine.committer.SNAPSHOT_ROWS", 2)
    journal = MemoryJournal()
    async with serving(journal=journal) as running:
        with monkeypatch.context() as full:

            def fail(_snapshot: Snapshot) -> None:
                raise JournalError("database or disk is full")

            full.setattr(journal, "save_snapshot", fail)
            (ann,) = await running.enter("ann")
            await ann.send("subscribe Reversi")
            await ann.line()
            await trio.sleep(1)
    snapshot = journal.load_snapshot()
    assert snapshot is not None
    assert snapshot.seq == journal.last()


@pytest.mark.parametrize("bug", ["batch._log_result", "sequencer.with_evidence"])
async def test_decisions_that_a_bug_kept_from_the_journal_are_in_no_snapshot(
    bug: str, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Never:
        raise ZeroDivisionError

    journal, rows, failed = MemoryJournal(), 0, False
    try:
        async with serving(journal=journal) as running:
            ann, bob = await running.match()
            rows = journal.last()
            monkeypatch.setattr(f"gameserver.engine.{bug}", fail)
            await ann.send("forfeit")
            assert not any("WIN" in line for line in await bob.rest())
    except* ZeroDivisionError:
        failed = True
    assert failed
    assert journal.last() == rows
    assert list(replay(journal, GAMES).lobby.matches) == [1], "a match that is over is on record"


async def test_exception_of_a_job_is_raised_to_its_caller_and_the_next_job_runs() -> None:
    writer, done = JournalThread(), []

    def fail() -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        await writer.carry_out(fail)
    await writer.carry_out(lambda: done.append(1))
    assert done == [1]


async def test_work_that_has_begun_is_waited_for_though_its_task_is_cancelled() -> None:
    writer, begun, goes_on, done = JournalThread(), trio.Event(), threading.Event(), []
    token = trio.lowlevel.current_trio_token()

    def work() -> None:
        token.run_sync_soon(begun.set)
        goes_on.wait()
        done.append("work")

    async def ask() -> None:
        await writer.carry_out(work)
        done.append("told")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        await begun.wait()
        nursery.cancel_scope.cancel()
        goes_on.set()
    assert done == ["work", "told"]


async def test_nothing_is_begun_for_a_task_that_is_cancelled() -> None:
    writer, done = JournalThread(), []
    with trio.CancelScope() as scope:
        scope.cancel()
        await writer.carry_out(lambda: done.append(1))
    assert scope.cancelled_caught
    assert done == []
