"""Opens databases to copy from and to: locked, as a server would, and only where they are what they should be."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from gameserver.database.address import is_postgresql
from gameserver.journal.copy import CopyRefused, Side
from gameserver.journal.data_file import open_data_file, refused
from gameserver.journal.file_lock import FileLock
from gameserver.journal.journal import REMEDY, JournalBroken


class SqliteSide(Side):
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
        """A transaction."""
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._file.execute("COMMIT")
        finally:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
        # A file that a server wrote one row to, and that has no log, counts as one that lost its log.
        self._file.execute("PRAGMA journal_mode = DELETE")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Turns what SQLite raises into `JournalBroken`."""
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
        """Let others have the file."""
        self._file.close()
        self._lock.release()


@contextmanager
def open_source(data: str, hall: str = "") -> Iterator[Side]:
    """The database to copy from. Raises `CopyRefused`, `JournalBroken` and `JournalError`."""
    if is_postgresql(data):
        from gameserver.journal.copy_postgresql import PostgresqlSide  # noqa: PLC0415 - needs psycopg

        with closing(PostgresqlSide(data, hall, is_source=True)) as hall_side:
            yield hall_side
        return
    _check_no_hall(data, hall)
    path = Path(data)
    if not path.is_file() or not path.stat().st_size:
        raise CopyRefused(f"there is no data file {data}; nothing was copied")
    with closing(SqliteSide(path)) as side:
        side.check()
        yield side


@contextmanager
def open_target(data: str, hall: str = "") -> Iterator[Side]:
    """The database to copy to; its tables are made if there are none. Raises the same."""
    if is_postgresql(data):
        from gameserver.journal.copy_postgresql import PostgresqlSide  # noqa: PLC0415 - needs psycopg

        with closing(PostgresqlSide(data, hall, is_source=False)) as hall_side:
            yield hall_side
        return
    _check_no_hall(data, hall)
    with closing(SqliteSide(Path(data))) as side:
        yield side


def _check_no_hall(data: str, hall: str) -> None:
    if hall:
        raise CopyRefused(f"{data} is a data file, which has no halls: leave out the hall {hall}")
