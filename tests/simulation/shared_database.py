"""A database that several servers share, as PostgreSQL keeps a journal: sessions, a lock, a replica, and bad days.

Transactions stand in a log, of which a replica has the beginning. One that was acknowledged is on a synchronous
replica, too. One whose answer was lost may be there or not, or come later: the session that carries it out lives on
until it has done so, and with it the lock. A session that nothing is heard from is ended, and its lock is free.
"""

from collections import deque
from collections.abc import Callable
from random import Random

from attrs import define, field

from gameserver.journal.journal import JournalError
from gameserver.journal.leadership import Leader
from tests.simulation.database_session import CONNECT_MS, DatabaseSession, Link, Transaction
from tests.simulation.durable import FailingJournal

SYNCHRONOUS, ASYNCHRONOUS = "synchronous", "asynchronous"
REPLICAS = (SYNCHRONOUS, ASYNCHRONOUS)
KEEPS_UP_SHARE = 0.1
"""How likely an asynchronous replica gets something at a look."""
ENDING_MS_MAX = 60


@define(eq=False)
class Database:
    """One primary, and perhaps a replica. `now_ms` is the time of the world."""

    now_ms: Callable[[], int]
    chance: Random
    count: Callable[[str], None]
    """Called with what has happened that a run should come to."""
    replica: str = SYNCHRONOUS
    kept: FailingJournal = field(factory=FailingJournal, init=False)
    """What everybody reads."""
    leader: Leader | None = field(default=None, init=False)
    is_up: bool = field(default=True, init=False)
    is_lost: bool = field(default=False, init=False)
    """True if the primary's machine is gone, so that nothing tells that connections to it are over."""
    replica_is_away: bool = field(default=False, init=False)
    acknowledged: int = field(default=0, init=False)
    """The last row that anybody may have been told of."""
    led: set[str] = field(factory=set, init=False)
    """The tokens of all servers that know that they have led."""
    superseded: set[str] = field(factory=set, init=False)
    """The tokens of all that were on record as the leader before somebody else was.

    One that was not told that it leads may try again.
    """
    fates: deque[str] = field(factory=deque, init=False)
    """The fates of commits to come: `before`, `after`, `late` and `never` say when they are made."""
    _log: list[Transaction] = field(factory=list, init=False, repr=False)
    _replicated: int = field(default=0, init=False)
    """So many transactions are on the replica, too."""
    _sessions: list[DatabaseSession] = field(factory=list, init=False, repr=False)
    holder: DatabaseSession | None = field(default=None, init=False)
    """The session that has the lock."""

    def connect(self, link: Link, token: str, meanwhile: Callable[[], None]) -> DatabaseSession:
        """A new session. Raises `JournalError`."""
        self.turn()
        if not link.is_whole:
            link.took_ms += CONNECT_MS
            raise JournalError("the connection timed out")
        if not self.is_up:
            raise JournalError("connection refused")
        session = DatabaseSession(self, link, token, meanwhile, self.now_ms())
        self._sessions.append(session)
        return session

    def turn(self) -> None:
        """Do what is due: commits that come late, sessions that end."""
        now_ms = self.now_ms()
        lags = self.replica_is_away or self.chance.random() > KEEPS_UP_SHARE
        if self.replica == ASYNCHRONOUS and not lags and self._replicated < len(self._log):
            self._replicated = self.chance.randint(self._replicated, len(self._log))
        for session in list(self._sessions):
            session.turn(now_ms)

    def commit(self, transaction: Transaction) -> None:
        """Make a transaction visible."""
        self._log.append(transaction)
        self._apply(transaction)

    def replicate(self) -> None:
        """Have the replica keep up, if it is synchronous and there."""
        if self.replica == SYNCHRONOUS and not self.replica_is_away:
            self._replicated = len(self._log)

    @property
    def waits_for_replica(self) -> bool:
        """True if a commit is not acknowledged for now."""
        return self.replica == SYNCHRONOUS and self.replica_is_away

    def go_down(self, *, is_lost: bool = False) -> None:
        """Every session ends, as by kill -9 of all its processes; if the machine is lost, nobody is told."""
        self.is_up, self.is_lost = False, is_lost
        for session in list(self._sessions):
            session.end()

    def come_up(self) -> None:
        """Be there again."""
        self.is_up, self.is_lost = True, False

    def meet_replica(self) -> None:
        """The replica is there again, and gets what it lacks."""
        self.replica_is_away = False
        self.replicate()

    def mend(self) -> None:
        """Nothing goes wrong any more."""
        self.fates.clear()
        self.come_up()
        self.meet_replica()

    @property
    def is_synchronous(self) -> bool:
        """True if nothing is acknowledged before the replica has it."""
        return self.replica == SYNCHRONOUS

    def promote(self) -> int:
        """Make the replica the primary; gives how many rows are lost that were acknowledged."""
        if not self.replica_is_away and self.chance.random() < 0.5 and self.replica == SYNCHRONOUS:
            self._replicated = len(self._log)  # what nobody was told of may have reached it, too
        self.replica_is_away = False
        log = self._log[: self._replicated]
        history = self.kept
        self.leader, self._log = None, []
        superseded, self.superseded = self.superseded, set()
        self.kept.__init__()  # type: ignore[misc] # everybody who has this journal sees what is left
        assert history is self.kept
        for transaction in log:
            self.commit(transaction)
        self.superseded &= superseded
        self._replicated = len(self._log)
        return max(0, self.acknowledged - self.kept.last())

    def leads(self, token: str) -> None:
        """A server knows that it leads from now on."""
        self.led.add(token)
        self.superseded.discard(token)

    def forget(self, session: DatabaseSession) -> None:
        self._sessions.remove(session)
        if self.holder is session:
            self.holder = None

    def end_sessions(self, token: str, but: DatabaseSession) -> None:
        """End the sessions of this token soon, but for one."""
        for session in self._sessions:
            if session.token == token and session is not but:
                self.count("own old session ended")
                session.ends_ms = self.now_ms() + self.chance.randint(0, ENDING_MS_MAX)

    def _apply(self, transaction: Transaction) -> None:
        kept = self.kept
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
