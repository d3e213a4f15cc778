"""A journal in memory, for tests and for play that nobody will ask about."""

from collections.abc import Iterator, Mapping, Sequence

from gameserver.journal.journal import Journal, JournalRow, Snapshot, check_follows
from gameserver.records.attendance import AttendanceRecord
from gameserver.records.match_record import MatchRecord, RatingRecord
from gameserver.records.reader import MemoryRecordReader, RecordReader
from gameserver.records.restarts import RestartRecord
from gameserver.records.tournament_record import Record, TournamentRecord, merged


class MemoryJournal(Journal):
    """Keeps everything until the process ends."""

    blocks = False

    def __init__(self) -> None:
        self._rows: list[JournalRow] = []
        self._records: list[MatchRecord] = []
        self._recorded: dict[int, int] = {}
        """The row with which each match was recorded."""
        self._tournaments: dict[int, TournamentRecord] = {}
        self._attendance: list[AttendanceRecord] = []
        self._restarts: list[RestartRecord] = []
        self._snapshot: Snapshot | None = None
        self._last = 0

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        """Keep a batch."""
        if rows and rows[-1].seq == self._last:
            return
        check_follows(rows, self._last)
        self._rows.extend(rows)
        for record in records:
            if isinstance(record, TournamentRecord):
                number = record.tournament
                self._tournaments[number] = merged(self._tournaments.get(number), record)
            elif isinstance(record, AttendanceRecord):
                self._attendance.append(record)
            elif isinstance(record, RestartRecord):
                self._restarts.append(record)
            elif record.match not in self._recorded:
                self._recorded[record.match] = rows[-1].seq if rows else self._last
                self._records.append(record)
        self._last += len(rows)

    def read_from(self, seq: int) -> Iterator[JournalRow]:
        """The rows from number `seq` on, in order."""
        return iter([row for row in self._rows if row.seq >= seq])

    def last(self) -> int:
        """The number of the last row; 0 in an empty journal."""
        return self._last

    def trim(self, before: int) -> None:
        """Forget the rows below number `before`."""
        self._rows = [row for row in self._rows if row.seq >= before]

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep this snapshot in the place of the one before."""
        self._snapshot = snapshot

    def load_snapshot(self) -> Snapshot | None:
        """The snapshot that was kept."""
        return self._snapshot

    def read_records(self) -> Iterator[MatchRecord]:
        """Every finished match, in the order of match numbers."""
        return iter(sorted(self._records, key=lambda record: record.match))

    def read_ratings(self) -> Sequence[RatingRecord]:
        """Everybody's latest rating in every game."""
        found: dict[tuple[str, str], RatingRecord] = {}
        for one in self._records:
            for seat in one.seats:
                if seat.rating is not None and seat.deviation is not None:
                    before = found.get((one.game, seat.player))
                    matches = 1 if before is None else before.matches + 1
                    rating = RatingRecord(one.game, seat.player, seat.rating, seat.deviation, matches)
                    found[one.game, seat.player] = rating
        return list(found.values())

    def has_record(self, match: int) -> bool:
        """True if this match has ended and is on record."""
        return match in self._recorded

    def ends_after(self, seq: int) -> Mapping[int, Sequence[int]]:
        """The matches that were recorded with each row after `seq`."""
        ends: dict[int, list[int]] = {}
        for match, row in self._recorded.items():
            if row > seq:
                ends.setdefault(row, []).append(match)
        return ends

    def last_match(self) -> int:
        """The highest match number on record; 0 if there is none."""
        return max((record.match for record in self._records), default=0)

    def reader(self) -> RecordReader:
        """The records."""
        return MemoryRecordReader(
            lambda: self._records,
            self.read_ratings,
            lambda: self._tournaments,
            lambda: self._attendance,
            lambda: self._restarts,
        )

    def close(self) -> None:
        """Nothing to let go of."""
