"""A journal that several servers share, in memory: one leads, the others stand by, and what lies between them fails.

    log = SharedLog(now_s)
    one, other = log.journal("one"), log.journal("other")
    one.lead()                     True; `other.lead()` is False until the session of `one` has ended
    one.is_reachable = False       a cut cable: the log ends the session of `one` after `SESSION_S`
    one.fails = "after write"      the next such call is carried out, and its answer is lost; or `before` it was
    log.keeps_sessions = True      sessions of servers that have gone live on, like one that waits for a replica
    log.refuses = True             it lets nobody in until somebody changes a setting
    log.forget_after(seq)          an asynchronous replica was promoted

Who leads, and what a lost session means, is decided by the real `Leadership`. A stopped process is one that makes no
calls: its session lapses like that of one that was cut off.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, TypeVar

from attrs import define, field

from gameserver.journal.journal import JournalBroken, JournalError, JournalRow, ServerPresence, Snapshot, checksum
from gameserver.journal.leadership import SESSION_S, LastRow, Leader, Leadership
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.reader import RecordReader
from gameserver.records.tournament_record import Record
from tests.support.journals import PassedOn

T = TypeVar("T")


class _Kept(MemoryJournal):
    """The log itself, which can lose its end."""

    def forget_after(self, seq: int) -> None:
        connection = self._connected()
        connection.execute("DELETE FROM journal WHERE seq > ?", (seq,))
        connection.execute("DELETE FROM match WHERE journal_row > ?", (seq,))
        for table in ("seat", "game", "move"):
            connection.execute(f"DELETE FROM {table} WHERE match NOT IN (SELECT match FROM match)")


@define(eq=False)
class SharedLog:
    """The log that the servers share. `now_s` is the time of them all."""

    now_s: Callable[[], float] = lambda: 0.0
    kept: _Kept = field(factory=_Kept, init=False)
    leader: Leader | None = field(default=None, init=False)
    keeps_sessions: bool = field(default=False, init=False)
    refuses: bool = field(default=False, init=False)
    calls: list[str] = field(factory=list, init=False)
    _holder: "LogSession | None" = field(default=None, init=False)
    """The session that has the lock."""
    _seen: dict[str, tuple[bool, int, float, float]] = field(factory=dict, init=False)
    """Of each server: whether it leads, its last row, since when, and when it gave word."""

    def time_s(self) -> float:
        return self.now_s()

    def journal(self, name: str) -> "SharedJournal":
        """A server's way to the log."""
        return SharedJournal(self, name)

    def forget_after(self, seq: int) -> None:
        """Lose the rows after this one, the records with them, and every session."""
        self.kept.forget_after(seq)
        self._holder = None

    def lock(self, session: "LogSession") -> bool:
        """Give the lock to a session, unless another has it."""
        self._holder = self.holder() or session
        return self._holder is session

    def holder(self) -> "LogSession | None":
        """The session that has the lock, if one has."""
        if self._holder is not None and self.now_s() - self._holder.heard_s > SESSION_S:
            self._holder = None
        return self._holder

    def end(self, name: str) -> None:
        """End the session of a server, if it has the lock."""
        if self._holder is not None and self._holder.journal.name == name:
            self._holder = None

    def see(self, name: str, seq: int, *, leads: bool) -> None:
        now_s = self.now_s()
        before = self._seen.get(name)
        since_s = before[2] if before is not None and before[0] == leads else now_s
        self._seen[name] = (leads, seq, since_s, now_s)

    def servers(self) -> Sequence[ServerPresence]:
        found = (
            ServerPresence(name, leads, seq, round(since_s * 1000), self.now_s() - seen_s)
            for name, (leads, seq, since_s, seen_s) in self._seen.items()
        )
        return sorted(found, key=lambda one: not one.leads)


@define(eq=False)
class LogSession:
    """A server's connection to the log. Implements `leadership.Session`."""

    journal: "SharedJournal"
    heard_s: float
    is_quiet: bool = True
    _had_lock: bool = False

    def try_lock(self) -> bool:
        self._had_lock = self.called("lock", lambda: self._log.lock(self))
        return self._had_lock

    def leader(self) -> Leader | None:
        return self._log.leader

    def write_leader(self, leader: Leader) -> None:
        def write() -> None:
            self._log.leader = leader
            self._log.see(leader.name, self._log.kept.last(), leads=True)

        self.called("write_leader", write)

    def last(self) -> LastRow:
        kept = self.called("last", lambda: self._log.kept)
        row = next(kept.read_from(kept.last()), None)
        return LastRow(kept.last(), None if row is None else checksum(row))

    def read(self, first: int, last: int) -> Iterable[JournalRow]:
        return [row for row in self._log.kept.read_from(first) if row.seq <= last]

    def write(self, rows: Sequence[JournalRow], records: Sequence[Record], row: int) -> None:
        self.called("write", lambda: self._log.kept.append(rows, records))

    def heartbeat(self, leader: Leader, seq: int) -> None:
        self.called("heartbeat", lambda: self._log.see(leader.name, seq, leads=True))

    def end_others(self, token: str) -> None:
        self.called("end_others", lambda: self._log.end(token))

    def close(self) -> None:
        if self.journal.is_reachable and not self._log.keeps_sessions and self._log.holder() is self:
            self._log.end(self.journal.name)

    def called(self, name: str, effect: Callable[[], T]) -> T:
        """Have the log do something, unless what lies between fails, or the lock of this session is lost."""
        self._log.calls.append(name)
        if not self.journal.is_reachable:
            raise JournalError("the log cannot be reached")
        if self._had_lock and self._log.holder() is not self:
            raise JournalError("the session has ended")
        self.heard_s = self._log.now_s()
        self._fail(f"before {name}")
        found = effect()
        self.journal.before_answer()
        self._fail(f"after {name}")
        return found

    @property
    def _log(self) -> SharedLog:
        return self.journal.log

    def _fail(self, moment: str) -> None:
        if self.journal.fails == moment:
            self.journal.fails = ""
            raise JournalError("the connection was lost")


class SharedJournal(PassedOn):
    """One server's journal over the shared log."""

    blocks = False
    confirm_every_s: ClassVar[float] = 1.0

    def __init__(self, log: SharedLog, name: str) -> None:
        self.log, self.name = log, name
        self.is_reachable = True
        self.fails = ""
        """The moment of a call to come at which the connection is lost, once."""
        self.before_answer: Callable[[], None] = lambda: None
        self.confirmed = 0
        """Calls of `confirm`."""
        self.leadership: Leadership[LogSession] = Leadership(
            self._connected, "the log", name, name, now_s=log.time_s, wall_ms=lambda: 1_800_000_000_000
        )

    @property
    def is_certain(self) -> bool:
        return self.leadership.is_certain

    def confirm(self) -> None:
        self.confirmed += 1
        self.leadership.confirm()

    def lead(self) -> bool:
        return self.leadership.lead()

    def show_presence(self, seq: int) -> None:
        self._reached()
        self.log.see(self.name, seq, leads=False)

    def servers(self) -> Sequence[ServerPresence]:
        self._reached()
        return self.log.servers()

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        self.leadership.append(rows, records)

    def last(self) -> int:
        return self.leadership.last

    def trim(self, before: int) -> None:
        self._reached().trim(before)

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self._reached().save_snapshot(snapshot)

    def asked(self, question: Callable[[MemoryJournal], T]) -> T:
        return question(self._reached())

    def reader(self) -> RecordReader:
        return self.log.kept.reader()

    def close(self) -> None:
        self.leadership.close()

    def _reached(self) -> MemoryJournal:
        with self.leadership.using() as session:
            return session.called("read", lambda: self.log.kept)

    def _connected(self) -> LogSession:
        if not self.is_reachable:
            raise JournalError("the log cannot be reached")
        if self.log.refuses:
            raise JournalBroken("not allowed to connect")
        return LogSession(self, self.log.now_s())
