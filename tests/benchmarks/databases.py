"""The same load on a server over SQLite and over PostgreSQL, without and with a synchronous replica, in turns.

databases    matches at full speed and at a human pace
commits      the journal's commit alone, of so many rows, in this process

The clusters are started here, as tests start theirs, but with the durability that is bought: `fsync` is on. The
synchronous replica is on the same machine, so its figures hold its share of the cores, but no network.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
from attrs import define, field, frozen
from psycopg import sql
from psycopg.conninfo import make_conninfo

from gameserver.core.commands import Play
from gameserver.core.lobby import At
from gameserver.database.address import is_postgresql
from gameserver.journal.codec import write_row
from gameserver.journal.journal import Journal, JournalRow
from gameserver.journal.postgresql import PostgresqlJournal
from gameserver.journal.sqlite import SqliteJournal
from tests.benchmarks.load import CPU_US, gathered_pairs, matches, played
from tests.benchmarks.processes import BenchmarkError, cpu_s_of, gameserver, note
from tests.benchmarks.report import Figures, Plan, Row, compared
from tests.support.postgresql import Cluster, Clusters, binaries

AS_INSTALLED = {"ssl": "off", "fsync": "on", "full_page_writes": "on", "shared_buffers": "128MB", "max_wal_size": "1GB"}
"""PostgreSQL's defaults, in the place of those of the tests."""
WARMUP_COMMITS = 600
"""An SQLite file is slower while its log still grows."""


@frozen
class Store:
    """A place for the data of one server after the other."""

    name: str
    new: Callable[[Path], str]
    """Gives the address of an empty database; a file is in this directory."""
    counters: Callable[[], Figures] = dict
    """Gives totals since the start of the store."""


SQLITE = Store("SQLite", lambda directory: str(directory / "data.sqlite3"))


def measure(plan: Plan) -> list[Row]:
    """Each number of pairs without a pause, then the players at a human pace."""
    loads = [(pairs, 0.0) for pairs in plan.database_pairs] + [(plan.paced_pairs, plan.pause_s)]

    def once(pairs: int, pause_s: float, store: Store) -> Figures:
        return played(
            plan,
            lambda directory: gameserver(directory, store.new(directory)),
            gathered_pairs,
            pairs,
            pause_s,
            store.counters,
        )

    with _opened(plan) as found:
        return [
            _row(plan, "databases", matches("strategic", pairs, pause_s), found, partial(once, pairs, pause_s))
            for pairs, pause_s in loads
        ]


def measure_commits(plan: Plan) -> list[Row]:
    """Commits of each number of rows, one after the other."""

    def once(count: int, store: Store) -> Figures:
        with TemporaryDirectory() as name, closing(_open_journal(store.new(Path(name)))) as journal:
            _commit(journal, count, min(WARMUP_COMMITS, plan.commits))
            return _commit(journal, count, plan.commits)

    with _opened(plan) as found:
        return [_row(plan, "commits", f"rows: {count}", found, partial(once, count)) for count in plan.commit_rows]


def _row(plan: Plan, part: str, what: str, found: Sequence[Store], once: Callable[[Store], Figures]) -> Row:
    return compared(plan, part, what, {store.name: partial(once, store) for store in found}, baseline=SQLITE.name)


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


@define
class _Databases:
    """Databases in a cluster. `machines` are the processes of each machine, whose CPU time is told by its name."""

    address: str
    machines: Sequence[tuple[str, Cluster]] = ()
    _made: list[str] = field(factory=list)
    _connection: psycopg.Connection = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._connection = psycopg.connect(self.address, autocommit=True)

    def new(self, _directory: Path) -> str:
        """The address of an empty database."""
        name = f"benchmark_{os.getpid()}_{len(self._made)}"
        self._connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        self._made.append(name)
        return make_conninfo(self.address, dbname=name)

    def counters(self) -> Figures:
        """CPU time, bytes of the log, and commits."""
        cpu_us = {f"{name}{CPU_US}": 1e6 * _cpu_s(cluster) for name, cluster in self.machines}
        return cpu_us | {
            "WAL bytes": self._number("SELECT pg_current_wal_insert_lsn() - '0/0'"),
            "commits": self._number("SELECT sum(xact_commit) FROM pg_stat_database"),
        }

    def close(self) -> None:
        """Remove the databases that were made."""
        for name in self._made:
            self._connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
        self._connection.close()

    def _number(self, query: str) -> float:
        found = self._connection.execute(query.encode()).fetchone()
        assert found is not None
        return float(found[0])


@contextmanager
def _opened(plan: Plan) -> Iterator[Sequence[Store]]:
    """The stores to compare, SQLite first. Without PostgreSQL there are no others."""
    with ExitStack() as stack:

        def store(name: str, address: str, *machines: tuple[str, Cluster]) -> Store:
            made = stack.enter_context(closing(_Databases(address, machines)))
            return Store(name, made.new, made.counters)

        if plan.data:
            yield [SQLITE, store("PostgreSQL", plan.data)]
        elif binaries() is None:
            note("PostgreSQL is not installed (apt-get install postgresql), so there is nothing to compare SQLite with")
            yield [SQLITE]
        else:
            # Servers and their load are kept on one core each; the cluster's processes go where there is time.
            pinned = os.sched_getaffinity(0)
            os.sched_setaffinity(0, range(os.cpu_count() or 1))
            clusters = stack.enter_context(Clusters())
            alone, primary = clusters.make(**AS_INSTALLED).start(), clusters.make(**AS_INSTALLED).start()
            replica = primary.synchronous_replica()
            os.sched_setaffinity(0, pinned)
            yield [
                SQLITE,
                store("PostgreSQL", alone.address(), ("database", alone)),
                store("with a replica", primary.address(), ("database", primary), ("replica", replica)),
            ]


def _open_journal(data: str) -> Journal:
    """The journal at an address, for this process to append to."""
    if not is_postgresql(data):
        return SqliteJournal(Path(data))
    journal = PostgresqlJournal(data, "", "full")
    if not journal.lead():
        raise BenchmarkError(f"another server leads {journal.name}")
    return journal


def _cpu_s(cluster: Cluster) -> float:
    """The CPU time of a cluster's processes, those included that are over."""
    postmaster, *others = cluster.processes()
    times = postmaster.cpu_times()
    ended_s = times.children_user + times.children_system
    return float(ended_s) + sum(cpu_s_of(process.pid) for process in (postmaster, *others))
