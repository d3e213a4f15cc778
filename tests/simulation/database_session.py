"""One server's connection to the shared database, with the process of the database at its other end."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from gameserver.journal.checksum import checksum
from gameserver.journal.journal import JournalBroken, JournalError, JournalRow, Snapshot
from gameserver.journal.leadership import SESSION_S, LastRow, Leader
from gameserver.records.tournament_record import Record
from tests.simulation.violation import Violation

if TYPE_CHECKING:
    from tests.simulation.shared_database import Database

SESSION_MS = round(SESSION_S * 1000)
WATCHDOG_MS = 5_000
"""The time after which a server ends a call that is not answered."""
CONNECT_MS = 2_000
"""The same for an attempt to connect."""
LATE_MS_MAX = 4_000


@frozen
class Transaction:
    """What is done at once, or not at all."""

    rows: tuple[JournalRow, ...] = ()
    records: tuple[Record, ...] = ()
    leader: Leader | None = None
    snapshot: Snapshot | None = None
    trims: int = 0


@define(eq=False)
class Link:
    """The way from one server to the database, and what its calls cost."""

    is_whole: bool = True
    took_ms: int = 0
    """The time that calls took since somebody looked, beyond a moment."""
    began_ms: int | None = None
    """The beginning of the call that runs, until something is answered."""


@define(eq=False)
class DatabaseSession:
    """One connection, with the process of the database at its other end. Implements `leadership.Session`."""

    _database: "Database" = field(repr=False)
    _link: Link
    token: str
    _meanwhile: Callable[[], None] = field(repr=False)
    """Lets others go on before a question of who leads is answered."""
    _heard_ms: int
    ends_ms: int | None = None
    """When the database ends it, whatever it does."""
    _is_over: bool = False
    """True if the database has ended it."""
    _ended_silently: bool = False
    """True if nothing told the server of it."""
    _is_closed: bool = False
    """True if the server has."""
    _pending: Transaction | None = None
    _pending_ms: int | None = None
    """When what is pending is made; None if it waits for the replica."""
    _is_made: bool = True
    _unread: Transaction | None = None
    """What was sent before the server was stopped."""
    _is_answered: bool = False
    """Whether the answer to that lies in the socket."""

    @property
    def is_quiet(self) -> bool:
        """Without a FIN, nothing tells a server that its session is over, also later."""
        return not self._is_over or not self._link.is_whole or self._ended_silently

    @property
    def is_used(self) -> bool:
        """Whether it can carry something out."""
        return not (self._is_over or self._is_closed) and self._link.is_whole and self._pending is None

    def turn(self, now_ms: int) -> None:
        """Do what is due here."""
        if self._pending is not None and self._is_due(now_ms):
            self._carry_out()
        is_idle = self._pending is None and (self._is_closed or self._is_silent(now_ms))
        if is_idle or (self.ends_ms is not None and now_ms >= self.ends_ms):
            self.end()

    def end(self) -> None:
        """The database ends the session. What waits for the replica is visible then; what is not made, perhaps."""
        if self._is_over:
            return
        if self._pending is not None:
            if self._pending_ms is None:
                self._database.count("commit visible before the replica has it")
            else:
                self._is_made = self._is_made and self._database.chance.random() < 0.5
            self._carry_out()
        self._is_over, self._ended_silently = True, self._database.is_lost or not self._link.is_whole
        self._database.forget(self)

    def try_lock(self) -> bool:
        self._ask()
        if self._database.holder is None:
            self._database.holder = self
        return self._database.holder is self

    def leader(self) -> Leader | None:
        self._ask()
        return self._database.leader

    def write_leader(self, leader: Leader) -> None:
        self._meanwhile()
        self._write(Transaction(leader=leader))

    def last(self) -> LastRow:
        self._ask()
        kept = self._database.kept
        row = next(kept.read_from(kept.last()), None)
        return LastRow(kept.last(), None if row is None else checksum(row))

    def read(self, first: int, last: int) -> Iterable[JournalRow]:
        self._reach()
        return [row for row in self._database.kept.read_from(first) if row.seq <= last]

    def write(self, rows: Sequence[JournalRow], records: Sequence[Record], row: int) -> None:
        assert not rows or rows[-1].seq == row
        self._write(Transaction(tuple(rows), tuple(records)))

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self._write(Transaction(snapshot=snapshot))

    def trim(self, before: int) -> None:
        self._write(Transaction(trims=before))

    def heartbeat(self, leader: Leader, seq: int) -> None:
        self._write(Transaction())

    def end_others(self, token: str) -> None:
        self._reach()
        self._database.end_sessions(token, self)

    def close(self) -> None:
        self._is_closed = True
        if self._link.is_whole and not self._is_over:
            self.turn(self._database.now_ms())

    def carry_out_unread(self, transaction: Transaction) -> None:
        """Carry out what a server has sent that reads no answers for now."""
        if self._unread == transaction:
            return
        self._unread, self._heard_ms = transaction, self._database.now_ms()
        self._is_answered = self._is_carried_out(transaction)

    def _ask(self) -> None:
        self._meanwhile()
        self._reach()

    def _reach(self) -> None:
        """A round trip. Raises `JournalError`, after which the session is closed."""
        assert not self._is_closed, "a session is not used after its first error"
        self._database.turn()
        self._link.began_ms = None
        if not self._link.is_whole:
            self._link.took_ms += WATCHDOG_MS
        if self._is_over or not self._link.is_whole:
            raise self._lost("the connection to the database is lost")
        self._heard_ms = self._database.now_ms()

    def _write(self, transaction: Transaction) -> None:
        unread, self._unread = self._unread, None
        if unread == transaction:
            self._link.began_ms = None
        else:
            self._reach()
        if not (self._is_answered if unread == transaction else self._is_carried_out(transaction)):
            raise self._lost("the answer to a commit did not come")

    def _is_carried_out(self, transaction: Transaction) -> bool:
        """Commit, as fate has it; False if no answer comes."""
        database = self._database
        self._check(transaction)
        fate = database.fates.popleft() if database.fates else ""
        if fate in {"late", "never"}:
            self._pending, self._is_made = transaction, fate == "late"
            self._pending_ms = database.now_ms() + database.chance.randint(0, LATE_MS_MAX)
            return False
        if fate == "before":
            self.end()
            return False
        if database.waits_for_replica:
            self._pending, self._pending_ms = transaction, None
            self._link.took_ms += WATCHDOG_MS
            return False
        database.commit(transaction)
        database.replicate()
        if fate == "after":
            self.end()
        return fate == ""

    def _check(self, transaction: Transaction) -> None:
        """Hold a write to what must be true of it whoever writes."""
        database = self._database
        if self.token in database.superseded & database.led:
            raise Violation("who was taken over from leads no more", f"{self.token} after {database.leader}")
        if database.holder is not self:
            raise Violation("only the leader writes", f"{self.token} has not the lock: {transaction}")
        if transaction.leader is None and (database.leader is None or database.leader.token != self.token):
            raise Violation("only the leader writes", f"{self.token} writes after {database.leader}: {transaction}")
        if transaction.rows:
            first, last = transaction.rows[0].seq, database.kept.last()
            if first > last + 1:
                raise Violation("the log has no gap", f"row {first} after row {last}")
            if first <= last:
                self.end()
                self._is_closed = True
                raise JournalBroken(f"duplicate key: row {first} is there already")

    def _carry_out(self) -> None:
        assert self._pending is not None
        self._database.count(f"commit in doubt was {'made' if self._is_made else 'never made'}")
        if self._is_made:
            self._database.commit(self._pending)
            self._database.replicate()
        self._pending = None

    def _is_due(self, now_ms: int) -> bool:
        if self._pending_ms is None:
            return not self._database.waits_for_replica
        return now_ms >= self._pending_ms

    def _is_silent(self, now_ms: int) -> bool:
        """True if the database has heard nothing from a leader for too long. A call that takes long is no silence."""
        is_called = self._link.began_ms is not None and self._link.is_whole and self._unread is None
        return self._database.holder is self and now_ms - self._heard_ms > SESSION_MS and not is_called

    def _lost(self, why: str) -> JournalError:
        self._is_closed = True
        return JournalError(why)
