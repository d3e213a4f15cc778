"""Some matches in a data file of their own: for who is to have these and no others, such as a player."""

from collections.abc import Iterable
from contextlib import closing

from gameserver.database import sqlite, sqlite_schema
from gameserver.records import match_store
from gameserver.records.match_record import MatchRecord


def small_file(records: Iterable[MatchRecord]) -> bytes:
    """The content of the file, for `--data` of `gameserver replay`, `blame` and `export`. No server starts on it."""
    with closing(sqlite.connect(":memory:")) as connection:
        sqlite_schema.prepare(connection)
        match_store.insert_matches(connection, list(records), 0)
        connection.commit()
        return connection.serialize()
