"""The journal in a PostgreSQL database, with the records beside it, for servers on several machines.

One server leads, the one whose session has the lock (`leadership`); the others read. Commits are made on that session
and nowhere else. With `synchronous = full`, the default, a commit is on the primary's disk when it returns, and on a
replica if PostgreSQL is told to wait for one; `normal` waits for no replica, and `off` for no disk either.
"""

import os
import secrets
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import ClassVar

from gameserver.database import postgresql, postgresql_schema
from gameserver.database.postgresql import PostgresqlConnection
from gameserver.database.postgresql_errors import place
from gameserver.database.postgresql_pool import ReadingPool
from gameserver.journal.journal import JournalBroken, JournalError, JournalRow, ServerPresence, Snapshot
from gameserver.journal.leadership import Leadership, since_boot_s
from gameserver.journal.postgresql_halls import PostgresqlHalls
from gameserver.journal.postgresql_ratings import SharedRatings
from gameserver.journal.postgresql_session import PostgresqlSession, open_session, servers_on, translated
from gameserver.journal.sql_journal import SNAPSHOT, SqlJournal, snapshot_values
from gameserver.records.hall_directory import HallDirectory
from gameserver.records.match_record import RatingRecord
from gameserver.records.reader import RecordReader, SqlRecordReader
from gameserver.records.tournament_record import Record

ROWS_PER_READ = 10_000
"""Rows that are read by one statement: those of a whole day need not lie in memory twice."""


class PostgresqlJournal(SqlJournal):
    """A journal in a database. Leads only after `lead`; until then it reads.

    The constructor connects, and makes the tables where they are missing. It raises `JournalError` where the database
    is away, and `JournalBroken` where it cannot be used.
    """

    confirm_every_s: ClassVar[float] = 1.0

    def __init__(self, data: str, hall: str = "", synchronous: str = "full") -> None:
        self.name = place(data)
        self._data = data
        self._server_name = f"{socket.gethostname()}:{os.getpid()}"
        self._since_ms = time.time_ns() // 1_000_000
        self._ratings = SharedRatings()
        self._rated_s = since_boot_s()
        token = secrets.token_hex(8)
        self._leadership: Leadership[PostgresqlSession] = Leadership(
            partial(open_session, data, hall, token, synchronous, self._ratings), self.name, self._server_name, token
        )
        self._pool = ReadingPool(data, hall)
        with self._reading():
            postgresql_schema.prepare(self._connected(), self.name)

    @property
    def is_certain(self) -> bool:
        """True if no other server can lead yet."""
        return self._leadership.is_certain

    def confirm(self) -> None:
        """The heartbeat."""
        self._leadership.confirm()

    def lead(self) -> bool:
        """Take the lock and go on record as the leader, unless another server is."""
        return self._leadership.lead()

    def show_presence(self, seq: int) -> None:
        """Tell that this server stands by."""
        with self._leadership.using() as session:
            session.show_presence(self._server_name, seq, self._since_ms)

    def servers(self) -> Sequence[ServerPresence]:
        """The servers that gave word lately."""
        with self._reading():
            return servers_on(self._connected())

    def changed_ratings(self) -> Sequence[RatingRecord]:
        """The ratings that other halls have changed since the last call, or changed what this one made of them."""
        asked_s = since_boot_s()
        with self._reading():
            found = self._ratings.changed(self._connected(), asked_s - self._rated_s)
        self._rated_s = asked_s
        return found

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        """Commit a batch in one transaction."""
        self._leadership.append(rows, records)

    def read_from(self, seq: int) -> Iterator[JournalRow]:
        """The rows from number `seq` on, in order."""
        while True:
            with self._leadership.using() as session:
                rows = session.read_some(seq, ROWS_PER_READ)
            yield from rows
            if len(rows) < ROWS_PER_READ:
                return
            seq = rows[-1].seq + 1

    def last(self) -> int:
        """The number of the last row."""
        return self._leadership.last

    def trim(self, before: int) -> None:
        """Forget the rows below number `before`."""
        with self._reading():
            self._connected().execute("DELETE FROM journal WHERE seq < ?", (before,))

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep this snapshot in the place of the one before."""
        columns = SNAPSHOT.split(", ")
        with self._reading():
            self._connected().insert(
                "snapshot", SNAPSHOT, [snapshot_values(snapshot)], key=columns[:1], update=columns[1:]
            )

    def reader(self) -> RecordReader:
        """The records, read past the journal's own connection."""
        return SqlRecordReader(self._pool.connection)

    def halls(self) -> HallDirectory:
        """All halls of the database."""
        return PostgresqlHalls(self._data)

    def close(self) -> None:
        """End all connections; a server that stands by leads at once."""
        session = self._leadership.open_session
        if session is not None:
            with suppress(JournalError, JournalBroken):
                session.leave()
        self._leadership.close()
        self._pool.close()

    def _connected(self) -> PostgresqlConnection:
        with self._leadership.using() as session:
            return session.connection

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._leadership.using() as session, session.talking():
            yield


def read_servers(data: str, hall: str = "") -> Sequence[ServerPresence]:
    """The servers of a hall that gave word lately, asked for by another program. Raises as the constructor does."""
    with translated(data), postgresql.read_only(data, hall) as connection:
        return servers_on(connection)
