"""Starts and stops: a standby that takes over, and a stop while something hangs."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

import psycopg
import pytest
import trio
from attrs import define, field
from trio.testing import MockClock

from gameserver.engine.committer import JournalStopped
from gameserver.journal.journal import Journal, JournalBroken, JournalError, Snapshot
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.server.standby import POLL_S, Lead, Standby
from gameserver.transport.epoll_reactor import EpollReactor
from gameserver.transport.reactors import TaskReactor
from tests.support.away_records import WHY as AWAY
from tests.support.away_records import AwayJournal
from tests.support.journals import open_journal
from tests.support.postgresql import Cluster
from tests.support.serving import GAMES, NO_PAUSE, serving
from tests.support.shared_log import SharedJournal, SharedLog


@define
class Hall:
    """Two servers of one log, the first of which leads."""

    log: SharedLog = field(factory=lambda: SharedLog(trio.current_time))
    first: SharedJournal = field(init=False)
    second: SharedJournal = field(init=False)
    lines: list[str] = field(factory=list)
    prepared: int = 0

    def __attrs_post_init__(self) -> None:
        self.first, self.second = self.log.journal("first:1"), self.log.journal("second:2")
        assert self.first.lead()

    def standby(self, open_journal: Callable[[], Journal] | None = None, name: str = "") -> Standby:
        opens = open_journal or (lambda: self.second)
        return Standby(opens, GAMES, self.lines.append, self._prepare, name, trio.current_time, threads=False)

    def _prepare(self) -> None:
        self.prepared += 1


STANDING_BY = "standing by: first:1 leads; this server takes over when that one is gone"


async def led(standby: Standby, scope: trio.CancelScope, found: list[Lead]) -> None:
    with scope:
        found.append(await standby.lead())


async def test_first_server_leads_at_once(autojump_clock: MockClock) -> None:
    hall = Hall()
    hall.first.close()
    lead = await hall.standby().lead()
    assert (lead.journal, lead.stood_by, lead.since_s) == (hall.second, False, trio.current_time())
    assert (hall.lines, hall.prepared) == ([], 0)


async def test_leader_that_stops_in_good_order_hands_over_at_once(autojump_clock: MockClock) -> None:
    hall, leads = Hall(), []
    async with trio.open_nursery() as nursery, serving(journal=hall.first) as running:
        nursery.start_soon(led, hall.standby(), trio.CancelScope(), leads)
        (ann,) = await running.enter("ann")
        await ann.send("subscribe Reversi")
        await ann.line()
        await trio.sleep(2)
        await running.stop()
        stopped_s = trio.current_time()
    (lead,) = leads
    assert lead.since_s - stopped_s <= POLL_S
    assert lead.replayed.seq == hall.log.kept.last()
    assert "ann" in lead.replayed.lobby.players
    assert hall.prepared == 1, "once, however often it looks"


async def test_standby_waits_for_a_log_that_is_away_with_one_line(autojump_clock: MockClock) -> None:
    hall, scope, leads, tries = Hall(), trio.CancelScope(), [], 0

    def open_journal() -> Journal:
        nonlocal tries
        tries += 1
        if tries < 10:
            raise JournalError("connection refused")
        return hall.second

    async with trio.open_nursery() as nursery:
        nursery.start_soon(led, hall.standby(open_journal), scope, leads)
        await trio.sleep(2)
        assert hall.lines == ["waiting: connection refused", STANDING_BY]
        hall.second.is_reachable = False
        hall.first.confirm()
        await trio.sleep(2)
        hall.second.is_reachable = True
        hall.first.confirm()
        await trio.sleep(2)
        assert hall.lines[2:] == ["waiting: the log cannot be reached", STANDING_BY]
        scope.cancel()
    assert not leads


async def test_line_of_a_standby_names_the_hall_and_the_next_leader(autojump_clock: MockClock) -> None:
    hall, scope, third = Hall(), trio.CancelScope(), []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(led, hall.standby(name="reversi"), scope, [])
        await trio.sleep(1.05)
        hall.second.is_reachable = False
        hall.first.close()
        third.append(hall.log.journal("third:3").lead())
        await trio.sleep(1)
        hall.second.is_reachable = True
        hall.log.see("first:1", 0, leads=False)
        await trio.sleep(1.5)
        scope.cancel()
    assert third == [True]
    assert [line.partition(";")[0] for line in hall.lines] == [
        "standing by for the hall reversi: first:1 leads",
        "waiting: the log cannot be reached",
        "standing by for the hall reversi: third:3 leads",
    ]


async def test_others_see_how_far_a_standby_is(autojump_clock: MockClock) -> None:
    hall, scope = Hall(), trio.CancelScope()
    async with trio.open_nursery() as nursery, serving(journal=hall.first) as running:
        nursery.start_soon(led, hall.standby(), scope, [])
        await running.enter("ann", "bob")
        await trio.sleep(2.5)
        leader, standby = hall.log.servers()
        assert (leader.name, leader.leads, leader.seq) == ("first:1", True, hall.log.kept.last())
        assert (standby.name, standby.leads, standby.seq) == ("second:2", False, hall.log.kept.last())
        assert standby.seen_ago_s <= 1.0
        scope.cancel()


async def test_standby_that_ends_lets_go_of_the_journal(autojump_clock: MockClock) -> None:
    hall, scope = Hall(), trio.CancelScope()
    standby = hall.standby()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(led, standby, scope, [])
        await trio.sleep(1)
        scope.cancel()
    standby.close()
    hall.first.close()
    assert hall.log.journal("third:3").lead()


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


GOODBYE_LINE = "ERR The server is stopping; matches are saved, log in again when it is back"


async def test_it_waits_no_longer_than_it_was_told(autojump_clock: MockClock) -> None:
    """The match is saved, and goes on at the next start."""
    async with serving() as running:
        first, _ = await running.match()
        running.server.drain(5, "over", "Ms Reed")
        began_s = trio.current_time()
        await running.stopped.wait()
        assert 5 <= trio.current_time() - began_s < 7
        assert await first.rest() == [GOODBYE_LINE]
    async with serving(journal=running.journal) as again:
        (back,) = await again.enter(first.name)
        assert (await back.line()).startswith("SVR GAME MATCH")
        (cyd,) = await again.enter("cyd")
        await cyd.send("subscribe Reversi")
        assert await cyd.line() == "OK", "the next start knows nothing of the stop"


REFUSAL = "ERR Matches on record cannot be looked up now; ask again in a moment"


async def test_player_whose_last_match_cannot_be_read_is_refused(
    autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = AwayJournal()
    async with serving(journal=journal) as running:
        (ann,) = await running.enter("ann")
        await ann.send("get match", "get match", "get gamelist")
        assert await ann.lines(3) == [REFUSAL, REFUSAL, "OK"]
        assert (await ann.line()).startswith("SVR GAMELIST")
        journal.is_away = False
        await ann.send("get match")
        assert (await ann.line()).startswith("ERR You have not played any match yet")
    said = capsys.readouterr().out
    assert said.count(AWAY) == 1, "the operator is told why, and not each time"
    assert "Traceback" not in said


async def test_player_is_refused_while_postgresql_has_no_connection_left(database: str) -> None:
    with trio.fail_after(60):
        async with serving(journal=open_journal(database)) as running:
            (ann,) = await running.enter("ann")
            with _all_connections(database):
                await ann.send("get match")
                assert await ann.line() == REFUSAL
            await ann.send("get match")
            assert (await ann.line()).startswith("ERR You have not played any match yet")


@contextmanager
def _all_connections(database: str) -> Iterator[None]:
    """Leave none to anybody else."""
    with ExitStack() as taken:
        with suppress(psycopg.OperationalError):  # too many clients already
            while True:
                taken.enter_context(psycopg.connect(database))
        yield


async def test_idle_time_is_free(autojump_clock: MockClock) -> None:
    """With nobody playing nothing wakes up: a year passes without a single heartbeat."""
    async with serving(rules=NO_PAUSE) as running:
        await running.enter("ann")
        wakes = trio.lowlevel.current_statistics().seconds_to_next_deadline
        assert wakes > 60


@pytest.mark.parametrize("reactor", [EpollReactor, TaskReactor])
async def test_a_late_player_loses_when_the_time_is_up(autojump_clock: MockClock, reactor: type) -> None:
    async with serving(reactor=reactor) as running:
        first, second = await running.match()
        began = trio.current_time()
        assert await first.line() == (
            'SVR GAME LOSS {PLAYERONESCORE: "0", PLAYERTWOSCORE: "0", COMMENT: "Turn timelimit reached"}'
        )
        assert "WIN" in await second.line()
        assert 10.24 <= trio.current_time() - began < 10.5
