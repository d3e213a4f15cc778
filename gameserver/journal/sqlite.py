"""The journal in one SQLite file, with the records beside it.

Write-ahead logging, one commit for each batch. With `synchronous = full`, the default, a commit is on
the disk when it returns, so neither a killed process nor a power cut takes back what a client was
told. `normal` survives the killed process only, and `off` is for tests.

Only one server may have the file open: it holds a lock file beside it for as long as it runs. The
database itself is not locked for readers, so a teacher may open the records while the server plays.
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from gameserver.journal.log import Journal, JournalBroken, JournalError, Row, Snapshot, check_follows
from gameserver.records import tables, tournament_tables
from gameserver.records.model import MatchRecord, RatingRecord
from gameserver.records.shelf import Shelf, SqliteShelf
from gameserver.records.tournaments import Record, TournamentRecord

FORMAT = 1
"""The version of the file's own layout; rows and snapshots carry versions of theirs."""

BUSY_TIMEOUT_S = 1.0
"""How long a commit waits for somebody else's lock before it is reported and tried again."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS journal (
    seq INTEGER PRIMARY KEY, now_ms INTEGER NOT NULL, stamp_ms INTEGER NOT NULL, wall_ms INTEGER NOT NULL,
    tag TEXT NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS snapshot (
    one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, now_ms INTEGER NOT NULL,
    version INTEGER NOT NULL, body BLOB NOT NULL
) STRICT;
"""


class SqliteJournal(Journal):
    """A journal in a file. `synchronous` is `full`, `normal` or `off`."""

    def __init__(self, path: Path, synchronous: str = "full") -> None:
        self._path = path
        self._lock = _locked(path)
        try:
            self._connection = _opened(path, synchronous)
            self._last = self._read_last()
        except BaseException:
            self._lock.release()
            raise

    def append(self, rows: Sequence[Row], records: Sequence[Record] = ()) -> None:
        """Commit a batch in one transaction."""
        if rows and rows[-1].seq == self._last:
            return
        check_follows(rows, self._last)
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(row.seq, row.now_ms, row.stamp_ms, row.wall_ms, row.tag, row.version, row.body) for row in rows],
            )
            if records:
                tables.insert(connection, [one for one in records if isinstance(one, MatchRecord)])
                tournament_tables.insert(connection, (one for one in records if isinstance(one, TournamentRecord)))
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._rolled_back()
            raise JournalError(str(error)) from error
        self._last = rows[-1].seq if rows else self._last

    def read_from(self, seq: int) -> Iterator[Row]:
        """The rows from number `seq` on, in order."""
        for row in self._connection.execute("SELECT * FROM journal WHERE seq >= ? ORDER BY seq", (seq,)):
            yield Row(*row)

    def last(self) -> int:
        """The number of the last row; 0 in an empty journal."""
        return self._last

    def trim(self, before: int) -> None:
        """Forget the rows below number `before`."""
        try:
            self._connection.execute("DELETE FROM journal WHERE seq < ?", (before,))
        except sqlite3.Error as error:
            self._rolled_back()
            raise JournalError(str(error)) from error

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep this snapshot in the place of the one before."""
        values = (snapshot.seq, snapshot.now_ms, snapshot.version, snapshot.body)
        try:
            self._connection.execute("INSERT OR REPLACE INTO snapshot VALUES (1, ?, ?, ?, ?)", values)
        except sqlite3.Error as error:
            self._rolled_back()
            raise JournalError(str(error)) from error

    def load_snapshot(self) -> Snapshot | None:
        """The snapshot that was kept."""
        try:
            row = self._connection.execute("SELECT seq, now_ms, version, body FROM snapshot").fetchone()
        except sqlite3.Error as error:
            raise JournalError(str(error)) from error
        return None if row is None else Snapshot(*row)

    def read_records(self) -> Iterator[MatchRecord]:
        """Every finished match, in the order of match numbers."""
        return tables.read(self._connection)

    def read_ratings(self) -> Sequence[RatingRecord]:
        """Everybody's latest rating in every game."""
        return tables.read_ratings(self._connection)

    def has_record(self, match: int) -> bool:
        """Whether this match has ended and is on record."""
        return tables.has(self._connection, match)

    def last_match(self) -> int:
        """The highest match number on record; 0 if there is none."""
        return tables.last_match(self._connection)

    def shelf(self) -> Shelf:
        """The records, read past the journal's own connection."""
        return SqliteShelf(self._path)

    def close(self) -> None:
        """Close the file, which folds the write-ahead log into it, and let others open it."""
        self._connection.close()
        self._lock.release()

    def _rolled_back(self) -> None:
        """Get out of a failed transaction; whether it was durable after all is read from the file."""
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        with suppress(sqlite3.Error):
            self._last = self._read_last()

    def _read_last(self) -> int:
        (rows,) = self._connection.execute("SELECT coalesce(max(seq), 0) FROM journal").fetchone()
        snapshot = self.load_snapshot()
        return max(int(rows), 0 if snapshot is None else snapshot.seq)


def _locked(path: Path) -> FileLock:
    """Take the lock file beside the database; raises `JournalBroken` naming who has it."""
    if not path.absolute().parent.is_dir():
        message = f"{path} cannot be used: there is no folder {path.absolute().parent}; create it or choose another"
        raise JournalBroken(message)
    beside = path.with_name(path.name + ".lock")
    try:
        lock = FileLock(beside, is_singleton=False)
        lock.acquire(timeout=0)
        beside.write_text(f"{os.getpid()}\n", encoding="ascii")
    except Timeout:
        holder = _holder(beside)
        message = f"{path} is in use by another server (process {holder}); stop that one, or use another data file"
        raise JournalBroken(message) from None
    except OSError as error:
        message = f"{path} cannot be used: {error.strerror or error}; choose another data file"
        raise JournalBroken(message) from error
    return lock


def _holder(beside: Path) -> str:
    """The process that has the lock, as far as it is known."""
    with suppress(OSError):
        return beside.read_text(encoding="ascii", errors="replace").strip() or "unknown"
    return "unknown"


def _opened(path: Path, synchronous: str) -> sqlite3.Connection:
    with ExitStack() as if_it_fails:
        try:
            connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
            if_it_fails.callback(connection.close)
            _prepare(connection, path, synchronous)
        except sqlite3.Error as error:
            message = f"{path} cannot be used as a data file: {error}"
            raise JournalBroken(message) from error
        if_it_fails.pop_all()
    return connection


def _prepare(connection: sqlite3.Connection, path: Path, synchronous: str) -> None:
    """See to it that the file is ours, and has our tables."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found not in (0, FORMAT):
        message = f"{path} has the format {found}, this version reads {FORMAT}: use the server that wrote it"
        raise JournalBroken(message)
    (tables_there,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if found == 0 and tables_there:
        message = f"{path} is a database of something else; choose another data file"
        raise JournalBroken(message)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {synchronous.upper()}")
    connection.executescript(_SCHEMA)
    tables.prepare(connection)
    tournament_tables.prepare(connection)
    connection.execute(f"PRAGMA user_version = {FORMAT}")
