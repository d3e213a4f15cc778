"""Halls side by side in memory: what they would have from one database, without the database."""

from collections.abc import Sequence

from attrs import Factory, define

from gameserver.database.connection import DatabaseError
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.reader import HallDirectory, HallNews, HallSeen, RecordReader


@define
class SharedHalls:
    """All halls. `silent_s` makes a hall older than it is; while `is_away` nothing can be asked."""

    journals: dict[str, "HallJournal"] = Factory(dict)
    news: dict[str, HallNews] = Factory(dict)
    silent_s: dict[str, float] = Factory(dict)
    is_away: bool = False
    exchanges: int = 0

    def journal(self, name: str) -> "HallJournal":
        """The journal of a hall."""
        found = self.journals[name] = self.journals.get(name) or HallJournal(self, name)
        return found


@define
class Directory(HallDirectory):
    """The halls as the server of one of them sees them."""

    shared: SharedHalls

    def exchange(self, news: HallNews) -> Sequence[HallSeen]:
        """Tell of this hall, and hear of all."""
        self.shared.exchanges += 1
        if self.shared.is_away:
            raise DatabaseError("the database is away")
        self.shared.news[news.name] = news
        silent_s = self.shared.silent_s
        return [
            HallSeen(one, "2026-11-23T09:00:00.000+00:00", silent_s.get(name, 0.0))
            for name, one in sorted(self.shared.news.items())
        ]

    def reader(self, hall: str) -> RecordReader:
        """The records of a hall."""
        return self.shared.journal(hall).reader()


class HallJournal(MemoryJournal):
    """The journal of one hall."""

    def __init__(self, shared: SharedHalls, name: str) -> None:
        super().__init__()
        self._shared, self.hall = shared, name

    def halls(self) -> HallDirectory:
        """All halls."""
        return Directory(self._shared)
