"""Starts from a journal: snapshots, games that are gone, rules that changed."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import pytest
from attrs import evolve

from gameserver.core.commands import Void
from gameserver.core.events import EndReason, GameEnded
from gameserver.game import Game
from gameserver.journal.journal import Journal, JournalBroken, Snapshot
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest, read_snapshot, write_snapshot
from gameserver.journal.sql_journal import MemoryJournal
from tests.support.games import Broken, Countdown, CountdownState, Dice, catalogue
from tests.support.lobbies import LobbyHarness

GAMES = catalogue(Countdown(), Dice())


class NewCountdown(Countdown):
    """The same game under changed rules."""

    version: ClassVar[int] = 2


def played_lobby() -> LobbyHarness:
    harness = LobbyHarness(GAMES)
    for session, name in enumerate(("ann", "bob", "cyd", "dan"), start=1):
        harness.enter(session, name)
    for session in (1, 2):
        harness.seek(session, "Countdown")
    for session in (3, 4):
        harness.seek(session, "Dice")
    for match in list(harness.lobby.matches.values()):
        harness.play(match.seats[0].session, match.game.write_move(match.state.legal_moves(0)[0]))
    return harness


def journal_of(harness: LobbyHarness, snapshot_after: int = 0) -> Journal:
    journal = MemoryJournal()
    journal.append(harness.rows, harness.records)
    if snapshot_after:
        before = MemoryJournal()
        before.append(harness.rows[:snapshot_after], harness.records)
        found = replay(before, harness.games)
        journal.save_snapshot(write_snapshot(found.lobby, found.seq, found.now_ms))
        journal.trim(snapshot_after + 1)
    return journal


LOST = pytest.mark.parametrize(
    ("games", "why"),
    [
        (catalogue(Dice()), "its game is not on this server any more"),
        (catalogue(NewCountdown(), Dice()), "the game's rules have changed"),
    ],
    ids=["gone", "changed"],
)


@pytest.mark.parametrize("snapshot", [False, True])
@LOST
def test_matches_of_a_lost_game_are_found_and_can_be_voided(
    games: dict[str, object], why: str, *, snapshot: bool
) -> None:
    harness = played_lobby()
    replayed = replay(journal_of(harness, len(harness.rows) if snapshot else 0), games)
    ((lost, reason),) = replayed.lost_matches.items()
    assert (set(replayed.lobby.matches), reason) == ({1, 2}, why)
    harness.lobby = replayed.lobby
    harness.do(Void(lost, "its game is gone"))
    results = [event.result for event in harness.hear(1) if isinstance(event, GameEnded)]
    (end,) = [result for result in results if result.reason is EndReason.VOID]
    assert end.winners == ()
    assert harness.records[-1].game == "Countdown"
    harness.start()
    assert harness.lobby.server[""].next_match == 3


@LOST
def test_a_finished_match_of_a_lost_game_does_not_come_back(games: dict[str, object], why: str) -> None:
    """Killed right after a start, whose snapshot holds no match: the rows after it were decided by the old rules."""
    harness = LobbyHarness(GAMES)
    harness.enter(1, "ann")
    harness.enter(2, "bob")
    started = len(harness.rows)
    match, first, second = harness.opened()
    for session, move in ((first, "2"), (second, "2"), (first, "1")):
        harness.play(session, move)
    harness.seek(1, "Countdown")
    harness.seek(2, "Countdown")
    journal = journal_of(harness, started)
    journal.append([], harness.records)
    replayed = replay(journal, games)
    assert 1 not in replayed.lobby.matches
    assert replayed.skipped == (), "what became of the match is on record, and not a sentence a move"
    assert set(replayed.lost_matches) == set(replayed.lobby.matches)


@pytest.mark.parametrize(
    ("snapshot", "says"), [(Snapshot(1, 1, 99, b"{}"), "version 99"), (Snapshot(1, 1, 1, b'{"server": 5}'), "damaged")]
)
def test_a_snapshot_that_cannot_be_read_is_refused(snapshot: Snapshot, says: str) -> None:
    with pytest.raises(JournalBroken, match=says):
        read_snapshot(snapshot, GAMES)


class ShorterState(CountdownState):
    def play(self, seat: int, move: int) -> Self:
        after = super().play(seat, move)
        return evolve(after, heap=0) if after.heap <= 2 else after


class StricterState(CountdownState):
    def legal_moves(self, seat: int) -> Sequence[int]:
        return [move for move in super().legal_moves(seat) if move == 1]


class Edited(Countdown):
    """Rules edited without a new version: the last two count for nothing, or 2 is no move any more."""

    def __init__(self, state: type[CountdownState]) -> None:
        self.start = lambda options: state()


def broken() -> Game[Any]:
    game = Broken("play")
    game.name = "Countdown"
    return game


@pytest.mark.parametrize(
    "edited", [Edited(ShorterState), Edited(StricterState), broken()], ids=["over early", "illegal", "broken"]
)
def test_live_match_whose_rules_changed_without_a_version_ends_void(edited: Game[Any]) -> None:
    harness = LobbyHarness(GAMES)
    _, first, second = harness.opened()
    harness.play(first, "2")
    harness.play(second, "1")
    assert harness.match().moves
    harness.enter(3, "cyd")
    replayed = replay(journal_of(harness), catalogue(edited, Dice()))
    assert replayed.skipped
    assert all("row" in line for line in replayed.skipped)
    assert replayed.lost_matches == {1: "the game's rules have changed"}
    assert replayed.lobby.matches[1].players == harness.match().players
    assert "cyd" in replayed.lobby.players, "what came after it still counts"
    harness.lobby = replayed.lobby
    harness.do(Void(1, replayed.lost_matches[1]))
    record = harness.records[-1]
    assert (record.match, record.reason, record.why) == (1, "void", "the game's rules have changed")
    assert [seat.result for seat in record.seats] == ["void", "void"]
    assert not harness.lobby.seated


@pytest.mark.parametrize("next_game", ["Countdown", "Dice"])
@pytest.mark.parametrize("now", [Countdown(), NewCountdown()], ids=["in silence", "new version"])
def test_match_that_was_over_by_the_old_rules_makes_way_for_the_next_one(now: Game[Any], next_game: str) -> None:
    """Its players began another, which was live at the kill. By the new rules, they would still play the first."""
    harness, journal = LobbyHarness(catalogue(Edited(ShorterState), Dice())), MemoryJournal()
    _, first, second = harness.opened()
    harness.play(first, "2")
    harness.play(second, "1")
    assert [record.match for record in harness.records] == [1]
    journal.append(harness.rows, harness.records)
    for session in (1, 2):
        harness.seek(session, next_game)
    journal.append(harness.rows[journal.last() :])
    assert set(harness.lobby.matches) == {2}
    replayed = replay(journal, catalogue(now, Dice()))
    assert set(replayed.lobby.matches) == {2}
    assert replayed.lobby.seated == harness.lobby.seated
    assert set(replayed.lost_matches) == ({2} if now.version == 2 and next_game == "Countdown" else set())


@pytest.mark.parametrize("snapshot_after", range(11))
def test_a_snapshot_anywhere_tells_the_same(snapshot_after: int) -> None:
    harness = played_lobby()
    replayed = replay(journal_of(harness, snapshot_after), GAMES)
    assert digest(replayed.lobby) == digest(harness.lobby)
    assert replayed.seq == len(harness.rows)
    assert replayed.now_ms == harness.now_ms
    assert replayed.rows == len(harness.rows) - snapshot_after
