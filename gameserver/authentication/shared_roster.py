"""The roster in a database, for all halls: the same table as in a file, with a number that rises with every change.

A login cannot wait for a database, so the server looks for changes every two seconds, in a thread (`look`), and logins
are judged by what it saw last. Whoever changes the table names the number of what it was made of, and is refused if
somebody else was quicker.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from attrs import define, field

from gameserver.authentication.roster_file import Listed, RosterError, parse_roster
from gameserver.database.connection import Connection, DatabaseAway, DatabaseError
from gameserver.values import value

SOURCE = "the roster in the database"
"""Its name in messages."""
IN_DATABASE = "database"
"""The setting that means it."""


class RosterAway(RosterError):
    """The database cannot be used now. Trying again may help."""


@value
class StoredRoster:
    """The table as CSV, and how often it was written; 0 if it never was."""

    version: int
    text: str = field(repr=False)


def read_stored(connection: Connection, known: int = -1) -> StoredRoster | None:
    """The table; None if it is the one with this number still."""
    found = connection.execute("SELECT version, content FROM roster WHERE version <> ?", (known,)).fetchone()
    return None if found is None else StoredRoster(*found)


def write_stored(connection: Connection, text: str, before: int) -> bool:
    """Replace the table that has this number; False if it is another one by now."""
    query = "UPDATE roster SET version = version + 1, content = ? WHERE version = ?"
    return bool(connection.execute(query, (text, before)).rowcount)


@define
class SharedRoster:
    """The table as it was seen last. `open_connection` gives a connection to read by; `close` ends what it keeps."""

    _open_connection: Callable[[], AbstractContextManager[Connection]]
    close: Callable[[], None]
    _seen: StoredRoster = field(default=StoredRoster(-1, ""), init=False)

    @property
    def version(self) -> int:
        """The number of what was seen last."""
        return self._seen.version

    def look(self) -> None:
        """Read the table if it has changed, which may take long. Raises `RosterError`."""
        try:
            with self._open_connection() as connection:
                self._seen = read_stored(connection, self.version) or self._seen
        except DatabaseError as error:
            kind = RosterAway if isinstance(error, DatabaseAway) else RosterError
            raise kind(f"{SOURCE} cannot be read: {error}") from error

    def listed(self) -> Mapping[str, Listed]:
        """The players on it, by name. Raises `RosterError`."""
        text = self._seen.text
        return parse_roster(text, SOURCE) if text else {}
