"""Opens the records for a command: read-only, because a server may be running on the same database."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from gameserver.cli.common import CommandFailed, data_of, hall_of
from gameserver.cli.databases import postgresql_records
from gameserver.database import sqlite
from gameserver.database.address import IN_MEMORY, is_postgresql
from gameserver.database.connection import Connection, DatabaseError
from gameserver.records.match_record import MatchRecord
from gameserver.records.store import read_match


@contextmanager
def records(config_file: Path | None, data: str | None) -> Iterator[Connection]:
    """The records of these settings, to read from. Raises `CommandFailed` where they cannot be read."""
    try:
        with open_records(data_of(config_file, data), hall_of(config_file)) as connection:
            yield connection
    except DatabaseError as error:
        raise CommandFailed(str(error)) from error


def open_records(data: str, hall: str = "") -> AbstractContextManager[Connection]:
    """A connection to the database that is named so; it raises `DatabaseError`, and this `CommandFailed`."""
    if is_postgresql(data):
        return postgresql_records(data, hall)
    path = Path(data)
    if data == IN_MEMORY or not path.is_file():
        raise CommandFailed(f"there is no data file {data}; name the server's with --data, or its --config")
    return sqlite.read_only(path)


def record_or_fail(connection: Connection, match: int) -> MatchRecord:
    """The record of a match. Raises `CommandFailed` where there is none."""
    record = read_match(connection, match)
    if record is None:
        raise CommandFailed(f"there is no finished match {match} on record")
    return record
