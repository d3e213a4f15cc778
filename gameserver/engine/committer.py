"""Makes commits: on the event loop while the disk is quick, in a thread of their own while it is not.

A lone move's commit takes SQLite and a quick disk about 0.1 ms. Handing it to a thread, and waking a task when it is
done, takes the processor as long again. So a journal on a local disk is written to on the event loop while each of the
last `QUICK_COMMITS` took less than `QUICK_S`. The price: a disk that falls behind holds the loop for one commit. The
thread makes the next ones, until as many in a row were quick again.

A commit that fails is tried again, in the thread, while input waits; players see a pause, and the server's clock
stands. If it does not succeed within `retry_s`, the server stops with one line: going on in memory would promise what
the next start cannot keep.

A journal that other servers can reach has to be asked again and again whether this server still leads (`confirm`). That
and all commits go the same way, in the thread.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from math import inf
from time import perf_counter
from typing import TypeVar

import structlog
import trio
from attrs import define, field

from gameserver.engine.journal_thread import JournalThread, JournalWorker
from gameserver.journal.journal import Journal, JournalError, JournalRow
from gameserver.records.match_record import RatingRecord
from gameserver.records.tournament_record import Record

QUICK_S = 0.001
QUICK_COMMITS = 20
_RETRY_PAUSE_S = 0.1

log = structlog.get_logger()

T = TypeVar("T")


class JournalStopped(Exception):
    """The journal took no batch for too long; the server has to stop."""


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
        """Seconds until `confirm` is due; infinite for a journal of one server."""
        if self._journal.confirm_every_s == inf:
            return inf
        return max(0.0, self._confirm_due_s - trio.current_time()) if self._journal.is_certain else 0.0

    def commit_at_once(self, rows: Sequence[JournalRow], records: Sequence[Record]) -> bool:
        """Commit on the event loop; False if `commit` has to do it: the disk is slow, or the journal failed."""
        journal = self._journal
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
        """Commit off the event loop, and try again while that fails. Raises `JournalStopped`."""
        began_s = self._work_s()
        await self._until_it_succeeds(lambda: self._append(rows, records))
        self._committed(self._work_s() - began_s)

    async def confirm(self) -> Sequence[RatingRecord]:
        """Make sure that this server leads; gives the ratings that others have changed. Raises `JournalStopped`."""
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
        """The journal's answer to a question, which is asked again while that fails. Raises `JournalStopped`."""
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
        self._heard_s = began_s
        return None

    async def carry_out(self, work: Callable[[], None]) -> None:
        """Do other work on the journal off the event loop, while players wait."""
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
