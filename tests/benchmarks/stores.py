"""The databases that a measured server may keep its data in: an SQLite file, or a PostgreSQL database of its own.

The clusters are started here, as tests start theirs, but with the durability that is bought: `fsync` is on. The
synchronous replica is on the same machine, so its figures hold its share of the cores, but no network.
"""

import os
import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from gameserver.database.address import is_postgresql
from gameserver.journal.journal import Journal
from gameserver.journal.postgresql import PostgresqlJournal
from gameserver.journal.sqlite import SqliteJournal
from gameserver.journal.write_ahead_log import log_of
from tests.benchmarks.measuring import CPU_US
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.processes import BenchmarkError, cpu_s_of
from tests.benchmarks.report import Figures
from tests.support.postgresql import Cluster, Clusters, binaries

AS_INSTALLED = {"ssl": "off", "fsync": "on", "full_page_writes": "on", "shared_buffers": "128MB", "max_wal_size": "1GB"}
"""PostgreSQL's defaults, in the place of those of the tests."""


class Store(ABC):
    """A place for the data of one server after the other."""

    name: str

    @abstractmethod
    def new(self, directory: Path) -> str:
        """The address of an empty database; a file is in this directory."""

    @abstractmethod
    def copy(self, data: str, directory: Path) -> str:
        """A copy of a database that nobody has open."""

    @abstractmethod
    def size_bytes(self, data: str) -> int:
        """The bytes of a database on the disk."""

    def counters(self) -> Figures:
        """Totals since the start of the store, by name."""
        return {}


class SqliteStore(Store):
    """Files."""

    name = "SQLite"

    def new(self, directory: Path) -> str:
        return str(directory / "data.sqlite3")

    def copy(self, data: str, directory: Path) -> str:
        file = Path(self.new(directory))
        for one, other in ((Path(data), file), (log_of(Path(data)), log_of(file))):
            if one.exists():
                shutil.copy(one, other)
        return str(file)

    def size_bytes(self, data: str) -> int:
        return sum(file.stat().st_size for file in (Path(data), log_of(Path(data))) if file.exists())


class PostgresqlStore(Store):
    """Databases in a cluster. `machines` are the processes of each machine, whose CPU time is told by its name."""

    def __init__(self, name: str, address: str, machines: Sequence[tuple[str, Cluster]] = ()) -> None:
        self.name = name
        self._address = address
        self._machines = machines
        self._connection = psycopg.connect(address, autocommit=True)
        self._databases: list[str] = []

    def new(self, directory: Path) -> str:
        return self._created(sql.SQL(""))

    def copy(self, data: str, directory: Path) -> str:
        name = str(conninfo_to_dict(data)["dbname"])
        # A server that was killed leaves a session, which PostgreSQL may not have ended yet.
        self._connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        _await(lambda: not self._number("SELECT count(*) FROM pg_stat_activity WHERE datname = %s", name))
        return self._created(sql.SQL(" TEMPLATE {}").format(sql.Identifier(name)))

    def size_bytes(self, data: str) -> int:
        return int(self._number("SELECT pg_database_size(%s)", str(conninfo_to_dict(data)["dbname"])))

    def counters(self) -> Figures:
        cpu_us = {f"{name}{CPU_US}": 1e6 * _cpu_s(cluster) for name, cluster in self._machines}
        return cpu_us | {
            "WAL bytes": self._number("SELECT pg_current_wal_insert_lsn() - '0/0'"),
            "commits": self._number("SELECT sum(xact_commit) FROM pg_stat_database"),
        }

    def close(self) -> None:
        """Remove the databases that were made."""
        for name in self._databases:
            self._connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
        self._connection.close()

    def _created(self, template: sql.Composable) -> str:
        name = f"benchmark_{os.getpid()}_{len(self._databases)}"
        self._connection.execute(sql.SQL("CREATE DATABASE {}{}").format(sql.Identifier(name), template))
        self._databases.append(name)
        return make_conninfo(self._address, dbname=name)

    def _number(self, query: str, *values: str) -> float:
        found = self._connection.execute(query.encode(), values or None).fetchone()
        assert found is not None
        return float(found[0])


@contextmanager
def opened(plan: Plan) -> Iterator[Sequence[Store]]:
    """The stores to compare, SQLite first. Without PostgreSQL there are no others."""
    with ExitStack() as stack:
        stores: list[Store] = [SqliteStore()]
        if plan.data:
            stores.append(_closed_by(stack, PostgresqlStore("PostgreSQL", plan.data)))
        elif binaries() is None:
            note("PostgreSQL is not installed (apt-get install postgresql), so there is nothing to compare SQLite with")
        else:
            # Servers and their load are kept on one core each; the cluster's processes go where there is time.
            pinned = os.sched_getaffinity(0)
            os.sched_setaffinity(0, range(os.cpu_count() or 1))
            clusters = stack.enter_context(Clusters())
            alone, primary = clusters.make(**AS_INSTALLED).start(), clusters.make(**AS_INSTALLED).start()
            replica = primary.synchronous_replica()
            os.sched_setaffinity(0, pinned)
            stores += [
                _closed_by(stack, PostgresqlStore("PostgreSQL", alone.address(), [("database", alone)])),
                _closed_by(
                    stack,
                    PostgresqlStore("with a replica", primary.address(), [("database", primary), ("replica", replica)]),
                ),
            ]
        yield stores


def open_journal(data: str) -> Journal:
    """The journal at an address, for this process to append to."""
    if not is_postgresql(data):
        return SqliteJournal(Path(data))
    journal = PostgresqlJournal(data, "", "full")
    if not journal.lead():
        raise BenchmarkError(f"another server leads {journal.name}")
    return journal


def _closed_by(stack: ExitStack, store: PostgresqlStore) -> PostgresqlStore:
    stack.callback(store.close)
    return store


def _cpu_s(cluster: Cluster) -> float:
    """The CPU time of a cluster's processes, those included that are over."""
    postmaster, *others = cluster.processes()
    times = postmaster.cpu_times()
    ended_s = times.children_user + times.children_system
    return float(ended_s) + sum(cpu_s_of(process.pid) for process in (postmaster, *others))


def _await(condition: Callable[[], bool], timeout_s: float = 10.0) -> None:
    give_up_s = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > give_up_s:
            raise BenchmarkError("the database is still in use")
        time.sleep(0.01)
