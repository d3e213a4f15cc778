"""PostgreSQL, as far as it differs: opens connections, writes many rows, and says in one line what went wrong.

It imports psycopg, so import it where it is needed: most servers are installed without.
"""

import re
import select
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from time import monotonic
from typing import Any, TypeVar

import psycopg
from psycopg import RawCursor
from psycopg.abc import PQGen
from psycopg.adapt import AdaptersMap, Dumper, Loader
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Format

from gameserver.database import postgresql_errors, postgresql_schema
from gameserver.database.connection import DatabaseError
from gameserver.database.postgresql_arrays import ARRAY_OIDS, storable
from gameserver.database.postgresql_statements import Insertion, Statement, insertion_into, joined

VERSION_MIN = 140_000
"""PostgreSQL 14 brought `idle_session_timeout`, without which a stopped leader would lead for ever."""
REPLY_S = 5.0
"""The time without a sign of the database after which a session that commits is given up."""
READ_REPLY_S = 30.0
"""The same for statistics, which may take long."""

_CONNECT: dict[str, Any] = {
    "connect_timeout": 2,
    "keepalives_idle": 1,
    "keepalives_interval": 1,
    "keepalives_count": 2,
    "tcp_user_timeout": 3_000,
    "client_encoding": "UTF8",
}
"""How a lost server is noticed in about 3 s, unless the connection string says otherwise."""
_SESSION = """
    SELECT set_config('search_path', 'gameserver_hall, gameserver', false), set_config('gameserver.hall', ?, false),
        set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
        set_config('tcp_keepalives_count', '3', false)
"""
"""The database gives up a lost machine, too, after 25 s. Linux does after two hours, for which each session of a server
whose network comes and goes would stay one of `max_connections`."""
_COLUMNS = (
    "SELECT relname, attname, format_type(atttypid, NULL) FROM pg_attribute JOIN pg_class ON attrelid = pg_class.oid"
    " WHERE relnamespace = 'gameserver'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped"
)

T = TypeVar("T")


class PostgresqlConnection:
    """A `Connection` to the rows of one hall. A statement is a transaction of its own, unless `BEGIN` came before."""

    def __init__(self, data: str, raw: "_RawConnection", hall: str) -> None:
        self.data = data
        self.raw = raw
        self._hall = hall
        self._insertions: dict[tuple[object, ...], Insertion] = {}
        self._kinds: dict[str, dict[str, str]] = {}
        """The types of the columns of each table, once they were asked for."""
        self._waiting: list[Statement] | None = None
        """Statements that wait for the next one whose answer is needed; None outside of `gathered`."""

    @property
    def is_quiet(self) -> bool:
        """True if nothing came from the database unasked, such as the end of the session. Any thread may ask."""
        try:
            return not _is_readable(self.raw.pgconn.socket)
        except (psycopg.Error, OSError, ValueError):
            return False

    def execute(self, query: str, values: Sequence[Any] = (), /) -> psycopg.Cursor[Any]:
        """Carry out one statement."""
        if self._waiting:
            self._carry_out_waiting()
        return self.raw.cursor().execute(_numbered(query), [storable(one) for one in values] or None)

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Carry out the inserts within in fewer statements. They are of different tables, or go one after the other.

        A statement costs 40 to 70 us of processor time, here as much as in PostgreSQL, whatever it does, and the way to
        the database and back. So inserts wait, and `change` does, for one whose answer is needed, and go with it as
        common table expressions. The number of rows that `insert` gives is 0 meanwhile.
        """
        self._waiting = []
        try:
            yield
            self._carry_out_waiting()
        finally:
            self._waiting = None

    def change(self, table: str, query: str, values: Sequence[Any]) -> None:
        """Carry out a statement that changes a table, and gives no answer."""
        self._carry_out(Statement(table, _numbered(query), [storable(one) for one in values]))

    def insert(
        self,
        table: str,
        columns: str,
        rows: Sequence[Sequence[Any]],
        *,
        key: Sequence[str] = (),
        update: Sequence[str] = (),
        add: Sequence[str] = (),
    ) -> int:
        """Write rows, in their order."""
        if not rows:
            return 0
        if update and rows[1:]:
            rows = _last_of_each(columns, rows, key)
        cursor = self._carry_out(self._insertion(table, columns, rows, tuple(key), tuple(update), tuple(add)))
        return 0 if cursor is None else cursor.rowcount

    def insert_new(self, table: str, columns: str, rows: Sequence[Sequence[Any]]) -> set[Any]:
        """Write those rows that are not there yet."""
        if not rows:
            return set()
        key = columns.partition(",")[0]
        statement = self._insertion(table, columns, rows, (key,), (), (), returning=key)
        waiting, self._waiting = self._waiting or [], None if self._waiting is None else []
        return {value for (value,) in self._carry_out_all([*waiting, statement])}

    def json_field(self, column: str, name: str) -> str:
        """SQL for a field of a JSON object, as text."""
        return f"CAST({column} AS json) ->> '{name}'"

    def close(self) -> None:
        """End the session. Never raises."""
        with suppress(psycopg.Error):
            self.raw.close()

    def _insertion(
        self,
        table: str,
        columns: str,
        rows: Sequence[Sequence[Any]],
        *conflict: tuple[str, ...],
        returning: str = "",
    ) -> Statement:
        insertion = self._insertions.get((table, columns, conflict, returning))
        if insertion is None:
            insertion = insertion_into(table, columns, self._kinds_of(table), *conflict, returning=returning)
            self._insertions[table, columns, conflict, returning] = insertion
        return insertion.of(rows, self._hall)

    def _carry_out(self, statement: Statement) -> psycopg.Cursor[Any] | None:
        """Carry out a statement whose answer is not needed, now or with the others that wait: then None."""
        if self._waiting is None:
            return self._carry_out_all([statement])
        if any(one.table == statement.table for one in self._waiting):  # parts of one statement have no order
            self._carry_out_waiting()
        self._waiting.append(statement)
        return None

    def _carry_out_waiting(self) -> None:
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            self._carry_out_all(waiting)

    def _carry_out_all(self, statements: Sequence[Statement]) -> psycopg.Cursor[Any]:
        text = joined(tuple((one.text, len(one.values)) for one in statements))
        values = [value for one in statements for value in one.values]
        return self.raw.cursor().execute(text, values, prepare=True)

    def _kinds_of(self, table: str) -> dict[str, str]:
        if not self._kinds:
            for name, column, kind in self.execute(_COLUMNS):
                self._kinds.setdefault(name, {})[column] = kind
        return self._kinds[table]


def connect(
    data: str, hall: str = "", *, application: str = "gameserver", reads_only: bool = False
) -> PostgresqlConnection:
    """Open a connection to the records of a hall. Raises `DatabaseError`."""
    given = parameters(data)
    several = any("," in str(given.get(name, "")) for name in ("host", "hostaddr", "port"))
    if not reads_only or several:
        given.setdefault("target_session_attrs", "read-write")
    with explained(data):
        raw = _RawConnection.connect(
            **(_CONNECT | given | {"application_name": application}),
            autocommit=True,
            cursor_factory=RawCursor,
            context=_ADAPTERS,
        )
        connection = PostgresqlConnection(data, raw, hall)
        raw.data = data
        try:
            raw.reply_s = READ_REPLY_S if reads_only else REPLY_S
            _check_server(connection)
            connection.execute(_SESSION, (hall,))
            if reads_only:
                connection.execute("SET default_transaction_read_only = on")
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def read_only(data: str, hall: str = "") -> Iterator[PostgresqlConnection]:
    """Open the records of a hall to be read only, since a server may be writing to them. Raises `DatabaseError`."""
    with closing(connect(data, hall, reads_only=True)) as connection, explained(data):
        postgresql_schema.check(connection, postgresql_errors.place(data))
        yield connection


@contextmanager
def writing(data: str, hall: str = "") -> Iterator[PostgresqlConnection]:
    """Open a database to write to it, whose tables are made first where there are none. Raises `DatabaseError`."""
    with closing(connect(data, hall)) as connection, explained(data):
        postgresql_schema.prepare_new(connection, postgresql_errors.place(data))
        yield connection


@contextmanager
def explained(data: str) -> Iterator[None]:
    """Turn what psycopg raises into a `DatabaseError` of one line, without the password."""
    try:
        yield
    except psycopg.Error as error:
        raise postgresql_errors.explanation(error, data) from error


def parameters(data: str) -> dict[str, Any]:
    """The parts of a connection string. Raises `DatabaseError`, without a word of the string in it."""
    fault = ""
    try:
        return conninfo_to_dict(data)
    except psycopg.Error as error:
        fault = postgresql_errors.fault_in_string(error, data)
    raise DatabaseError(fault)  # outside of `except`: psycopg's error quotes the string, with the password


def _check_server(connection: PostgresqlConnection) -> None:
    info = connection.raw.info
    where = postgresql_errors.place(connection.data)
    if info.server_version < VERSION_MIN:
        raise DatabaseError(
            f"{where} is PostgreSQL {info.server_version // 10_000}; version 14 or a newer one is needed"
        )
    encoding = info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise DatabaseError(
            f"{where} keeps text as {encoding}; create the database with `createdb -E UTF8 -T template0`"
        )


class _RawConnection(psycopg.Connection[Any]):
    """psycopg's connection, which gives up a database that does not answer.

    A PostgreSQL that was stopped, or waits for a replica, keeps its connection open and says nothing.
    """

    reply_s: float = REPLY_S
    data: str = ""

    def wait(self, gen: PQGen[T], *args: Any, **kwargs: Any) -> T:
        """Wait for an answer. Raises `psycopg.OperationalError`, which names whoever holds a lock on it."""
        try:
            return super().wait(_limited(gen, self.reply_s), *args, **kwargs)
        except _NoAnswer as error:
            raise psycopg.OperationalError(f"{error}{_blockers(self.data, self.info.backend_pid)}") from None


class _NoAnswer(Exception):
    pass


_BLOCKERS = """
    SELECT pid, usename, application_name, query FROM pg_stat_activity WHERE pid = ANY(pg_blocking_pids(%s))
"""
_QUERY_SHOWN_CHARS = 120


def _blockers(data: str, process: int) -> str:
    """The sessions that hold the locks which this session waits for, as the end of a sentence; empty if none does.

    They are asked for on a connection of its own, as this one is busy. A database that is stopped does not answer
    there either, which takes the two seconds of `connect_timeout`.
    """
    try:
        with closing(psycopg.connect(**(_CONNECT | parameters(data)), autocommit=True)) as other:
            other.execute("SET statement_timeout = '1s'")
            found = other.execute(_BLOCKERS, (process,)).fetchall()
    except psycopg.Error:
        return ""
    return "".join(
        f"; a lock is in the way: session {pid} of {user} ({application or 'no name'}) holds it, and last ran"
        f" {_shortened(' '.join((query or '').split()))!r}; end its transaction, or have PostgreSQL end the session:"
        f" SELECT pg_terminate_backend({pid})"
        for pid, user, application, query in found
    )


def _shortened(query: str) -> str:
    """The beginning of a long statement."""
    return query if len(query) <= _QUERY_SHOWN_CHARS else f"{query[:_QUERY_SHOWN_CHARS]} ..."


def _limited(steps: PQGen[T], reply_s: float) -> Generator[Any, Any, T]:
    """The same steps. psycopg tries them again every 0.1 s while nothing comes."""
    heard_s = monotonic()
    ready: Any = None
    try:
        wanted = next(steps)
        while True:
            ready = yield wanted
            if ready:
                heard_s = monotonic()
            elif monotonic() - heard_s > reply_s:
                raise _NoAnswer(f"no answer for {reply_s:g} s")
            wanted = steps.send(ready)
    except StopIteration as done:
        result: T = done.value
        return result


@cache
def _numbered(query: str) -> bytes:
    """The query with `?` and `?1` as `$1`."""
    count = 0

    def place(found: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"${found[1] or count}"

    return re.sub(r"\?(\d*)", place, query).encode()


if sys.platform == "win32":

    def _is_readable(descriptor: int) -> bool:
        return bool(select.select([descriptor], [], [], 0)[0])

else:

    def _is_readable(descriptor: int) -> bool:
        # `select` knows only the first 1,024 descriptors of a process.
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        return bool(poller.poll(0))


def _last_of_each(columns: str, rows: Sequence[Sequence[Any]], key: Sequence[str]) -> Sequence[Sequence[Any]]:
    """The last row of each key: PostgreSQL refuses to update a row twice in one statement."""
    places = [columns.split(", ").index(name) for name in key]
    last = {tuple(row[place] for place in places): row for row in rows}
    return rows if len(last) == len(rows) else list(last.values())


class _NumericLoader(Loader):
    """Sums of integers are numeric there."""

    def load(self, data: Any) -> int | float:
        text = bytes(data)
        return float(text) if b"." in text else int(text)


def _adapters() -> AdaptersMap:
    adapters = AdaptersMap(psycopg.adapters)
    adapters.register_loader("numeric", _NumericLoader)
    for array, oid in ARRAY_OIDS.items():
        members = {"oid": oid, "format": Format.BINARY, "dump": lambda _, packed: packed}
        adapters.register_dumper(array, type(f"{array.__name__}Dumper", (Dumper,), members))
    return adapters


_ADAPTERS = _adapters()
