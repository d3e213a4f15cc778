"""One server's journal over the shared database: the contract of `gameserver.journal.postgresql`.

Who leads, and what a lost connection means, is decided by the real `Leadership`. Between any two questions of a server
that stands by, or that has a new connection and asks whether it still leads, others go on: a row may come, old ones may
be forgotten, a late commit may be made, or another server may lead.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import ClassVar

from gameserver.journal.journal import Journal, JournalError, JournalRow, Snapshot
from gameserver.journal.leadership import CERTAIN_S, Leadership
from gameserver.journal.memory import MemoryJournal
from gameserver.records.match_record import MatchRecord, RatingRecord
from gameserver.records.reader import RecordReader
from gameserver.records.tournament_record import Record
from tests.simulation.database_session import DatabaseSession, Link
from tests.simulation.shared_database import Database


class DatabaseJournal(Journal):
    """A journal in the shared database. `meanwhile` lets others go on between two questions of this server."""

    confirm_every_s: ClassVar[float] = 1.0

    def __init__(self, database: Database, link: Link, token: str, meanwhile: Callable[[], None]) -> None:
        self.name = token
        self.link = link
        self.token = token
        self.session: DatabaseSession | None = None
        """The latest connection."""
        self.away_since_ms: int | None = None
        """The time of the first call since the last one that was answered; None if the last one was."""
        self._database = database
        self._meanwhile = meanwhile
        self.leadership: Leadership[DatabaseSession] = Leadership(
            self._connect, token, token, token, now_s=self._now_s, wall_ms=database.now_ms
        )

    def begin_call(self) -> None:
        """A call begins now that will be made later, when its answer comes."""
        self.link.began_ms = self._database.now_ms()

    def took_ms(self) -> int:
        """The time that calls took since this was asked last, beyond a moment."""
        took_ms, self.link.took_ms, self.link.began_ms = self.link.took_ms, 0, None
        return took_ms

    @property
    def is_certain(self) -> bool:
        return self.leadership.is_certain

    def confirm(self) -> None:
        with self._judged():
            self.leadership.confirm()

    def lead(self) -> bool:
        leads = self.leadership.lead()
        if leads:
            self._database.leads(self.token)
        return leads

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        with self._judged():
            self.leadership.append(rows, records)

    def last(self) -> int:
        return self.leadership.last

    def trim(self, before: int) -> None:
        with self.leadership.using() as session:
            session.trim(before)

    def save_snapshot(self, snapshot: Snapshot) -> None:
        with self.leadership.using() as session:
            session.save_snapshot(snapshot)

    def read_from(self, seq: int) -> Iterator[JournalRow]:
        return self._kept().read_from(seq)

    def load_snapshot(self) -> Snapshot | None:
        return self._kept().load_snapshot()

    def read_records(self) -> Iterator[MatchRecord]:
        return self._kept().read_records()

    def read_ratings(self) -> Sequence[RatingRecord]:
        return self._kept().read_ratings()

    def has_record(self, match: int) -> bool:
        return self._kept().has_record(match)

    def ends_after(self, seq: int) -> Mapping[int, Sequence[int]]:
        return self._kept().ends_after(seq)

    def last_match(self) -> int:
        return self._kept().last_match()

    def reader(self) -> RecordReader:
        return self._kept().reader()

    def close(self) -> None:
        self.leadership.close()

    @contextmanager
    def _judged(self) -> Iterator[None]:
        """Note whether a call that fails had to fail."""
        began_ms, could_answer = self._database.now_ms(), self._can_answer()
        try:
            yield
        except JournalError:
            if could_answer and self._database.now_ms() == began_ms:
                self.away_since_ms = None
            elif self.away_since_ms is None:
                self.away_since_ms = began_ms
            raise
        if self.is_certain:
            self.away_since_ms = None
        elif self.away_since_ms is None:
            self.away_since_ms = began_ms  # it answered too late

    def _can_answer(self) -> bool:
        """True if the database can carry out a call now, in time for its server to be certain."""
        database, session, began_ms = self._database, self.leadership.open_session, self.link.began_ms
        is_late = began_ms is not None and database.now_ms() - began_ms >= CERTAIN_S * 1000
        return (
            self.link.is_whole
            and database.is_up
            and not database.waits_for_replica
            and not database.fates
            and database.holder in (None, session)
            and (session is None or session.is_used)
            and not is_late
        )

    def _kept(self) -> MemoryJournal:
        if not self.leadership.leads:
            self._meanwhile()
        if not (self.link.is_whole and self._database.is_up):
            raise JournalError("the database cannot be reached")
        return self._database.kept

    def _connect(self) -> DatabaseSession:
        self.session = self._database.connect(self.link, self.token, self._meanwhile)
        return self.session

    def _now_s(self) -> float:
        began_ms = self.link.began_ms
        return (self._database.now_ms() if began_ms is None else began_ms) / 1000
