"""A no-show is explained: when it was announced, how long it waited, what the player's connection did meanwhile."""

from contextlib import closing

import pytest
import trio
from click.testing import CliRunner, Result
from trio.testing import MockClock

from gameserver.admin.api import APPLICATION
from gameserver.cli.main import main
from gameserver.core.commands import TournamentTimeUp
from gameserver.core.lobby import Lobby, TournamentRow
from gameserver.endpoints import HttpEndpoint
from gameserver.engine.evidence import noted
from gameserver.records.tournament_record import (
    Attendance,
    AttendanceRecord,
    no_shows_in,
    record_of_tournament,
    restoring,
)
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import NoShow as NoShowAct
from gameserver.tournaments.model import Pair, Tournament, WithdrawEntrant
from gameserver.tournaments.plan import Effect, Format, Plan
from gameserver.tournaments.planner import Planner
from tests.admin.support import post, serving_admin
from tests.support.journals import open_journal
from tests.tournaments.playing import started

CUP = {
    "preset": "hanze",
    "name": "Cup",
    "game": "tic-tac-toe",
    "entry": "roster",
    "roster": [{"player": "ann"}, {"player": "bob"}],
    "changes": {"pause_ms": 0, "no_show_ms": 30_000, "no_shows_max": 1},
}


async def test_a_no_show_is_kept_with_what_the_connection_did(autojump_clock: MockClock) -> None:
    async with serving_admin((HttpEndpoint("/api/tournaments", APPLICATION),)) as running:
        await running.enter("ann")
        await post(running, "/api/tournaments", CUP)
        await post(running, "/api/tournaments/1/start", {})
        await post(running, "/api/tournaments/1/pause", {})
        await trio.sleep(5)
        (bob,) = await running.enter("bob")
        await bob.send("logout")
        await trio.sleep(1)
        await post(running, "/api/tournaments/1/resume", {})
        await trio.sleep(35)
        (found,) = running.journal.reader().no_shows("bob")
        assert (found.decided.tournament, found.decided.pairing, found.decided.why) == (1, 1, "not connected")
        assert found.announced is not None
        assert found.announced.why == "not connected"
        assert found.lines[1].endswith("waited 36.0 s")
        assert [one.what for one in found.meanwhile] == [Attendance.CAME, Attendance.LEFT]
        assert found.meanwhile[0].why == "connected by strategic"
        assert running.journal.reader().no_shows("ann") == ()


def fact(
    second: int, what: Attendance, pairing: int | None = None, why: str = "", player: str = "bob"
) -> AttendanceRecord:
    at = f"2026-11-20T10:{second // 60:02}:{second % 60:02}+00:00"
    return AttendanceRecord(1, at, 1000 * second, what, pairing, player, why)


def test_coming_and_going_between_is_told_and_nothing_else() -> None:
    facts = [
        fact(0, Attendance.CAME, why="connected by strategic"),
        fact(1, Attendance.ANNOUNCED, 1, "connected by strategic"),
        fact(9, Attendance.LEFT, why="the peer closed the connection"),
        fact(31, Attendance.NO_SHOW, 1, "not connected"),
        fact(40, Attendance.ANNOUNCED, 2, "not connected"),
        fact(59, Attendance.NO_SHOW, 2, "not connected"),
    ]
    second, first = no_shows_in(facts)
    assert second.meanwhile == ()
    assert [one.what for one in first.meanwhile] == [Attendance.LEFT]
    assert first.lines == (
        "bob did not come to pairing 1 of tournament 1, decided at 2026-11-20T10:00:31+00:00",
        "  it was announced at 2026-11-20T10:00:01+00:00 and waited 30.0 s",
        "  when it was announced: connected by strategic",
        "  left at 2026-11-20T10:00:09+00:00: the peer closed the connection",
        "  at the end: not connected",
    )


def paired(plan: Plan, entrants: int) -> Tournament:
    """A tournament of this plan, in which the first pair is announced."""
    before = started(plan, entrants)
    act = Planner().next_pairings(before, frozenset({"p01", "p02"}), 0)
    assert isinstance(act, Pair)
    return apply(before, act)


def test_tournament_taken_back_from_records_adds_no_facts() -> None:
    announced = paired(Plan("Cup", "Reversi", Format.ROUND_ROBIN), 2)
    missed = TournamentRow(1, apply(announced, NoShowAct(1, announced.pairings[0].seats[:1])))
    record = record_of_tournament(None, missed)
    assert record is not None
    lobby = Lobby({})
    lobby.tournaments[2] = TournamentRow(2, announced)
    assert list(noted(lobby, restoring(record), [("tournaments", 1, missed)], 5_000, 5_000)) == []
    lobby.tournaments[1] = TournamentRow(1, announced)
    (fact,) = noted(lobby, TournamentTimeUp(1), [("tournaments", 1, missed)], 5_000, 5_000)
    assert fact.what is Attendance.NO_SHOW


def keep(kept_in: str, state: Tournament, *facts: AttendanceRecord) -> None:
    """Write what a server would have on record of this tournament."""
    record = record_of_tournament(None, TournamentRow(1, state))
    assert record is not None
    with closing(open_journal(kept_in)) as journal:
        journal.append([], [record, *facts])


@pytest.fixture
def no_show(kept_in: str) -> str:
    """A database with a tournament of three, in which one does not come and one withdraws."""
    state = paired(Plan("Cup", "Reversi", Format.ROUND_ROBIN, withdrawal=Effect.FORFEIT, no_shows_max=9), 3)
    missing = state.pairings[0].seats[0]
    state = apply(apply(state, NoShowAct(1, (missing,))), WithdrawEntrant("p03", "ms", "ill"))
    times = ((1, Attendance.ANNOUNCED), (61, Attendance.NO_SHOW))
    keep(kept_in, state, *(fact(second, what, 1, "not connected", missing) for second, what in times))
    return kept_in


def blamed(kept_in: str, *words: str) -> Result:
    return CliRunner().invoke(main, ["blame", *words, "--data", kept_in])


def test_blame_knows_tournaments_and_pairings(no_show: str) -> None:
    told = blamed(no_show, "--tournament", "1")
    assert told.exit_code == 0, told.output
    assert "pairing 1 of Cup (tournament 1), round" in told.output
    assert "waited 60.0 s" in told.output
    assert blamed(no_show, "-t", "1", "--pairing", "1").output in told.output
    missing = blamed(no_show, "-t", "1", "--pairing", "9")
    assert (missing.exit_code, "no pairing 9" in missing.stderr) == (1, True)
    assert blamed(no_show, "-t", "7").exit_code == 1
    assert blamed(no_show).exit_code == blamed(no_show, "1", "-t", "1").exit_code == 2
    assert blamed(no_show, "1", "--pairing", "1").exit_code == 2


def test_blame_tells_of_withdrawals_and_what_they_cost(no_show: str) -> None:
    told = blamed(no_show, "--tournament", "1").output
    assert "p03 is out of Cup (tournament 1), withdrawn by ms: ill\n" in told
    owed = [
        line.partition(": ")[2] for line in told.splitlines() if "  a game that was never announced counts: " in line
    ]
    assert sorted(sorted(line.split(" - ")) for line in owed) == [
        ["p01 (win)", "p03 (loss)"],
        ["p02 (win)", "p03 (loss)"],
    ]


def test_blame_tells_of_a_walkover(kept_in: str) -> None:
    state = paired(Plan("Cup", "Reversi", Format.SWISS, rounds=2), 4)
    gone = state.pairings[0].seats[1]
    keep(kept_in, apply(state, WithdrawEntrant(gone, "ms", "a broken laptop")))
    told = blamed(kept_in, "--tournament", "1").output
    assert f"no game was played, because a player was out: {gone} (withdrawn)\n" in told
    assert f"ruling: withdrawn ({gone}), by ms: a broken laptop\n" in told
    assert told.count(f"{gone} is out of Cup") == 1


def test_blame_says_if_nobody_was_missing(kept_in: str) -> None:
    keep(kept_in, started(Plan("Cup", "Reversi", Format.SWISS), 2))
    told = blamed(kept_in, "--tournament", "1").output
    assert told == "nobody missed a match of Cup (tournament 1)\n"
