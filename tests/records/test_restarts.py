"""A restart in the middle of a match is on record, and `blame` and the match's page tell of it."""

from contextlib import closing
from typing import Never

import pytest
import trio
from attrs import evolve
from click.testing import CliRunner
from trio.testing import MockClock

from gameserver.cli.main import main
from gameserver.database.connection import DatabaseAway
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.match_record import RestartRecord
from gameserver.records.reader import RecordReader
from gameserver.server.live_read_model import RESTARTS_PAUSE_S
from tests.exports.matches import played
from tests.support.journals import open_journal
from tests.support.serving import Running
from tests.web.support import check_html, get, serving_pages

NOON_MS = 1_790_000_000_000
AWAY = RestartRecord(2, 5_000, "2026-09-21T14:13:20.500+00:00", "2026-09-21T14:13:27.800+00:00")


class WallClock:
    """The time of day; the server's own clock has nothing to do with it."""

    now_ms = NOON_MS

    def __call__(self) -> int:
        return self.now_ms


@pytest.fixture
def wall() -> WallClock:
    return WallClock()


async def begun(running: Running) -> None:
    """Match 1 of ann and bob: a move is made."""
    first, second = await running.match()
    await first.send("move 4")
    await first.lines(2)
    await second.lines(2)


async def test_match_that_goes_on_tells_of_the_restart(autojump_clock: MockClock, wall: WallClock) -> None:
    journal = MemoryJournal()
    async with serving_pages(journal=journal, wall_ms=wall) as running:
        await begun(running)
        assert "the server was away" not in (await get(running, "/matches/1")).text
        wall.now_ms += 250
        await running.stop()
    wall.now_ms += 7_050
    async with serving_pages(journal=journal, wall_ms=wall) as running:
        page = await get(running, "/matches/1")
        check_html(page.text)
        assert "After move 1 the server was away, for 7.3 s at most" in page.text
        assert (await get(running, "/api/v1/matches/1")).json["restarts"] == [
            {
                "step": 1,
                "last_decision_at": "2026-09-21T14:13:20.000+00:00",
                "up_at": "2026-09-21T14:13:27.300+00:00",
                "away_ms": 7_300,
            }
        ]
        ann, bob = await running.enter("ann", "bob")
        wall.now_ms += 1_000
        await ann.send("forfeit")
        await ann.until("LOSS")  # after the MATCH by which the first one was shown again
        await bob.until("WIN")
        page = await get(running, "/matches/1")
        check_html(page.text)
        assert page.text.count("After move 1 the server was away, for 7.3 s at most") == 1
        for player in (ann, bob):
            await player.send("subscribe Tic-tac-toe")
        await ann.until("MATCH")
        await ann.send("forfeit")
        await bob.until("WIN")
        assert "the server was away" not in (await get(running, "/matches/2")).text, "that was before its time"


async def test_restarts_are_told_once_the_database_answers(
    autojump_clock: MockClock, wall: WallClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that has just taken over plays on, whatever becomes of a lookup."""

    def fail(*_: object) -> Never:
        raise DatabaseAway("all connections are taken")

    journal = MemoryJournal()
    async with serving_pages(journal=journal, wall_ms=wall) as running:
        await begun(running)
    wall.now_ms += 7_300
    with monkeypatch.context() as away:
        away.setattr(RecordReader, "restarts", fail)
        async with serving_pages(journal=journal, wall_ms=wall) as running:
            assert "the server was away" not in (await get(running, "/matches/1")).text
            away.undo()
            await trio.sleep(RESTARTS_PAUSE_S)
            assert "the server was away" in (await get(running, "/matches/1")).text


async def test_match_that_was_over_before_does_not_tell_of_it(autojump_clock: MockClock, wall: WallClock) -> None:
    journal = MemoryJournal()
    async with serving_pages(journal=journal, wall_ms=wall) as running:
        first, second = await running.match()
        await first.send("forfeit")
        await second.until("WIN")
    wall.now_ms += 60_000
    async with serving_pages(journal=journal, wall_ms=wall) as running:
        await trio.sleep(1)
        record = running.journal.reader().match(1)
        assert record.restarts == ()
        (restart,) = running.journal.reader().restarts(0)
        assert restart.away_ms == 60_000


async def test_match_that_a_restart_ends_tells_of_it(autojump_clock: MockClock, wall: WallClock) -> None:
    journal = MemoryJournal()
    async with serving_pages(journal=journal, wall_ms=wall) as running:
        await begun(running)
    wall.now_ms += 2_000
    async with serving_pages(journal=journal, wall_ms=wall) as running:
        await trio.sleep(70)
        record = running.journal.reader().match(1)
        assert record.reason == "void"
        assert [one.boot for one in record.restarts] == [2]


@pytest.fixture
def interrupted(kept_in: str) -> str:
    """A database with a match that a restart interrupted after its second move."""
    match = played("Tic-tac-toe")
    moves = tuple(evolve(move, at_ms=1_000 * move.number) for move in match.moves)
    match = evolve(match, moves=moves, opened_ms=AWAY.at_ms - 2_500, ended_at="2026-09-21T14:14:00.000+00:00", match=7)
    with closing(open_journal(kept_in)) as journal:
        journal.append([], [match, AWAY, evolve(AWAY, boot=3, at_ms=9_000, up_at="2026-09-21T14:14:00.001+00:00")])
    return kept_in


def test_blame_tells_of_the_restart(interrupted: str) -> None:
    told = CliRunner().invoke(main, ["blame", "7", "--data", interrupted])
    assert told.exit_code == 0, told.output
    assert told.output.count("started again") == 1, "the other one came after the end"
    assert (
        "the server was started again at +2.500 s, after move 2: its last decision before was at "
        "2026-09-21T14:13:20.500+00:00, it was up again at 2026-09-21T14:13:27.800+00:00, 7.3 s later; "
        "that time is charged to nobody\n"
    ) in told.output


def test_clock_that_was_set_back_makes_no_negative_time() -> None:
    assert evolve(AWAY, up_at="2026-09-21T14:13:00.000+00:00").away_ms == 0
