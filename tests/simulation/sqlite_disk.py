"""The data file of the real SQLite journal, as the disk of a simulated machine.

It lies on a file system in memory. Commits that fail do so inside of the journal's transaction. A kill leaves the file
and its write-ahead log as they are at that moment; the next process opens a copy of both.
"""

import os
import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from attrs import define

from gameserver.journal.journal import JournalRow
from gameserver.journal.sql_journal import last_row
from gameserver.journal.sqlite import SqliteJournal, log_of
from gameserver.records.tournament_record import Record
from tests.simulation.disk import Disk
from tests.simulation.violation import Violation

if TYPE_CHECKING:
    from tests.simulation.world import World

MEMORY = "/dev/shm"


class SqliteDisk(Disk):
    """What outlives the process: a file, and its log."""

    kept: SqliteJournal  # type: ignore[assignment] # of which nothing is asked but what a journal has

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
            self.kept._cursor = _FailingCursor(cursor, keeps)  # type: ignore[assignment] # as above
        try:
            self.kept.append(rows, records)
        finally:
            self.kept._cursor = cursor


@define
class _FailingCursor:
    """The journal's cursor when a commit fails: before it is made, or only its answer is lost."""

    _inner: sqlite3.Cursor
    _keeps: bool

    def executemany(self, statement: str, values: Any) -> None:
        self._inner.executemany(statement, values)

    def execute(self, statement: str) -> None:
        if statement != "COMMIT" or self._keeps:
            self._inner.execute(statement)
        if statement == "COMMIT":
            raise sqlite3.OperationalError("disk I/O error")
