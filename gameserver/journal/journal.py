"""The ordered log: what every journal offers, whatever keeps it.

A row is one accepted command, with the times at which it was decided. Rows are numbered from 1
without a gap; a batch is appended whole or not at all, and is durable when `append` returns. That is
all that `decide -> commit -> release` needs.

A journal that several servers can reach has a leader, the one that may append. A leader can lose that place without
noticing, so it has to be certain of it before it tells anybody anything: `is_certain`, `confirm`, `lead`. The others
stand by: they read the rows as they come, and ask again and again for the lead. A journal of one server always leads.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from struct import Struct
from typing import ClassVar
from zlib import crc32

from gameserver.records.match_record import MatchRecord, RatingRecord
from gameserver.records.reader import HallDirectory, RecordReader
from gameserver.records.tournament_record import Record
from gameserver.values import value


@value
class JournalRow:
    """A row of the journal: one accepted command, encoded.

    `tag` and `version` say how to read `body`, which is JSON.
    """

    seq: int
    now_ms: int
    stamp_ms: int
    wall_ms: int
    tag: str
    version: int
    body: bytes


@value
class Snapshot:
    """A snapshot in a journal: the lobby after the row `seq`, encoded; `now_ms` is where the axis of time stood."""

    seq: int
    now_ms: int
    version: int
    body: bytes


@value
class ServerPresence:
    """One of the servers that share a journal, by its own word."""

    name: str
    """Its machine and process, as HOST:PROCESS."""
    leads: bool
    """True if it is the leader; the others stand by."""
    seq: int
    """The last row that it has."""
    since_ms: int
    """The time of day since which it leads or stands by."""
    seen_ago_s: float
    """Seconds since it gave word, by the clock of the database."""


RESTORE = "restore it from a backup, or start with another data file"
"""Advice for a file that is not whole."""
REMEDY = f"{RESTORE}; the finished matches in it can still be exported"
"""The same, where the records are whole."""


class JournalError(Exception):
    """The journal cannot be used now: a full disk, a locked file, a database that is away. Trying again may help."""


class JournalBroken(Exception):
    """The journal cannot be used at all: another server has it or writes to it, it is damaged, of a newer format."""


class Journal(ABC):
    """The interface of every journal: an ordered log, with records and one snapshot beside it.

    Used by one thread at a time.
    """

    name: str = "the journal"
    """Its name in messages."""
    # Read by the committer: a journal that does not block is used on the event loop, so virtual time stays exact.
    blocks: ClassVar[bool] = True
    """True if its calls may take long, so that the event loop must not wait for them."""
    is_local: ClassVar[bool] = False
    """True if `append` is a matter of microseconds while the disk is quick, because no network lies between."""
    confirm_every_s: ClassVar[float] = inf
    """The time after which `confirm` is to be called again; finite where another server may take the lead."""

    @property
    def is_certain(self) -> bool:
        """True if the server of this journal certainly leads.

        Else nobody may be told anything before `confirm` has returned.

        A commit makes it certain, too. After a call that raised it is False until `confirm` or a commit succeeds.
        Any thread may ask.
        """
        return True

    def confirm(self) -> None:  # noqa: B027 - a journal of one server has nothing to confirm
        """Make sure that this server still leads, and tell that it lives. Raises `JournalError`.

        Raises `JournalBroken` once another server leads, or where rows of ours are gone.
        """

    def lead(self) -> bool:
        """Become the leader of a journal, unless another server is: then False.

        Raises `JournalError`, and `JournalBroken`.

        Once it leads, `last` is the last row of all. Until then only what reads may be called, and `show_presence`.
        """
        return True

    def show_presence(self, seq: int) -> None:  # noqa: B027 - a journal of one server has nobody to show it to
        """Tell the other servers of a journal that this one stands by, with the rows up to `seq`.

        Raises `JournalError`.

        To be called about once a second. A leader's `confirm` tells of it.
        """

    def servers(self) -> Sequence[ServerPresence]:
        """The servers of a journal that gave word lately, the leader first. Raises `JournalError`."""
        return ()

    def changed_ratings(self) -> Sequence[RatingRecord]:
        """The ratings that other servers of a journal may have changed since the last call.

        In no order; some may be told again.

        Called right after `confirm`. Raises `JournalError`.
        """
        return ()

    @abstractmethod
    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        """Make a batch durable in a journal, whole, together with the records of the matches it ended.

        The first row follows `last()`. A batch that is there already is left alone, so a commit
        whose answer got lost can be tried again. A second record of a match is left out: what is on
        record is a fact. That of a tournament tells what changed in it. Raises `JournalError`,
        and `JournalBroken` where rows stand there that are not the caller's.
        """

    def append_at_once(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        """Append a batch as a journal's `append` does. Raises `JournalError` at once if another process has a lock."""
        self.append(rows, records)

    @property
    def checkpoint_is_due(self) -> bool:
        """True if this journal's `checkpoint` should be called soon."""
        return False

    def checkpoint(self) -> None:  # noqa: B027 - nothing to do is what most journals need
        """Tidy the journal up, which may take much longer than a commit."""

    @abstractmethod
    def read_from(self, seq: int) -> Iterator[JournalRow]:
        """The rows of any journal from number `seq` on, in order. Raises `JournalBroken` at one that is damaged."""

    @abstractmethod
    def last(self) -> int:
        """The number of any journal's last row; 0 in an empty one."""

    @abstractmethod
    def trim(self, before: int) -> None:
        """Forget the rows of a journal below number `before`. Raises `JournalError`."""

    @abstractmethod
    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep this snapshot in the journal, in the place of the one before. Raises `JournalError`."""

    @abstractmethod
    def load_snapshot(self) -> Snapshot | None:
        """The snapshot that a journal keeps, if it has one."""

    @abstractmethod
    def read_records(self) -> Iterator[MatchRecord]:
        """Every finished match that is recorded beside a journal, in the order of match numbers."""

    @abstractmethod
    def read_ratings(self) -> Sequence[RatingRecord]:
        """Everybody's latest rating in every game, as recorded beside a journal, in no order."""

    @abstractmethod
    def has_record(self, match: int) -> bool:
        """True if this match has ended and is on record beside a journal."""

    @abstractmethod
    def ends_after(self, seq: int) -> Mapping[int, Sequence[int]]:
        """The matches that were recorded with each row of a journal after `seq`: with the last one of their batch."""

    @abstractmethod
    def last_match(self) -> int:
        """The highest match number on record beside a journal; 0 if there is none."""

    @abstractmethod
    def reader(self) -> RecordReader:
        """The reader of the records beside a journal, for lookups while it is in use. Any thread may call it."""

    def halls(self) -> HallDirectory | None:
        """The directory of halls that a journal's database has; None if there is no other than this one.

        The caller closes it.
        """
        return None

    @abstractmethod
    def close(self) -> None:
        """Close the journal."""


def check_follows(rows: Sequence[JournalRow], last: int) -> None:
    """Raises ValueError where rows do not continue a journal, of any kind, without a gap: a bug of the caller."""
    for expected, row in enumerate(rows, start=last + 1):
        if row.seq != expected:
            message = f"row {row.seq} cannot follow row {expected - 1}"
            raise ValueError(message)


# The same bytes on every machine: `gameserver copy` compares checksums between databases.
_HEAD = Struct("<5q")


def checksum(row: JournalRow) -> int:
    """The checksum over all fields of a row in the ordered log, the same whatever keeps the journal.

    Without it, a disk that flips a bit would change a move in silence.
    """
    head = _HEAD.pack(row.seq, row.now_ms, row.stamp_ms, row.wall_ms, row.version)
    return crc32(head + row.tag.encode() + row.body)
