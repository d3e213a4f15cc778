"""A match on record is played again to a live client, and its decisions are compared with those on record."""

import sys
import time
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver import plugins
from gameserver.check.checker import Terms
from gameserver.check.replaying import Manner, Recorded, ReplayedMatch, replay
from gameserver.core.events import By, EndReason
from gameserver.exports.matches import played_match
from gameserver.records.match_record import GameRecord, MatchRecord, MoveRecord, SeatRecord, SeatResult

CLIENT = Path(__file__).with_name("scripted_client.py")
AT_ONCE = Manner(waits=False)
WON = ("0", "3", "1", "4", "2")
"""The one who begins has the upper row."""


def record_of(*moves: str, reason: str = EndReason.PLAYED, think_ms: int = 0) -> MatchRecord:
    """A match of ann, who begins, and a house player."""
    steps = tuple(MoveRecord(n, (n - 1) % 2, text, By.PLAYER, n, think_ms) for n, text in enumerate(moves, start=1))
    results = (SeatResult.WIN, SeatResult.LOSS) if reason == EndReason.PLAYED else (SeatResult.LOSS, SeatResult.WIN)
    names = (("ann", "strategic"), ("house-greedy", "house"))
    seats = tuple(SeatRecord(n, *names[n], 0, results[n]) for n in (0, 1))
    game = GameRecord(1, TIC_TAC_TOE.name, TIC_TAC_TOE.version, "{}", reason, "", "", (1, -1), ())
    head = (7, TIC_TAC_TOE.name, TIC_TAC_TOE.version, "{}", "", "", reason, "", "")
    return MatchRecord(*head, seats, steps, games=(game,), clock="turn 10s")


def replayed(
    directory: Path, record: MatchRecord, *moves: str, seat: int = 0, manner: Manner = AT_ONCE, **terms: Any
) -> ReplayedMatch:
    """The replay to a client that plays these moves."""
    found = plugins.load(installed=False)
    recorded = Recorded(record, played_match(record, found.games), seat)
    command = (sys.executable, str(CLIENT), "{host}", "{port}", "{name}", *moves)
    given = (command, "strategic", record.game, recorded.player, directory, print)
    return replay(found, Terms(*given, **terms), recorded, manner)


def test_a_client_that_decides_as_it_did_gets_the_same_match(tmp_path: Path) -> None:
    done = replayed(tmp_path, record_of(*WON), "0", "1", "2")
    assert (done.same, done.decision, done.faults, done.result) == (3, None, (), "win")


def test_it_stops_where_the_client_decides_otherwise_and_shows_both(tmp_path: Path) -> None:
    done = replayed(tmp_path, record_of(*WON), "0", "8", "2")
    assert done.decision is not None
    assert (done.same, done.decision.number, done.result) == (1, 3, "")
    assert (done.decision.then, done.decision.now) == ("played 1", "played 8")
    assert done.decision.board == "X | 1 | 2\n--+---+--\nO | 4 | 5\n--+---+--\n6 | 7 | 8"


def test_it_goes_on_as_a_player_of_the_house(tmp_path: Path) -> None:
    manner = evolve(AT_ONCE, goes_on="random")
    done = replayed(tmp_path, record_of("0", "3", "1", "4", "8"), "0", "1", "2", manner=manner)
    assert done.decision is not None
    assert (done.decision.number, done.decision.now, done.result) == (5, "played 2", "win")


def test_the_client_may_have_the_second_seat(tmp_path: Path) -> None:
    done = replayed(tmp_path, record_of(*WON), "3", "5", seat=1)
    assert done.decision is not None
    assert (done.same, done.decision.number, done.decision.then) == (1, 4, "played 4")


def test_it_begins_in_the_middle(tmp_path: Path) -> None:
    done = replayed(tmp_path, record_of(*WON), "2", manner=evolve(AT_ONCE, from_move=4))
    assert (done.same, done.decision, done.result) == (1, None, "win")
    other = replayed(tmp_path, record_of(*WON), "8", manner=evolve(AT_ONCE, from_move=5))
    assert other.decision is not None
    assert (other.same, other.decision.number) == (0, 5)


@pytest.mark.parametrize(
    ("reason", "then"), [(EndReason.LATE, "made no move in time"), (EndReason.RESIGNED, "gave up")]
)
def test_a_move_where_it_made_none_is_another_decision(tmp_path: Path, reason: EndReason, then: str) -> None:
    done = replayed(tmp_path, record_of("0", "3", reason=reason), "0", "1")
    assert done.decision is not None
    assert (done.same, done.decision.then, done.decision.now) == (1, then, "played 1")


def test_an_illegal_move_is_told(tmp_path: Path) -> None:
    done = replayed(tmp_path, record_of(*WON), "0", "3")
    assert (done.same, len(done.faults), done.decision) == (1, 1, None)
    assert "illegal move" in done.faults[0]


def test_a_client_that_is_silent_is_told(tmp_path: Path) -> None:
    done = replayed(tmp_path, record_of(*WON), "0", turn_time_s=1.0)
    assert (done.same, done.decision) == (1, None)
    assert "no move within 1 s" in done.faults[0]


def test_replay_is_on_the_recorded_clock(tmp_path: Path) -> None:
    done = replayed(tmp_path, evolve(record_of(*WON), clock="1s"), "0")
    assert "used up its bank of 1s" in done.faults[0]


def test_the_opponent_takes_the_time_that_it_took(tmp_path: Path) -> None:
    began_s = time.perf_counter()
    done = replayed(tmp_path, record_of(*WON, think_ms=400), "0", "1", "2", manner=Manner())
    assert done.result == "win"
    assert time.perf_counter() - began_s > 0.8
