"""Connections to read by, kept open between the lookups of pages: to open one takes 4 ms.

Rejected: psycopg_pool. It connects in threads of its own, four for a pool. While the database is away, a lookup waits
there to its time limit and is told "couldn't get a connection after 5.00 sec"; a page should say at once what is wrong.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from gameserver.database import postgresql
from gameserver.database.connection import DatabaseAway
from gameserver.database.postgresql import PostgresqlConnection
from gameserver.database.postgresql_errors import place

CONNECTIONS_MAX = 4
WAIT_S = 10.0
"""The longest wait for one of them, while all are in use."""


class ReadingPool:
    """Read-only connections to the records of a hall. Any thread may ask for one."""

    def __init__(self, data: str, hall: str = "") -> None:
        self._data = data
        self._hall = hall
        self._free = BoundedSemaphore(CONNECTIONS_MAX)
        self._idle: deque[PostgresqlConnection] = deque()
        self._is_closed = False

    @contextmanager
    def connection(self) -> Iterator[PostgresqlConnection]:
        """A connection, for the caller alone. Raises `DatabaseError`."""
        if not self._free.acquire(timeout=WAIT_S):
            raise DatabaseAway(f"{place(self._data)}: {CONNECTIONS_MAX} lookups have taken {WAIT_S:g} s")
        try:
            connection = self._taken() or postgresql.connect(self._data, self._hall, reads_only=True)
            try:
                with postgresql.explained(self._data):
                    yield connection
            except BaseException:
                connection.close()
                raise
            self._put_back(connection)
        finally:
            self._free.release()

    def close(self) -> None:
        """Close those that are idle now, and each other one after its use."""
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
            if connection.is_quiet:
                return connection
            connection.close()
        return None

    def _put_back(self, connection: PostgresqlConnection) -> None:
        if self._is_closed:
            connection.close()
        else:
            self._idle.append(connection)
