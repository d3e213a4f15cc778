"""The journal, with bad days; and a second lobby that knows nothing but the journal."""

from collections.abc import Iterator, Sequence

from attrs import define, field

from gameserver.core.state.lobby import Lobby
from gameserver.journal.journal import JournalError, JournalRow
from gameserver.journal.memory import MemoryJournal
from gameserver.journal.recovery import Replayed, replay
from gameserver.journal.snapshot import digest, write_snapshot
from gameserver.records.tournament_record import Record
from tests.simulation.plan import GAMES
from tests.simulation.violation import Violation
from tests.support.journals import RowsOnly


class FailingJournal(MemoryJournal):
    """Fails when told to: before anything is kept, or when it is kept and only the answer is lost."""

    def __init__(self) -> None:
        super().__init__()
        self.failures: list[bool] = []
        """Failures to come, and whether each keeps the batch all the same."""
        self.history: list[JournalRow] = []
        """Every row there ever was, whatever was trimmed."""

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        fails = bool(self.failures)
        if not fails or self.failures.pop():
            known = self.last()
            super().append(rows, records)
            self.history += [row for row in rows if row.seq > known]
        if fails:
            raise JournalError("a bad day")


class Tail(RowsOnly):
    """Some rows behind a snapshot."""

    def __init__(self, rows: Sequence[JournalRow]) -> None:
        super().__init__()
        self._behind = rows

    def read_from(self, seq: int) -> Iterator[JournalRow]:
        return iter([row for row in self._behind if row.seq >= seq])


@define
class Shadow:
    """What the journal tells, a snapshot and a few rows at a time. At every look the live lobby must be the same."""

    _journal: FailingJournal
    _lobby: Lobby = field(factory=lambda: Lobby(GAMES))
    _seq: int = 0

    def compare(self, lobby: Lobby, what: str) -> None:
        """Replay what was committed since the last look, and compare."""
        tail = Tail(self._journal.history[self._seq :])
        tail.save_snapshot(write_snapshot(self._lobby, self._seq, 0))
        replayed = _replay(tail)
        _same(replayed.lobby, lobby, f"{what}, rows {self._seq + 1} to {replayed.seq}")
        self._lobby, self._seq = replayed.lobby, replayed.seq

    def compare_whole(self, lobby: Lobby) -> None:
        """The same from the first row on, without any snapshot."""
        _same(_replay(Tail(self._journal.history)).lobby, lobby, "all rows")


def _replay(journal: MemoryJournal) -> Replayed:
    replayed = replay(journal, GAMES)
    if replayed.skipped:
        raise Violation("replay gives the same lobby", f"rows were skipped: {replayed.skipped}")
    return replayed


def _same(replayed: Lobby, live: Lobby, what: str) -> None:
    if digest(replayed) != digest(live):
        raise Violation("replay gives the same lobby", f"{what}: the digests differ")
