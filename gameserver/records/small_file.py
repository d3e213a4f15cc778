"""Some matches in a data file of their own: for who is to have these and no others, such as a player."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing

from gameserver.records import match_store, schema
from gameserver.records.match_record import MatchRecord


def small_file(records: Iterable[MatchRecord]) -> bytes:
    """The content of the file, for `--data` of `gameserver replay`, `blame` and `export`. No server starts on it."""
    with closing(sqlite3.connect(":memory:")) as connection:
        schema.prepare(connection)
        match_store.insert(connection, records, 0)
        connection.commit()
        return connection.serialize()
