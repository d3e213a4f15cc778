"""The journal in one SQLite file, with the records beside it.

Write-ahead logging, one commit for each batch. With `synchronous = full`, the default, a commit is on
the disk when it returns, so neither a killed process nor a power cut takes back what a client was
told. `normal` survives the killed process only, and `off` is for tests.

Only one server may have the file open: it holds a lock on the file for as long as it runs. Readers are not
locked out, so a teacher may open the records while the server plays.

A commit of one row takes 18 us without the disk (`synchronous = off`).
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from gameserver.database import sqlite
from gameserver.database.sqlite import SqliteConnection
from gameserver.journal.data_file import BUSY_TIMEOUT_S, fold_log, open_data_file, refused
from gameserver.journal.file_lock import FileLock
from gameserver.journal.journal import JournalBroken, JournalError, JournalRow, Snapshot, check_follows
from gameserver.journal.sql_journal import (
    ROW,
    SNAPSHOT,
    SqlJournal,
    last_row,
    row_values,
    snapshot_values,
    write_records,
)
from gameserver.journal.write_ahead_log import log_of
from gameserver.records.reader import RecordReader, SqlRecordReader
from gameserver.records.tournament_record import Record

LOG_PAGES_MAX = 1_000
"""Pages of the write-ahead log after which it is folded into the file: about as many as by SQLite's own default.

SQLite would do it in the midst of a commit, which may be on the event loop, so it is told to leave it to `checkpoint`.
"""
PAGE_BYTES = 4_096
"""A page is counted for so many bytes, and so many pages for the tables and indexes that a commit or a record touches.

SQLite does not tell Python how many it wrote. A lone move writes one, the page that its row is on.
"""
PAGES_PER_COMMIT = 1
PAGES_PER_RECORD = 8
ROWS_PER_PAGE = 16

_KEEP_SNAPSHOT = f"INSERT OR REPLACE INTO snapshot ({SNAPSHOT}) VALUES (?, ?, ?, ?, ?, ?)"  # noqa: S608 - our own columns


class SqliteJournal(SqlJournal):
    """A journal in a file. `synchronous` is `full`, `normal` or `off`.

    `lost` is a sentence about transactions that damage to the write-ahead log has cost, mostly empty.
    """

    is_local = True

    def __init__(self, path: Path, synchronous: str = "full", *, accept_damage: bool = False) -> None:
        self.name = str(path)
        self._path = path
        self._lock_wait_s = BUSY_TIMEOUT_S
        self._log_pages = 0
        """Pages in the write-ahead log that are not folded into the file yet, estimated."""
        self._lock = FileLock(path)
        try:
            self._connection, self.lost = open_data_file(path, self._lock, synchronous, accept_damage=accept_damage)
            # Kept: one for each statement would take a twelfth of a lone commit, the disk apart.
            self._cursor = self._connection.cursor()
        except BaseException:
            self._lock.release()
            raise
        try:
            with self._reading():
                self._last = last_row(self._connection)
            # A server that is killed again and again must fold the log in the end.
            self._log_pages = log_of(path).stat().st_size // PAGE_BYTES
            self._lock.confirm()
        except BaseException:
            self.close()
            raise

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        """Commit a batch in one transaction."""
        if self._lock_wait_s != BUSY_TIMEOUT_S:
            self._wait_for_locks(BUSY_TIMEOUT_S)
        self._append(rows, records)

    def append_at_once(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        """Commit a batch in one transaction, and wait for nobody's lock."""
        if self._lock_wait_s:
            self._wait_for_locks(0)
        self._append(rows, records)

    def _append(self, rows: Sequence[JournalRow], records: Sequence[Record]) -> None:
        if rows and rows[0].seq <= self._last:
            self._check_own(rows)
            return
        check_follows(rows, self._last)
        connection, cursor = self._connection, self._cursor
        row = rows[-1].seq if rows else self._last
        try:
            cursor.execute("BEGIN IMMEDIATE")
            cursor.executemany(
                f"INSERT INTO journal ({ROW}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - our own columns
                map(row_values, rows),
            )
            if records:
                write_records(connection, records, row)
            cursor.execute("COMMIT")
        except sqlite3.Error as error:
            self._rolled_back()
            if _is_corruption(error):
                raise refused(self._path, error) from error
            raise JournalError(str(error)) from error
        self._last = row
        self._log_pages += PAGES_PER_COMMIT + len(rows) // ROWS_PER_PAGE + PAGES_PER_RECORD * len(records)
        if rows and rows[0].seq == 1:
            with suppress(sqlite3.Error):  # the rows are durable; what follows only guards a young file
                fold_log(connection)

    @property
    def checkpoint_is_due(self) -> bool:
        """True once the write-ahead log is as long as SQLite itself lets it grow by default."""
        return self._log_pages >= LOG_PAGES_MAX

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file. A reader may be in the way; then the next time does it."""
        self._log_pages = 0
        with suppress(sqlite3.Error):
            fold_log(self._connection)

    def last(self) -> int:
        """The number of the last row; 0 in an empty journal."""
        return self._last

    def trim(self, before: int) -> None:
        """Forget the rows below number `before`."""
        self._wait_for_locks(BUSY_TIMEOUT_S)
        try:
            self._connection.execute("DELETE FROM journal WHERE seq < ?", (before,))
        except sqlite3.Error as error:
            self._rolled_back()
            raise JournalError(str(error)) from error

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep this snapshot in the place of the one before."""
        self._wait_for_locks(BUSY_TIMEOUT_S)
        try:
            self._connection.execute(_KEEP_SNAPSHOT, snapshot_values(snapshot))
            self._log_pages += len(snapshot.body) // PAGE_BYTES
        except sqlite3.Error as error:
            self._rolled_back()
            raise JournalError(str(error)) from error

    def load_snapshot(self) -> Snapshot | None:
        """The snapshot that was kept. A server that runs asks for it, too, and goes on if it cannot be read now."""
        try:
            return super().load_snapshot()
        except JournalBroken as error:
            if isinstance(error.__cause__, sqlite3.Error):
                raise JournalError(str(error.__cause__)) from error.__cause__
            raise

    def reader(self) -> RecordReader:
        """The records, read past the journal's own connection."""
        return SqlRecordReader(partial(sqlite.read_only, self._path))

    def close(self) -> None:
        """Close the file, which folds the write-ahead log into it, and let others open it."""
        self._connection.close()
        self._lock.release()

    def _wait_for_locks(self, wait_s: float) -> None:
        """Have SQLite wait so long for the lock of another connection."""
        self._connection.execute(f"PRAGMA busy_timeout = {round(wait_s * 1000)}")
        self._lock_wait_s = wait_s

    def _connected(self) -> SqliteConnection:
        return self._connection

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Turn what SQLite raises into `JournalBroken`."""
        try:
            yield
        except sqlite3.Error as error:
            raise refused(self._path, error) from error

    def _rolled_back(self) -> None:
        """Get out of a failed transaction; whether it was durable after all is read from the file."""
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        with suppress(sqlite3.Error):
            self._last = last_row(self._connection)


def _is_corruption(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", None) or 0  # an extended code holds the primary one in its low byte
    return code & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
