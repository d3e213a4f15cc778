"""Journals for tests; one that servers share is in `shared_log`."""

from pathlib import Path

from gameserver.database.address import IN_MEMORY, is_postgresql
from gameserver.journal.journal import Journal
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.journal.sqlite import SqliteJournal


class RowsOnly(MemoryJournal):
    """Rows without the records that were committed with them: a match that ends in them counts as recorded."""

    def has_record(self, match: int) -> bool:
        return True


def open_journal(data: str, hall: str = "") -> Journal:
    """The journal that the setting `data` names, as a server has it that leads. Raises `BlockingIOError`."""
    journal: Journal
    if data == IN_MEMORY:
        journal = MemoryJournal()
    elif is_postgresql(data):
        from gameserver.journal.postgresql import PostgresqlJournal  # noqa: PLC0415 - it takes 0.1 s

        journal = PostgresqlJournal(data, hall)
    else:
        journal = SqliteJournal(Path(data), "off")
    if not journal.lead():
        journal.close()
        raise BlockingIOError(f"another session leads {data}")
    return journal
