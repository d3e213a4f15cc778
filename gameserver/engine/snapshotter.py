"""Takes snapshots of the lobby for the next start: begun after many rows, written slice by slice.

    many rows since the last one --> written, in slices between batches --> kept --> old rows forgotten, some at a time

No player waits for longer than a slice, or than the write of the finished snapshot to the disk. The next start replays
the rows that are journaled meanwhile. The journal's checkpoints are made between two slices, too.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from time import perf_counter

import structlog
from attrs import define, field

from gameserver.core.lobby import Lobby
from gameserver.flow_control.shares import SHARES
from gameserver.journal.journal import Journal, JournalError, Snapshot
from gameserver.journal.snapshot import begin_snapshot, write_snapshot

SNAPSHOT_ROWS = 10_000
"""Rows after which a snapshot is begun, and so about the rows that a start has to replay: half a second's work."""
SLICE_S = SHARES["snapshots"].slice_s
FORGOTTEN_ROWS = 500
"""Old rows that are deleted at once."""

log = structlog.get_logger()


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
        """True if there is a snapshot to begin, work to continue, or a checkpoint of the journal to make."""
        is_saving = self.rows >= SNAPSHOT_ROWS or self._written is not None or bool(self._forgotten)
        return is_saving or self._journal.checkpoint_is_due

    async def go_on(self, lobby: Lobby, seq: int, now_ms: Callable[[], int]) -> None:
        """Do the next slice; to be called between batches, when the journal has all that the lobby has.

        `seq` is the number of the last row.
        """
        if self._written is not None:
            await self._write_on(self._written)
        elif self._forgotten:
            await self._forget(self._forgotten.popleft())
        elif self.rows >= SNAPSHOT_ROWS:
            self.rows = 0
            self._written = begin_snapshot(lobby, seq, now_ms())
        else:
            await self._off_the_loop(self._journal.checkpoint)

    async def save(self, lobby: Lobby, seq: int, now_ms: int) -> None:
        """Save the lobby as it stands, at once, if it is not saved already."""
        if self.rows == 0 and self._written is None:
            return
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
