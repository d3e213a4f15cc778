"""A standby follows, waits, takes over, and serves on from the last row."""

from collections.abc import Callable

import trio
from attrs import define, field
from trio.testing import MockClock

from gameserver.journal.journal import Journal, JournalError
from gameserver.server.standby import POLL_S, Lead, Standby
from tests.support.serving import GAMES, serving
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
