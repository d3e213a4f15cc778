"""One server's connection to the shared database, with the process of the database at its other end.

What the server asks travels, is carried out, and the answer travels back, each at a time of its own. A server that
stands still meanwhile finds the answer when it goes on. One that waits too long ends the connection.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import trio
from attrs import define, evolve, field, frozen

from gameserver.journal.journal import JournalBroken, JournalError, JournalRow, Snapshot, checksum
from gameserver.journal.leadership import SESSION_S, LastRow, Leader
from gameserver.journal.postgresql import lock_key
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.tournament_record import Record
from tests.simulation.threads import wait_for
from tests.simulation.violation import Violation

if TYPE_CHECKING:
    from tests.simulation.contender import Contender
    from tests.simulation.shared_database import Database, HallDisk, Row

SESSION_MS = round(SESSION_S * 1000)
WATCHDOG_S = 5.0
"""Seconds after which a server ends a call that is not answered."""
CONNECT_S = 2.0
"""Seconds after which it ends an attempt to connect."""
LATE_MS = (300, 4_000)
"""Delays of a late commit: it comes when its server has a new connection, or long after."""
RESENT_S = 0.5
"""Seconds between a kernel's FINs to a peer that it cannot reach."""
SENT, ANSWERED = "sent", "answered"
"""The moments of a commit in which a machine can be frozen: before the answer, or after it."""

T = TypeVar("T")


@frozen
class Transaction:
    """A set of changes that are made at once, or not at all."""

    writer: "Contender"
    rows: tuple[JournalRow, ...] = ()
    records: tuple[Record, ...] = ()
    leader: Leader | None = None
    snapshot: Snapshot | None = None
    trims: int = 0
    sent_ms: int = 0
    """Time at which the database carried it out, which may be long before it is visible."""
    ratings: tuple["Row", ...] = ()


@define(eq=False)
class Reply:
    """An answer that a server waits for."""

    _come: trio.Event = field(factory=trio.Event)
    value: Any = None
    error: Exception | None = None

    @property
    def has_come(self) -> bool:
        return self._come.is_set()

    def come(self, value: Any = None, error: Exception | None = None) -> None:
        if not self.has_come:
            self.value, self.error = value, error
            self._come.set()

    async def wait(self) -> None:
        with trio.move_on_after(WATCHDOG_S):
            await self._come.wait()


@define(eq=False)
class DatabaseSession:
    """One connection, with the process of the database at its other end. Implements `leadership.Session`."""

    _database: "Database" = field(repr=False)
    machine: "Contender" = field(repr=False)
    _heard_ms: int
    ends_ms: int | None = None
    """Time at which the database ends it, whatever it does."""
    is_over: bool = False
    """True if the database has ended it."""
    is_closed: bool = False
    """True if the server has."""
    _ended_silently: bool = False
    """True if nothing told the server of it."""
    _is_left: bool = False
    """True if the database knows that the server has closed it."""
    _pending: Transaction | None = None
    _pending_ms: int | None = None
    """Time at which it is made; None if it waits for the replica."""
    _is_made: bool = True
    _reply: Reply | None = None
    """The reply that the server waits for."""
    _arrives_s: float = 0.0
    """Arrival of the last message: later ones do not overtake it."""

    @property
    def token(self) -> str:
        return self.machine.token

    @property
    def hall(self) -> "HallDisk":
        return self.machine.world.disk

    @property
    def is_quiet(self) -> bool:
        """True if no FIN told the server that its session is over. One that came stays."""
        return not self.is_over or self._ended_silently

    # The server's end.

    def try_lock(self) -> bool:
        return self._ask(self._lock)

    def leader(self) -> Leader | None:
        return self._ask(lambda: self.hall.leader)

    def write_leader(self, leader: Leader) -> None:
        self._write(Transaction(self.machine, leader=leader))

    def last(self) -> LastRow:
        return self._ask(self._last)

    def read(self, first: int, last: int) -> Iterable[JournalRow]:
        return self.asked(lambda kept: [row for row in kept.read_from(first) if row.seq <= last])

    def asked(self, question: Callable[[MemoryJournal], T]) -> T:
        """Query what the database keeps."""
        if not self.machine.serves:
            self.machine.world.asks(self.machine)
        return self._round_trip(lambda: question(self.hall.kept))

    def write(self, rows: Sequence[JournalRow], records: Sequence[Record], row: int) -> None:
        assert not rows or rows[-1].seq == row
        self.machine.meet_or_stop("before append")
        self._write(Transaction(self.machine, tuple(rows), tuple(records)))
        self.machine.meet_or_stop("after append")

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self.machine.meet_or_stop("before snapshot")
        self._write(Transaction(self.machine, snapshot=snapshot))
        self.machine.world.count("snapshot")
        self.machine.meet_or_stop("after snapshot")

    def trim(self, before: int) -> None:
        self._write(Transaction(self.machine, trims=before))

    def heartbeat(self, leader: Leader, seq: int) -> None:
        self._write(Transaction(self.machine))

    def end_others(self, token: str) -> None:
        self._round_trip(lambda: self._database.end_sessions(token, self))

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self._send(self._leave)

    def _ask(self, question: Callable[[], T]) -> T:
        self.machine.world.asks(self.machine)
        return self._round_trip(question)

    def _round_trip(self, question: Callable[[], T]) -> T:
        """Ask and hear. Raises `JournalError`, after which the session is closed."""
        return self._called(lambda reply: self._answer(reply, question()))

    def _write(self, transaction: Transaction) -> None:
        if transaction.leader is not None:
            self.machine.world.asks(self.machine)
        self._called(lambda reply: self._take(transaction, reply))
        self.machine.frozen_when(ANSWERED, transaction)

    def _called(self, call: Callable[[Reply], None]) -> Any:
        assert not self.is_closed, "a session is not used after its first error"
        reply = self._reply = Reply()
        self._send(lambda: self._arrive(call, reply))
        self.machine.frozen_when(SENT)
        wait_for(reply.wait)
        self._reply = None
        if not reply.has_come:
            raise self._lost("the database does not answer")
        if reply.error is not None:
            self.is_closed = True
            raise reply.error
        return reply.value

    def _lost(self, why: str) -> JournalError:
        self.close()
        return JournalError(why)

    # The network.

    def _send(self, what: Callable[[], None]) -> None:
        """Let something happen at the database a moment later, if the network carries it."""
        database = self._database
        self._arrives_s = max(self._arrives_s, database.time_of_arrival_s())
        database.agenda.at(self._arrives_s, what)

    def _answer(self, reply: Reply, value: Any = None, error: Exception | None = None) -> None:
        """Let the server hear something a moment later, if the network carries it."""
        self._heard_ms = self._database.now_ms

        def arrive() -> None:
            if self.machine.host.is_linked:
                reply.come(value, error)

        self._database.agenda.at(self._database.time_of_arrival_s(), arrive)

    # The database's end.

    def _arrive(self, call: Callable[[Reply], None], reply: Reply) -> None:
        if not self.machine.host.is_linked:
            return
        self._database.turn()
        if self.is_over:
            self._answer(reply, error=JournalError("the connection to the database is lost"))
        else:
            self._heard_ms = self._database.now_ms
            call(reply)

    def _leave(self) -> None:
        if not self.is_over and not self.machine.host.is_linked:
            self._database.agenda.at(trio.current_time() + RESENT_S, self._leave)
            return
        self._is_left = True
        self.turn()

    def turn(self) -> None:
        now_ms = self._database.now_ms
        if self._pending is not None and self._is_due(now_ms):
            self._carry_out()
        is_idle = self._pending is None and (self._is_left or self._is_silent(now_ms))
        if is_idle or (self.ends_ms is not None and now_ms >= self.ends_ms):
            self.end()

    def end(self) -> None:
        """End the session at the database. A commit that waits for the replica becomes visible; one not made may be."""
        database = self._database
        if self.is_over:
            return
        if not self.is_closed:
            database.disturbances += 1
        self._ended_silently = database.is_lost or not self.machine.host.is_linked
        reply, self._reply = self._reply, None
        if self._pending is not None:
            if self._pending_ms is None:
                self.machine.world.count("commit visible before the replica has it")
            else:
                self._is_made = self._is_made and database.chance.random() < 0.5
            self._carry_out()
        self.is_over = True
        database.forget(self)
        if reply is not None and not self._ended_silently:
            self._answer(reply, error=JournalError("the connection to the database is lost"))

    def _lock(self) -> bool:
        key = lock_key(self.machine.world.hall.name)
        holder = self._database.locks.setdefault(key, self)
        if holder is not self and holder.machine is not self.machine:
            self._database.disturbances += 1  # another one may have it for a moment, to find that it leads no more
        return holder is self

    def _last(self) -> LastRow:
        kept = self.hall.kept
        row = next(kept.read_from(kept.last()), None)
        return LastRow(kept.last(), None if row is None else checksum(row))

    def _take(self, transaction: Transaction, reply: Reply) -> None:
        """Begin a commit, by the fate that was drawn for it."""
        database = self._database
        fate = database.next_fate()
        if self._is_refused(transaction, reply):
            return
        if fate == "before":
            self.end()
            return
        took_s = self.hall.time_s()
        transaction = evolve(transaction, sent_ms=database.now_ms)
        self._pending, self._pending_ms, self._is_made = transaction, database.now_ms + round(1000 * took_s), True
        if fate in {"late", "never"}:
            self._is_made = fate == "late"
            self._pending_ms = database.now_ms + database.chance.randint(0, database.chance.choice(LATE_MS))
            self._reply = None
            self._answer(reply, error=JournalError("the answer to a commit did not come"))
        elif took_s:
            database.agenda.at(trio.current_time() + took_s, lambda: self._commit(transaction, reply, fate))
        else:
            self._commit(transaction, reply, fate)

    def _commit(self, transaction: Transaction, reply: Reply, fate: str) -> None:
        """Commit what was not decided otherwise meanwhile."""
        database = self._database
        if self._pending is not transaction or self.is_over:
            return
        if database.waits_for_replica:
            self._pending_ms = None
            return
        self._pending = None
        database.commit(transaction)
        database.replicate()
        if fate == "after":
            self.end()
        else:
            self._acknowledge(transaction, reply)

    def _acknowledge(self, transaction: Transaction, reply: Reply) -> None:
        if transaction.rows:
            self.hall.acknowledged = max(self.hall.acknowledged, transaction.rows[-1].seq)
        self._answer(reply)

    def _is_refused(self, transaction: Transaction, reply: Reply) -> bool:
        """Check what must hold of every write, and refuse rows that are there already."""
        hall, token = self.hall, self.token
        if token in hall.superseded and token in hall.led:
            raise Violation("who was taken over from leads no more", f"{token} after {hall.leader}")
        if hall.holder is not self:
            raise Violation("only the leader writes", f"{token} has not the lock: {transaction}")
        if transaction.leader is None and (hall.leader is None or hall.leader.token != token):
            raise Violation("only the leader writes", f"{token} writes after {hall.leader}: {transaction}")
        if transaction.rows:
            first, last = transaction.rows[0].seq, hall.kept.last()
            if first > last + 1:
                raise Violation("the log has no gap", f"row {first} after row {last}")
            if first <= last:
                self._reply = None
                self.end()
                self._answer(reply, error=JournalBroken(f"duplicate key: row {first} is there already"))
                return True
        return False

    def _carry_out(self) -> None:
        transaction, reply = self._pending, self._reply
        self._pending = None
        self.machine.world.count(f"commit in doubt was {'made' if self._is_made else 'never made'}")
        if self._is_made:
            self._database.commit(transaction)
            self._database.replicate()
            if reply is not None:  # it waited for the replica, and not for too long
                self._reply = None
                self._acknowledge(transaction, reply)

    def _is_due(self, now_ms: int) -> bool:
        if self._pending_ms is None:
            return not self._database.waits_for_replica
        return self._reply is None and now_ms >= self._pending_ms

    def _is_silent(self, now_ms: int) -> bool:
        """True if the database has heard nothing from a leader for too long."""
        return self.hall.holder is self and now_ms - self._heard_ms > SESSION_MS
