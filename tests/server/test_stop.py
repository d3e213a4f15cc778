"""A stop while something hangs: clients are not kept waiting for it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
import trio
from trio.testing import MockClock

from gameserver.engine.committer import JournalStopped
from gameserver.journal.journal import JournalBroken, Snapshot
from gameserver.journal.memory import MemoryJournal
from tests.support.journals import open_journal
from tests.support.postgresql import Cluster
from tests.support.serving import serving

WHY = "another server leads"
GOODBYE = "The server is stopping"


class Superseded(MemoryJournal):
    """Another server leads by the time that the last snapshot is to be saved."""

    is_closed = False

    def save_snapshot(self, snapshot: Snapshot) -> None:
        raise JournalBroken(WHY)

    def close(self) -> None:
        self.is_closed = True


async def test_stop_does_not_wait_for_a_lookup(database: str) -> None:
    with trio.fail_after(60):
        async with serving(journal=open_journal(database)) as running:
            (ann,) = await running.enter("ann")
            with _locked(database):
                await ann.send("get match")
                await _eventually_waits(database)
                began_s = time.monotonic()
                await running.stop()
                took_s = time.monotonic() - began_s
            assert GOODBYE in (await ann.rest())[0]
            assert took_s < 5


@contextmanager
def _locked(database: str) -> Iterator[None]:
    """Keep everybody else from reading matches."""
    with psycopg.connect(database) as connection:
        connection.execute("LOCK TABLE gameserver.match IN ACCESS EXCLUSIVE MODE")
        yield


async def _eventually_waits(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        while not connection.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone():  # noqa: ASYNC110
            await trio.sleep(0.01)


@pytest.mark.slow  # PostgreSQL is given 5 s for an answer
async def test_leader_lets_go_of_clients_while_postgresql_hangs(database: str, cluster: Cluster) -> None:
    let_go_s = float("inf")
    with pytest.RaisesGroup(JournalStopped, flatten_subgroups=True):
        async with serving(journal=open_journal(database), commit_retry_s=1.0) as running:
            (ann,) = await running.enter("ann")
            await ann.send("get match")
            assert "You have not played any match yet" in await ann.line()
            began_s = time.monotonic()
            cluster.pause()
            await ann.send("get match")
            with trio.CancelScope(shield=True):
                assert GOODBYE in (await ann.rest())[-1]
            let_go_s = time.monotonic() - began_s
    assert let_go_s < 20, "a lookup waits for 30 s"


async def test_client_is_let_go_before_the_last_task_ends(autojump_clock: MockClock) -> None:
    may_end = trio.Event()

    async def hang() -> None:
        with trio.CancelScope(shield=True):
            await may_end.wait()

    async def fail() -> None:
        raise JournalStopped(WHY)

    with pytest.RaisesGroup(pytest.RaisesExc(JournalStopped, match=WHY), flatten_subgroups=True):
        async with serving() as running:
            (ann,) = await running.enter("ann")
            running.server.start_soon(hang)
            running.server.start_soon(fail)
            with trio.CancelScope(shield=True):
                with trio.move_on_after(1):
                    assert GOODBYE in (await ann.rest())[0]
                    may_end.set()
                is_let_go = may_end.is_set()
                may_end.set()
            assert is_let_go


async def test_everything_is_closed_though_the_last_snapshot_cannot_be_saved(autojump_clock: MockClock) -> None:
    journal = Superseded()
    with pytest.RaisesGroup(pytest.RaisesExc(JournalBroken, match=WHY), flatten_subgroups=True):
        async with serving(journal=journal) as running:
            await running.enter("ann")
    assert journal.is_closed
