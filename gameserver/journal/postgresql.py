"""The journal in a PostgreSQL database, with the records beside it, for servers on several machines.

One server leads, the one whose session has the lock (`leadership`); the others read. Commits are made on that session
and nowhere else. With `synchronous = full`, the default, a commit is on the primary's disk when it returns, and on a
replica if PostgreSQL is told to wait for one; `normal` waits for no replica, and `off` for no disk either.

Ratings that several halls share are worked out in the transaction that records a match (`SharedRatings`). What goes on
in the halls is told and heard on a connection of its own (`_PostgresqlHalls`).
"""

import os
import secrets
import socket
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import blake2b
from threading import Lock
from typing import Any, ClassVar

import orjson
from attrs import asdict, define, field, fields
from psycopg.errors import Diagnostic

from gameserver.database import postgresql, postgresql_schema
from gameserver.database.connection import DatabaseAway, DatabaseConnection, DatabaseError
from gameserver.database.postgresql import PostgresqlConnection, ReadingPool, place
from gameserver.database.postgresql_writing import Array, integers, numbers, texts
from gameserver.journal.journal import (
    REMEDY,
    JournalBroken,
    JournalError,
    JournalRow,
    ServerPresence,
    Snapshot,
    checksum,
)
from gameserver.journal.leadership import SESSION_S, LastRow, Leader, Leadership, since_boot_s
from gameserver.journal.sql_journal import ROW, SNAPSHOT, SqlJournal, row_values, snapshot_values, write_records
from gameserver.ratings.rating import Rating
from gameserver.records.match_record import HOUSE_PROTOCOL, MatchRecord, RatingRecord
from gameserver.records.rating_book import RatingBook
from gameserver.records.reader import (
    HallDirectory,
    HallNews,
    HallSeen,
    HallTournament,
    RecordReader,
)
from gameserver.records.tournament_record import Record

ROWS_PER_READ = 10_000
"""Rows that are read by one statement: those of a whole day need not lie in memory twice."""
# Judgement: a stop does not wait as long for this courtesy as for other answers. Without it the name fades in 30 s.
_CLOSE_REPLY_S = 1.0
# Judgement: servers give word every second.
_SEEN_MAX_S = 30
"""Servers that gave no word for so long are not shown any more."""
OVERLAP_S = 10.0
"""A change is stamped before its commit, which may wait for a replica. So the last seconds' changes are read again."""


class PostgresqlJournal(SqlJournal):
    """A journal in a PostgreSQL database. Leads only after `lead`; until then it reads.

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
        # By chance: a process number may come again on the same machine.
        token = secrets.token_hex(8)
        self._leadership: Leadership[_PostgresqlSession] = Leadership(
            partial(open_session, data, hall, token, synchronous, self._ratings), self.name, self._server_name, token
        )
        self._pool = ReadingPool(data, hall)
        with self._reading():
            postgresql_schema.prepare(self._connected(), self.name)

    @property
    def is_certain(self) -> bool:
        """True if no other server can lead the hall in PostgreSQL yet."""
        return self._leadership.is_certain

    def confirm(self) -> None:
        """Write the leader's heartbeat to PostgreSQL, and make sure of the lock."""
        self._leadership.confirm()

    def lead(self) -> bool:
        """Take the hall's lock in PostgreSQL and go on record as the leader, unless another server is."""
        return self._leadership.lead()

    def show_presence(self, seq: int) -> None:
        """Tell the hall's leader, through PostgreSQL, that this server stands by."""
        with self._leadership.using() as session:
            session.show_presence(self._server_name, seq, self._since_ms)

    def servers(self) -> Sequence[ServerPresence]:
        """The servers of the hall that gave word in PostgreSQL lately."""
        with self._reading():
            return _servers_on(self._connected())

    def changed_ratings(self) -> Sequence[RatingRecord]:
        """The ratings that other halls have changed in PostgreSQL since the last call.

        Among them those that are other than this hall made them.
        """
        # From before the question: what changes while it is answered is asked for again.
        asked_s = since_boot_s()
        with self._reading():
            found = self._ratings.changed(self._connected(), asked_s - self._rated_s)
        self._rated_s = asked_s
        return found

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        """Commit a batch to PostgreSQL in one transaction, on the session that holds the lock."""
        self._leadership.append(rows, records)

    def read_from(self, seq: int) -> Iterator[JournalRow]:
        """The rows of a hall's journal in PostgreSQL from number `seq` on, in order, some thousands at a time."""
        while True:
            with self._leadership.using() as session:
                rows = session.read_some(seq, ROWS_PER_READ)
            yield from rows
            if len(rows) < ROWS_PER_READ:
                return
            seq = rows[-1].seq + 1

    def last(self) -> int:
        """The number of the last row of a hall's journal in PostgreSQL."""
        return self._leadership.last

    def trim(self, before: int) -> None:
        """Forget the rows of a hall's journal in PostgreSQL below number `before`."""
        with self._reading():
            self._connected().execute("DELETE FROM journal WHERE seq < ?", (before,))

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a snapshot in PostgreSQL, in the place of the hall's one before."""
        columns = SNAPSHOT.split(", ")
        with self._reading():
            self._connected().insert(
                "snapshot", SNAPSHOT, [snapshot_values(snapshot)], key=columns[:1], update=columns[1:]
            )

    def reader(self) -> RecordReader:
        """The reader of a hall's records in PostgreSQL, on connections beside the journal's own."""
        return RecordReader(self._pool.connection)

    def halls(self) -> HallDirectory:
        """The directory of all halls of the PostgreSQL database."""
        return _PostgresqlHalls(self._data)

    def close(self) -> None:
        """End all connections of the journal to PostgreSQL; a server that stands by leads at once."""
        session = self._leadership.open_session
        if session is not None:
            # A stop should not fail because the database is away.
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
    """Reads in the journal's PostgreSQL database which servers of a hall gave word lately, for another program.

    Raises as the constructor does.
    """
    with translated(data), postgresql.read_only(data, hall) as connection:
        return _servers_on(connection)


def _servers_on(connection: DatabaseConnection) -> list[ServerPresence]:
    """The servers of a hall that gave word lately, the leader first."""
    return [
        ServerPresence(name, bool(leads), seq, since_ms, seen_ago_s)
        for name, leads, seq, since_ms, seen_ago_s in connection.execute(_SERVERS, (_SEEN_MAX_S,))
    ]


Key = tuple[str, str]
"""A game and a player."""
_MAKE = """
    INSERT INTO gameserver.rating (game, player, rating, deviation, matches)
    SELECT game, player, ?3::float8, ?4::float8, 0 FROM unnest(?1::text[], ?2::text[]) AS new (game, player)
    ON CONFLICT DO NOTHING
"""
# In one order in every hall, or two could wait for each other for ever.
_LOCK = """
    SELECT game, player, rating, deviation, matches FROM gameserver.rating
    WHERE (game, player) IN (SELECT game, player FROM unnest(?1::text[], ?2::text[]) AS wanted (game, player))
    ORDER BY game, player FOR UPDATE
"""
_WRITE = """
    UPDATE gameserver.rating AS own SET rating = new.rating, deviation = new.deviation, matches = new.matches,
        changed_at = clock_timestamp(), changed_by = current_setting('gameserver.hall')
    FROM unnest(?1::text[], ?2::text[], ?3::float8[], ?4::float8[], ?5::bigint[])
        AS new (game, player, rating, deviation, matches)
    WHERE own.game = new.game AND own.player = new.player
"""
_CHANGED = """
    SELECT game, player, rating, deviation, matches FROM gameserver.rating
    WHERE changed_at > clock_timestamp() - make_interval(secs => ?1)
        AND changed_by IS DISTINCT FROM current_setting('gameserver.hall')
    UNION SELECT game, player, rating, deviation, matches FROM gameserver.rating
    WHERE (game, player) IN (SELECT game, player FROM unnest(?2::text[], ?3::text[]) AS wanted (game, player))
"""


@define
class SharedRatings:
    """The ratings that several halls of a PostgreSQL database share, as the leader of one hall writes them.

    Used by the journal's thread.

    Two halls may end matches of one player at once. Each locks the players' ratings until its commit, so the second one
    goes on from the first one's result: no match is lost, and the numbers are those of some order of all matches. With
    one hall they are what its own rating book has worked out already.

    No two halls wait for each other for ever. Rows that are missing are inserted first, then all are locked, both in
    the order of games and players; whoever locks has met every row that another hall was inserting.
    """

    _made: set[Key] = field(factory=set, init=False)
    """Those that others had committed when they were last seen, so that they need not be inserted."""
    _differing: set[Key] = field(factory=set, init=False)
    """Those that came out other than this hall's rating book had worked out."""

    def write(self, connection: PostgresqlConnection, records: Sequence[MatchRecord]) -> Sequence[MatchRecord]:
        """Rate matches by the ratings that all halls share in PostgreSQL.

        They are rated within the transaction that writes them; gives them with the ratings.
        """
        seats = ((one, seat) for one in records if one.rated for seat in one.seats)
        # As in the rating book, an anchor's rating is fixed. The house plays for ratings on ladders alone.
        rated_seats = (pair for pair in seats if not (pair[0].is_ladder and pair[1].protocol == HOUSE_PROTOCOL))
        keys = sorted({(one.game, seat.player) for one, seat in rated_seats})
        if not keys:
            return records
        known = self._locked(connection, keys)
        book = RatingBook(known)
        rated = book.enter(records)
        ratings = {key: book.rating(*key) for key in keys}
        connection.change("rating", _WRITE, (*_columns(keys), *_values(ratings)))
        # Not those without a match: this transaction may have made them, and may be rolled back.
        self._made.update((one.game, one.player) for one in known if one.matches)
        # Noted before the commit, and read again afterwards: so it does not matter whether it succeeds.
        self._differing.update(_differing(records, rated))
        return rated

    def changed(self, connection: PostgresqlConnection, within_s: float) -> list[RatingRecord]:
        """The shared ratings that other halls have changed in the last seconds, or that were worked out anew here."""
        differing = sorted(self._differing)
        rows = connection.execute(_CHANGED, (within_s + OVERLAP_S, *_columns(differing)))
        found = [RatingRecord(*row) for row in rows]
        self._differing.difference_update(differing)
        return found

    def _locked(self, connection: PostgresqlConnection, keys: Sequence[Key]) -> list[RatingRecord]:
        """The ratings, which nobody else can change until the commit; all of them are there."""
        missing = [key for key in keys if key not in self._made]
        if missing:
            fresh = Rating()
            connection.execute(_MAKE, (*_columns(missing), fresh.mean, fresh.deviation))
        found = [RatingRecord(*row) for row in connection.execute(_LOCK, _columns(keys))]
        if len(found) == len(keys):
            return found
        self._made.clear()  # somebody has deleted ratings, or a crash has
        return self._locked(connection, keys)


def _columns(keys: Sequence[Key]) -> tuple[Array, Array]:
    return texts([game for game, _ in keys]), texts([player for _, player in keys])


def _values(ratings: Mapping[Key, Rating]) -> tuple[Array, Array, Array]:
    found = list(ratings.values())
    return (
        numbers([one.mean for one in found]),
        numbers([one.deviation for one in found]),
        integers([one.games for one in found]),
    )


def _differing(before: Iterable[MatchRecord], after: Iterable[MatchRecord]) -> Iterable[Key]:
    """The players whose ratings in these records are not the same."""
    for one, other in zip(before, after, strict=True):
        for seat, seat_after in zip(one.seats, other.seats, strict=True):
            if (seat.rating, seat.deviation) != (seat_after.rating, seat_after.deviation):
                yield one.game, seat.player


NO_TRANSACTION_TIMEOUT = """
    CASE WHEN current_setting('transaction_timeout', true) IS NOT NULL
        THEN set_config('transaction_timeout', '0', false) END
"""
"""A setting since PostgreSQL 17."""
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


def open_session(data: str, hall: str, token: str, synchronous: str, ratings: SharedRatings) -> "_PostgresqlSession":
    """Connect to PostgreSQL for a journal that leads or stands by. Raises `JournalError`, and `JournalBroken`."""
    with translated(data):
        connection = postgresql.connect(data, hall, application=f"gameserver {token}")
        try:
            return _PostgresqlSession(connection, hall, token, synchronous, ratings)
        except BaseException:
            connection.close()
            raise


class _PostgresqlSession:
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
        # A standby tells of itself every second, and should not wait for a disk or a replica.
        # Only a leader's commits matter.
        with translated(connection.data):
            connection.execute("SET synchronous_commit = off")

    @property
    def is_quiet(self) -> bool:
        return self._is_talking or self.connection.is_quiet

    def try_lock(self) -> bool:
        """Take the lock, with the settings by which PostgreSQL ends a leader that it hears nothing from."""
        if self._has_lock:
            return True
        with self.talking() as connection:
            query = "SELECT pg_try_advisory_lock(?), pg_backend_pid()"
            ((self._has_lock, process),) = connection.execute(query, (lock_key(self._hall),)).fetchall()
            # libpq was told the process that it is connected to. Behind a pooler another one carries the statement out.
            if process != connection.raw.info.backend_pid:
                raise JournalBroken(
                    f"{place(connection.data)} is reached through a pooler of connections, such as pgbouncer, which may"
                    " give the lock of a leader to another server; give the address of PostgreSQL itself"
                )
            if self._has_lock:
                synchronous = _SYNCHRONOUS[self._synchronous]
                # To what the role or the database has, which `_SYNCHRONOUS` reads.
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
        with self.talking() as connection:
            found = connection.execute("SELECT token, name, since_ms FROM leader").fetchone()
        return None if found is None else Leader(*found)

    def write_leader(self, leader: Leader) -> None:
        with self._committing() as connection:
            connection.execute(_WRITE_LEADER, (self._hall, leader.token, leader.name, leader.since_ms))

    def last(self) -> LastRow:
        with self.talking() as connection:
            ((seq, crc),) = connection.execute(_LAST).fetchall()
        return LastRow(seq, crc)

    def read(self, first: int, last: int) -> Sequence[JournalRow]:
        return self._rows("seq BETWEEN ? AND ? ORDER BY seq", (first, last))

    def read_some(self, first: int, count: int) -> Sequence[JournalRow]:
        return self._rows("seq >= ? ORDER BY seq LIMIT ?", (first, count))

    def write(self, rows: Sequence[JournalRow], records: Sequence[Record], row: int) -> None:
        """Commit a batch. Rows alone are one statement, and one round trip; matches that end with them take five."""
        with self._committing() as connection:
            if not records:
                connection.insert("journal", ROW, [row_values(one) for one in rows])
                return
            connection.execute("BEGIN")
            # Five statements in place of nine: each costs either side some 60 us, whatever it does.
            with connection.gathered():
                connection.insert("journal", ROW, [row_values(one) for one in rows])
                write_records(connection, records, row, partial(self._ratings.write, connection))
            connection.execute("COMMIT")

    def heartbeat(self, leader: Leader, seq: int) -> None:
        with self._committing() as connection:
            values = (self._hall, leader.token, leader.name, 1, seq, leader.since_ms)
            connection.execute(_PRESENCE, values)

    def show_presence(self, name: str, seq: int, since_ms: int) -> None:
        with self.talking() as connection:
            connection.execute(_PRESENCE, (self._hall, self._token, name, 0, seq, since_ms))

    def end_others(self, token: str) -> None:
        query = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            # The name has the token, by which nothing but this server goes. A role may end its own sessions.
            " WHERE application_name = ? AND datname = current_database() AND pid <> pg_backend_pid()"
        )
        with self.talking() as connection:
            connection.execute(query, (f"gameserver {token}",))

    def leave(self) -> None:
        """Take back that this server is there."""
        with self.talking() as connection:
            connection.raw.reply_s = _CLOSE_REPLY_S
            # A name in a list is worth no wait for a replica.
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
    """Turn errors of the PostgreSQL database into those of a journal."""
    try:
        with postgresql.explained(data):
            yield
    except DatabaseAway as error:
        raise JournalError(str(error)) from error
    except DatabaseError as error:
        raise JournalBroken(str(error)) from error


def lock_key(hall: str) -> int:
    """The number of the advisory lock that a hall's journal has in PostgreSQL."""
    # pg_advisory_lock takes 64 bits, and halls have names.
    return int.from_bytes(blake2b(f"gameserver {hall}".encode(), digest_size=8).digest(), signed=True)


# Of the table `hall`, which each hall writes to every two seconds and reads as a whole.
_COLUMNS = "hall, url, players, matches, tournaments"
_TELL = f"""
    INSERT INTO gameserver.hall ({_COLUMNS}, seen_at) VALUES (?, ?, ?, ?, ?, clock_timestamp())
    ON CONFLICT (hall) DO UPDATE SET url = excluded.url, players = excluded.players, matches = excluded.matches,
        tournaments = excluded.tournaments, seen_at = excluded.seen_at
"""  # noqa: S608 - our own columns
_HEAR = f"""
    SELECT {_COLUMNS}, to_char(seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"'),
        CAST(extract(epoch FROM clock_timestamp() - seen_at) AS double precision)
    FROM gameserver.hall ORDER BY hall
"""  # noqa: S608 - likewise
_KINDS = {one.name: one.type or object for one in fields(HallTournament)}
"""The fields of another hall's tournaments, and their types."""


@define
class _PostgresqlHalls(HallDirectory):
    """All halls of the database `data`.

    It has a connection of its own: what goes on in a hall need not be on a disk.
    """

    _data: str
    _connection: PostgresqlConnection | None = field(default=None, init=False)
    _pools: dict[str, ReadingPool] = field(factory=dict, init=False)
    _in_use: Lock = field(factory=Lock, init=False)

    def exchange(self, news: HallNews) -> Sequence[HallSeen]:
        """Tell of this hall, and hear of all. A connection that failed is opened again the next time."""
        with self._in_use:
            return self._exchanged(news)

    def _exchanged(self, news: HallNews) -> Sequence[HallSeen]:
        try:
            with postgresql.explained(self._data):
                if self._connection is None:
                    self._connection = postgresql.connect(self._data, news.name, application="gameserver halls")
                    # News of a hall come again in two seconds: they need not be on a disk.
                    self._connection.execute("SET synchronous_commit = off")
                tournaments = orjson.dumps([asdict(one) for one in news.tournaments]).decode()
                self._connection.execute(_TELL, (news.name, news.url, news.players, news.matches, tournaments))
                return [_seen(*row) for row in self._connection.execute(_HEAR)]
        except DatabaseError:
            self._hang_up()
            raise

    def reader(self, hall: str) -> RecordReader:
        pool = self._pools.setdefault(hall, ReadingPool(self._data, hall))
        return RecordReader(pool.connection)

    def close(self) -> None:
        """End all connections; one that waits for a database that is away ends by itself."""
        if self._in_use.acquire(blocking=False):
            self._hang_up()
        for pool in self._pools.values():
            pool.close()

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _seen(
    hall: str, url: str, players: int, matches: int, tournaments: str, seen_at: str, seen_ago_s: float
) -> HallSeen:
    known = (_tournament(one) for one in _listed(tournaments))
    understood = tuple(one for one in known if one is not None)
    return HallSeen(HallNews(hall, url, players, matches, understood), seen_at, max(0.0, seen_ago_s))


def _listed(tournaments: str) -> Sequence[Any]:
    try:
        listed = orjson.loads(tournaments)
    except orjson.JSONDecodeError:
        return ()
    return listed if isinstance(listed, list) else ()


def _tournament(told: Any) -> HallTournament | None:
    """A tournament of another hall; None if it cannot be read.

    During an upgrade a newer server tells of its hall in its own way: it may add fields, or leave some out.
    """
    if not isinstance(told, dict):
        return None
    known = {name: told[name] for name, kind in _KINDS.items() if isinstance(told.get(name), kind)}
    try:
        return HallTournament(**known)
    # A field that this version did not know, told by a newer server, once ended every server of every hall here.
    except TypeError:
        return None
