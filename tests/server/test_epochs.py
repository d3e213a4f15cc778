"""Epochs of chance while a server runs: each day another seed, committed to before anybody is served."""

from itertools import count

import trio
from structlog.testing import capture_logs
from trio.testing import MockClock

from gameserver.chance import commitment
from gameserver.journal.journal import JournalRow
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.tournament_record import Record
from tests.support.serving import serving


class Watched(MemoryJournal):
    """Notes each commit among the lines of the log."""

    def append(self, rows: list[JournalRow], records: list[Record] = ()) -> None:
        super().append(rows, records)
        self.logs.append({"event": "committed", "tags": [row.tag for row in rows]})


async def test_seed_is_told_after_a_day(autojump_clock: MockClock) -> None:
    seeds, journal = (f"{number:064x}" for number in count(1)), Watched()
    with capture_logs() as journal.logs:
        async with serving(journal=journal, new_seed=lambda: next(seeds)) as running:
            assert [(one.seed, one.last_match) for one in journal.reader().epochs()] == [("", None)]
            for _ in range(2):
                await trio.sleep(43_201)
            assert running.server.lobby is not None
            second, first = journal.reader().epochs()
    told = (first.seed, first.commitment, first.first_match, first.last_match)
    assert told == (f"{1:064x}", commitment(f"{1:064x}"), 1, 0)
    assert (second.number, second.seed, second.commitment) == (2, "", commitment(f"{2:064x}"))
    events = [
        one["tags"][0] if one["event"] == "committed" else one["commitment"]
        for one in journal.logs
        if one["event"] in {"committed", "epoch begun"}
    ]
    assert events == ["server-started", first.commitment, "new-epoch", second.commitment]
