"""The journal in an SQL database, as far as all databases share it, and the one in memory.

Shared are the reading, and what is written with a batch. The one in memory is that of tests, of `gameserver check`, and
of a server with `data = ":memory:"`: an empty one takes 1 ms to make, a commit 14 us.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from weakref import finalize
from zlib import crc32

from gameserver.core.commands import KeepRanking
from gameserver.database import sqlite
from gameserver.database.connection import DatabaseConnection
from gameserver.database.sqlite import SqliteConnection
from gameserver.journal.journal import REMEDY, Journal, JournalBroken, JournalRow, Snapshot, check_follows, checksum
from gameserver.records import ladder_records, match_record, store, tournament_record
from gameserver.records.match_record import EpochRecord, MatchRecord, RatingRecord, RestartRecord
from gameserver.records.reader import RecordReader
from gameserver.records.tournament_record import AttendanceRecord, Record, TournamentRecord

ROW = "seq, now_ms, stamp_ms, wall_ms, tag, version, body, crc"
SNAPSHOT = "one, seq, now_ms, version, body, crc"
# Of SQLite; the other database has the journal's tables in a schema of the hall.
INSERT_ROW = f"INSERT INTO journal ({ROW}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - our own columns
KEEP_SNAPSHOT = f"INSERT OR REPLACE INTO snapshot ({SNAPSHOT}) VALUES (?, ?, ?, ?, ?, ?)"  # noqa: S608 - our own columns


class SqlJournal(Journal):
    """The part of a journal that all SQL databases share, which is the reading.

    How a batch is committed is the subclass's matter.
    """

    @abstractmethod
    def _connected(self) -> DatabaseConnection:
        """The connection."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[None]:
        """Turns what the database raises into `JournalBroken`, or `JournalError`."""

    def read_from(self, seq: int) -> Iterator[JournalRow]:
        """The rows of an SQL journal from number `seq` on, in order, each one's checksum compared."""
        with self._reading():
            query = f"SELECT {ROW} FROM journal WHERE seq >= ? ORDER BY seq"  # noqa: S608 - our own columns
            for *values, crc in self._connected().execute(query, (seq,)):
                row = JournalRow(*values)
                # A flipped bit would change a move in silence. The comparison takes 0.3 to 0.9 us a row.
                if crc != checksum(row):
                    raise JournalBroken(f"{self.name}: row {row.seq} of the journal is damaged; {REMEDY}")
                yield row

    def load_snapshot(self) -> Snapshot | None:
        """The snapshot in an SQL journal's table, its checksum compared; None if there is none."""
        with self._reading():
            row = self._connected().execute("SELECT seq, now_ms, version, body, crc FROM snapshot").fetchone()
        if row is None:
            return None
        *values, crc = row
        snapshot = Snapshot(*values)
        if crc != crc32(snapshot.body):
            raise JournalBroken(f"{self.name}: the snapshot of the lobby is damaged; {REMEDY}")
        return snapshot

    def read_records(self) -> Iterator[MatchRecord]:
        """Every finished match in the tables of an SQL journal's database, in the order of match numbers."""
        with self._reading():
            yield from store.read(self._connected())

    def read_ratings(self) -> Sequence[RatingRecord]:
        """Everybody's latest rating in every game, from the table in an SQL journal's database."""
        with self._reading():
            return store.read_ratings(self._connected())

    def has_record(self, match: int) -> bool:
        """True if this match is in the records' table of an SQL journal's database."""
        with self._reading():
            return store.has(self._connected(), match)

    def ends_after(self, seq: int) -> Mapping[int, Sequence[int]]:
        """The matches that an SQL journal recorded with each row after `seq`."""
        with self._reading():
            return store.ends_after(self._connected(), seq)

    def last_match(self) -> int:
        """The highest match number in the records' table of an SQL journal's database; 0 if there is none."""
        with self._reading():
            return store.last_match(self._connected())

    def _check_own(self, rows: Sequence[JournalRow]) -> None:
        """Raise `JournalBroken` unless just these rows are the last ones: a commit whose answer got lost."""
        try:
            stored = list(self.read_from(rows[0].seq))
        except JournalBroken:
            stored = []
        if stored != list(rows):
            raise JournalBroken(
                f"{self.name}: row {rows[0].seq} of the journal was written by somebody else, so another server has "
                "this data file too; stop that one, or use another data file"
            )


class MemoryJournal(SqlJournal):
    """An SQL journal in memory, for tests, and for play that nobody will ask about; it lasts as long as the object."""

    blocks = False

    def __init__(self) -> None:
        # A test may stand it for a slow disk, whose commits are made in a thread.
        self._connection = sqlite.connect(":memory:", isolation_level=None, check_same_thread=False)
        sqlite.prepare(self._connection)
        # Not in `close`: a server that is started again in the same process goes on with what is here.
        finalize(self, self._connection.close)

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        """Commit a batch to the SQL database in memory."""
        last = self.last()
        if rows and rows[0].seq <= last:
            self._check_own(rows)
            return
        check_follows(rows, last)
        # Rolls back where it raises, although we begin the transaction ourselves.
        with self._connection as connection:
            connection.execute("BEGIN")
            connection.executemany(INSERT_ROW, map(row_values, rows))
            write_records(connection, records, last + len(rows))

    def last(self) -> int:
        """The number of the last row of a journal in memory, asked of SQL each time; 0 in an empty one."""
        return last_row(self._connection)

    def trim(self, before: int) -> None:
        """Forget the rows of a journal in memory below number `before`."""
        self._connection.execute("DELETE FROM journal WHERE seq < ?", (before,))

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a snapshot in the SQL database in memory, in the place of the one before."""
        self._connection.execute(KEEP_SNAPSHOT, snapshot_values(snapshot))

    def reader(self) -> RecordReader:
        """The records of a journal in memory, read on its own connection: another one would see another database."""
        return RecordReader(lambda: nullcontext(self._connection))

    def close(self) -> None:
        """Keep the journal in memory, since a server that is started again in the same process goes on with it."""

    def _connected(self) -> SqliteConnection:
        return self._connection

    def _reading(self) -> AbstractContextManager[None]:
        return nullcontext()


def row_values(row: JournalRow) -> tuple[int, int, int, int, str, int, bytearray, int]:
    """The values for the columns of an SQL journal's row, the last of which is its checksum."""
    # For `bytes`, SQLite's module would look for an adapter first, which takes longer than the copy.
    return row.seq, row.now_ms, row.stamp_ms, row.wall_ms, row.tag, row.version, bytearray(row.body), checksum(row)


def snapshot_values(snapshot: Snapshot) -> tuple[int, int, int, int, bytes, int]:
    """The values for the columns of the SQL table of snapshots, the last of which is the checksum."""
    return 1, snapshot.seq, snapshot.now_ms, snapshot.version, snapshot.body, crc32(snapshot.body)


def last_row(connection: DatabaseConnection) -> int:
    """The number of an SQL journal's last row, which may be left in the snapshot alone; 0 in an empty journal."""
    kept = "SELECT max(seq) AS seq FROM journal UNION ALL SELECT seq FROM snapshot"
    (last,) = connection.execute(f"SELECT coalesce(max(seq), 0) FROM ({kept}) AS both").fetchone()  # noqa: S608 - our own
    return int(last)


def write_records(
    connection: DatabaseConnection, records: Sequence[Record], row: int, rate: store.Rate | None = None
) -> None:
    """Has an SQL journal write the records of a batch within its transaction, whose last row is `row`.

    Nearly always they are of matches alone.
    """
    matches = [one for one in records if isinstance(one, MatchRecord)]
    store.insert_matches(connection, matches, row, rate)
    # Asked first: a batch that only ends matches, as nearly all do, is spared four inserts.
    if len(matches) < len(records):
        store.insert_tournaments(connection, (one for one in records if isinstance(one, TournamentRecord)))
        tournament_record.insert(connection, (one for one in records if isinstance(one, AttendanceRecord)))
        match_record.insert(connection, (one for one in records if isinstance(one, RestartRecord)))
        match_record.insert_epochs(connection, (one for one in records if isinstance(one, EpochRecord)))
        ladder_records.insert(connection, (one for one in records if isinstance(one, KeepRanking)))
