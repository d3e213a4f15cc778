"""Journals for tests; one that servers share is in `shared_log`."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from gameserver.database.address import IN_MEMORY, is_postgresql
from gameserver.journal.journal import Journal, JournalRow, Snapshot
from gameserver.journal.sql_journal import MemoryJournal, SqlJournal
from gameserver.journal.sqlite import SqliteJournal
from gameserver.records.match_record import MatchRecord, RatingRecord

T = TypeVar("T")


class RowsOnly(MemoryJournal):
    """Rows without the records that were committed with them: a match that ends in them counts as recorded."""

    def has_record(self, match: int) -> bool:
        return True


class PassedOn(Journal):
    """A journal that passes on whatever is read to the one that keeps it, as `asked` says."""

    @abstractmethod
    def asked(self, question: Callable[[SqlJournal], T]) -> T:
        """Put a question to the journal that keeps everything."""

    def read_from(self, seq: int) -> Iterator[JournalRow]:
        return iter(self.asked(lambda kept: list(kept.read_from(seq))))

    def load_snapshot(self) -> Snapshot | None:
        return self.asked(lambda kept: kept.load_snapshot())

    def read_records(self) -> Iterator[MatchRecord]:
        return iter(self.asked(lambda kept: list(kept.read_records())))

    def read_ratings(self) -> Sequence[RatingRecord]:
        return self.asked(lambda kept: kept.read_ratings())

    def has_record(self, match: int) -> bool:
        return self.asked(lambda kept: kept.has_record(match))

    def ends_after(self, seq: int) -> Mapping[int, Sequence[int]]:
        return self.asked(lambda kept: kept.ends_after(seq))

    def last_match(self) -> int:
        return self.asked(lambda kept: kept.last_match())


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
