"""Records that cannot be read for a while, as those in a database that is away."""

from collections.abc import Callable
from typing import Any

from gameserver.database.connection import DatabaseAway
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.reader import RecordReader

WHY = "the database is gone; make sure that it runs"


class AwayJournal(MemoryJournal):
    """A journal whose records cannot be read while it `is_away`."""

    def __init__(self, *, is_away: bool = True) -> None:
        super().__init__()
        self.is_away = is_away

    def reader(self) -> RecordReader:
        return _AwayReader(super().reader(), lambda: self.is_away)


class _AwayReader(RecordReader):
    """Reads from another one, or fails as a database does."""

    def __init__(self, reader: RecordReader, is_away: Callable[[], bool]) -> None:
        self._reader = reader
        self._is_away = is_away

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_"):
            return object.__getattribute__(self, name)
        if self._is_away():
            return _fail
        return getattr(self._reader, name)


def _fail(*_: object) -> Any:
    raise DatabaseAway(WHY)
