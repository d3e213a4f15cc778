"""SQLite, as far as it differs: opens files and writes many rows.

The connection is the module's own with a few methods more, so a query takes not one call longer.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from gameserver.database.connection import DatabaseError


class SqliteConnection(sqlite3.Connection):
    """A `Connection` to a file, or to a database in memory."""

    def insert(
        self,
        table: str,
        columns: str,
        rows: Sequence[Sequence[Any]],
        *,
        key: tuple[str, ...] = (),
        update: tuple[str, ...] = (),
        add: tuple[str, ...] = (),
    ) -> int:
        """Write rows, in their order."""
        if not rows:
            return 0
        return self.executemany(_insertion(table, columns, key, update, add), rows).rowcount

    def insert_new(self, table: str, columns: str, rows: Sequence[Sequence[Any]]) -> set[Any]:
        """Write those rows that are not there yet."""
        insertion = _insertion(table, columns, (columns.partition(",")[0],), (), ())
        return {row[0] for row in rows if self.execute(insertion, row).rowcount}

    def json_field(self, column: str, name: str) -> str:
        """SQL for a field of a JSON object, as text. SQLite reads `true` and `false` as 1 and 0, but for their type."""
        kind, field = f"json_type({column}, '$.{name}')", f"json_extract({column}, '$.{name}')"
        return f"CASE WHEN {kind} IN ('true', 'false') THEN {kind} ELSE CAST({field} AS TEXT) END"


def connect(database: str | Path, **options: Any) -> SqliteConnection:
    """Same as `sqlite3.connect`."""
    connection: SqliteConnection = sqlite3.connect(database, factory=SqliteConnection, **options)
    return connection


@contextmanager
def read_only(path: Path) -> Iterator[SqliteConnection]:
    """Open a data file to be read only, since a server may be writing to it. Raises `DatabaseError`."""
    try:
        with closing(connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)) as connection:
            yield connection
    except sqlite3.Error as error:
        hint = ""
        if "no such" in str(error):
            hint = "; if an older server wrote it, start this version of the server on it once to upgrade it"
        raise DatabaseError(f"{path} cannot be read: {error}{hint}") from error


@cache
def _insertion(table: str, columns: str, key: tuple[str, ...], update: tuple[str, ...], add: tuple[str, ...]) -> str:
    places = ", ".join("?" * (columns.count(",") + 1))
    insertion = f"INSERT INTO {table} ({columns}) VALUES ({places})"  # noqa: S608 - our own names
    changes = [f"{name} = excluded.{name}" for name in update]
    changes += [f"{name} = {table}.{name} + excluded.{name}" for name in add]
    if changes:
        return f"{insertion} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {', '.join(changes)}"
    return f"{insertion} ON CONFLICT DO NOTHING" if key else insertion
