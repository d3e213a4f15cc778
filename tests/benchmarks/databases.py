"""The same load on a server over SQLite and over PostgreSQL, without and with a synchronous replica, in turns.

databases    matches at full speed and at a human pace
commits      the journal's commit alone, of so many rows, in this process
"""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from gameserver.core.messages.commands import Play
from gameserver.core.state.lobby import At
from gameserver.journal.codec import write_row
from gameserver.journal.journal import Journal, JournalRow
from tests.benchmarks import stores
from tests.benchmarks.load import gathered_pairs, medians, one_round
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.processes import gameserver, running
from tests.benchmarks.report import Figures, Row
from tests.benchmarks.stores import Store

WARMUP_COMMITS = 600
"""An SQLite file is slower while its log still grows."""


def measure(plan: Plan) -> list[Row]:
    """Each number of pairs without a pause, then the players at a human pace."""
    loads = [(pairs, 0.0) for pairs in plan.database_pairs] + [(plan.paced_pairs, plan.pause_s)]
    with stores.opened(plan) as found:
        return [row for pairs, pause_s in loads for row in _rows_of_load(plan, found, pairs, pause_s)]


def _rows_of_load(plan: Plan, found: Sequence[Store], pairs: int, pause_s: float) -> list[Row]:
    what = f"{pairs} matches" + (f", a move every {pause_s:g} s" if pause_s else "")

    def once(store: Store) -> Figures:
        with TemporaryDirectory() as name:
            directory = Path(name)
            with running(gameserver(directory, store.new(directory)), directory, plan.cores) as process:
                note(f"{what}: {store.name} (process {process.popen.pid})")
                return one_round(process, gathered_pairs, plan, pairs, pause_s, store.counters)

    return rows("databases", what, found, plan.rounds, once)


def measure_commits(plan: Plan) -> list[Row]:
    """Commits of each number of rows, one after the other."""
    with stores.opened(plan) as found:
        return [row for count in plan.commit_rows for row in _rows_of_commits(plan, found, count)]


def _rows_of_commits(plan: Plan, found: Sequence[Store], count: int) -> list[Row]:
    what = f"{count} {'row' if count == 1 else 'rows'}"

    def once(store: Store) -> Figures:
        note(f"commits of {what}: {store.name}")
        with TemporaryDirectory() as name, closing(stores.open_journal(store.new(Path(name)))) as journal:
            _commit(journal, count, WARMUP_COMMITS)
            return _commit(journal, count, plan.commits)

    return rows("commits", what, found, plan.rounds, once)


def _commit(journal: Journal, count: int, commits: int) -> Figures:
    batches = [_batch(journal.last() + 1 + done * count, count) for done in range(commits)]
    took_s, cpu_s = [], time.process_time()
    for batch in batches:
        began_s = time.perf_counter()
        journal.append(batch)
        took_s.append(time.perf_counter() - began_s)
    cpu_us = (time.process_time() - cpu_s) / commits * 1e6
    took_s.sort()
    return {
        "p50 ms": took_s[commits // 2] * 1e3,
        "p99 ms": took_s[commits * 99 // 100] * 1e3,
        "client CPU us": cpu_us,
        "commits/s": commits / sum(took_s),
    }


def _batch(first: int, count: int) -> list[JournalRow]:
    """Rows of moves."""
    at = At(first, first, 1_700_000_000_000)
    return [write_row(seq, at, Play(7, "4", match=1)) for seq in range(first, first + count)]


def rows(part: str, what: str, found: Sequence[Store], rounds: int, once: Callable[[Store], Figures]) -> list[Row]:
    """A row for each store beside SQLite: the medians of what was measured in turns, so that a busy moment hits all."""
    taken: dict[str, list[Figures]] = {store.name: [] for store in found}
    if len(found) < 2:
        return []
    for number in range(rounds):
        for store in found if number % 2 == 0 else reversed(found):
            taken[store.name].append(once(store))
    sqlite, *others = found
    return [
        Row(
            part,
            f"{what}: {store.name}",
            medians(taken[store.name]),
            medians(taken[sqlite.name]),
            {"server": taken[store.name], sqlite.name: taken[sqlite.name]},
            baseline=sqlite.name,
        )
        for store in others
    ]
