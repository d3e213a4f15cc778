"""Copies a whole journal with its records from one database to another: every row of every table.

The copy is read back from the target before it is committed, and the lobby is replayed from both: a copy that differs
in a byte is never there, but for what the target cannot keep, which is counted. So an interrupted one leaves the
target empty.

Both databases are locked meanwhile, as by a server. One that is not what it should be is refused.
"""

import hashlib
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from zlib import crc32

import orjson

from gameserver.database import postgresql, postgresql_schema
from gameserver.database.address import is_postgresql
from gameserver.database.connection import DatabaseConnection, Table
from gameserver.database.postgresql import place
from gameserver.database.postgresql_writing import storable
from gameserver.database.sqlite import layout
from gameserver.game import Game
from gameserver.journal.journal import REMEDY, JournalBroken, JournalRow, Snapshot, checksum
from gameserver.journal.postgresql import NO_TRANSACTION_TIMEOUT, lock_key, translated
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest
from gameserver.journal.sql_journal import SqlJournal, last_row
from gameserver.journal.sqlite import FileLock, open_data_file, refused
from gameserver.records.reader import RecordReader
from gameserver.records.tournament_record import Record
from gameserver.values import value

REPLY_S = 600.0
"""The longest wait for an answer: a commit may wait for a replica that has to take in everything."""
# Judgement: PostgreSQL ends a session at once when it reads that the server has gone.
_LOCK_S = 1.0
"""The longest wait for the end of a server's session."""
_PAUSE_S = 0.05
_PAGE_ROWS = 2_000
Values = tuple[Any, ...]


class CopyRefused(Exception):
    """The refusal of `gameserver copy`: nothing was copied, and one line says why."""


@value
class Copied:
    """A copy of one database into another: its rows by table, and the digests in which source and target agree."""

    rows: Mapping[str, int]
    stood: int
    """Ratings that were left out: the same player has one at the same game in the target, from another hall."""
    adapted: int
    """Rows in which the target cannot keep something as it is (`_Side.storable`)."""
    digest: str
    lobby_digest: str
    live_matches: int
    players: int


class _Side(ABC):
    """The source or the target of a copy, locked for as long as it is open, so that no server uses it."""

    name: str
    """Its name in messages."""
    lost: str = ""
    """A sentence about transactions that damage to a write-ahead log has cost, mostly empty."""
    shared: frozenset[str] = frozenset()
    """Tables that halls have in common, so that they may have rows before."""
    connection: DatabaseConnection
    advance: Callable[[int], object] = staticmethod(lambda _: None)
    """Is told of rows that were read, some at a time."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[None]:
        """A transaction of the copy's target, durable at its end.

        An exception undoes it, at the latest when the side closes.
        """

    def storable(self, row: Values) -> Values:
        """The row as the database on this side of the copy can keep it."""
        return row

    def after_own(self) -> None:  # noqa: B027 - nothing to do is what SQLite needs
        """Tidy up the copy's target within the transaction, after the rows were written that are no other hall's."""

    def before_shared(self) -> None:  # noqa: B027 - nothing to do is what SQLite needs
        """Keep other halls, until the end of the copy's transaction, from writing to the tables that they share."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[None]:
        """Turns what the database of a copy raises into `JournalBroken` or `JournalError`."""


def rows_to_read(source: _Side) -> int:
    """The number of rows that a copy from this source reads: each one there, and again in the target."""
    with source.reading():
        return 2 * sum(_counts(source, layout()).values())


def copy(source: _Side, target: _Side, games: Mapping[str, Game[Any]]) -> Copied:
    """Copies every row of a journal and its records into another database, and compares.

    Raises `CopyRefused`, and `JournalBroken` where the source is damaged.
    """
    tables = layout()
    own = [table for table in tables if table.name not in target.shared]
    with target.reading():
        _check_is_empty(target, own)
    with source.reading():
        lobby = replay(_ReadJournal(source), games).lobby
    wanted = digest(lobby)
    with target.reading(), target.writing():
        written = {table.name: _written(source, target, table) for table in own}
        target.after_own()
        for table in own:
            _check_is_kept(target, table, written[table.name])
        if digest(replay(_ReadJournal(target), games).lobby) != wanted:
            # The strictest comparison there is: rules and readers go over every row once more.
            raise CopyRefused(f"{target.name} gives another lobby than {source.name}; nothing was copied")
        # Last, because other halls at play have to wait meanwhile.
        target.before_shared()
        for table in tables:
            if table.name in target.shared:
                there = _keys(target, table)
                written[table.name] = _written(source, target, table, there)
                _check_is_kept(target, table, written[table.name], there)
        with source.reading():
            source.connection.execute("SELECT 1")  # a session that has ended has lost its lock
    digests = "".join(f"{table.name} {written[table.name].digest}\n" for table in tables)
    return Copied(
        rows={table.name: written[table.name].count for table in tables},
        stood=sum(one.left_out for one in written.values()),
        adapted=sum(one.adapted for one in written.values()),
        digest=hashlib.sha256(digests.encode()).hexdigest(),
        lobby_digest=wanted,
        live_matches=len(lobby.matches),
        players=len(lobby.players),
    )


@contextmanager
def open_source(data: str, hall: str = "") -> Iterator[_Side]:
    """Opens the journal whose rows are to be copied, in a data file or in PostgreSQL.

    Raises `CopyRefused`, `JournalBroken` and `JournalError`.
    """
    if is_postgresql(data):
        with closing(_PostgresqlSide(data, hall, is_source=True)) as hall_side:
            yield hall_side
        return
    _check_no_hall(data, hall)
    path = Path(data)
    if not path.is_file() or not path.stat().st_size:
        raise CopyRefused(f"there is no data file {data}; nothing was copied")
    with closing(_SqliteSide(path)) as side:
        side.check()
        yield side


@contextmanager
def open_target(data: str, hall: str = "") -> Iterator[_Side]:
    """Opens the journal that takes the copied rows; its tables are made if there are none.

    Raises the same as `open_source`.
    """
    if is_postgresql(data):
        with closing(_PostgresqlSide(data, hall, is_source=False)) as hall_side:
            yield hall_side
        return
    _check_no_hall(data, hall)
    with closing(_SqliteSide(Path(data))) as side:
        yield side


def _check_no_hall(data: str, hall: str) -> None:
    if hall:
        raise CopyRefused(f"{data} is a data file, which has no halls: leave out the hall {hall}")


def _counts(side: _Side, tables: Sequence[Table]) -> Mapping[str, int]:
    return {
        table.name: side.connection.execute(f"SELECT count(*) FROM {table.name}").fetchone()[0]  # noqa: S608 - our own
        for table in tables
    }


def _check_is_empty(target: _Side, tables: Sequence[Table]) -> None:
    found = ", ".join(f"{name} {count}" for name, count in _counts(target, tables).items() if count)
    if found:
        raise CopyRefused(f"{target.name} is not empty (rows: {found}); name an empty one, nothing was copied")


def _written(source: _Side, target: _Side, table: Table, there: Collection[Values] = ()) -> "_Digest":
    """Write the rows of a table but those that are there, by their keys."""
    written = _Digest()
    page: list[Values] = []
    for found in _rows(source, table):
        row = target.storable(found)
        if _key(table, row) in there:
            written.left_out += 1
            continue
        written.adapted += row != found
        written.add(row)
        page.append(row)
        if len(page) == _PAGE_ROWS:
            target.connection.insert(table.name, ", ".join(table.columns), page)
            page = []
    target.connection.insert(table.name, ", ".join(table.columns), page)
    return written


def _check_is_kept(target: _Side, table: Table, written: "_Digest", there: Collection[Values] = ()) -> None:
    """Raise `CopyRefused` unless the rows, apart from those that were there, are read back as they were written."""
    rows = (row for row in _rows(target, table) if _key(table, row) not in there)
    if _Digest(rows).digest != written.digest:
        raise CopyRefused(f"{target.name} did not keep the table {table.name} as it was written; nothing was copied")


def _rows(side: _Side, table: Table) -> Iterator[Values]:
    """All rows in the order of their key, some at a time, since PostgreSQL would hand over all of them at once."""
    key, places = ", ".join(table.key), ", ".join("?" * len(table.key))
    head = f"SELECT {', '.join(table.columns)} FROM {table.name}"  # noqa: S608 - our own columns
    tail = f"ORDER BY {key} LIMIT {_PAGE_ROWS}"
    with side.reading():
        page = side.connection.execute(f"{head} {tail}").fetchall()
    while page:
        for row in page:
            _check_row(side, table, row)
            yield row
        side.advance(len(page))
        after = _key(table, page[-1])
        with side.reading():
            page = side.connection.execute(f"{head} WHERE ({key}) > ({places}) {tail}", after).fetchall()


def _keys(side: _Side, table: Table) -> frozenset[Values]:
    query = f"SELECT {', '.join(table.key)} FROM {table.name}"  # noqa: S608 - our own columns
    return frozenset(tuple(row) for row in side.connection.execute(query))


def _key(table: Table, row: Values) -> Values:
    return tuple(row[table.columns.index(column)] for column in table.key)


def _check_row(side: _Side, table: Table, row: Values) -> None:
    """Raise `JournalBroken` where a row of the journal, or the snapshot, does not fit its checksum."""
    if table.name not in {"journal", "snapshot"}:
        return
    *values, crc = row
    if table.name == "journal":
        found, what = checksum(JournalRow(*values)), f"row {row[0]} of the journal"
    else:
        found, what = crc32(row[table.columns.index("body")]), "the snapshot of the lobby"
    if crc != found:
        raise JournalBroken(f"{side.name}: {what} is damaged; nothing was copied")


class _Digest:
    """The number of some rows, and their digest."""

    def __init__(self, rows: Iterable[Values] = ()) -> None:
        self.count = 0
        self.left_out = 0
        self.adapted = 0
        self._hash = hashlib.sha256()
        for row in rows:
            self.add(row)

    def add(self, row: Values) -> None:
        self.count += 1
        self._hash.update(orjson.dumps(row, default=bytes.hex, option=orjson.OPT_APPEND_NEWLINE))

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()


class _ReadJournal(SqlJournal):
    """The journal of a side, to be replayed."""

    def __init__(self, side: _Side) -> None:
        self.name = side.name
        self._connection = side.connection

    def _connected(self) -> DatabaseConnection:
        return self._connection

    def _reading(self) -> AbstractContextManager[None]:
        return nullcontext()

    def last(self) -> int:
        return last_row(self._connection)

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        raise NotImplementedError

    def trim(self, before: int) -> None:
        raise NotImplementedError

    def save_snapshot(self, snapshot: Snapshot) -> None:
        raise NotImplementedError

    def reader(self) -> RecordReader:
        raise NotImplementedError

    def close(self) -> None:
        """The side closes its connection."""


_STAY = f"""
    SELECT set_config('idle_session_timeout', '0', false),
        set_config('idle_in_transaction_session_timeout', '0', false),
        set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false), {NO_TRANSACTION_TIMEOUT}
"""
"""The lock ends with the session, which is silent while rows are compared."""
_SOMETHING = "SELECT 1 FROM journal UNION ALL SELECT 1 FROM snapshot UNION ALL SELECT 1 FROM match LIMIT 1"
_HALLS = "SELECT hall FROM gameserver.snapshot UNION SELECT hall FROM gameserver.match ORDER BY hall"
_RAISE_NUMBERS = """
    SELECT setval('gameserver.attendance_number_seq', highest + 1000)
    FROM (SELECT max(number) AS highest FROM attendance) AS own, gameserver.attendance_number_seq
    WHERE highest >= last_value
"""
"""All halls draw from one sequence, and may do so meanwhile: so it is never set back, and some numbers are left out."""


class _PostgresqlSide(_Side):
    """A hall. The lock is the one of the server that leads."""

    shared = frozenset({"rating"})

    def __init__(self, data: str, hall: str, *, is_source: bool) -> None:
        self.name = place(data) + (f", hall {hall}" if hall else "")
        self._data = data
        with translated(data):
            self._session = postgresql.connect(data, hall, application="gameserver copy")
        try:
            with self.reading():
                self._session.raw.reply_s = REPLY_S
                self._session.execute(_STAY)
                self._prepare(place(data), hall, is_source=is_source)
        except BaseException:
            self.close()
            raise
        self.connection = self._session

    def _prepare(self, where: str, hall: str, *, is_source: bool) -> None:
        if is_source:
            postgresql_schema.check(self._session, where)
        else:
            postgresql_schema.prepare(self._session, where)
        if not self._has_lock(hall):
            raise CopyRefused(f"{self.name} is in use by a server; stop it and those that stand by; nothing was copied")
        if is_source and self._session.execute(_SOMETHING).fetchone() is None:
            halls = ", ".join(name or "the first one" for (name,) in self._session.execute(_HALLS))
            raise CopyRefused(f"{self.name} is empty, so nothing was copied; halls with data: {halls or 'none'}")

    def _has_lock(self, hall: str) -> bool:
        """Take the lock. PostgreSQL may need a moment to end the session of a server that has just stopped."""
        give_up_s = monotonic() + _LOCK_S
        while True:
            ((is_ours,),) = self._session.execute("SELECT pg_try_advisory_lock(?)", (lock_key(hall),)).fetchall()
            if is_ours or monotonic() > give_up_s:
                return bool(is_ours)
            sleep(_PAUSE_S)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction. Where it is not carried through, the end of the session undoes it."""
        self._session.execute("BEGIN")
        yield
        self._session.execute("COMMIT")

    def storable(self, row: Values) -> Values:
        """PostgreSQL's text has no character 0, which SQLite's may have. The rows of the journal keep it, as bytes."""
        return tuple(map(storable, row))

    def after_own(self) -> None:
        """Have new rows numbered after these, and PostgreSQL look at the tables, or it would search them slowly."""
        # Autovacuum would do it within a minute or so, after the first searches.
        self._session.execute(f"ANALYZE {', '.join(f'gameserver.{table.name}' for table in layout())}")
        self._session.execute(_RAISE_NUMBERS)

    def before_shared(self) -> None:
        self._session.execute("LOCK TABLE gameserver.rating IN SHARE ROW EXCLUSIVE MODE")

    def reading(self) -> AbstractContextManager[None]:
        return translated(self._data)

    def close(self) -> None:
        """End the session, and with it the lock."""
        self._session.close()


class _SqliteSide(_Side):
    """A data file."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path
        self._lock = FileLock(path)
        try:
            self._file, self.lost = open_data_file(path, self._lock, "full")
            self.connection = self._file
        except BaseException:
            self._lock.release()
            raise
        self._lock.confirm()

    @contextmanager
    def writing(self) -> Iterator[None]:
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._file.execute("COMMIT")
        finally:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
        # See `open_data_file`: the copy is one file again, without a log beside it.
        # A file that a server wrote one row to, and that has no log, counts as one that lost its log.
        self._file.execute("PRAGMA journal_mode = DELETE")

    @contextmanager
    def reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise refused(self._path, error) from error

    def check(self) -> None:
        """Raise `JournalBroken` where a page of the file is damaged."""
        with self.reading():
            (said,) = self._file.execute("PRAGMA quick_check(1)").fetchone()
        if said != "ok":
            raise JournalBroken(f"{self.name} is damaged ({' '.join(said.split())}); nothing was copied; {REMEDY}")

    def close(self) -> None:
        self._file.close()
        self._lock.release()
