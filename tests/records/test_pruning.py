"""Moves that were removed from the records: results stay, and whatever shows or checks a match says so."""

from contextlib import closing
from io import BytesIO

import orjson
import pytest
from attrs import evolve
from click.testing import CliRunner

from gameserver.cli.main import main
from gameserver.core.events import EndReason
from gameserver.database import sqlite
from gameserver.database.sqlite import SqliteConnection
from gameserver.exports import fairness
from gameserver.exports.matches import NotReadable, played_match, score_sheet
from gameserver.journal.journal import JournalRow
from gameserver.read_model.replay import recorded_replay
from gameserver.records import store
from gameserver.records.explanations import blame, explanation
from gameserver.records.match_record import LapseRecord, MatchRecord
from tests.exports.matches import GAMES, played
from tests.support.journals import open_journal

OLD, NEW, NOW = "2026-08-01T12:00:00.000+00:00", "2026-09-01T00:00:00.000+00:00", "2026-09-02T00:00:00.000+00:00"


def kept(connection: SqliteConnection, *records: MatchRecord) -> None:
    sqlite.prepare(connection)
    store.insert_matches(connection, records, 1)


@pytest.fixture
def record() -> MatchRecord:
    return evolve(played("Reversi"), match=1, ended_at=OLD)


def pruned(record: MatchRecord) -> MatchRecord:
    return evolve(record, moves=(), moves_pruned=sum(move.seat is not None for move in record.moves))


def test_moves_of_old_matches_are_removed_and_counted(record: MatchRecord) -> None:
    plain = evolve(record, match=2, ended_at=NEW)
    with closing(sqlite.connect(":memory:", isolation_level=None)) as connection:
        kept(connection, record, plain, *(evolve(record, match=number, tournament=number) for number in (3, 4)))
        phases = ((3, "running"), (4, "over"))
        for number, phase in phases:
            connection.execute(
                "INSERT INTO tournament (tournament, name, game, format, phase, round, plan, created_at)"
                " VALUES (?, 'Cup', 'Reversi', 'swiss', ?, 1, '{}', '')",
                (number, phase),
            )
        moves = sum(move.seat is not None for move in record.moves)
        found = store.read_prunable(connection, NEW[:10])
        assert found == [(1, moves), (4, moves)], "neither a newer one, nor one of a tournament that goes on"
        store.prune(connection, found, NOW)
        assert store.read_prunable(connection, NEW[:10]) == []
        assert store.read_match(connection, 1) == pruned(record)
        assert store.read_match(connection, 2) == plain
        assert store.read_move_counts(connection, [1, 2]) == {1: moves, 2: moves}


def test_whatever_needs_the_moves_says_that_they_were_pruned(record: MatchRecord) -> None:
    without = pruned(record)
    with pytest.raises(NotReadable, match="pruned"):
        played_match(without, GAMES)
    assert f'[Moves "{without.moves_pruned}, pruned from the records"]' in score_sheet(without)
    replay = recorded_replay(without, GAMES)
    assert (replay.view.moves_pruned, replay.view.files, replay.view.steps) == (without.moves_pruned, (), ())
    assert "pruned" in replay.present.text
    assert replay.present == replay.board(0)
    assert replay.view.result == recorded_replay(record, GAMES).view.result


def test_chance_of_pruned_matches_is_verified_as_far_as_it_goes() -> None:
    row = fairness.chance_of(pruned(played("Backgammon", moves_max=30)), {})
    (read,) = fairness.read_rows(BytesIO(b"".join(map(orjson.dumps, fairness.chance_rows([row])))))
    assert read == row
    assert "the moves of 1 of them were pruned" in fairness.verify([read], GAMES)
    forged = evolve(fairness.chance_of(played("Backgammon", moves_max=30), {}), moves_pruned=1)
    with pytest.raises(fairness.ChanceFault, match="said to be pruned"):
        fairness.verify([forged], GAMES)


@pytest.mark.parametrize("reason", list(EndReason))
def test_every_end_is_explained_without_moves(record: MatchRecord, reason: EndReason) -> None:
    lapse = LapseRecord(0, 10_000, 250, 10_300, None)
    games = tuple(evolve(one, reason=str(reason), by=0, lapse=lapse, winners=(1,)) for one in record.games)
    lost = pruned(evolve(record, reason=str(reason), games=games))
    assert blame(lost)
    explanation(lost)


def test_records_in_postgresql_are_pruned_too(record: MatchRecord, database: str) -> None:
    record = evolve(record, rated=False)
    with closing(open_journal(database)) as journal:
        journal.append([JournalRow(1, 0, 0, 0, "leave", 1, b"{}")], [record])
    words = ["records", "prune", "--before", NEW[:10], "--yes", "--data", database]
    told = CliRunner().invoke(main, words)
    assert told.output.startswith(f"removed {pruned(record).moves_pruned} moves of 1 matches"), told.output
    with closing(open_journal(database)) as journal:
        assert journal.reader().match(1) == pruned(record)
        busy = CliRunner().invoke(main, words)
    assert "is in use by a server" in busy.output
    assert "nothing was removed" in busy.output
