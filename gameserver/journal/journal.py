"""The ordered log: what every journal offers, whatever keeps it.

A row is one accepted command, with the times at which it was decided. Rows are numbered from 1
without a gap; a batch is appended whole or not at all, and is durable when `append` returns. That is
all that `decide -> commit -> release` needs, and all that a distributed log would have to implement.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from gameserver.records.match_record import MatchRecord, RatingRecord
from gameserver.records.reader import RecordReader
from gameserver.records.tournament_record import Record
from gameserver.values import value


@value
class JournalRow:
    """One accepted command, encoded. `tag` and `version` say how to read `body`, which is JSON."""

    seq: int
    now_ms: int
    stamp_ms: int
    wall_ms: int
    tag: str
    version: int
    body: bytes


@value
class Snapshot:
    """The lobby after the row `seq`, encoded; `now_ms` is where the axis of time stood."""

    seq: int
    now_ms: int
    version: int
    body: bytes


RESTORE = "restore it from a backup, or start with another data file"
"""Advice for a file that is not whole."""
REMEDY = f"{RESTORE}; the finished matches in it can still be exported"
"""The same, where the records are whole."""


class JournalError(Exception):
    """The journal cannot take a batch now: the disk is full, the file is locked. Trying again may help."""


class JournalBroken(Exception):
    """The journal cannot be used at all: another server has it or writes to it, it is damaged, of a newer format."""


class Journal(ABC):
    """An ordered log with records and one snapshot beside it. Used by one thread at a time."""

    name: str = "the journal"
    """Its name in messages."""
    blocks: ClassVar[bool] = True
    """True if its calls may take long, so that the event loop must not wait for them."""
    is_local: ClassVar[bool] = False
    """True if `append` is a matter of microseconds while the disk is quick, because no network lies between."""

    @abstractmethod
    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        """Make a batch durable, whole, together with the records of the matches it ended.

        The first row follows `last()`. A batch that is there already is left alone, so a commit
        whose answer got lost can be tried again. A second record of a match is left out: what is on
        record is a fact. That of a tournament tells what changed in it. Raises `JournalError`,
        and `JournalBroken` where rows stand there that are not the caller's.
        """

    def append_at_once(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        """Same as `append`, but raise `JournalError` at once if another process has a lock."""
        self.append(rows, records)

    @property
    def checkpoint_is_due(self) -> bool:
        """True if `checkpoint` should be called soon."""
        return False

    def checkpoint(self) -> None:  # noqa: B027 - nothing to do is what most journals need
        """Tidy up, which may take much longer than a commit."""

    @abstractmethod
    def read_from(self, seq: int) -> Iterator[JournalRow]:
        """The rows from number `seq` on, in order. Raises `JournalBroken` at one that is damaged."""

    @abstractmethod
    def last(self) -> int:
        """The number of the last row; 0 in an empty journal."""

    @abstractmethod
    def trim(self, before: int) -> None:
        """Forget the rows below number `before`. Raises `JournalError`."""

    @abstractmethod
    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep this snapshot in the place of the one before. Raises `JournalError`."""

    @abstractmethod
    def load_snapshot(self) -> Snapshot | None:
        """The snapshot that was kept."""

    @abstractmethod
    def read_records(self) -> Iterator[MatchRecord]:
        """Every finished match, in the order of match numbers."""

    @abstractmethod
    def read_ratings(self) -> Sequence[RatingRecord]:
        """Everybody's latest rating in every game, in no order."""

    @abstractmethod
    def has_record(self, match: int) -> bool:
        """True if this match has ended and is on record."""

    @abstractmethod
    def ends_after(self, seq: int) -> Mapping[int, Sequence[int]]:
        """The matches that were recorded with each row after `seq`: with the last one of their batch."""

    @abstractmethod
    def last_match(self) -> int:
        """The highest match number on record; 0 if there is none."""

    @abstractmethod
    def reader(self) -> RecordReader:
        """The records, for lookups while the journal is in use. Any thread may call it."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the file."""


def check_follows(rows: Sequence[JournalRow], last: int) -> None:
    """Raise ValueError where rows do not continue the log: that would be a bug of the caller."""
    for expected, row in enumerate(rows, start=last + 1):
        if row.seq != expected:
            message = f"row {row.seq} cannot follow row {expected - 1}"
            raise ValueError(message)
