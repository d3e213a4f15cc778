"""All work on the journal: commits, the thread that makes them while the disk is slow, and snapshots.

A lone move's commit takes SQLite and a quick disk about 0.1 ms. Handing it to a thread, and waking a task when it is
done, takes the processor as long again. So a journal on a local disk is written to on the event loop while each of the
last `QUICK_COMMITS` took less than `QUICK_S`. The price: a disk that falls behind holds the loop for one commit. The
thread makes the next ones, until as many in a row were quick again.

A commit that fails is tried again, in the thread, while input waits; players see a pause, and the server's clock
stands. If it does not succeed within `retry_s`, the server stops with one line: going on in memory would promise what
the next start cannot keep.

A journal that other servers can reach has to be asked again and again whether this server still leads (`confirm`). That
and all commits go the same way, in the thread.

The thread is a single one, which lives as long as the sequencer. Rejected: `trio.to_thread.run_sync`, which was used
before. It serves any task with any thread: for each piece of work it copies the context, names the thread and asks a
limiter. That took 90 us of processor time around a commit, more than SQLite takes for one move. A queue to a thread
that exists already takes 40 us.

Snapshots of the lobby are for the next start: begun after many rows, written slice by slice.

    many rows since the last one --> written, in slices between batches --> kept --> old rows forgotten, some at a time

No player waits for longer than a slice, or than the write of the finished snapshot to the disk. The next start replays
the rows that are journaled meanwhile. The journal's checkpoints are made between two slices, too.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from math import inf
from queue import SimpleQueue
from threading import Thread
from time import perf_counter
from typing import Protocol, TypeVar
from weakref import finalize

import structlog
import trio
from attrs import define, field

from gameserver.core.lobby import Lobby
from gameserver.flow_control.fair_scheduler import SHARES
from gameserver.journal.journal import Journal, JournalError, JournalRow, Snapshot
from gameserver.journal.snapshot import begin_snapshot, write_snapshot
from gameserver.records.match_record import RatingRecord
from gameserver.records.tournament_record import Record

# Ten times what a quick disk takes for the commit of a lone move (0.1 ms): a step of the loop may take as long.
QUICK_S = 0.001

# Judgement: a disk that is quick now and then is slow.
QUICK_COMMITS = 20

_RETRY_PAUSE_S = 0.1

# At 55 us a row, measured.
SNAPSHOT_ROWS = 10_000
"""Rows after which a snapshot is begun, and so about the rows that a start has to replay: half a second's work."""

SLICE_S = SHARES["snapshots"].slice_s

FORGOTTEN_ROWS = 500
"""Old rows that are deleted at once."""

log = structlog.get_logger()

T = TypeVar("T")

_Work = Callable[[], None]


class JournalWorker(Protocol):
    """Carries out work on the journal, one piece after the other, while the event loop goes on."""

    async def carry_out(self, work: _Work, /) -> None:
        """Waits until a piece of work on the journal is done, and raises what it raises.

        Work that has begun cannot be cancelled.
        """


@define(eq=False)
class _Job:
    work: _Work
    done: Callable[[], None]
    error: BaseException | None = None


@define(eq=False)
class JournalThread:
    """Carries out one piece of work on the journal after the other, in a thread of its own."""

    _jobs: SimpleQueue[_Job | None] = field(factory=SimpleQueue, init=False)
    _thread: Thread | None = field(default=None, init=False)

    async def carry_out(self, work: _Work) -> None:
        """Waits until the journal's thread has done a piece of work, and raises what it raises.

        Work that has begun cannot be cancelled.
        """
        await trio.lowlevel.checkpoint_if_cancelled()
        if self._thread is None:
            self._start()
        task, token = trio.lowlevel.current_task(), trio.lowlevel.current_trio_token()
        job = _Job(work, lambda: token.run_sync_soon(trio.lowlevel.reschedule, task))
        self._jobs.put(job)
        # A commit cannot be called back, and until it is known the lobby is ahead of the journal: cancelling has to
        # wait.
        await trio.lowlevel.wait_task_rescheduled(lambda _: trio.lowlevel.Abort.FAILED)
        if job.error is not None:
            raise job.error

    def _start(self) -> None:
        """Start the thread. It knows the queue and not the writer, so it ends when the writer is forgotten."""
        # A daemon: a disk that hangs must not keep the process from ending.
        self._thread = Thread(target=_serve, args=(self._jobs,), name="journal", daemon=True)
        self._thread.start()
        finalize(self, self._jobs.put, None)


def _serve(jobs: SimpleQueue[_Job | None]) -> None:
    for job in iter(jobs.get, None):
        try:
            job.work()
        except BaseException as error:  # noqa: BLE001 - it is raised in the task that asked for the work
            job.error = error
        job.done()


class JournalStopped(Exception):
    """Raised where the journal took no batch for too long; the server has to stop."""


@define(eq=False)
class Committer:
    """Works on the journal for the sequencer, which sees to it that it does one thing at a time."""

    _journal: Journal
    _held: Callable[[], AbstractContextManager[None]] = nullcontext
    """Entered while a thread works and everybody waits for it."""
    _retry_s: float = 30.0
    _committed: Callable[[float], None] = lambda _: None
    """Called after each commit, with the seconds that everybody waited for it."""
    _work_s: Callable[[], float] = perf_counter
    _worker: JournalWorker = field(factory=JournalThread)
    _quick: int = field(default=0, init=False)
    """The latest commits that were quick, without a slow one between them."""
    _heard_s: float = field(default=-inf, init=False)
    """The beginning of the last commit or `confirm` in the thread that succeeded, on trio's clock."""
    _confirm_due_s: float = field(default=-inf, init=False)
    _never_waits: bool = field(init=False)
    """True for a journal in memory that is ours alone."""

    def __attrs_post_init__(self) -> None:
        self._never_waits = not self._journal.blocks and self._journal.confirm_every_s == inf

    @property
    def confirm_wait_s(self) -> float:
        """Seconds until the committer has to `confirm` that this server leads; infinite for a journal of one server."""
        if self._journal.confirm_every_s == inf:
            return inf
        return max(0.0, self._confirm_due_s - trio.current_time()) if self._journal.is_certain else 0.0

    def commit_at_once(self, rows: Sequence[JournalRow], records: Sequence[Record]) -> bool:
        """Commits a batch's rows on the event loop; False if `commit` has to: a slow disk, or a journal that failed."""
        journal = self._journal
        # A journal over the network is never written to on the loop: its round trip would hold up every player.
        if not (self._never_waits or (journal.is_local and self._quick >= QUICK_COMMITS)):
            return False
        began_s = self._work_s()
        try:
            journal.append_at_once(rows, records)
        except JournalError:
            self._quick = 0
            return False
        took_s = self._work_s() - began_s
        self._quick = self._quick + 1 if took_s < QUICK_S else 0
        self._committed(took_s)
        return True

    async def commit(self, rows: Sequence[JournalRow], records: Sequence[Record]) -> None:
        """Commits a batch's rows off the event loop, and tries again while that fails. Raises `JournalStopped`."""
        began_s = self._work_s()
        await self._until_it_succeeds(lambda: self._append(rows, records))
        self._committed(self._work_s() - began_s)

    async def confirm(self) -> Sequence[RatingRecord]:
        """Makes the journal confirm that this server leads; gives the ratings that others have changed.

        Raises `JournalStopped`.
        """
        changed: list[RatingRecord] = []

        def confirm() -> None:
            self._journal.confirm()
            changed.extend(self._journal.changed_ratings())
            if not self._journal.is_certain:
                raise JournalError("its answers came too late: another server may lead by now")

        await self._until_it_succeeds(confirm)
        self._confirm_due_s = self._heard_s + self._journal.confirm_every_s
        return changed

    async def asked(self, question: Callable[[], T]) -> T:
        """Asks the journal a question, again and again while that fails; gives its answer. Raises `JournalStopped`."""
        answers: list[T] = []
        await self._until_it_succeeds(lambda: answers.append(question()))
        return answers[-1]

    async def _until_it_succeeds(self, work: Callable[[], None]) -> None:
        with self._held():
            error = await self._attempt(work)
            if isinstance(error, JournalError):
                log.warning("the journal cannot be written; players wait until it can", why=str(error))
                error = await self._attempt_again(work, error)
                if error is None:
                    log.info("the journal can be written again")
        if isinstance(error, JournalError):
            raise JournalStopped(f"the journal has failed for {self._retry_s:g} s: {error}") from error
        if error is not None:
            raise error

    async def _attempt_again(self, work: Callable[[], None], error: Exception) -> Exception | None:
        """Try until it succeeds, or has failed for too long; gives the last error.

        The time is counted in beats of the event loop. One is late if the process was stopped or its computer slept:
        that is no time in which the journal has failed, as nobody has tried.
        """
        beats = 0

        async def count_beats() -> None:
            nonlocal beats
            while True:
                await trio.sleep(_RETRY_PAUSE_S)
                beats += 1

        last: Exception | None = error
        async with trio.open_nursery() as nursery:
            nursery.start_soon(count_beats)
            is_last = False
            while isinstance(last, JournalError) and not is_last:
                await trio.sleep(_RETRY_PAUSE_S)
                # An attempt that began in time may end late, and be the first after the process had stood still.
                is_last = beats * _RETRY_PAUSE_S > self._retry_s
                last = await self._attempt(work)
            nursery.cancel_scope.cancel()
        return last

    async def _attempt(self, work: Callable[[], None]) -> Exception | None:
        """Do work on the journal; gives what it raised, which in a nursery would be raised in a group."""
        began_s = trio.current_time()
        try:
            await self._off_the_loop(work)
        except Exception as error:  # noqa: BLE001 - raised by the caller
            return error
        # From the beginning: the word is as old as the question.
        self._heard_s = began_s
        return None

    async def carry_out(self, work: Callable[[], None]) -> None:
        """Does other work on the journal than commits off the event loop, while players wait."""
        with self._held():
            await self._off_the_loop(work)

    def _append(self, rows: Sequence[JournalRow], records: Sequence[Record]) -> None:
        began_s = self._work_s()
        self._journal.append(rows, records)
        self._quick = self._quick + 1 if self._work_s() - began_s < QUICK_S else 0

    async def _off_the_loop(self, work: Callable[[], None]) -> None:
        """Run journal work in its thread if it may block. A journal in memory does not: virtual time stays exact."""
        if self._journal.blocks:
            await self._worker.carry_out(work)
        else:
            work()


@define(eq=False)
class Snapshotter:
    """Takes the snapshots of a running server. `off_the_loop` carries out work that waits for the disk."""

    _journal: Journal
    _off_the_loop: Callable[[Callable[[], None]], Awaitable[None]]
    _work_s: Callable[[], float] = perf_counter
    rows: int = 0
    """Rows that were journaled since the last snapshot was begun."""
    _written: Iterator[Snapshot | None] | None = field(default=None, init=False)
    """The snapshot that is being written."""
    _forgotten: deque[int] = field(factory=deque, init=False)
    """The numbers below which rows are to be forgotten, step by step."""

    @property
    def is_due(self) -> bool:
        """True if there is a snapshot to begin, one to write on, or a checkpoint of the journal to make."""
        is_saving = self.rows >= SNAPSHOT_ROWS or self._written is not None or bool(self._forgotten)
        return is_saving or self._journal.checkpoint_is_due

    async def go_on(self, lobby: Lobby, seq: int, now_ms: Callable[[], int]) -> None:
        """Writes the next slice of a snapshot; called between batches, when the journal has all that the lobby has.

        `seq` is the number of the last row.
        """
        if self._written is not None:
            await self._write_on(self._written)
        elif self._forgotten:
            await self._forget(self._forgotten.popleft())
        elif self.rows >= SNAPSHOT_ROWS:
            self.rows = 0
            # Rows are frozen: what is written slice by slice is the lobby of this moment.
            self._written = begin_snapshot(lobby, seq, now_ms())
        else:
            await self._off_the_loop(self._journal.checkpoint)

    async def save(self, lobby: Lobby, seq: int, now_ms: int) -> None:
        """Saves a snapshot of the lobby as it stands, at once, if it is not saved already."""
        if self.rows == 0 and self._written is None:
            return
        # A snapshot that is half written is of an older lobby: this one replaces it.
        self.rows, self._written = 0, None
        await self._keep(write_snapshot(lobby, seq, now_ms))
        if self._forgotten:
            await self._forget(self._forgotten.pop())

    async def _write_on(self, written: Iterator[Snapshot | None]) -> None:
        end_s = self._work_s() + SLICE_S
        for snapshot in written:
            if snapshot is not None:
                self._written = None
                await self._keep(snapshot)
            elif self._work_s() > end_s:
                return

    async def _keep(self, snapshot: Snapshot) -> None:
        """Save a snapshot. Rows before the previous one can be deleted: the records keep their outcome."""
        before: Snapshot | None = None

        def keep() -> None:
            nonlocal before
            before = self._journal.load_snapshot()
            self._journal.save_snapshot(snapshot)

        try:
            await self._off_the_loop(keep)
        except JournalError as error:
            log.warning("no snapshot was saved, the next start takes longer", why=str(error))
            self.rows += 1  # so that a stop tries again, even if nothing more is journaled
            return
        if before is not None:
            end = before.seq + 1
            self._forgotten = deque((*range(max(0, end - SNAPSHOT_ROWS), end, FORGOTTEN_ROWS), end))

    async def _forget(self, before: int) -> None:
        try:
            await self._off_the_loop(lambda: self._journal.trim(before))
        except JournalError as error:
            log.warning("old rows were not forgotten, the file stays larger until they are", why=str(error))
