"""PostgreSQL, as far as it differs: opens connections, writes many rows, and says in one line what went wrong.

It imports psycopg, so import it where it is needed: most servers are installed without.
"""

import difflib
import re
import select
import sys
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from threading import BoundedSemaphore
from time import monotonic
from typing import Any, TypeVar
from urllib.parse import unquote

import psycopg
from psycopg import InterfaceError, OperationalError, RawCursor
from psycopg.abc import PQGen
from psycopg.adapt import AdaptersMap, Dumper, Loader
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Format

from gameserver.database import postgresql_schema
from gameserver.database.address import shown
from gameserver.database.connection import DatabaseAway, DatabaseError
from gameserver.database.postgresql_writing import ARRAY_OIDS, Insertion, Statement, insertion_into, joined, storable

_VERSION_MIN = 140_000
"""PostgreSQL 14 brought `idle_session_timeout`, without which a stopped leader would lead for ever."""
# Judgement: longer than a commit that waits for a replica takes, much shorter than `journal.commit_retry_s` (30 s).
REPLY_S = 5.0
"""The time without a sign of the database after which a session that commits is given up."""
# A lookup without an answer holds one of the four connections of the pages for so long.
_READ_REPLY_S = 30.0
"""The same for statistics, which may take long."""
# With those of the journal, the halls and the roster a server has at most seven (docs/postgresql.md).
CONNECTIONS_MAX = 4
# Judgement: a person who waits longer for a page asks again.
WAIT_S = 10.0
"""The longest wait for one of them, while all are in use."""
# Judgement: enough to know the statement again in a line of the log.
_QUERY_SHOWN_CHARS = 120

# libpq's parameters: seconds, but for tcp_user_timeout, which is in milliseconds.
_CONNECT: dict[str, Any] = {
    "connect_timeout": 2,
    "keepalives_idle": 1,
    "keepalives_interval": 1,
    "keepalives_count": 2,
    "tcp_user_timeout": 3_000,
    "client_encoding": "UTF8",
}
"""Settings by which a lost server is noticed in about 3 s, unless the connection string says otherwise."""
# After a server had lost some twenty connections, PostgreSQL refused it with "too many clients already".
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
    """A connection through psycopg to the rows of one hall.

    A statement is a transaction of its own, unless `BEGIN` came before.
    """

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
        """True if nothing came from PostgreSQL unasked, such as the end of the session. Any thread may ask."""
        try:
            return not _is_readable(self.raw.pgconn.socket)
        except (psycopg.Error, OSError, ValueError):
            return False

    def execute(self, query: str, values: Sequence[Any] = (), /) -> psycopg.Cursor[Any]:
        """Carry out one statement in PostgreSQL, after those that were gathered."""
        if self._waiting:
            self._carry_out_waiting()
        return self.raw.cursor().execute(_numbered(query), [storable(one) for one in values] or None)

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Send the inserts of the block to PostgreSQL in fewer statements.

        They are of different tables, or go one after the other.

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
        """Carry out a statement in PostgreSQL that changes a table, and gives no answer."""
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
        """Write rows to PostgreSQL, in their order."""
        if not rows:
            return 0
        if update and rows[1:]:
            rows = _last_of_each(columns, rows, key)
        cursor = self._carry_out(self._insertion(table, columns, rows, tuple(key), tuple(update), tuple(add)))
        return 0 if cursor is None else cursor.rowcount

    def insert_new(self, table: str, columns: str, rows: Sequence[Sequence[Any]]) -> set[Any]:
        """Write those rows to PostgreSQL that are not there yet."""
        if not rows:
            return set()
        key = columns.partition(",")[0]
        statement = self._insertion(table, columns, rows, (key,), (), (), returning=key)
        waiting, self._waiting = self._waiting or [], None if self._waiting is None else []
        return {value for (value,) in self._carry_out_all([*waiting, statement])}

    def json_field(self, column: str, name: str) -> str:
        """SQL of PostgreSQL for a field of a JSON object, as text."""
        return f"CAST({column} AS json) ->> '{name}'"

    def close(self) -> None:
        """End the session of PostgreSQL. Never raises."""
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
        return insertion(rows, self._hall)

    def _carry_out(self, statement: Statement) -> psycopg.Cursor[Any] | None:
        """Carry out a statement whose answer is not needed, now or with the others that wait: then None."""
        if self._waiting is None:
            return self._carry_out_all([statement])
        # See PostgreSQL's manual, 7.8.4: the parts see the tables as they were before all of them.
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
        # Prepared: PostgreSQL parses the statement once for each session.
        return self.raw.cursor().execute(text, values, prepare=True)

    def _kinds_of(self, table: str) -> dict[str, str]:
        if not self._kinds:
            for name, column, kind in self.execute(_COLUMNS):
                self._kinds.setdefault(name, {})[column] = kind
        return self._kinds[table]


def connect(
    data: str, hall: str = "", *, application: str = "gameserver", reads_only: bool = False
) -> PostgresqlConnection:
    """Open a connection of psycopg's to the rows of a hall. Raises `DatabaseError`."""
    given = parameters(data)
    several = any("," in str(given.get(name, "")) for name in ("host", "hostaddr", "port"))
    # With several hosts the primary is meant: it alone has the latest commits. A single host may be a replica, which
    # can be read.
    if not reads_only or several:
        given.setdefault("target_session_attrs", "read-write")
    with explained(data):
        raw = _RawConnection.connect(
            **(_CONNECT | given | {"application_name": application}),
            autocommit=True,
            # Takes $1 as PostgreSQL does: psycopg's own cursor would look for % in every query.
            cursor_factory=RawCursor,
            context=_ADAPTERS,
        )
        connection = PostgresqlConnection(data, raw, hall)
        raw.data = data
        try:
            raw.reply_s = _READ_REPLY_S if reads_only else REPLY_S
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
    """Connects to PostgreSQL by psycopg only to read a hall's records, since a server may be writing to them.

    Raises `DatabaseError`.
    """
    with closing(connect(data, hall, reads_only=True)) as connection, explained(data):
        postgresql_schema.check(connection, place(data))
        yield connection


@contextmanager
def writing(data: str, hall: str = "") -> Iterator[PostgresqlConnection]:
    """Connects to PostgreSQL by psycopg, to read and write; first makes the tables where there are none.

    Raises `DatabaseError`.
    """
    with closing(connect(data, hall)) as connection, explained(data):
        postgresql_schema.prepare_new(connection, place(data))
        yield connection


class ReadingPool:
    """A pool of read-only PostgreSQL connections to the records of a hall. Any thread may ask for one.

    They are kept open between the lookups of pages: to open one takes 4 ms.

    Rejected: psycopg_pool. It connects in threads of its own, four for a pool. While the database is away, a lookup
    waits there to its time limit and is told "couldn't get a connection after 5.00 sec"; a page should say at once what
    is wrong.
    """

    def __init__(self, data: str, hall: str = "") -> None:
        self._data = data
        self._hall = hall
        self._free = BoundedSemaphore(CONNECTIONS_MAX)
        self._idle: deque[PostgresqlConnection] = deque()
        self._is_closed = False

    @contextmanager
    def connection(self) -> Iterator[PostgresqlConnection]:
        """A read-only PostgreSQL connection of the pool, for the caller alone. Raises `DatabaseError`."""
        if not self._free.acquire(timeout=WAIT_S):
            raise DatabaseAway(f"{place(self._data)}: {CONNECTIONS_MAX} lookups have taken {WAIT_S:g} s")
        try:
            connection = self._taken() or connect(self._data, self._hall, reads_only=True)
            try:
                with explained(self._data):
                    yield connection
            except BaseException:
                connection.close()
                raise
            self._put_back(connection)
        finally:
            self._free.release()

    def close(self) -> None:
        """Close the pool's PostgreSQL connections that are idle now, and each other one after its use."""
        self._is_closed = True
        while connection := self._taken():
            connection.close()

    def _taken(self) -> PostgresqlConnection | None:
        """One that was used before. The database may have ended it since: then something came from it unasked."""
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:  # another thread was quicker
                return None
            # Else a page would be told of a restart of PostgreSQL that is long over.
            if connection.is_quiet:
                return connection
            connection.close()
        return None

    def _put_back(self, connection: PostgresqlConnection) -> None:
        if self._is_closed:
            connection.close()
        else:
            self._idle.append(connection)


def parameters(data: str) -> dict[str, Any]:
    """Has psycopg parse a PostgreSQL connection string into its parameters.

    Raises `DatabaseError`, without a word of the string in it.
    """
    fault = ""
    try:
        return conninfo_to_dict(data)
    except psycopg.Error as error:
        fault = _fault_in_string(error, data)
    raise DatabaseError(fault)  # outside of `except`: psycopg's error quotes the string, with the password


@contextmanager
def explained(data: str) -> Iterator[None]:
    """Turn what psycopg raises into a `DatabaseError` of one line, without the password."""
    try:
        yield
    except psycopg.Error as error:
        raise explanation(error, data) from error


def _check_server(connection: PostgresqlConnection) -> None:
    info = connection.raw.info
    where = place(connection.data)
    if info.server_version < _VERSION_MIN:
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


# The first two characters of an SQLSTATE: PostgreSQL's manual, appendix A, "Error Codes".
_PASSING_CLASSES = {
    "08": "connection",
    "40": "rolled back: two transactions were in each other's way",
    "53": "out of disk, memory or connections",
    "57": "ended by an administrator, or starting up",
    "58": "an error of the machine",
}
_PASSING = {"25006", "25P03", "25P04", "55P03"}
"""Read-only, as an old primary is; a session that was silent within a transaction, or took too long for one; a lock
that was not to be had."""
_LASTING = re.compile(
    r"does not exist|authentication failed|no password supplied|pg_hba|definition of service"
    r"|does not support SSL|certificate|private key|SSL error: .* alert"
    r"|^invalid |could not match \d|Servname not supported|could not parse network address|socket path .* too long"
)
"""Connections that will fail again until somebody changes a setting. The word SSL alone says nothing: each error of an
encrypted connection that broke has it, such as `SSL error: unexpected eof while reading`."""
_ADVICE = {
    r"database .* does not exist": "create it with `createdb`",
    r"role .* does not exist": "create it with `createuser`",
    r"authentication failed|no password supplied": "check the user, and the password in the file that PGPASSFILE names",
    r"pg_hba": "allow it in PostgreSQL's pg_hba.conf",
    r"definition of service": "check the file that PGSERVICEFILE names",
    r"read-only": "name all servers of the cluster, as in `host=db1,db2 target_session_attrs=read-write`",
    r"Servname not supported|connection option \"port\"|invalid port": "a port is a number",
    r"could not parse network address": "`hostaddr` is a number, `host` a name",
    r"refused|No such file|resolve|timeout expired|timed out|unreachable": "make sure that PostgreSQL runs there",
    r"journal_pkey": "another program writes to the journal",
    r"permission denied": "have the owner of the tables grant it",
    r"relation .* does not exist|schema .* does not exist": "start this version of the server on it once",
}
_ATTEMPT = re.compile(r'(?:server at|server on socket) "([^"]*)"(?:, port (\d+))? failed: ([^\n]*)')
_PARAMETERS = ("dbname", "password", "passfile", "service", "sslmode", "sslrootcert", "target_session_attrs")
"""The parameters that a misspelt one is compared with."""


def place(data: str) -> str:
    """Names a PostgreSQL database in a line about what went wrong with it: `the database ...`."""
    return f"the database {shown(data)}"


def explanation(error: Exception, data: str) -> DatabaseError:
    """Explains an error of psycopg's as one of ours, in one line.

    It is one line: what is wrong, and what to do. Never with a password.

    An error's text is PostgreSQL's own, in the language of its server; what it is follows from its code. A connection
    that fails has no code, only a text.
    """
    code = getattr(error, "sqlstate", None)
    primary = getattr(getattr(error, "diag", None), "message_primary", None)
    faults = _faults(primary or str(error))
    what = _without_secrets("; ".join(faults), data)
    advice = next((f"; {do}" for fault, do in _ADVICE.items() if re.search(fault, what)), "")
    if code is not None:
        is_passing = code[:2] in _PASSING_CLASSES or code in _PASSING
    else:
        # One server of several may refuse for ever while another one is only started again.
        is_lasting = all(map(_LASTING.search, faults.values()))
        is_passing = isinstance(error, OperationalError | InterfaceError) and not is_lasting
    kind = DatabaseAway if is_passing else DatabaseError
    return kind(f"{place(data)} cannot be used: {what}{advice}")


def _fault_in_string(error: Exception, data: str) -> str:
    """The message for a connection string that libpq cannot read. Nothing of the string is in it but its keywords."""
    text = str(error)
    hint = ""
    named = re.search(r'invalid (?:URI query parameter|connection option):? "(\w+)"', text)
    if named is not None:
        close = difflib.get_close_matches(named[1], _PARAMETERS, n=1)
        hint = f": it has an unknown parameter{f'; did you mean {close[0]!r}?' if close else ''}"
    elif ":" in data.partition("=")[0] and not data.startswith(("postgresql://", "postgres://")):
        hint = ": a URL begins with postgresql:// in small letters"
    elif "space" in text or "percent" in text or 'missing "="' in text:
        hint = ": write blanks and signs in a URL as %20 and the like, and quote them as '...' elsewhere"
    example = "postgresql://USER@HOST/DATABASE or service=NAME"
    return f"data: this is not a connection string of PostgreSQL{hint}; write it as {example}"


def _faults(text: str) -> Mapping[str, str]:
    """The faults that an error names, by their messages, in which each server that was tried has its address."""
    attempts = {f"{host}{port and ':'}{port}: {fault}": fault for host, port, fault in _ATTEMPT.findall(text)}
    whole = " ".join(text.split()).removeprefix("connection is bad: ")
    return attempts or {whole: whole}


def _without_secrets(text: str, data: str) -> str:
    """PostgreSQL does not repeat a password; if it ever did, it should not be printed."""
    for secret in re.findall(r"(?i)(?:password\s*=\s*'?|://[^:/@]*:)([^\s'&@]{3,})", data):
        text = text.replace(secret, "***").replace(unquote(secret), "***")
    # With an unescaped `@`, `:` or `/` in a password, libpq takes a part of it for a host or a port, and names that.
    for quoted in re.findall(r"\"([^\"]+)\"|'([^']+)'", text):
        named = quoted[0] or quoted[1]
        if named in unquote(data) and named not in unquote(shown(data)):
            text = text.replace(named, "***")
    return text


class _NoAnswer(Exception):
    pass


_BLOCKERS = """
    SELECT pid, usename, application_name, query FROM pg_stat_activity WHERE pid = ANY(pg_blocking_pids(%s))
"""


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
