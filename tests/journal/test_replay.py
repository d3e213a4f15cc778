"""What a start makes of a journal: snapshots, games that are gone, rules that changed."""

from typing import ClassVar

import pytest

from gameserver.core.commands import Void
from gameserver.core.events import EndReason, GameEnded
from gameserver.journal.log import Journal, JournalBroken, Snapshot
from gameserver.journal.memory import MemoryJournal
from gameserver.journal.replay import replay
from gameserver.journal.snapshot import digest, read_snapshot, write_snapshot
from tests.support.games import Broken, Countdown, Dice, catalogue
from tests.support.lobbies import Table

GAMES = catalogue(Countdown(), Dice())


class NewCountdown(Countdown):
    """The same game under changed rules."""

    version: ClassVar[int] = 2


def played_table() -> Table:
    table = Table(GAMES)
    for session, name in enumerate(("ann", "bob", "cyd", "dan"), start=1):
        table.enter(session, name)
    for session in (1, 2):
        table.seek(session, "Countdown")
    for session in (3, 4):
        table.seek(session, "Dice")
    for match in list(table.lobby.matches.values()):
        table.play(match.seats[0].session, match.game.write_move(match.state.legal_moves(0)[0]))
    return table


def journal_of(table: Table, snapshot_after: int = 0) -> Journal:
    journal = MemoryJournal()
    journal.append(table.rows)
    if snapshot_after:
        before = MemoryJournal()
        before.append(table.rows[:snapshot_after])
        found = replay(before, table.games)
        journal.save_snapshot(write_snapshot(found.lobby, found.seq, found.now_ms))
        journal.trim(snapshot_after + 1)
    return journal


@pytest.mark.parametrize("snapshot_after", range(11))
def test_a_snapshot_anywhere_tells_the_same(snapshot_after: int) -> None:
    table = played_table()
    replayed = replay(journal_of(table, snapshot_after), GAMES)
    assert digest(replayed.lobby) == digest(table.lobby)
    assert replayed.seq == len(table.rows)
    assert replayed.now_ms == table.now_ms
    assert replayed.rows == len(table.rows) - snapshot_after


@pytest.mark.parametrize("snapshot", [False, True])
@pytest.mark.parametrize("games", [catalogue(Dice()), catalogue(NewCountdown(), Dice())], ids=["gone", "changed"])
def test_matches_of_a_lost_game_are_found_and_can_be_voided(games: dict[str, object], *, snapshot: bool) -> None:
    table = played_table()
    replayed = replay(journal_of(table, len(table.rows) if snapshot else 0), games)
    (lost,) = replayed.lost_matches
    assert set(replayed.lobby.matches) == {1, 2}
    table.lobby = replayed.lobby
    table.do(Void(lost, "its game is gone"))
    (end,) = [event for event in table.hear(1) if isinstance(event, GameEnded) and event.reason is EndReason.VOID]
    assert end.winners == ()
    assert table.records[-1].game == "Countdown"
    table.start()
    assert table.lobby.server[""].next_match == 3


@pytest.mark.parametrize("games", [catalogue(Dice()), catalogue(NewCountdown(), Dice())], ids=["gone", "changed"])
def test_a_finished_match_of_a_lost_game_does_not_come_back(games: dict[str, object]) -> None:
    """Killed right after a start, whose snapshot holds no match: the rows after it were decided by the old rules."""
    table = Table(GAMES)
    table.enter(1, "ann")
    table.enter(2, "bob")
    started = len(table.rows)
    match, first, second = table.opened()
    for session, move in ((first, "2"), (second, "2"), (first, "1")):
        table.play(session, move)
    table.seek(1, "Countdown")
    table.seek(2, "Countdown")
    journal = journal_of(table, started)
    journal.append([], table.records)
    replayed = replay(journal, games)
    assert 1 not in replayed.lobby.matches
    assert set(replayed.lost_matches) == set(replayed.lobby.matches)


def test_a_game_that_breaks_on_replay_loses_only_its_match() -> None:
    table = played_table()
    broken = Broken("play")
    broken.name = "Countdown"
    for _ in range(2):
        match = table.lobby.matches[1]
        seat = match.turn.seats[0]
        if match.state.heap > 1:
            table.play(match.seats[seat].session, "2")
    journal = journal_of(table)
    replayed = replay(journal, catalogue(broken, Dice()))
    assert replayed.skipped
    assert all("row" in line for line in replayed.skipped)
    assert 2 in replayed.lobby.matches


def test_a_snapshot_of_another_version_is_refused() -> None:
    with pytest.raises(JournalBroken, match="version 99"):
        read_snapshot(Snapshot(1, 1, 99, b"{}"), GAMES)


def test_a_damaged_snapshot_is_refused() -> None:
    with pytest.raises(JournalBroken, match="damaged"):
        read_snapshot(Snapshot(1, 1, 1, b'{"server": 5}'), GAMES)
