"""A database that several servers share, as PostgreSQL keeps journals: sessions, locks, a replica, and bad days.

Each hall has rows, a leader and a lock of its own; ratings are of all. Transactions of all halls stand in one log, of
which a replica has the beginning. One that was acknowledged is on a synchronous replica, too. One whose answer was lost
may be there or not, or come later: the session that carries it out lives on until it has done so, and with it the lock.
A session that nothing is heard from is ended, and its lock is free.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from heapq import heappop, heappush
from itertools import count
from math import inf
from struct import iter_unpack, unpack_from
from typing import TYPE_CHECKING, Any

import trio
from attrs import define, evolve, field

from gameserver.database.postgresql_writing import Array
from gameserver.journal import postgresql as statements
from gameserver.journal.journal import JournalError, JournalRow
from gameserver.journal.leadership import Leader
from gameserver.journal.postgresql import lock_key
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.match_record import MatchRecord, RatingRecord
from gameserver.records.rating_book import RatingBook
from gameserver.records.reader import HallNews
from tests.simulation.database_session import CONNECT_S, DatabaseSession, Reply, Transaction
from tests.simulation.disk import Disk
from tests.simulation.plan import SYNCHRONOUS, StandbyPlan
from tests.simulation.threads import wait_for
from tests.simulation.violation import Violation

if TYPE_CHECKING:
    from tests.simulation.contender import Contender
    from tests.simulation.standby import StandbyWorld


@define(eq=False)
class Agenda:
    """Does what is due, in order of time, then of entry: words on their way, and ends of faults."""

    _watched: Callable[[Callable[[], None]], None]
    """Does something, and takes what it raises for a find."""
    _due: list[tuple[float, int, Callable[[], None]]] = field(factory=list, init=False)
    _number: count = field(factory=count, init=False)
    _wake: trio.Event = field(factory=trio.Event, init=False)

    def at(self, due_s: float, what: Callable[[], None]) -> None:
        """Do something at this time; never before the caller waits."""
        heappush(self._due, (due_s, next(self._number), what))
        self._wake.set()

    async def run(self) -> None:
        while True:
            while self._due and self._due[0][0] <= trio.current_time():
                self._watched(heappop(self._due)[2])
            self._wake = trio.Event()
            with trio.move_on_at(self._due[0][0] if self._due else inf):
                await self._wake.wait()


Row = tuple[RatingRecord, int, str | None]
"""A rating, the time of its last change, and the hall that made it."""


@define(eq=False)
class RatingTable:
    """The ratings that all halls share. A book of all matches in the order of their commits says what must be in it.

    The statements and what is made of their answers are those that ship (`journal/postgresql.py`). A transaction is
    rated when it becomes visible, so the locks on rows are not needed here.
    """

    rows: dict[tuple[str, str], Row] = field(factory=dict)
    _book: RatingBook = field(factory=RatingBook)

    def records(self) -> list[RatingRecord]:
        return [rating for rating, _, _ in self.rows.values()]

    def matches(self) -> dict[tuple[str, str], int]:
        """Count the rated matches by game and player."""
        return {key: rating.matches for key, (rating, _, _) in self.rows.items()}

    def rated(self, transaction: "Transaction") -> "Transaction":
        """Enter the ratings of a transaction's matches in the table, and give it with them."""
        matches = [one for one in transaction.records if isinstance(one, MatchRecord)]
        journal = transaction.writer.journal
        hall = transaction.writer.world.hall.name
        connection = RatingConnection(self, hall, lambda: transaction.sent_ms, lambda ask: ask())
        rated = journal.ratings.write(connection, matches)
        if connection.is_of_several:
            transaction.writer.world.count("rating of several halls")
        if list(rated) != list(self._book.enter(matches)):
            raise Violation("ratings are those of some order of all matches", f"{rated}")
        others = [one for one in transaction.records if not isinstance(one, MatchRecord)]
        return evolve(transaction, records=(*rated, *others), ratings=tuple(connection.written))

    def begin_again(self, transactions: Iterable["Transaction"]) -> None:
        """Keep no more than what these have brought."""
        self.rows.clear()
        self._book = RatingBook()
        for transaction in transactions:
            self.rows.update({(row[0].game, row[0].player): row for row in transaction.ratings})
            self._book.learn(row[0] for row in transaction.ratings)


@define(eq=False)
class RatingConnection:
    """Carries out the statements of one hall. `ask` brings a question to the database."""

    _table: RatingTable
    _hall: str
    _now_ms: Callable[[], int]
    """The time by the clock of the database."""
    _ask: Callable[[Callable[[], Any]], Any]
    written: list[Row] = field(factory=list)
    is_of_several: bool = False
    """True if another hall had changed one of these ratings last."""

    def execute(self, query: str, values: Sequence[Any]) -> Any:
        return self._ask(partial(_QUERIES[query], self, *values))

    def change(self, _table: str, query: str, values: Sequence[Any]) -> None:
        assert query == statements._WRITE
        for row in zip(*map(_unpacked, values), strict=True):
            changed = (RatingRecord(*row), self._now_ms(), self._hall)
            self.is_of_several |= self._table.rows[row[:2]][2] not in {None, self._hall}
            self._table.rows[row[:2]] = changed
            self.written.append(changed)

    def _make(self, games: Array, players: Array, mean: float, deviation: float) -> None:
        for key in zip(_unpacked(games), _unpacked(players), strict=True):
            self._table.rows.setdefault(key, (RatingRecord(*key, mean, deviation, 0), 0, None))

    def _lock(self, games: Array, players: Array) -> list[tuple[Any, ...]]:
        keys = zip(_unpacked(games), _unpacked(players), strict=True)
        return [_columns(self._table.rows[key]) for key in keys if key in self._table.rows]

    def _changed(self, within_s: float, games: Array, players: Array) -> list[tuple[Any, ...]]:
        wanted = set(zip(_unpacked(games), _unpacked(players), strict=True))
        return [
            _columns(row)
            for key, row in self._table.rows.items()
            if key in wanted or (row[1] > self._now_ms() - 1000 * within_s and row[2] != self._hall)
        ]


_QUERIES: dict[str, Callable[..., Any]] = {
    statements._MAKE: RatingConnection._make,
    statements._LOCK: RatingConnection._lock,
    statements._CHANGED: RatingConnection._changed,
}


def _columns(row: Row) -> tuple[Any, ...]:
    rating = row[0]
    return rating.game, rating.player, rating.rating, rating.deviation, rating.matches


def _unpacked(array: Array) -> list[Any]:
    """Give the values of an array in PostgreSQL's binary format."""
    layout = {20: ">iq", 701: ">id"}.get(*unpack_from(">i", array, 8))  # by the oid of the elements: bigint, double
    if layout is not None:
        return [value for _, value in iter_unpack(layout, array[20:])]
    values, at = [], 20
    while at < len(array):
        (size,) = unpack_from(">i", array, at)
        values.append(array[at + 4 : at + 4 + size].decode())
        at += 4 + size
    return values


KEEPS_UP_SHARE = 0.1
"""The probability that an asynchronous replica gets something at a look."""
ENDING_MS_MAX = 60


class HallRows(MemoryJournal):
    """The rows of one hall, beside the ratings of all."""

    def __init__(self, ratings: RatingTable) -> None:
        super().__init__()
        self._ratings = ratings

    def read_ratings(self) -> Sequence[RatingRecord]:
        return self._ratings.records()


class HallDisk(Disk):
    """The part of the database that belongs to one hall."""

    _world: "StandbyWorld"
    kept: HallRows

    def __init__(self, world: "StandbyWorld", database: "Database") -> None:
        super().__init__(world)
        self.database = database
        self.kept = HallRows(database.ratings)
        self.leader: Leader | None = None
        self.acknowledged = 0
        """The last row that anybody may have been told of."""
        self.led: set[str] = set()
        """The tokens of all servers that know that they have led."""
        self.superseded: set[str] = set()
        """The tokens of former leaders on record. One that was not told that it leads may try again."""

    @property
    def holder(self) -> DatabaseSession | None:
        return self.database.locks.get(lock_key(self._world.hall.name))

    def leads(self, token: str) -> None:
        """Note that a server knows that it leads."""
        self.led.add(token)
        self.superseded.discard(token)

    def apply(self, transaction: Transaction) -> list[JournalRow]:
        """Keep what a transaction brings; gives the rows that are new."""
        kept, known = self.kept, self.kept.last()
        if transaction.leader is not None:
            if self.leader is not None and self.leader.token != transaction.leader.token:
                self.superseded.add(self.leader.token)
            self.leader = transaction.leader
        if transaction.rows or transaction.records:
            kept.append(transaction.rows, transaction.records)
        if transaction.snapshot is not None:
            kept.save_snapshot(transaction.snapshot)
        if transaction.trims:
            kept.trim(transaction.trims)
        return [row for row in transaction.rows if row.seq > known]

    def begin_again(self, transactions: Sequence[Transaction]) -> int:
        """Keep no more than these transactions; gives how many acknowledged rows are lost."""
        superseded, self.superseded = self.superseded, set()
        self.leader, before = None, len(self.history)
        self.kept.__init__(self.database.ratings)
        for transaction in transactions:
            self.apply(transaction)
        self.superseded &= superseded
        if self.leader is not None:
            self.superseded.discard(self.leader.token)  # of the one after it the replica knows nothing
        del self.history[self.kept.last() :]
        if len(self.history) < before:
            self._world.rows_gone()
        return max(0, self.acknowledged - self.kept.last())


class Database:
    """One primary, and perhaps a replica: the part that outlives all servers."""

    def __init__(self, plan: StandbyPlan, agenda: Agenda, real_ms: Callable[[], int]) -> None:
        self.chance = plan.stream("database")
        self.agenda = agenda
        self.is_synchronous = plan.replica == SYNCHRONOUS
        """True if nothing is acknowledged before the replica has it."""
        self.latency_s = plan.latency_s()
        self.worlds: list[StandbyWorld] = []
        """The halls that it keeps."""
        self.ratings = RatingTable()
        self.news: dict[str, HallNews] = {}
        self.locks: dict[int, DatabaseSession] = {}
        """The session that has each lock."""
        self.is_up = True
        self.is_lost = False
        """True if the primary's machine is gone, so that nothing tells that connections to it are over."""
        self.replica_is_away = False
        self.fates: deque[str] = deque()
        """The fates of commits to come: `before`, `after`, `late` and `never` say when they are made."""
        self.disturbances = 0
        """A count of events that may have failed a call."""
        self._real_ms = real_ms
        self._latencies = plan.stream("latencies")
        self._log: list[Transaction] = []
        self._replicated = 0
        """The number of transactions that are on the replica, too."""
        self._sessions: list[DatabaseSession] = []

    @property
    def now_ms(self) -> int:
        return self._real_ms()

    def time_of_arrival_s(self) -> float:
        """Draw when a message that is sent now arrives."""
        return trio.current_time() + self.latency_s * 2 * self._latencies.random()

    def next_fate(self) -> str:
        if not self.fates:
            return ""
        self.disturbances += 1
        return self.fates.popleft()

    def connect(self, machine: "Contender") -> DatabaseSession:
        """Open a session. Called in a thread of a server. Raises `JournalError`."""
        reply = Reply()

        def arrive() -> None:
            if not machine.host.is_linked:
                return
            self.turn()
            if not self.is_up:
                reply.come(error=JournalError("connection refused"))
                return
            session = DatabaseSession(self, machine, self.now_ms)
            self._sessions.append(session)
            reply.come(session)

        async def wait() -> None:
            with trio.move_on_after(CONNECT_S):
                await reply.wait()

        self.agenda.at(self.time_of_arrival_s(), arrive)
        wait_for(wait)
        if reply.error is not None:
            raise reply.error
        if reply.value is None:
            raise JournalError("the connection timed out")
        return reply.value

    def hang_up(self, machine: "Contender") -> None:
        """End the connections of a machine, as its kernel closes them."""
        for session in self._sessions:
            if session.machine is machine:
                session.close()

    def turn(self) -> None:
        for session in list(self._sessions):
            session.turn()

    def keep_up(self) -> None:
        """Let an asynchronous replica get something."""
        lags = not self.is_up or self.replica_is_away or self.chance.random() > KEEPS_UP_SHARE
        if not (self.is_synchronous or lags) and self._replicated < len(self._log):
            self._replicated = self.chance.randint(self._replicated, len(self._log))

    def commit(self, transaction: Transaction) -> None:
        """Make a transaction visible, with the ratings that follow from it."""
        writer = transaction.writer
        if any(isinstance(record, MatchRecord) for record in transaction.records):
            transaction = self.ratings.rated(transaction)
        self._log.append(transaction)
        new = writer.world.disk.apply(transaction)
        writer.world.disk.history += new
        writer.world.durable(writer, new, transaction.records)

    def replicate(self) -> None:
        """Let the replica catch up, if it is synchronous and there."""
        if self.is_synchronous and self.is_up and not self.replica_is_away:
            self._replicated = len(self._log)

    @property
    def waits_for_replica(self) -> bool:
        """True if a commit is not acknowledged for now."""
        return self.is_synchronous and self.replica_is_away

    def can_answer(self, machine: "Contender") -> bool:
        """True if nothing is in the way of a call of this server."""
        holder = machine.world.disk.holder
        return (
            machine.host.is_linked
            and self.is_up
            and not self.waits_for_replica
            and not self.fates
            and (holder is None or (holder.machine is machine and not holder.is_closed))
        )

    def go_down(self, *, is_lost: bool = False) -> None:
        """End every session, as by kill -9 of all processes; if the machine is lost, nobody is told."""
        self.disturbances += 1
        self.is_up, self.is_lost = False, is_lost
        for session in list(self._sessions):
            session.end()

    def come_up(self) -> None:
        self.disturbances += 1
        self.is_up, self.is_lost = True, False

    def lose_replica(self) -> None:
        self.disturbances += 1
        self.replica_is_away = True

    def meet_replica(self) -> None:
        self.disturbances += 1
        self.replica_is_away = False
        self.replicate()
        self.turn()

    def mend(self) -> None:
        self.fates.clear()
        self.come_up()
        self.meet_replica()

    def promote(self) -> int:
        """Make the replica the primary; gives how many acknowledged rows are lost."""
        if not self.replica_is_away and self.chance.random() < 0.5 and self.is_synchronous:
            self._replicated = len(self._log)  # what nobody was told of may have reached it, too
        self.replica_is_away = False
        del self._log[self._replicated :]
        self.ratings.begin_again(self._log)
        of_halls = ([each for each in self._log if each.writer.world is world] for world in self.worlds)
        return sum(world.disk.begin_again(log) for world, log in zip(self.worlds, of_halls, strict=True))

    def forget(self, session: DatabaseSession) -> None:
        self._sessions.remove(session)
        self.locks = {key: holder for key, holder in self.locks.items() if holder is not session}

    def end_sessions(self, token: str, but: DatabaseSession) -> None:
        """End the sessions of this token soon, but for one."""
        for session in self._sessions:
            if session.token == token and session is not but:
                session.machine.world.count("own old session ended")
                session.ends_ms = self.now_ms + self.chance.randint(0, ENDING_MS_MAX)
