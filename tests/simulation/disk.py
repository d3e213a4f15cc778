"""The disk of the simulated machine, and the truth that follows from what is on it.

A commit takes time, may fail before or after the rows are kept, and holds up the event loop if it is made there. What
was kept stays when the power fails. `Truth` decides each row again as soon as it is durable: nobody may be told
anything that it does not know.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

import trio
from attrs import define

from gameserver.core.commands import ServerStarted
from gameserver.core.decide import decide
from gameserver.core.draft import Decision
from gameserver.core.lobby import At, Lobby
from gameserver.engine.clock import STALL_MS
from gameserver.game import Game
from gameserver.journal.codec import read_row
from gameserver.journal.journal import JournalError, JournalRow, Snapshot
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest, write_snapshot
from gameserver.journal.sql_journal import MemoryJournal, SqlJournal, last_row
from gameserver.journal.sqlite import SqliteJournal, log_of
from gameserver.records.reader import RecordReader
from gameserver.records.tournament_record import Record
from tests.simulation.violation import Violation
from tests.support.journals import PassedOn, RowsOnly, T

if TYPE_CHECKING:
    from tests.simulation.power import Machine
    from tests.simulation.world import World

SLOW_SHARE, SLOW_FACTOR = 0.02, 50
"""The share of commits that take much longer than usual, and by which factor."""
COMMIT_S_MAX = 6.0
PAUSE_MS_MAX = STALL_MS + 1
"""The most that the axis may advance during one commit, with what rounding adds."""


class Disk:
    """The part of a machine that outlives the process: rows, records, a snapshot."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._chance = world.plan.stream("disk")
        self.kept = MemoryJournal()
        self.history: list[JournalRow] = []
        """Every row there ever was, also those that were trimmed."""
        self.commit_s = world.plan.commit_s()
        """Usual duration of a commit."""
        self.failures: list[bool] = []
        """Failures to come, and whether each keeps the batch all the same."""
        self.at_work: Machine | None = None
        """The machine whose journal thread is at work."""
        self._effort_s = 0.0
        """The duration of the work that its thread does at this moment."""

    def work_s(self) -> float:
        """The clock by which work is measured: virtual time, and the time that the thread took."""
        return trio.current_time() + self._effort_s

    def time_s(self) -> float:
        """Draw the duration of the next commit."""
        if not self.commit_s:
            return 0.0
        factor = SLOW_FACTOR if self._chance.random() < SLOW_SHARE else 1
        return min(COMMIT_S_MAX, self.commit_s * (0.5 + self._chance.random()) * factor)

    def append(self, machine: "Machine", rows: Sequence[JournalRow], records: Sequence[Record]) -> None:
        self._world.before_append(machine, rows)
        machine.meet("before append")
        self.check_power(machine)
        fails = bool(self.failures)
        keeps, before, error = not fails or self.failures.pop(), self.last(), None
        try:
            self._commit(rows, records, fails=fails, keeps=keeps)
        except JournalError as raised:
            error = raised
        last = self.last()
        if last > before or keeps:
            new = [row for row in rows if before < row.seq <= last]
            self.history += new
            self._world.durable(machine, new, records)
        machine.meet("after append")
        self.check_power(machine)
        if error is not None:
            self._world.count("commit failed")
            if not fails:
                self._world.wrong("a disk that works takes every commit", str(error))
            raise error

    def _commit(self, rows: Sequence[JournalRow], records: Sequence[Record], *, fails: bool, keeps: bool) -> None:
        if keeps:
            self.kept.append(rows, records)
        if fails:
            raise JournalError("a bad day")

    def last(self) -> int:
        return self.kept.last()

    def open(self) -> None: ...

    def close(self) -> None: ...

    def end(self) -> None: ...

    def check_power(self, machine: "Machine") -> None:
        """Raise `JournalError` if the process has no power."""
        if not machine.has_power:
            raise JournalError("the process is no more")


@define(eq=False)
class DiskThread:
    """The journal's thread: its work takes virtual time, in which the event loop goes on."""

    _machine: "Machine"

    async def carry_out(self, work: Callable[[], None]) -> None:
        """Wait until this is done. Work that has begun cannot be cancelled."""
        await trio.lowlevel.checkpoint_if_cancelled()
        disk, machine = self._machine.world.disk, self._machine
        axis_ms, disk.at_work = machine.axis_ms, machine
        took_s = disk.time_s()
        before_s = took_s * disk._chance.random()
        with trio.CancelScope(shield=True):
            await trio.sleep(before_s)
            disk._effort_s = took_s
            try:
                work()
            finally:
                disk._effort_s = 0.0
                await trio.sleep(took_s - before_s)
                disk.at_work = None
                if machine.axis_ms - axis_ms > PAUSE_MS_MAX and machine.serves:
                    text = f"{machine.axis_ms - axis_ms} ms of a commit that took {took_s:.1f} s"
                    machine.world.wrong("server time stands while everybody waits for the disk", text)


class JournalOnDisk(PassedOn):
    """The journal as one process has it open."""

    is_local = True
    name = "the disk"

    def __init__(self, machine: "Machine") -> None:
        self._machine = machine
        self._world = machine.world
        self._disk = machine.world.disk
        self._disk.open()

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        self._world.count("committed in the thread")
        self._disk.append(self._machine, rows, records)

    def append_at_once(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        disk, world = self._disk, self._world
        if disk.at_work is self._machine and self._machine.has_power:
            world.wrong("one thread at a time uses the journal", f"rows from {rows[0].seq}")
        world.count("committed on the event loop")
        world.clock.jump(disk.time_s())
        disk.append(self._machine, rows, records)

    def asked(self, question: Callable[[SqlJournal], T]) -> T:
        return question(self._disk.kept)

    def last(self) -> int:
        return self._disk.last()

    def reader(self) -> RecordReader:
        return self._disk.kept.reader()

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self._machine.meet("before snapshot")
        self._disk.check_power(self._machine)
        self._disk.kept.save_snapshot(snapshot)
        self._world.count("snapshot")
        self._world.trace("snapshot", snapshot.seq, snapshot.body)
        self._machine.meet("after snapshot")
        self._disk.check_power(self._machine)

    def trim(self, before: int) -> None:
        self._disk.check_power(self._machine)
        self._disk.kept.trim(before)

    @property
    def checkpoint_is_due(self) -> bool:
        return self._disk.kept.checkpoint_is_due

    def checkpoint(self) -> None:
        if self._machine.has_power:  # a checkpoint never fails, as in SQLite's journal
            self._disk.kept.checkpoint()

    def close(self) -> None:
        if self._machine.has_power:
            self._disk.close()


class Truth:
    """The lobby that follows from the rows on the disk."""

    def __init__(self, games: Mapping[str, Game[Any]]) -> None:
        self._games = games
        self.lobby = Lobby(games)
        self.seq = 0
        self.now_ms = 0

    def follow(self, row: JournalRow, heard: Callable[[Any, At, Decision], None]) -> None:
        """Decide a row again, apply it, and pass the decision to `heard`."""
        command, at = read_row(row)
        if isinstance(command, ServerStarted):
            self.lobby.games = {name.lower(): self._games[name.lower()] for name in command.games}
        decision = decide(self.lobby, command, at)
        if not decision.changes:
            raise Violation("a row changes something", f"row {row.seq} ({row.tag}): {decision.answer}")
        self.lobby.apply(decision.changes)
        self.seq, self.now_ms = row.seq, row.now_ms
        heard(command, at, decision)

    def check_same(self, lobby: Lobby, what: str) -> None:
        """Check that another lobby of the same rows is the same."""
        if digest(self.lobby) != digest(lobby):
            raise Violation("replay gives the same lobby", f"{what}: the digests differ")

    def check_replay(self, history: Sequence[JournalRow]) -> None:
        """Check the replay from the first row on, and from a snapshot in the middle."""
        self.check_same(replay(Tail(history), self._games).lobby, "all rows")
        middle = len(history) // 2
        first = replay(Tail(history[:middle]), self._games)
        tail = Tail(history[middle:])
        tail.save_snapshot(write_snapshot(first.lobby, first.seq, first.now_ms))
        self.check_same(replay(tail, self._games).lobby, "a snapshot and the rows after it")


class Tail(RowsOnly):
    """Some rows behind a snapshot."""

    def __init__(self, rows: Sequence[JournalRow]) -> None:
        super().__init__()
        self._behind = rows

    def read_from(self, seq: int) -> Any:
        return iter([row for row in self._behind if row.seq >= seq])


MEMORY = "/dev/shm"


class SqliteDisk(Disk):
    kept: SqliteJournal

    def __init__(self, world: "World") -> None:
        super().__init__(world)
        # The same for all runs of a process: the file's name is in messages, by which failures are compared.
        folder = f"gameserver-simulation-{os.getpid()}"
        self._folder = Path(MEMORY if Path(MEMORY).is_dir() else gettempdir(), folder)
        self._path = self._folder / "0.db"
        self._starts = 0
        self._is_open = False

    def open(self) -> None:
        before, self._starts = self._path, self._starts + 1
        self._path = self._folder / f"{self._starts}.db"
        self._folder.mkdir(exist_ok=True)
        for file, copy in ((before, self._path), (log_of(before), log_of(self._path))):
            if file.exists():
                shutil.copy(file, copy)
        self.close()
        self.kept = SqliteJournal(self._path, "off")
        self._outside = sqlite3.connect(self._path)
        """Another connection, which sees what is committed and nothing else."""
        self._is_open = True
        if self.kept.lost:
            raise Violation("nothing that was told is lost", self.kept.lost)
        self._world.count("data file opened")

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._outside.close()
            self.kept.close()

    def end(self) -> None:
        self.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def last(self) -> int:
        return last_row(self._outside)

    def _commit(self, rows: Sequence[JournalRow], records: Sequence[Record], *, fails: bool, keeps: bool) -> None:
        cursor = self.kept._cursor
        if fails:
            self.kept._cursor = _FailingCursor(cursor, keeps)
        try:
            self.kept.append(rows, records)
        finally:
            self.kept._cursor = cursor


@define
class _FailingCursor:
    """The journal's cursor while a commit fails: before it is made, or after it, so that only the answer is lost."""

    _inner: sqlite3.Cursor
    _keeps: bool

    def executemany(self, statement: str, values: Any) -> None:
        self._inner.executemany(statement, values)

    def execute(self, statement: str) -> None:
        if statement != "COMMIT" or self._keeps:
            self._inner.execute(statement)
        if statement == "COMMIT":
            raise sqlite3.OperationalError("disk I/O error")
