"""A journal that several servers share, in memory: one leads, the others stand by, and what lies between them fails.

    log = SharedLog(now_s)
    one, other = log.journal("one"), log.journal("other")
    one.lead()                     True; `other.lead()` is False until the session of `one` has ended
    one.is_reachable = False       a cut cable: the log ends the session of `one` after `SESSION_S`
    one.answers_lost = [True]      the next commit is in doubt; it was kept (True) or not (False)
    log.is_up = False              no server reaches the log, and every session has ended
    log.end_session(one)           the log ends one session at once, as after a kill
    log.forget_after(seq)          an asynchronous replica was promoted

A stopped process is one that makes no calls: its session lapses like that of one that was cut off.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import ClassVar

from attrs import define, field

from gameserver.journal.journal import Journal, JournalBroken, JournalError, JournalRow, ServerPresence, Snapshot
from gameserver.journal.memory import MemoryJournal
from gameserver.records.match_record import MatchRecord, RatingRecord
from gameserver.records.reader import RecordReader
from gameserver.records.tournament_record import Record

CERTAIN_S = 2.5
"""The time after the beginning of a round trip in which nobody else can have taken the lead."""
SESSION_S = 3.0
"""The time after which the log ends a session that it heard nothing from."""


@define(eq=False)
class _Session:
    owner: "SharedJournal"
    heard_s: float


class _Kept(MemoryJournal):
    """The log itself, which can lose its end."""

    def forget_after(self, seq: int) -> None:
        self._rows = [row for row in self._rows if row.seq <= seq]
        self._last = min(self._last, seq)
        self._recorded = {match: row for match, row in self._recorded.items() if row <= seq}
        self._records = [record for record in self._records if record.match in self._recorded]


@define(eq=False)
class SharedLog:
    """What the servers share. `now_s` is the time of them all."""

    now_s: Callable[[], float] = lambda: 0.0
    kept: _Kept = field(factory=_Kept, init=False)
    leader: str = field(default="", init=False)
    """The server that became the leader last."""
    _is_up: bool = field(default=True, init=False)
    _holder: _Session | None = field(default=None, init=False)
    """The session that has the lock."""
    _seen: dict[str, tuple[bool, int, float, float]] = field(factory=dict, init=False)
    """Of each server: whether it leads, its last row, since when, and when it gave word."""

    def journal(self, name: str) -> "SharedJournal":
        """A server's way to the log."""
        return SharedJournal(self, name)

    @property
    def is_up(self) -> bool:
        return self._is_up

    @is_up.setter
    def is_up(self, is_up: bool) -> None:
        self._is_up = is_up
        if not is_up:
            self._holder = None

    def end_session(self, journal: "SharedJournal") -> None:
        """End the session of a server, if it has the lock."""
        if self._holder is not None and self._holder.owner is journal:
            self._holder = None

    def forget_after(self, seq: int) -> None:
        """Lose the rows after this one, the records with them, and every session."""
        self.kept.forget_after(seq)
        self._holder = None

    def lock(self, journal: "SharedJournal") -> _Session | None:
        """A session that has the lock; None while another has it."""
        if self.holder() is not None:
            return None
        self._holder = _Session(journal, self.now_s())
        return self._holder

    def holder(self) -> _Session | None:
        """The session that has the lock, if one has."""
        if self._holder is not None and self.now_s() - self._holder.heard_s > SESSION_S:
            self._holder = None
        return self._holder

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


class SharedJournal(Journal):
    """One server's journal over the shared log."""

    blocks = False
    confirm_every_s: ClassVar[float] = 1.0

    def __init__(self, log: SharedLog, name: str) -> None:
        self.name = name
        self.is_reachable = True
        self.answers_lost: list[bool] = []
        """Commits to come whose answers get lost, and whether each is kept all the same."""
        self.confirmed = 0
        """Calls of `confirm`."""
        self._log = log
        self._leads = False
        self._session: _Session | None = None
        self._certain_s = -inf
        """The beginning of the last round trip as the leader."""
        self._last = 0
        self._in_doubt: JournalRow | None = None

    @property
    def is_certain(self) -> bool:
        return self._log.now_s() - self._certain_s < CERTAIN_S

    def confirm(self) -> None:
        self.confirmed += 1
        self._as_leader()
        self._log.see(self.name, self._last, leads=True)

    def lead(self) -> bool:
        if self._leads:
            return True
        kept = self._reached()
        self._session = self._log.lock(self)
        if self._session is None:
            return False
        self._leads, self._log.leader = True, self.name
        self._last = kept.last()
        self._certain_s = self._log.now_s()
        self._log.see(self.name, self._last, leads=True)
        return True

    def show_presence(self, seq: int) -> None:
        self._reached()
        self._log.see(self.name, seq, leads=False)

    def servers(self) -> Sequence[ServerPresence]:
        self._reached()
        return self._log.servers()

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        if rows:
            self._in_doubt = rows[-1]
        kept = self._as_leader()
        is_lost = bool(self.answers_lost)
        if not is_lost or self.answers_lost.pop(0):
            kept.append(rows, records)
        if is_lost:
            raise self._failed("the answer to a commit did not come")
        self._last, self._in_doubt = kept.last(), None

    def last(self) -> int:
        return self._last if self._leads else self._log.kept.last()

    def trim(self, before: int) -> None:
        self._as_leader().trim(before)

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self._as_leader().save_snapshot(snapshot)

    def read_from(self, seq: int) -> Iterator[JournalRow]:
        return self._reached().read_from(seq)

    def load_snapshot(self) -> Snapshot | None:
        return self._reached().load_snapshot()

    def read_records(self) -> Iterator[MatchRecord]:
        return self._reached().read_records()

    def read_ratings(self) -> Sequence[RatingRecord]:
        return self._reached().read_ratings()

    def has_record(self, match: int) -> bool:
        return self._reached().has_record(match)

    def ends_after(self, seq: int) -> Mapping[int, Sequence[int]]:
        return self._reached().ends_after(seq)

    def last_match(self) -> int:
        return self._reached().last_match()

    def reader(self) -> RecordReader:
        return self._log.kept.reader()

    def close(self) -> None:
        if self.is_reachable:
            self._log.end_session(self)
        self._session, self._leads, self._certain_s = None, False, -inf

    def _reached(self) -> MemoryJournal:
        if not (self.is_reachable and self._log.is_up):
            raise self._failed("the log cannot be reached")
        return self._log.kept

    def _as_leader(self) -> MemoryJournal:
        """The log, for the one that leads it. A lost session is noticed once, and the next call makes a new one."""
        began_s = self._log.now_s()
        kept = self._reached()
        if not self._leads:
            raise AssertionError(f"{self.name} does not lead")
        if self._session is None:
            self._take_again(kept)
        elif self._log.holder() is not self._session:
            raise self._failed("the session has ended")
        assert self._session is not None
        self._session.heard_s = self._certain_s = began_s
        return kept

    def _take_again(self, kept: MemoryJournal) -> None:
        """Go on after a lost session, if nobody else has led meanwhile, and the log ends where it did."""
        holder = self._log.holder()
        if self._log.leader != self.name:
            raise self._broken(f"another server leads, {self._log.leader}; this one stops")
        if holder is not None:
            self._log.end_session(holder.owner)
            raise JournalError("the session of before has the lock")
        doubtful = 0 if self._in_doubt is None else self._in_doubt.seq
        if kept.last() not in {self._last, doubtful}:
            raise self._broken(f"the log ends with row {kept.last()}, and row {self._last} was committed")
        self._session = self._log.lock(self)

    def _failed(self, why: str) -> JournalError:
        self._session, self._certain_s = None, -inf
        return JournalError(why)

    def _broken(self, why: str) -> JournalBroken:
        self._certain_s = -inf
        return JournalBroken(f"{self.name}: {why}")
