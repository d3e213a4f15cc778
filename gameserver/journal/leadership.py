"""Decides who leads a hall, and what a lost connection to the database means: the fence of a shared journal.

    session = connect()                     one connection; it ends with its first error
    session.try_lock()                      the lock lives on the session that commits: whoever lost it cannot commit
    session.leader(), session.last()        whose rows these are, and whether the last one is ours
    session.write_leader()                  waits for a synchronous replica, and so does all that was written before it

| found after a reconnect                          | meaning                                             |
|--------------------------------------------------|-----------------------------------------------------|
| the lock is held, `leader` has our token         | our own old session still lives: it is ended        |
| the lock is held, or was, by another token       | another server leads, or has led: this one stops    |
| the last row is the last that we committed       | a commit in doubt was not made                      |
| the last row is the last of the batch in doubt   | the commit in doubt was made                        |
| the last row is an earlier one                   | a replica without our last rows became the primary  |
| the last row is any other                        | another program has written to the journal          |

The lock comes first: as long as the old session lives, it may be about to commit. Nothing here knows the database, so
the simulator drives the same decisions over one in memory.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import inf
from typing import Generic, Protocol, TypeVar

from gameserver.journal.journal import JournalBroken, JournalError, JournalRow, check_follows, checksum
from gameserver.records.match_record import time_of_day
from gameserver.records.tournament_record import Record
from gameserver.values import value

# Judgement: three times the second after which a leader gives word (`Journal.confirm_every_s`).
SESSION_S = 3.0
"""The time after which the database ends a leader's session that it hears nothing from."""
# Shorter than `SESSION_S`, and counted from before the request was sent: the database counts from when it has read it.
CERTAIN_S = 2.5
"""The time from the beginning of a round trip in which the database cannot have ended the session for its silence."""


@value
class Leader:
    """The server that leads a hall, or the last one that did, as the database has it."""

    token: str
    """Chosen at random by each server process."""
    name: str
    """Its machine and process, as HOST:PROCESS."""
    since_ms: int
    """The time of day since which it leads."""


@value
class LastRow:
    """The last row of a journal, as leadership compares it: 0 in an empty one.

    No checksum is known where a snapshot alone has its number.
    """

    seq: int
    checksum: int | None = None

    def is_same(self, other: "LastRow") -> bool:
        """True if two ends of a journal are the same row, as far as the checksums are known."""
        return self.seq == other.seq and (None in {self.checksum, other.checksum} or self.checksum == other.checksum)


class Session(Protocol):
    """A server's connection to the database in which it leads or stands by.

    Any error ends it: it is closed then, and not used again.

    `JournalError` from `write` and `write_leader` leaves in doubt whether the commit was made.
    """

    @property
    def is_quiet(self) -> bool:
        """True if nothing came unasked from the database that says who leads, such as the end of the connection.

        Any thread may ask.
        """

    def try_lock(self) -> bool:
        """Take the lock by which a server leads a hall, or find that it has it; False if another session has it."""

    def leader(self) -> Leader | None:
        """The leader on record in the database; None if none ever led."""

    def write_leader(self, leader: Leader) -> None:
        """Put the leader on record, in a commit that waits for all that a commit of this journal waits for."""

    def last(self) -> LastRow:
        """The last row of the journal, as a session of leadership finds it."""

    def read(self, first: int, last: int) -> Iterable[JournalRow]:
        """The journal rows with these numbers, read to see whether they are a leader's own."""

    def write(self, rows: Sequence[JournalRow], records: Sequence[Record], row: int) -> None:
        """Commit a leader's batch, after which `row` is the last row of the journal."""

    def heartbeat(self, leader: Leader, seq: int) -> None:
        """Tell standbys, in a commit that waits like `write`, that this server leads and has the rows up to `seq`."""

    def end_others(self, token: str) -> None:
        """End the sessions that this leader opened before, one of which may still hold its lock."""

    def close(self) -> None:
        """End a session of leadership, and with it its lock. Never raises."""


# CLOCK_MONOTONIC, which time.monotonic reads there, stands while the machine sleeps (clock_gettime(2)).
if sys.platform == "linux":
    _now_s: Callable[[], float] = partial(time.clock_gettime, time.CLOCK_BOOTTIME)
else:
    _now_s = time.monotonic


def since_boot_s() -> float:
    """The clock by which a leader's certainty runs out.

    It goes on while the machine sleeps, where there is such a clock.
    """
    return _now_s()


S = TypeVar("S", bound=Session)


class Leadership(Generic[S]):
    """The place of one server among the leader and the standbys of a hall.

    It is kept over all the connections that the server has one after the other.
    """

    def __init__(
        self,
        connect: Callable[[], S],
        journal: str,
        name: str,
        token: str,
        *,
        now_s: Callable[[], float] = since_boot_s,
        wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._connect = connect
        self._journal = journal
        """The name of the journal in messages."""
        self._name = name
        self._token = token
        self._now_s = now_s
        self._wall_ms = wall_ms
        self._session: S | None = None
        self._had_session = False
        self._lock_lost = False
        """True if a session of ours that had the lock may live on in the database."""
        self._leader: Leader | None = None
        """This server, once it leads."""
        self._last = LastRow(0)
        """The last row that is committed, as the leader knows it."""
        self._in_doubt: LastRow | None = None
        """The last row of a batch of which nobody knows whether it was committed."""
        self._certain_from_s = -inf
        """The beginning of the last round trip that succeeded."""

    @property
    def leads(self) -> bool:
        """True since `lead` has given True. Another server may lead by now, which is found out with the next call."""
        return self._leader is not None

    @property
    def is_certain(self) -> bool:
        """True if no other server can lead yet. Any thread may ask."""
        session = self._session
        return (
            self._leader is not None
            and session is not None
            and self._now_s() - self._certain_from_s < CERTAIN_S
            and session.is_quiet
        )

    @property
    def open_session(self) -> S | None:
        """The session by which a server leads or stands by, if there is one now."""
        return self._session

    @property
    def last(self) -> int:
        """The number of the last row that a leader knows; what a standby knows of it is asked for each time."""
        if self._leader is not None:
            return self._last.seq
        with self.using() as session:
            return session.last().seq

    def lead(self) -> bool:
        """Become the leader by taking the lock; False while another server is."""
        if self._leader is not None:
            return True
        with self.using() as session:
            began_s = self._now_s()
            if not session.try_lock():
                self._end_old(session)
                return False
            self._lock_lost = True
            leader = Leader(self._token, self._name, self._wall_ms())
            session.write_leader(leader)
            self._last = session.last()
            self._leader, self._certain_from_s = leader, began_s
        return True

    def confirm(self) -> None:
        """Make sure that this server still has the lock of the leader, and tell that it lives."""
        with self.using() as session:
            assert self._leader is not None
            began_s = self._now_s()
            session.heartbeat(self._leader, self._last.seq)
            self._certain_from_s = began_s

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record]) -> None:
        """Commit a leader's batch, unless it is committed already."""
        with self.using() as session:
            assert self._leader is not None
            began_s = self._now_s()
            if rows and rows[0].seq <= self._last.seq:
                self._check_own(session, rows)
                self._certain_from_s = began_s
                return
            check_follows(rows, self._last.seq)
            last = LastRow(rows[-1].seq, checksum(rows[-1])) if rows else self._last
            # Before the commit: an error leaves in doubt whether it was made.
            self._in_doubt = last
            session.write(rows, records, last.seq)
            self._last, self._in_doubt = last, None
            self._certain_from_s = began_s

    @contextmanager
    def using(self) -> Iterator[S]:
        """The session of a leader or a standby, to be worked with; an error ends it. A leader's has the lock."""
        try:
            yield self._connected()
        except GeneratorExit:  # the caller needs no more of what it reads
            raise
        except BaseException:
            # Nobody may be told anything before the next call has found out who leads.
            self._certain_from_s = -inf
            if self._session is not None:
                self._session.close()
                self._session = None
            raise

    def close(self) -> None:
        """Give up the lead by ending the session, so that another server can lead."""
        if self._session is not None:
            self._session.close()
        self._session, self._certain_from_s = None, -inf

    def _connected(self) -> S:
        if self._session is None:
            session = self._newly_connected()
            try:
                if self._leader is not None:
                    self._take_again(session, self._leader)
            except BaseException:
                session.close()
                raise
            self._session, self._had_session = session, True
        return self._session

    def _newly_connected(self) -> S:
        try:
            return self._connect()
        except JournalBroken as error:
            if not self._had_session:
                raise
            # The database let this server in before, so whatever it refuses now may pass: a replica may answer that
            # does not know the server yet, in the place of a primary that is being started again.
            raise JournalError(str(error)) from error

    def _take_again(self, session: S, own: Leader) -> None:
        """Have the lock on a new connection, if nobody led meanwhile and the last row is ours."""
        # First: as long as the old session lives, it may be about to commit, and what is read now would be too early.
        has_lock = session.try_lock()
        found = session.leader()
        if found is None or found.token != own.token:
            raise JournalBroken(self._superseded(found))
        if not has_lock:
            self._end_old(session)
            raise JournalError("the database has not ended this server's last connection yet")
        last = session.last()
        is_committed = self._in_doubt is not None and last.is_same(self._in_doubt)
        # A replica without our last rows has become the primary, or another program writes: players know more than the
        # journal.
        if not is_committed and not last.is_same(self._last):
            raise JournalBroken(self._not_ours(last))
        # A batch that was in doubt may be on the old primary's disk alone. This commit waits for the replica, so the
        # batch is there, too, before anybody is told of it.
        session.write_leader(own)
        self._last, self._in_doubt = last, None

    def _end_old(self, session: S) -> None:
        """End the session that had the lock: one that waits for a replica does not notice that its client has gone."""
        if self._lock_lost:
            session.end_others(self._token)

    def _check_own(self, session: S, rows: Sequence[JournalRow]) -> None:
        if list(session.read(rows[0].seq, self._last.seq)) != list(rows):
            raise JournalBroken(f"{self._journal}: row {rows[0].seq} of the journal was written by somebody else")

    def _superseded(self, found: Leader | None) -> str:
        if found is None:
            return f"{self._journal} no longer knows that this server leads: it was emptied, or restored from a backup"
        since = time_of_day(found.since_ms)
        return (
            f"another server leads on {self._journal}, {found.name} since {since}; this one was not heard from in time"
            " and stops; start it again to have it stand by"
        )

    def _not_ours(self, found: LastRow) -> str:
        if found.seq < self._last.seq:
            return (
                f"{self._journal} has lost rows: row {self._last.seq} was committed, and the last one is {found.seq}."
                " A replica without them has become the primary, or a backup was restored; this server stops, and the"
                f" next start goes on from row {found.seq}"
            )
        return f"{self._journal}: row {found.seq} of the journal was written by somebody else; this server stops"
