"""The PostgreSQL clusters of the tests: they fail as asked, and do not outlive the tests."""

import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.end_to_end.support import eventually
from tests.support.postgresql import Clusters, address
from tests.support.postgresql_keeper import processes_in

_TESTS = """
import sys
from tests.support.postgresql import Clusters

with Clusters() as clusters:
    clusters.make().start().pause()
    print(clusters.directory, flush=True)
    sys.stdin.read()
"""


def test_committed_row_survives_a_kill(cluster, database):
    with psycopg.connect(database) as connection:
        connection.execute("CREATE TABLE kept (number integer)")
        connection.commit()
        cluster.restart()
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
        connection.close()
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)


def test_promoted_replica_has_every_row(clusters: Clusters) -> None:
    primary = clusters.make().start()
    replica = primary.synchronous_replica()
    name = primary.new_database()
    primary.execute("CREATE TABLE kept (number integer)", database=name)
    for number in range(20):
        primary.execute("INSERT INTO kept VALUES (%s)", (number,), database=name)
    primary.kill()
    replica.promote()
    with psycopg.connect(address([(each.hosts[0], each.port) for each in (primary, replica)], name)) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (20,)
        assert connection.info.port == replica.port
    replica.stop()


def test_clusters_end_with_a_killed_test_process(clusters: Clusters) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _TESTS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as tests:
        assert tests.stdout is not None
        directory = Path(tests.stdout.readline().strip())
        assert len(processes_in(directory)) > 3
        tests.kill()
    eventually(lambda: not directory.exists() and not processes_in(directory), "the clusters are gone")
