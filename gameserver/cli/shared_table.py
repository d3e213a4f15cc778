"""The roster in a database, for `gameserver roster`: read, and written unless somebody else was quicker."""

import click
from attrs import define, field

from gameserver.authentication.roster import IN_DATABASE, SOURCE, StoredRoster, read_stored, write_stored
from gameserver.cli.common import CommandFailed, WrongSettings
from gameserver.cli.databases import postgresql_records, postgresql_writing
from gameserver.database.address import is_postgresql
from gameserver.database.connection import Connection, DatabaseError, NoTables


@define
class SharedTable:
    """The table in the database `data`."""

    _data: str
    _read: StoredRoster | None = field(default=None, init=False)

    def is_meant(self, name: str) -> bool:
        """True if this is meant by the name of a file."""
        return name == IN_DATABASE and is_postgresql(self._data)

    def read(self) -> tuple[str, str]:
        """The table as CSV, and its name in messages. Raises `CommandFailed`."""
        try:
            with postgresql_records(self._data) as connection:
                self._read = _stored(connection)
        except NoTables:
            self._read = StoredRoster(0, "")
        except DatabaseError as error:
            raise CommandFailed(str(error)) from error
        if not self._read.text:
            raise CommandFailed(f"{SOURCE} is empty; put a class list there: gameserver roster FILE --output database")
        return self._read.text, SOURCE

    def write(self, text: str, *, may_replace: bool) -> None:
        """Put a table there. Raises `CommandFailed`."""
        try:
            with postgresql_writing(self._data) as connection:
                before = self._read or _stored(connection)
                if before.text and not may_replace:
                    raise WrongSettings(
                        f"--output: {SOURCE} has names already, with secrets that may have been handed out; change it"
                        " itself with `gameserver roster database --in-place`, or replace all of it with --replace"
                    )
                is_written = write_stored(connection, text, before.version)
        except DatabaseError as error:
            raise CommandFailed(str(error)) from error
        if not is_written:
            raise CommandFailed(f"{SOURCE} was changed by somebody else meanwhile, and nothing was written; try again")
        click.echo(f'{SOURCE} written; servers with lobby.roster = "database" see it within seconds', err=True)


def _stored(connection: Connection) -> StoredRoster:
    stored = read_stored(connection)
    assert stored is not None, "the table is made with the schema"
    return stored
