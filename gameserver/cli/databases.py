"""Opens PostgreSQL for a command. Its driver is an extra, and is imported for nobody else: that takes 0.1 s."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from gameserver.authentication.roster import SharedRoster
from gameserver.cli.common import CommandFailed, WrongSettings
from gameserver.database.connection import DatabaseConnection, DatabaseError
from gameserver.journal.journal import Journal, ServerPresence


def need_driver() -> None:
    """Sees that PostgreSQL's driver is there for a command. Raises `CommandFailed`."""
    with driver_needed():
        import psycopg  # noqa: F401, PLC0415 - see above


def check_connection_string(data: str) -> None:
    """Sees that a command's connection string of PostgreSQL can be read.

    Without the driver nobody can tell. Raises `WrongSettings`.
    """
    try:
        from gameserver.database import postgresql  # noqa: PLC0415 - see above
    except ImportError:
        return
    try:
        postgresql.parameters(data)
    except DatabaseError as error:
        raise WrongSettings(str(error)) from error


def postgresql_journal(data: str, synchronous: str, hall: str = "") -> Journal:
    """Opens the journal of a hall in PostgreSQL for a command.

    Raises `JournalError`, `JournalBroken` and `CommandFailed`.
    """
    with driver_needed():
        from gameserver.journal.postgresql import PostgresqlJournal  # noqa: PLC0415 - see above
    check_connection_string(data)
    return PostgresqlJournal(data, hall, synchronous)


def postgresql_servers(data: str, hall: str = "") -> Sequence[ServerPresence]:
    """Reads for a command which servers of a hall are at the PostgreSQL database.

    Raises `JournalError`, `JournalBroken` and `CommandFailed`.
    """
    with driver_needed():
        from gameserver.journal.postgresql import read_servers  # noqa: PLC0415 - see above
    check_connection_string(data)
    return read_servers(data, hall)


def postgresql_records(data: str, hall: str = "") -> AbstractContextManager[DatabaseConnection]:
    """Opens the records of a hall in PostgreSQL for a command, to read from.

    The connection raises `DatabaseError`, and this `CommandFailed`.
    """
    with driver_needed():
        from gameserver.database import postgresql  # noqa: PLC0415 - see above
    check_connection_string(data)
    return postgresql.read_only(data, hall)


def postgresql_roster(data: str) -> SharedRoster:
    """Opens for a command the PostgreSQL database with the roster that all halls share. Raises `CommandFailed`."""
    with driver_needed():
        from gameserver.database.postgresql import ReadingPool  # noqa: PLC0415 - see above
    check_connection_string(data)
    pool = ReadingPool(data)
    return SharedRoster(pool.connection, pool.close)


def postgresql_writing(data: str) -> AbstractContextManager[DatabaseConnection]:
    """Opens a PostgreSQL database for a command, by a connection that writes.

    It raises `DatabaseError`, and this `CommandFailed`.
    """
    with driver_needed():
        from gameserver.database import postgresql  # noqa: PLC0415 - see above
    check_connection_string(data)
    return postgresql.writing(data)


@contextmanager
def driver_needed() -> Iterator[None]:
    """Says in a sentence, within a block, that a command lacks the driver for a PostgreSQL database."""
    try:
        yield
    except ImportError as error:
        # psycopg without its C library says so in an ImportError of its own, which names no module.
        if not (error.name or "").startswith("psycopg") and "libpq" not in str(error):
            raise
        raise CommandFailed("a PostgreSQL database needs psycopg: pip install 'gameserver[postgresql]'") from error
