"""Opens the records for a command: read-only, because a server may be running on the same file."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from gameserver.cli.common import CommandFailed, data_of
from gameserver.records.match_record import MatchRecord
from gameserver.records.match_store import read_match

IN_MEMORY = ":memory:"


@contextmanager
def records(config_file: Path | None, data: str | None) -> Iterator[sqlite3.Connection]:
    """The data file of these settings, to read from. Raises `CommandFailed` where it cannot be read."""
    kept_in = data_of(config_file, data)
    path = Path(kept_in)
    if kept_in == IN_MEMORY or not path.is_file():
        raise CommandFailed(f"there is no data file {kept_in}; name the server's with --data, or its --config")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            yield connection
    except sqlite3.Error as error:
        hint = ""
        if "no such" in str(error):
            hint = "; if an older server wrote it, start this version of the server on it once to upgrade it"
        raise CommandFailed(f"{path} cannot be read: {error}{hint}") from error


def found(connection: sqlite3.Connection, match: int) -> MatchRecord:
    """The record of a match. Raises `CommandFailed` where there is none."""
    record = read_match(connection, match)
    if record is None:
        raise CommandFailed(f"there is no finished match {match} on record")
    return record
