"""A server that may have lost the lead: what the simulator with two servers (`StandbyPlan`) does not come to."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
import trio
from attrs import define, field
from trio.testing import MockClock

from gameserver.engine.batch import Batch
from gameserver.engine.committer import JournalStopped
from gameserver.engine.sequencer import Sequencer
from gameserver.http.application import WAITING
from gameserver.journal.journal import JournalBroken, JournalRow
from gameserver.journal.leadership import CERTAIN_S, SESSION_S
from gameserver.logs import first_error
from gameserver.records.match_record import RatingRecord
from gameserver.records.tournament_record import Record
from tests.support.serving import Running, serving
from tests.support.shared_log import SharedJournal, SharedLog
from tests.web.support import get, serving_pages


@define
class World:
    """Two servers' way to one log. The time of the world goes on while the server is stopped, which trio's does not."""

    stopped_s: float = 0.0
    log: SharedLog = field(init=False)
    own: SharedJournal = field(init=False)
    other: SharedJournal = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.log = SharedLog(lambda: trio.current_time() + self.stopped_s)
        self.own, self.other = self.log.journal("own"), self.log.journal("other")
        assert self.own.lead()


@pytest.fixture
def released(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each batch that was let out, whether the server was uncertain then."""
    noted: list[bool] = []
    tell = Sequencer._tell

    def note(sequencer: Sequencer, batch: Batch) -> None:
        noted.append(not sequencer._journal.is_certain)
        tell(sequencer, batch)

    monkeypatch.setattr(Sequencer, "_tell", note)
    return noted


@asynccontextmanager
async def leading(world: World, **setup: float) -> AsyncIterator[Running]:
    async with serving(journal=world.own, **setup) as running:
        yield running


@pytest.mark.parametrize(("confirm_s", "ratings_s"), [(CERTAIN_S, 0.0), (0.55 * CERTAIN_S, 0.55 * CERTAIN_S)])
async def test_log_whose_answers_always_come_too_late_stops_the_server(
    confirm_s: float, ratings_s: float, autojump_clock: MockClock
) -> None:
    world, why = World(), ""

    class Slow(SharedJournal):
        def confirm(self) -> None:
            assert self.confirmed < 1_000, "the server does not give up"
            super().confirm()
            world.stopped_s += confirm_s

        def changed_ratings(self) -> Sequence[RatingRecord]:
            world.stopped_s += ratings_s
            return super().changed_ratings()

    world.own.close()
    world.own = Slow(world.log, "slow")
    assert world.own.lead()
    try:
        async with leading(world, commit_retry_s=10.0) as running:
            await running.stopped.wait()
    except* JournalStopped as group:
        why = str(first_error(group))
    assert "too late" in why


async def test_late_server_keeps_what_it_knows(autojump_clock: MockClock) -> None:
    """It is uncertain at its stop, and has no time left to ask; the next start replays the rows."""
    world = World()
    async with leading(world) as running:
        await running.enter("ann")
        world.stopped_s += (CERTAIN_S + SESSION_S) / 2
        running.server.request_stop()
        running.server._sequencer._snapshotter.rows = 1
    assert world.log.kept.load_snapshot() is None


class Stopped(SharedJournal):
    """Its server is stopped between the next commit and the answer."""

    world: World
    for_s = 0.0

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        super().append(rows, records)
        self.world.stopped_s += self.for_s
        self.for_s = 0.0


def _stopped(world: World) -> Stopped:
    world.own.close()
    journal = Stopped(world.log, "stopped")
    journal.world = world
    assert journal.lead()
    return journal


async def test_answer_that_is_read_too_late_is_not_told(autojump_clock: MockClock, released: list[bool]) -> None:
    world = World()
    journal = _stopped(world)
    broken = False
    try:
        async with serving(journal=journal) as running:
            (ann,) = await running.enter("ann")
            append = journal.append

            def overtaken(rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
                append(rows, records)
                assert world.other.lead()

            journal.for_s = 20
            journal.append = overtaken  # type: ignore[method-assign]
            await ann.send("subscribe Reversi")
            await ann.rest()
    except* JournalBroken:
        broken = True
    assert broken
    assert len(released) == 2, "the start and the login"
    assert world.log.kept.last() == 3


async def test_health_and_pages_wait_for_the_log(autojump_clock: MockClock) -> None:
    world = World()
    async with serving_pages(journal=world.own) as running:
        assert (await get(running, "/health")).text == "Healthy"
        assert (await get(running, "/")).status == 200
        world.own.is_reachable = False
        await trio.sleep(1.1)
        with trio.move_on_after(5):
            raise AssertionError(f"seen: {await get(running, '/')}")
        assert (await get(running, "/health")).text == WAITING
        world.own.is_reachable = True
        assert (await get(running, "/")).status == 200
        assert (await get(running, "/health")).text == "Healthy"


async def test_ratings_of_an_answer_that_came_too_late_are_learnt(autojump_clock: MockClock) -> None:
    world = World()

    class Once(SharedJournal):
        told = False

        def changed_ratings(self) -> Sequence[RatingRecord]:
            if self.told:
                return ()
            self.told = True
            world.stopped_s += CERTAIN_S
            return (RatingRecord("Tic-tac-toe", "ann", 1777.0, 50.0, 9),)

    world.own.close()
    journal = Once(world.log, "once")
    assert journal.lead()
    async with serving(journal=journal) as running:
        await trio.sleep(1.1)
        assert running.server._sequencer.rating("Tic-tac-toe", "ann") == 1777
