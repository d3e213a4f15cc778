"""The session of a server with PostgreSQL: what `leadership` asks and writes, as SQL."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b

from psycopg.errors import Diagnostic

from gameserver.database import postgresql
from gameserver.database.connection import Connection, DatabaseAway, DatabaseError
from gameserver.database.postgresql import PostgresqlConnection
from gameserver.database.postgresql_errors import place
from gameserver.journal.checksum import checksum
from gameserver.journal.journal import REMEDY, JournalBroken, JournalError, JournalRow, ServerPresence
from gameserver.journal.leadership import SESSION_S, LastRow, Leader
from gameserver.journal.postgresql_ratings import SharedRatings
from gameserver.journal.sql_journal import ROW, row_values, write_records
from gameserver.records.tournament_record import Record

CLOSE_REPLY_S = 1.0
NO_TRANSACTION_TIMEOUT = """
    CASE WHEN current_setting('transaction_timeout', true) IS NOT NULL
        THEN set_config('transaction_timeout', '0', false) END
"""
"""A setting since PostgreSQL 17."""
SEEN_MAX_S = 30
"""Servers that gave no word for so long are not shown any more."""

_SYNCHRONOUS = {
    # A commit that waits until the replica has carried it out (`remote_apply`) waits for more than is asked for.
    "full": "CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END",
    "normal": "'local'",
    "off": "'off'",
}
_LEADING = """
    SELECT set_config('synchronous_commit', {synchronous}, false),
        set_config('idle_session_timeout', '{session_ms}', false),
        set_config('idle_in_transaction_session_timeout', '{session_ms}', false),
        set_config('tcp_keepalives_idle', '1', false), set_config('tcp_keepalives_interval', '1', false),
        set_config('tcp_keepalives_count', '2', false), set_config('tcp_user_timeout', '{session_ms}', false),
        set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false), {no_transaction_timeout},
        set_config('default_transaction_isolation', 'read committed', false),
        set_config('client_min_messages', 'warning', false)
"""
"""PostgreSQL itself ends the session of a leader that is stopped, unplugged or cut off. A statement has no time limit,
nor has a transaction: one would end the wait for a replica, and leave a mere warning. Warnings are sent, whatever the
role or the database has for `client_min_messages`: one is all that tells of a commit that the replica lacks."""

_WRITE_LEADER = """
    INSERT INTO gameserver.leader (hall, token, name, since_ms) VALUES (?, ?, ?, ?)
    ON CONFLICT (hall) DO UPDATE SET token = excluded.token, name = excluded.name, since_ms = excluded.since_ms
"""
_PRESENCE = """
    INSERT INTO gameserver.server (hall, token, name, leads, seq, since_ms, seen_at)
    VALUES (?, ?, ?, ?, ?, ?, clock_timestamp())
    ON CONFLICT (hall, token)
    DO UPDATE SET leads = excluded.leads, seq = excluded.seq, since_ms = excluded.since_ms, seen_at = excluded.seen_at
"""
_FORGET = "DELETE FROM gameserver.server WHERE hall = ? AND (token = ? OR seen_at < now() - interval '1 day')"
_LAST = """
    SELECT seq, (SELECT crc FROM journal WHERE journal.seq = found.seq) FROM (
        SELECT greatest((SELECT max(seq) FROM journal), (SELECT max(seq) FROM snapshot), 0) AS seq
    ) AS found
"""
_SERVERS = """
    SELECT server.name, server.leads, server.seq, server.since_ms,
        CAST(extract(epoch FROM clock_timestamp() - seen_at) AS double precision) AS seen_ago_s
    FROM server LEFT JOIN leader ON true
    WHERE seen_at > clock_timestamp() - make_interval(secs => ?) AND (server.leads = 0 OR server.token = leader.token)
    ORDER BY server.leads DESC, server.name
"""


def open_session(data: str, hall: str, token: str, synchronous: str, ratings: SharedRatings) -> "PostgresqlSession":
    """Connect. Raises `JournalError`, and `JournalBroken`."""
    with translated(data):
        connection = postgresql.connect(data, hall, application=f"gameserver {token}")
        try:
            return PostgresqlSession(connection, hall, token, synchronous, ratings)
        except BaseException:
            connection.close()
            raise


class PostgresqlSession:
    """A `Session`, see `leadership`."""

    def __init__(
        self, connection: PostgresqlConnection, hall: str, token: str, synchronous: str, ratings: SharedRatings
    ) -> None:
        self.connection = connection
        self._hall = hall
        self._token = token
        self._synchronous = synchronous
        self._ratings = ratings
        self._has_lock = False
        self._is_talking = False
        self._warning = ""
        connection.raw.add_notice_handler(self._note)
        # Only a leader's commits matter.
        with translated(connection.data):
            connection.execute("SET synchronous_commit = off")

    @property
    def is_quiet(self) -> bool:
        """True if nothing came from the database unasked."""
        return self._is_talking or self.connection.is_quiet

    def try_lock(self) -> bool:
        """Take the lock, with the settings by which PostgreSQL ends a leader that it hears nothing from."""
        if self._has_lock:
            return True
        with self.talking() as connection:
            query = "SELECT pg_try_advisory_lock(?), pg_backend_pid()"
            ((self._has_lock, process),) = connection.execute(query, (lock_key(self._hall),)).fetchall()
            if process != connection.raw.info.backend_pid:
                raise JournalBroken(
                    f"{place(connection.data)} is reached through a pooler of connections, such as pgbouncer, which may"
                    " give the lock of a leader to another server; give the address of PostgreSQL itself"
                )
            if self._has_lock:
                synchronous = _SYNCHRONOUS[self._synchronous]
                connection.execute("RESET synchronous_commit")
                connection.execute(
                    _LEADING.format(
                        synchronous=synchronous,
                        session_ms=round(SESSION_S * 1000),
                        no_transaction_timeout=NO_TRANSACTION_TIMEOUT,
                    )
                )
        return self._has_lock

    def leader(self) -> Leader | None:
        """The leader on record."""
        with self.talking() as connection:
            found = connection.execute("SELECT token, name, since_ms FROM leader").fetchone()
        return None if found is None else Leader(*found)

    def write_leader(self, leader: Leader) -> None:
        """Put the leader on record."""
        with self._committing() as connection:
            connection.execute(_WRITE_LEADER, (self._hall, leader.token, leader.name, leader.since_ms))

    def last(self) -> LastRow:
        """The last row."""
        with self.talking() as connection:
            ((seq, crc),) = connection.execute(_LAST).fetchall()
        return LastRow(seq, crc)

    def read(self, first: int, last: int) -> Sequence[JournalRow]:
        """The rows with these numbers. Raises `JournalBroken` at one that is damaged."""
        return self._rows("seq BETWEEN ? AND ? ORDER BY seq", (first, last))

    def read_some(self, first: int, count: int) -> Sequence[JournalRow]:
        """As many rows, from this number on."""
        return self._rows("seq >= ? ORDER BY seq LIMIT ?", (first, count))

    def write(self, rows: Sequence[JournalRow], records: Sequence[Record], row: int) -> None:
        """Commit a batch. Rows alone are one statement, and one round trip; matches that end with them take five."""
        with self._committing() as connection:
            if not records:
                connection.insert("journal", ROW, [row_values(one) for one in rows])
                return
            connection.execute("BEGIN")
            with connection.gathered():
                connection.insert("journal", ROW, [row_values(one) for one in rows])
                write_records(connection, records, row, partial(self._ratings.write, connection))
            connection.execute("COMMIT")

    def heartbeat(self, leader: Leader, seq: int) -> None:
        """Tell the others that this server leads."""
        with self._committing() as connection:
            values = (self._hall, leader.token, leader.name, 1, seq, leader.since_ms)
            connection.execute(_PRESENCE, values)

    def show_presence(self, name: str, seq: int, since_ms: int) -> None:
        """Tell the others that this server stands by."""
        with self.talking() as connection:
            connection.execute(_PRESENCE, (self._hall, self._token, name, 0, seq, since_ms))

    def end_others(self, token: str) -> None:
        """End the sessions that this server opened before."""
        query = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = ? AND datname = current_database() AND pid <> pg_backend_pid()"
        )
        with self.talking() as connection:
            connection.execute(query, (f"gameserver {token}",))

    def leave(self) -> None:
        """Take back that this server is there."""
        with self.talking() as connection:
            connection.raw.reply_s = CLOSE_REPLY_S
            connection.execute("SET synchronous_commit = off")
            connection.execute(_FORGET, (self._hall, self._token))

    def close(self) -> None:
        """End the session. PostgreSQL lets go of the lock as soon as it reads of that."""
        self.connection.close()

    @contextmanager
    def talking(self) -> Iterator[PostgresqlConnection]:
        """The connection, whose errors become `JournalError` or `JournalBroken`."""
        self._is_talking = True
        try:
            with translated(self.connection.data):
                yield self.connection
        finally:
            self._is_talking = False

    def _rows(self, chosen: str, values: Sequence[int]) -> Sequence[JournalRow]:
        query = f"SELECT {ROW} FROM journal WHERE {chosen}"  # noqa: S608 - our own columns
        with self.talking() as connection:
            found = connection.execute(query, values).fetchall()
        rows = []
        for *columns, crc in found:
            row = JournalRow(*columns)
            if crc != checksum(row):
                raise JournalBroken(f"{place(self.connection.data)}: row {row.seq} of the journal is damaged; {REMEDY}")
            rows.append(row)
        return rows

    @contextmanager
    def _committing(self) -> Iterator[PostgresqlConnection]:
        self._warning = ""
        with self.talking() as connection:
            yield connection
        if self._warning:
            raise JournalError(f"{place(self.connection.data)} may not have waited for its replica: {self._warning}")

    def _note(self, notice: Diagnostic) -> None:
        # A commit whose wait for the replica was ended succeeds, with a warning that has no code of its own. Others are
        # not about the commit, such as one of a database that wants a vacuum.
        is_of_replication = (notice.source_file or "syncrep.c").endswith("syncrep.c")
        if notice.severity_nonlocalized == "WARNING" and is_of_replication:
            self._warning = notice.message_primary or "a warning"


@contextmanager
def translated(data: str) -> Iterator[None]:
    """Turn errors of the database into those of a journal."""
    try:
        with postgresql.explained(data):
            yield
    except DatabaseAway as error:
        raise JournalError(str(error)) from error
    except DatabaseError as error:
        raise JournalBroken(str(error)) from error


def lock_key(hall: str) -> int:
    """The number of the advisory lock of a hall, in its database."""
    return int.from_bytes(blake2b(f"gameserver {hall}".encode(), digest_size=8).digest(), signed=True)


def servers_on(connection: Connection) -> list[ServerPresence]:
    """The servers of a hall that gave word lately, the leader first."""
    return [
        ServerPresence(name, bool(leads), seq, since_ms, seen_ago_s)
        for name, leads, seq, since_ms, seen_ago_s in connection.execute(_SERVERS, (SEEN_MAX_S,))
    ]
