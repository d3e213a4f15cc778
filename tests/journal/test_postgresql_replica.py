"""The journal in PostgreSQL with a replica: what the replica lacks does not count."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from gameserver.journal.journal import JournalBroken, JournalError
from gameserver.journal.postgresql import PostgresqlJournal
from tests.journal.test_postgresql import eventually, leading, process_of, rows, until
from tests.support.postgresql import LOCAL, Cluster, Clusters, address


@pytest.fixture
def pair(clusters: Clusters) -> Iterator[tuple[Cluster, Cluster, str]]:
    """A primary and its replica, with the address of both."""
    primary = clusters.make().start()
    replica = primary.replica()
    yield primary, replica, address([(LOCAL, primary.port), (LOCAL, replica.port)], "postgres")
    for cluster in (replica, primary):
        if cluster.is_running:
            cluster.kill()


def test_replica_without_the_last_row_ends_the_leader(pair: tuple[Cluster, Cluster, str]) -> None:
    primary, replica, data = pair
    with closing(leading(data)) as journal:
        until(journal, lambda: journal.append(rows(1, 2)))
        ((written,),) = primary.execute("SELECT pg_current_wal_lsn()")
        eventually(lambda: replica.execute("SELECT 1 WHERE pg_last_wal_replay_lsn() >= %s::pg_lsn", (written,)))
        replica.stop()
        until(journal, lambda: journal.append(rows(3, 1)))
        primary.kill()
        replica.start()
        replica.promote()
        with pytest.raises(JournalBroken, match="has lost rows: row 3 was committed, and the last one is 2"):
            until(journal, lambda: journal.append(rows(4, 1)))
        assert not journal.is_certain


def test_leader_waits_for_its_replica_and_goes_on_with_it(pair: tuple[Cluster, Cluster, str]) -> None:
    primary, replica, data = pair
    with pytest.raises(JournalError, match="read-only; name all servers of the cluster"):
        PostgresqlJournal(replica.address())
    primary.set(synchronous_standby_names="*")
    primary.reload()
    # A teacher may have silenced warnings. The one of a commit that did not wait for the replica has to come.
    primary.execute("ALTER ROLE postgres SET client_min_messages = error")
    primary.execute("ALTER DATABASE postgres SET client_min_messages = error")
    with closing(leading(data)) as journal:
        until(journal, lambda: journal.append(rows(1, 1)))
        _give_up_waiting(journal, primary, replica)
        # The row is there, on the primary alone; it counts once the replica has it, too.
        assert primary.execute("SELECT max(seq) FROM gameserver.journal") == [(2,)]
        connect = journal._leadership._connect
        journal._leadership._connect = _quick(connect)
        with pytest.raises(JournalError, match="no answer"):
            journal.append(rows(2, 1))
        journal._leadership._connect = connect
        replica.resume()
        until(journal, lambda: journal.append(rows(2, 1)))
        primary.kill()
        with pytest.raises(JournalError):
            journal.append(rows(3, 1))
        with pytest.raises(JournalError, match="target_session_attrs=read-write"):
            journal.append(rows(3, 1))
        replica.promote()
        until(journal, lambda: journal.append(rows(3, 1)))
        assert list(journal.read_from(1)) == rows(1, 3)


def _give_up_waiting(journal: PostgresqlJournal, primary: Cluster, replica: Cluster) -> None:
    """Cancel the wait of a commit of row 2 for the replica, which has stopped."""
    replica.pause()
    process = process_of(journal)
    failed: list[Exception] = []

    def append() -> None:
        try:
            journal.append(rows(2, 1))
        except JournalError as error:
            failed.append(error)

    thread = threading.Thread(target=append)
    thread.start()
    eventually(lambda: primary.execute("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))
    primary.execute(f"SELECT pg_cancel_backend({process})")
    thread.join()
    assert "may not have waited for its replica: canceling" in str(failed[0])
    assert not journal.is_certain


def _quick(connect: Callable[[], Any]) -> Callable[[], Any]:
    def connected() -> Any:
        session = connect()
        session.connection.raw.reply_s = 0.3
        return session

    return connected
