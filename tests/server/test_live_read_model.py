"""The read model shows what is in the journal, looks only when it is looked at, and lets viewers in a few at a time."""

import pytest
import trio
from attrs import define, field
from trio.testing import MockClock

from gameserver.authentication.roster import Roster
from gameserver.authentication.secret_queue import SecretQueue
from gameserver.core.commands import Conduct, CreateTournament
from gameserver.core.lobby import Lobby, TournamentRow
from gameserver.exports.tournament_report import view_of
from gameserver.flow_control.fair_scheduler import SHARES, FairScheduler, Timers
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.read_model.metrics import ServerMetrics
from gameserver.read_model.read_model import LobbyView
from gameserver.read_model.views import Invitation
from gameserver.server.archive import LiveHalls
from gameserver.server.live_read_model import LOOK_EVERY_S, PATIENCE_S, LiveReadModel
from gameserver.tournaments.model import Cancel, Timing
from gameserver.tournaments.presets import preset
from gameserver.tournaments.view import TournamentView
from gameserver.wire_log.files import WireLog, WireLogSettings
from gameserver.wire_log.owner_access import OwnerAccess, OwnLinks
from tests.engine.test_committer import FailingJournal
from tests.support.lobbies import LobbyHarness
from tests.support.serving import GAMES
from tests.web.support import get, serving_pages

LOOKS, VIEWERS = SHARES["looks"], SHARES["viewers"]


@define
class House:
    """A read model over a lobby that the test changes."""

    harness: LobbyHarness = field(factory=lambda: LobbyHarness(GAMES))
    is_ahead: bool = False
    shown_max: float = float("inf")
    """Number of looks at the lobby after which the server is no longer certain that it leads."""
    looks: int = 0
    scheduler: FairScheduler = field(factory=lambda: FairScheduler(trio.current_time))
    read_model: LiveReadModel = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.read_model = LiveReadModel(
            self.settled,
            lambda: self.harness.now_ms,
            self.scheduler,
            GAMES,
            MemoryJournal().reader(),
            ServerMetrics(),
            (),
            lambda number, _game, _entry: Invitation(str(number), ()),
            OwnerAccess(
                WireLog(WireLogSettings(), {}.get),
                Roster(None, trio.current_time),
                OwnLinks(b"", trio.current_time),
                {},
                SecretQueue(Timers(), lambda _: False),
            ),
            LiveHalls(None, "", "", GAMES, lambda: self.harness.now_ms),
        )

    async def run(self) -> None:
        """Serve those who look and those who watch."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.scheduler.run)
            await self.read_model.run()

    def settled(self) -> Lobby | None:
        self.looks += 1
        self.shown_max -= 1
        return None if self.is_ahead or self.shown_max < 0 else self.harness.lobby

    def enter(self, session: int, name: str) -> None:
        """Somebody comes: decided, committed, released."""
        self.harness.enter(session, name)
        self.read_model.released()


@pytest.fixture
async def house(nursery: trio.Nursery) -> House:
    """A read model that serves those who look and those who watch."""
    made = House()
    nursery.start_soon(made.run)
    return made


def names(lobby_view: LobbyView) -> list[str]:
    return [player.name for player in lobby_view.players]


async def test_lobby_that_cannot_be_shown_a_moment_later_is_waited_for(autojump_clock: MockClock) -> None:
    for shown_max in range(5):
        house = House(shown_max=shown_max)
        house.enter(1, "ann")
        seen: list[LobbyView] = []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(house.run)

            async def look(house: House = house, seen: list[LobbyView] = seen) -> None:
                seen.append(await house.read_model.latest(exact=True))

            nursery.start_soon(look)
            await trio.sleep(1)
            house.shown_max = float("inf")
            house.read_model.confirmed()
            await trio.sleep(1)
            nursery.cancel_scope.cancel()
        assert [names(one) for one in seen] == [["ann"]]


async def test_uncommitted_decisions_are_not_shown(
    autojump_clock: MockClock, house: House, nursery: trio.Nursery
) -> None:
    house.enter(1, "ann")
    await house.read_model.latest()
    house.is_ahead = True
    house.enter(2, "bob")
    began_s = trio.current_time()
    assert names(await house.read_model.latest()) == ["ann"]
    assert trio.current_time() - began_s == pytest.approx(PATIENCE_S, abs=2 * LOOKS.rest_s)
    nursery.start_soon(_commit_in_a_second, house)
    assert names(await house.read_model.latest()) == ["ann", "bob"]


async def test_an_exact_look_waits_for_the_commit_and_in_no_line_with_pages(
    autojump_clock: MockClock, house: House, nursery: trio.Nursery
) -> None:
    house.enter(1, "ann")
    for _ in range(100):
        nursery.start_soon(house.read_model.latest)
    await trio.testing.wait_all_tasks_blocked()
    began_s = trio.current_time()
    assert names(await house.read_model.latest(exact=True)) == ["ann"]
    assert trio.current_time() - began_s <= 2 * LOOKS.rest_s
    house.enter(2, "bob")
    house.is_ahead = True
    shown: list[list[str]] = []

    async def look() -> None:
        shown.append(names(await house.read_model.latest(exact=True)))

    nursery.start_soon(look)
    await trio.sleep(10 * PATIENCE_S)
    assert shown == [], "what was released is not shown yet"
    await _commit_in_a_second(house)
    await trio.testing.wait_all_tasks_blocked()
    assert shown == [["ann", "bob"]]


async def test_pages_are_begun_one_after_the_other(
    autojump_clock: MockClock, house: House, nursery: trio.Nursery
) -> None:
    """To make a page takes a millisecond or two; a hundred in a row would hold up everybody who plays."""
    house.enter(1, "ann")
    began_s, times_s, versions = trio.current_time(), [], set()

    async def look() -> None:
        versions.add((await house.read_model.latest()).version)
        times_s.append(trio.current_time() - began_s)

    async with trio.open_nursery() as browsers:
        for _ in range(10):
            browsers.start_soon(look)
    assert times_s == pytest.approx([number * LOOKS.rest_s for number in range(10)])
    assert len(versions) == 1, "it is copied once for all who had asked before"


async def _commit_in_a_second(house: House) -> None:
    await trio.sleep(1)
    house.is_ahead = False
    house.read_model.released()


async def test_pages_answer_while_the_journal_fails_and_show_what_is_in_it(autojump_clock: MockClock) -> None:
    journal = FailingJournal()
    async with serving_pages(journal=journal) as running:
        first, _ = await running.match()
        before = (await get(running, "/api/v1/matches/1")).json
        journal.failing = True
        await first.send("move 4")
        assert (await get(running, "/api/v1/matches/1")).json == before
        journal.failing = False
        assert await first.line() == "OK"
        assert len((await get(running, "/api/v1/matches/1")).json["steps"]) == 1


async def test_changes_come_no_faster_than_anybody_can_look(
    autojump_clock: MockClock, house: House, nursery: trio.Nursery
) -> None:
    seen = [await house.read_model.latest()]

    async def watch() -> None:
        while True:
            seen.append(await house.read_model.change("all", lambda lobby_view: lobby_view.players, seen[-1].version))

    nursery.start_soon(watch)
    for session in range(1, 101):
        house.enter(session, f"p{session}")
        await trio.sleep(0.01)
    await trio.sleep(LOOK_EVERY_S)
    assert len(names(seen[-1])) == 100
    assert len(seen) <= 3 + 1 / LOOK_EVERY_S


async def test_watcher_of_another_topic_is_not_woken(
    autojump_clock: MockClock, house: House, nursery: trio.Nursery
) -> None:
    seen = (await house.read_model.latest()).version
    house.harness.opened("Tic-tac-toe")
    house.read_model.released()
    woken: list[str] = []

    async def watch(topic: str, match: int) -> None:
        await house.read_model.change(topic, lambda lobby_view: lobby_view.mark_of(match), seen)
        woken.append(topic)
        await house.read_model.change(
            topic, lambda lobby_view: lobby_view.mark_of(match), (await house.read_model.latest()).version
        )
        woken.append(topic)

    nursery.start_soon(watch, "first", 1)
    nursery.start_soon(watch, "other", 2)
    await trio.sleep(1)
    assert woken == ["first"]
    acting = house.harness.match().turn.seats[0]
    session = house.harness.match().seats[acting].session
    assert session is not None
    house.harness.play(session, "4")
    house.read_model.released()
    await trio.sleep(1)
    assert woken == ["first", "first"]


async def test_viewers_are_let_in_a_few_at_a_time(
    autojump_clock: MockClock, house: House, nursery: trio.Nursery
) -> None:
    seen = (await house.read_model.latest()).version
    times: list[float] = []

    async def watch() -> None:
        await house.read_model.change("all", lambda lobby_view: lobby_view.players, seen)
        times.append(trio.current_time())

    for _ in range(100):
        nursery.start_soon(watch)
    await trio.sleep(1)
    house.enter(1, "ann")
    await trio.sleep(1)
    assert len(times) == 100
    at_once = max(times.count(time) for time in times)
    assert at_once == 4
    assert max(times) - min(times) == pytest.approx((100 / 4 - 1) * VIEWERS.rest_s)


async def test_viewers_of_one_page_do_not_wait_for_those_of_another(
    autojump_clock: MockClock, house: House, nursery: trio.Nursery
) -> None:
    seen = (await house.read_model.latest()).version
    woken: list[str] = []

    async def watch(topic: str) -> None:
        await house.read_model.change(topic, lambda lobby_view: lobby_view.players, seen)
        woken.append(topic)

    for topic in (*["lobby"] * 20, "match"):
        nursery.start_soon(watch, topic)
    await trio.sleep(1)
    house.enter(1, "ann")
    await trio.sleep(1)
    assert len(woken) == 21
    assert "match" in woken[:4]


async def test_a_tournament_is_worked_out_once_for_all_who_watch_it(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock, house: House
) -> None:
    worked_out: list[int] = []

    def count(row: TournamentRow, timing: Timing) -> TournamentView:
        worked_out.append(row.number)
        return view_of(row, timing)

    monkeypatch.setattr("gameserver.server.live_read_model.view_of", count)
    shown: list[TournamentView | None] = []

    async def watch() -> None:
        shown.append(await house.read_model.tournament(1))

    def create(name: str) -> None:
        plan = preset("hanze", name, "Tic-tac-toe")
        house.harness.do(CreateTournament(plan, "5e" * 32))
        house.read_model.released()

    create("cup")
    async with trio.open_nursery() as viewers:
        for _ in range(50):
            viewers.start_soon(watch)
    assert [view.name for view in shown if view is not None] == ["cup"] * 50
    assert worked_out == [1]
    for number in range(2, 14):
        house.harness.do(Conduct(number - 1, Cancel("teacher")))
        create(f"cup {number}")
        await house.read_model.tournament(number)
    assert len(house.read_model._views) == len(house.harness.lobby.tournaments) < 13


async def test_departed_watcher_leaves_nothing_behind(autojump_clock: MockClock, house: House) -> None:
    seen = (await house.read_model.latest()).version
    with trio.move_on_after(1):
        await house.read_model.change("all", lambda lobby_view: lobby_view.players, seen)
    assert house.read_model._topics == {}
