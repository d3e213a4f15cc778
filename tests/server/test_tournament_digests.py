"""Summaries and final places are worked out once, and anew when something has happened in the tournament."""

from collections.abc import Callable

import trio
from attrs import evolve

from gameserver.core.lobby import TournamentRow
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.read_model.read_model import LobbyView
from gameserver.records.tournament_record import record_of_tournament
from gameserver.server.archive import FRESH_MS, PLACES_MAX, TournamentDigests
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import Correct, Pause, Verdict
from gameserver.tournaments.podium import winners
from gameserver.tournaments.presets import preset
from tests.tournaments.playing import World, finished, started

VIEW = LobbyView(0, 0)
"""A lobby in which nothing is played."""


class Office:
    """Digests over the records of a journal; `threads` counts the times that something was worked out."""

    def __init__(self) -> None:
        self.journal = MemoryJournal()
        self.threads = 0
        self.digests = TournamentDigests(self.journal.reader(), self.off_the_loop)

    async def off_the_loop(self, work: Callable[[], None]) -> None:
        self.threads += 1
        await trio.lowlevel.checkpoint()
        work()

    def keep(self, row: TournamentRow) -> None:
        record = record_of_tournament(None, row)
        assert record is not None
        self.journal.append([], [record])


def plan_of(which: str = "hanze"):
    return preset(which, "Cup", "Reversi")


async def test_what_is_left_of_a_running_tournament_goes_on_falling() -> None:
    office = Office()
    running = TournamentRow(1, evolve(started(preset("arena", "Cup", "Reversi"), 4), ends_ms=90_000))
    (before,) = await office.digests.summaries(VIEW, [running], 0)
    (soon,) = await office.digests.summaries(VIEW, [running], FRESH_MS - 1)
    (later,) = await office.digests.summaries(VIEW, [running], FRESH_MS)
    assert (before.eta_ms, soon.eta_ms, later.eta_ms) == (90_000, 90_000, 90_000 - FRESH_MS)
    paused = [evolve(running, state=apply(running.state, Pause(0)))]
    await office.digests.summaries(VIEW, paused, FRESH_MS)
    worked_out = office.threads
    await office.digests.summaries(VIEW, paused, 9 * FRESH_MS)
    assert office.threads == worked_out, "nothing changes while it is paused"


async def test_places_follow_a_correction() -> None:
    office, state = Office(), finished(plan_of(), 2)
    row = TournamentRow(1, state)
    before = await office.digests.places([row], 1)
    assert before is await office.digests.places([row], 1)
    lost = Verdict.SECOND if winners(before) == (state.pairings[0].seats[0],) else Verdict.FIRST
    corrected = evolve(row, state=apply(state, Correct(1, lost, by="Ms Reed", why="a slip")))
    after = await office.digests.places([corrected], 1)
    assert winners(after) == state.pairings[0].seats[lost is Verdict.SECOND :][:1] != winners(before)
    assert await office.digests.places([evolve(row, state=started(plan_of(), 2))], 1) == (), "none before the end"


async def test_places_on_record_are_read_anew_after_it_was_in_the_lobby() -> None:
    office, row = Office(), TournamentRow(1, finished(plan_of(), 3))
    office.keep(row)
    before = await office.digests.places([], 1)
    assert winners(before) != ()
    assert await office.digests.places([], 1) is before
    assert office.threads == 1
    office.digests.restored([1])
    assert await office.digests.places([], 1) == before
    assert office.threads == 2
    assert await office.digests.places([], 99) == ()


async def test_a_class_that_comes_at_once_has_each_tournament_worked_out_once() -> None:
    office = Office()
    rows = [TournamentRow(number, finished(plan_of(), 3)) for number in (1, 2)]
    office.keep(rows[1])
    found = []

    async def look() -> None:
        summaries = await office.digests.summaries(VIEW, rows[:1], 1000)
        found.append((summaries, [await office.digests.places(rows[:1], row.number) for row in rows]))

    async with trio.open_nursery() as nursery:
        for _ in range(30):
            nursery.start_soon(look)
    assert len(found) == 30
    assert all(one == found[0] for one in found)
    assert office.threads == 3, "one summary, and the places of two"


async def test_places_of_many_are_bounded() -> None:
    office = Office()
    for number in range(1, PLACES_MAX + 10):
        await office.digests.places([], number)
    assert len(office.digests._places) == PLACES_MAX


async def test_a_summary_is_kept_until_something_happens() -> None:
    office, world = Office(), World(started(plan_of(), 4), 3)
    world.tick()
    row, other = TournamentRow(1, world.tournament), TournamentRow(2, started(plan_of("swiss"), 4))
    first = await office.digests.summaries(VIEW, [other, row], 1000)
    assert [one.number for one in first] == [2, 1]
    assert (await office.digests.summaries(VIEW, [other, row], 1500)) == first
    assert office.threads == 1
    world.tick()
    second = await office.digests.summaries(VIEW, [other, evolve(row, state=world.tournament)], 1500)
    assert second[1].done > first[1].done
    assert second[0] is first[0]
    assert office.threads == 2
    assert await office.digests.summaries(VIEW, [other], 1500) == first[:1]
    assert office.threads == 2
