"""Two servers write to one journal in PostgreSQL, which is killed, stopped and ends their sessions all the time.

Every row that was acknowledged must be there, once, and no other server's row under its number. A server that holds its
breath for longer than PostgreSQL waits loses the lead to the other one.
"""

import os
import random
import threading
import time
from collections.abc import Callable

import psycopg
import pytest
from attrs import Factory, define

from gameserver.journal.journal import JournalBroken, JournalError, JournalRow
from gameserver.journal.postgresql import PostgresqlJournal
from tests.support.postgresql import Cluster

FAULTS = int(os.environ.get("GAMESERVER_DATABASE_FAULTS", "40"))
BREATH_S = 4.0
JOIN_S = 60.0


@define
class Acknowledged:
    """The rows that servers were told are durable. Locks nothing: each number is set once, which is what is tested."""

    bodies: dict[int, bytes] = Factory(dict)
    twice: list[int] = Factory(list)
    leads: int = 0

    def add(self, rows: list[JournalRow]) -> None:
        for row in rows:
            if row.seq in self.bodies:
                self.twice.append(row.seq)
            self.bodies[row.seq] = row.body


def serve(data: str, name: str, chance: random.Random, told: Acknowledged, is_over: Callable[[], bool]) -> None:
    """Lead, append, and start again when another one leads."""
    while not is_over():
        try:
            journal = PostgresqlJournal(data)
        except JournalError:
            continue
        try:
            until_done(journal.lead, is_over)
            told.leads += 1
            while not is_over() and chance.random() > 0.0005:
                first = journal.last() + 1
                rows = [
                    JournalRow(first + at, 0, 0, 0, "x", 1, f"{name} {first} {chance.random()}".encode())
                    for at in range(3)
                ]
                if until_done(lambda: journal.append(rows) is None, is_over):  # noqa: B023 - called at once
                    told.add(rows)
                time.sleep(BREATH_S if chance.random() < 0.002 else 0.002)
        except JournalBroken as stopped:
            assert "another server leads" in str(stopped)  # noqa: PT017 - any other end is a failure
        finally:
            journal.close()


def until_done(work: Callable[[], bool], is_over: Callable[[], bool]) -> bool:
    while not is_over():
        try:
            if work():
                return True
        except JournalError:
            pass
        time.sleep(0.02)
    return False


def end_sessions(cluster: Cluster, chance: random.Random) -> None:
    cluster.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'gameserver %'")


def restart(cluster: Cluster, chance: random.Random) -> None:
    cluster.restart()


def pause(cluster: Cluster, chance: random.Random) -> None:
    cluster.pause()
    time.sleep(chance.uniform(0.1, 7))
    cluster.resume()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_acknowledged_rows_are_there_once(cluster: Cluster, database: str, seed: int) -> None:
    chance = random.Random(seed)
    told, over, failed = Acknowledged(), threading.Event(), list[BaseException]()

    def run(name: str) -> None:
        try:
            serve(database, name, random.Random(f"{seed} {name}"), told, over.is_set)
        except BaseException as error:  # noqa: BLE001 - raised below
            failed.append(error)

    servers = [threading.Thread(target=run, args=(name,)) for name in ("one", "other")]
    for server in servers:
        server.start()
    for _ in range(FAULTS):
        time.sleep(chance.uniform(0.3, 2.5))
        try:
            chance.choice([end_sessions, end_sessions, restart, pause])(cluster, chance)
        except psycopg.Error:  # the connection to carry out the fault was a victim of the one before
            continue
    over.set()
    for server in servers:
        server.join(JOIN_S)
    assert failed == []
    assert told.twice == []
    assert told.leads > 2
    with psycopg.connect(database) as connection:
        rows = connection.execute("SELECT seq, body FROM gameserver.journal ORDER BY seq").fetchall()
    assert [seq for seq, _ in rows] == list(range(1, len(rows) + 1))
    assert {seq: body for seq, body in rows if seq in told.bodies} == told.bodies
