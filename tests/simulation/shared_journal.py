"""One server's journal over the shared database: the contract of `gameserver.journal.postgresql`.

Who leads, and what a lost connection means, is decided by the real `Leadership`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar, TypeVar

from attrs import define

from gameserver.database.connection import DatabaseError
from gameserver.journal.journal import JournalError, JournalRow, ServerPresence, Snapshot
from gameserver.journal.leadership import CERTAIN_S, Leadership
from gameserver.journal.postgresql import SharedRatings
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.match_record import RatingRecord
from gameserver.records.reader import HallDirectory, HallNews, HallSeen, RecordReader
from gameserver.records.tournament_record import Record
from tests.simulation.database_session import DatabaseSession
from tests.simulation.shared_database import RatingConnection
from tests.support.journals import PassedOn

if TYPE_CHECKING:
    from tests.simulation.contender import Contender

T = TypeVar("T")


@define
class Directory(HallDirectory):
    """The halls in the database, as a server finds them."""

    _machine: "Contender"

    def exchange(self, news: HallNews) -> Sequence[HallSeen]:
        database = self._machine.world.database
        if not (database.is_up and self._machine.host.is_linked):
            raise DatabaseError("the database is away")
        database.news[news.name] = news
        return [HallSeen(one, "", 0.0) for _, one in sorted(database.news.items())]

    def reader(self, hall: str) -> RecordReader:
        worlds = self._machine.world.database.worlds
        return next(world.disk.kept.reader() for world in worlds if world.hall.name == hall)


class DatabaseJournal(PassedOn):
    """A journal in the shared database. The constructor connects, and raises `JournalError` where that fails."""

    confirm_every_s: ClassVar[float] = 1.0

    def __init__(self, machine: "Contender") -> None:
        self.name = token = machine.token
        self.away_since_ms: int | None = None
        """Start of the first call that was not answered, by `ran_ms`; None if the last one was answered."""
        self._machine = machine
        self._hall = machine.world.disk
        self._database = database = self._hall.database
        self.ratings = SharedRatings()
        self._rated_s = machine.world.clock.current_time()
        self.known_ratings: dict[tuple[str, str], int] = {}
        """By game and player: the rated matches of which a question for changes was to tell."""
        self._leadership: Leadership[DatabaseSession] = Leadership(
            lambda: database.connect(machine),
            token,
            token,
            token,
            now_s=machine.world.clock.current_time,
            wall_ms=machine.world.wall_ms,
        )
        with self._leadership.using():
            pass

    @property
    def is_certain(self) -> bool:
        return self._leadership.is_certain

    def confirm(self) -> None:
        with self._judged():
            self._leadership.confirm()

    def lead(self) -> bool:
        leads = self._leadership.lead()
        if leads:
            self._hall.leads(self.name)
            self.away_since_ms = None
        return leads

    def show_presence(self, seq: int) -> None:
        self.asked(lambda _: None)

    def servers(self) -> Sequence[ServerPresence]:
        leader = self.asked(lambda _: self._hall.leader)
        return () if leader is None else (ServerPresence(leader.name, True, 0, leader.since_ms, 0.0),)

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        self._machine.world.count("committed in the thread")
        with self._judged():
            self._leadership.append(rows, records)

    def last(self) -> int:
        return self._leadership.last

    def trim(self, before: int) -> None:
        with self._leadership.using() as session:
            session.trim(before)

    def save_snapshot(self, snapshot: Snapshot) -> None:
        with self._leadership.using() as session:
            session.save_snapshot(snapshot)

    def reader(self) -> RecordReader:
        return self._hall.kept.reader()

    def changed_ratings(self) -> Sequence[RatingRecord]:
        world, table = self._machine.world, self._database.ratings
        asked_s = world.clock.current_time()
        known = []
        with self._judged(), self._leadership.using() as session:

            def answer(query: Callable[[], T]) -> T:
                known.append(table.matches())
                return query()

            def ask(query: Callable[[], T]) -> T:
                return session.asked(lambda _: answer(query))

            connection = RatingConnection(table, world.hall.name, lambda: self._database.now_ms, ask)
            found = self.ratings.changed(connection, asked_s - self._rated_s)
        self._rated_s, self.known_ratings = asked_s, known[-1]
        return found

    def halls(self) -> HallDirectory:
        return Directory(self._machine)

    def close(self) -> None:
        self._leadership.close()

    def asked(self, question: Callable[[MemoryJournal], T]) -> T:
        with self._judged(), self._leadership.using() as session:
            found = session.asked(question)
        self.away_since_ms = None
        return found

    @contextmanager
    def _judged(self) -> Iterator[None]:
        """Note whether a call that fails had to fail."""
        database, machine = self._database, self._machine
        began_ms, disturbances, session = database.now_ms, database.disturbances, self._leadership.open_session
        ran_ms = machine.ran_ms
        could_answer = database.can_answer(machine) and (session is None or not session.is_over)
        try:
            yield
        except JournalError:
            machine.world.count("commit failed")
            is_late = database.now_ms - began_ms >= CERTAIN_S * 1000
            is_disturbed = is_late or disturbances != database.disturbances or not database.can_answer(machine)
            if could_answer and not is_disturbed:
                self.away_since_ms = None
            elif self.away_since_ms is None:
                self.away_since_ms = ran_ms
            raise
        if self.is_certain:
            self.away_since_ms = None
        elif self.away_since_ms is None:
            self.away_since_ms = ran_ms  # it answered too late
