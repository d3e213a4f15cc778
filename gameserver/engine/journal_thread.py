"""The thread that works on the journal: a single one, which lives as long as the sequencer.

Rejected: `trio.to_thread.run_sync`, which was used before. It serves any task with any thread: for each piece of work
it copies the context, names the thread and asks a limiter. That took 90 us of processor time around a commit, more than
SQLite takes for one move. A queue to a thread that exists already takes 40 us.
"""

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Protocol
from weakref import finalize

import trio
from attrs import define, field

_Work = Callable[[], None]


class JournalWorker(Protocol):
    """Carries out work on the journal, one piece after the other, while the event loop goes on."""

    async def carry_out(self, work: _Work, /) -> None:
        """Wait until this is done, and raise what it raises. Work that has begun cannot be cancelled."""


@define(eq=False)
class _Job:
    work: _Work
    done: Callable[[], None]
    error: BaseException | None = None


@define(eq=False)
class JournalThread:
    """Carries out one piece of work after the other, off the event loop."""

    _jobs: SimpleQueue[_Job | None] = field(factory=SimpleQueue, init=False)
    _thread: Thread | None = field(default=None, init=False)

    async def carry_out(self, work: _Work) -> None:
        """Wait until this is done, and raise what it raises. Work that has begun cannot be cancelled."""
        await trio.lowlevel.checkpoint_if_cancelled()
        if self._thread is None:
            self._start()
        task, token = trio.lowlevel.current_task(), trio.lowlevel.current_trio_token()
        job = _Job(work, lambda: token.run_sync_soon(trio.lowlevel.reschedule, task))
        self._jobs.put(job)
        await trio.lowlevel.wait_task_rescheduled(lambda _: trio.lowlevel.Abort.FAILED)
        if job.error is not None:
            raise job.error

    def _start(self) -> None:
        """Start the thread. It knows the queue and not the writer, so it ends when the writer is forgotten."""
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
