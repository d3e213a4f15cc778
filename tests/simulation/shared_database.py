"""A database that several servers share, as PostgreSQL keeps journals: sessions, locks, a replica, and bad days.

Each hall has rows, a leader and a lock of its own; ratings are of all. Transactions of all halls stand in one log, of
which a replica has the beginning. One that was acknowledged is on a synchronous replica, too. One whose answer was lost
may be there or not, or come later: the session that carries it out lives on until it has done so, and with it the lock.
A session that nothing is heard from is ended, and its lock is free.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import trio

from gameserver.journal.journal import JournalError, JournalRow
from gameserver.journal.leadership import Leader
from gameserver.journal.postgresql import lock_key
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.match_record import MatchRecord, RatingRecord
from gameserver.records.reader import HallNews
from tests.simulation.agenda import Agenda
from tests.simulation.database_session import CONNECT_S, DatabaseSession, Reply, Transaction
from tests.simulation.disk import Disk
from tests.simulation.shared_ratings import RatingTable
from tests.simulation.standby_plan import ASYNCHRONOUS, SYNCHRONOUS, StandbyPlan
from tests.simulation.threads import wait_for

if TYPE_CHECKING:
    from tests.simulation.contender import Contender
    from tests.simulation.standby import StandbyWorld

KEEPS_UP_SHARE = 0.1
"""How likely an asynchronous replica gets something at a look."""
ENDING_MS_MAX = 60


class HallRows(MemoryJournal):
    """The rows of one hall, beside the ratings of all."""

    def __init__(self, ratings: RatingTable) -> None:
        super().__init__()
        self._ratings = ratings

    def read_ratings(self) -> Sequence[RatingRecord]:
        return self._ratings.records()


class HallDisk(Disk):
    """What the database keeps of one hall."""

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
        """The tokens of all that were on record as the leader before somebody else was.

        One that was not told that it leads may try again.
        """

    @property
    def holder(self) -> DatabaseSession | None:
        """The session that has the lock."""
        return self.database.locks.get(lock_key(self._world.hall.name))

    def leads(self, token: str) -> None:
        """A server knows that it leads from now on."""
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
        """Keep no more than these; gives how many rows are lost that were acknowledged."""
        superseded, self.superseded = self.superseded, set()
        self.leader, before = None, len(self.history)
        self.kept.__init__(self.database.ratings)  # type: ignore[misc] # everybody who has it sees what is left
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
    """One primary, and perhaps a replica: what outlives all servers."""

    def __init__(self, plan: StandbyPlan, agenda: Agenda, real_ms: Callable[[], int]) -> None:
        self.chance = plan.stream("database")
        self.agenda = agenda
        self.replica = plan.replica
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
        """How often something happened for which a call may have failed."""
        self._real_ms = real_ms
        self._latencies = plan.stream("latencies")
        self._log: list[Transaction] = []
        self._replicated = 0
        """So many transactions are on the replica, too."""
        self._sessions: list[DatabaseSession] = []

    @property
    def now_ms(self) -> int:
        """The time of the world."""
        return self._real_ms()

    def time_of_arrival_s(self) -> float:
        """When what is sent now arrives."""
        return trio.current_time() + self.latency_s * 2 * self._latencies.random()

    def next_fate(self) -> str:
        """The fate of a commit."""
        if not self.fates:
            return ""
        self.disturbances += 1
        return self.fates.popleft()

    def connect(self, machine: "Contender") -> DatabaseSession:
        """A new session. Called in a thread of a server. Raises `JournalError`."""
        reply = Reply()

        def arrive() -> None:
            if not machine.host.link.is_whole:
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
        assert isinstance(reply.value, DatabaseSession)
        return reply.value

    def hang_up(self, machine: "Contender") -> None:
        """The connections of a machine end, as its kernel closes them."""
        for session in self._sessions:
            if session.machine is machine:
                session.close()

    def turn(self) -> None:
        """Do what is due: commits that come late, sessions that end."""
        for session in list(self._sessions):
            session.turn()

    def keep_up(self) -> None:
        """Let an asynchronous replica get something."""
        lags = not self.is_up or self.replica_is_away or self.chance.random() > KEEPS_UP_SHARE
        if self.replica == ASYNCHRONOUS and not lags and self._replicated < len(self._log):
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
        """Have the replica keep up, if it is synchronous and there."""
        if self.replica == SYNCHRONOUS and self.is_up and not self.replica_is_away:
            self._replicated = len(self._log)

    @property
    def waits_for_replica(self) -> bool:
        """True if a commit is not acknowledged for now."""
        return self.replica == SYNCHRONOUS and self.replica_is_away

    @property
    def is_synchronous(self) -> bool:
        """True if nothing is acknowledged before the replica has it."""
        return self.replica == SYNCHRONOUS

    def can_answer(self, machine: "Contender") -> bool:
        """True if nothing is in the way of a call of this server."""
        holder = machine.world.disk.holder
        return (
            machine.host.link.is_whole
            and self.is_up
            and not self.waits_for_replica
            and not self.fates
            and (holder is None or (holder.machine is machine and not holder.is_closed))
        )

    def go_down(self, *, is_lost: bool = False) -> None:
        """Every session ends, as by kill -9 of all its processes; if the machine is lost, nobody is told."""
        self.disturbances += 1
        self.is_up, self.is_lost = False, is_lost
        for session in list(self._sessions):
            session.end()

    def come_up(self) -> None:
        """Be there again."""
        self.disturbances += 1
        self.is_up, self.is_lost = True, False

    def lose_replica(self) -> None:
        """The replica gets nothing from now on."""
        self.disturbances += 1
        self.replica_is_away = True

    def meet_replica(self) -> None:
        """The replica is there again, and gets what it lacks."""
        self.disturbances += 1
        self.replica_is_away = False
        self.replicate()
        self.turn()

    def mend(self) -> None:
        """Nothing goes wrong any more."""
        self.fates.clear()
        self.come_up()
        self.meet_replica()

    def promote(self) -> int:
        """Make the replica the primary; gives how many rows are lost that were acknowledged."""
        if not self.replica_is_away and self.chance.random() < 0.5 and self.replica == SYNCHRONOUS:
            self._replicated = len(self._log)  # what nobody was told of may have reached it, too
        self.replica_is_away = False
        del self._log[self._replicated :]
        self.ratings.begin_again(self._log)
        of_halls = ([each for each in self._log if each.writer.world is world] for world in self.worlds)
        return sum(world.disk.begin_again(log) for world, log in zip(self.worlds, of_halls, strict=True))

    def forget(self, session: DatabaseSession) -> None:
        """A session is over."""
        self._sessions.remove(session)
        self.locks = {key: holder for key, holder in self.locks.items() if holder is not session}

    def end_sessions(self, token: str, but: DatabaseSession) -> None:
        """End the sessions of this token soon, but for one."""
        for session in self._sessions:
            if session.token == token and session is not but:
                session.machine.world.count("own old session ended")
                session.ends_ms = self.now_ms + self.chance.randint(0, ENDING_MS_MAX)
