"""The contract of every journal, and that of a file besides."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, fields_dict

from gameserver.core.commands import Seek
from gameserver.core.lobby import At
from gameserver.journal.codec import write_row
from gameserver.journal.journal import Journal, JournalBroken, JournalError, JournalRow, Snapshot
from gameserver.journal.sqlite import BUSY_TIMEOUT_S, SqliteJournal
from gameserver.records.match_record import (
    GameRecord,
    LapseRecord,
    MatchRecord,
    MoveRecord,
    RatingRecord,
    SeatRecord,
    SeatResult,
)
from gameserver.records.player_stats import MoveTimes
from gameserver.records.rating_book import RatingBook
from gameserver.records.reader import MatchHead, Wanted
from tests.support.tables import table


def rows(first: int, count: int) -> list[JournalRow]:
    return [write_row(seq, At(seq, seq, seq), Seek(seq, "Reversi")) for seq in range(first, first + count)]


def record(match: int) -> MatchRecord:
    return MatchRecord(
        match,
        "Reversi",
        1,
        "{}",
        "2026-01-01T10:00:00.000+00:00",
        "2026-01-01T10:05:00.000+00:00",
        "played",
        "",
        "",
        (SeatRecord(0, "ann", "strategic", 40, SeatResult.WIN), SeatRecord(1, "bób", "house", 24, SeatResult.LOSS)),
        (MoveRecord(1, 0, "44", "player", 12, 12), MoveRecord(2, None, "3 5", "chance", 12, 0)),
    )


def test_an_empty_journal(journal: Journal) -> None:
    assert journal.last() == 0
    assert list(journal.read_from(1)) == []
    assert journal.load_snapshot() is None
    assert journal.last_match() == 0


def test_a_batch_twice_is_there_once(journal: Journal) -> None:
    journal.append(rows(1, 3), [record(1)])
    journal.append(rows(1, 3), [record(1)])
    assert list(journal.read_from(1)) == rows(1, 3)
    assert list(journal.read_records()) == [record(1)]


@pytest.mark.parametrize("batch", [rows(2, 1), rows(5, 2), [*rows(1, 1), *rows(3, 1)]])
def test_a_gap_is_refused_whole(journal: Journal, batch: list[JournalRow]) -> None:
    with pytest.raises(ValueError, match="cannot follow"):
        journal.append(batch)
    assert journal.last() == 0


def test_records_lie_beside_the_rows(journal: Journal) -> None:
    journal.append(rows(1, 1), [record(7)])
    journal.append(rows(2, 1), [record(3)])
    assert list(journal.read_records()) == [record(3), record(7)]
    assert journal.last_match() == 7


def test_a_snapshot_replaces_the_one_before(journal: Journal) -> None:
    journal.append(rows(1, 4))
    for seq in (2, 4):
        journal.save_snapshot(Snapshot(seq, 99, 1, b"{}"))
    assert journal.load_snapshot() == Snapshot(4, 99, 1, b"{}")


def test_trimming_forgets_the_beginning(journal: Journal) -> None:
    journal.append(rows(1, 6))
    journal.trim(5)
    assert list(journal.read_from(1)) == rows(5, 2)
    assert journal.last() == 6
    journal.append(rows(7, 1))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.sqlite3"


def test_a_file_keeps_everything(file: Path) -> None:
    with closing(SqliteJournal(file)) as first:
        first.append(rows(1, 3), [record(1)])
        first.save_snapshot(Snapshot(3, 5, 1, b"{}"))
        first.trim(4)
    with closing(SqliteJournal(file)) as second:
        assert second.last() == 3
        second.append(rows(4, 1))
        assert list(second.read_from(1)) == rows(4, 1)
        assert list(second.read_records()) == [record(1)]


def folded(file: Path) -> int:
    """The rows that are in the file itself, without its log."""
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM journal").fetchone()
    return int(count)


def test_log_is_folded_by_checkpoints_and_not_by_commits(file: Path) -> None:
    with closing(SqliteJournal(file, "off")) as journal:
        journal.append(rows(1, 1))
        for _ in range(100):  # in 1,500 pages, more than SQLite would let lie
            journal.append([evolve(row, body=bytes(4_096)) for row in rows(journal.last() + 1, 15)])
        assert folded(file) == 1, "the first row is"
        while not journal.checkpoint_is_due:
            journal.append(rows(journal.last() + 1, 1))
        journal.checkpoint()
        assert not journal.checkpoint_is_due
        assert folded(file) == journal.last()


def test_commit_waits_for_a_lock_or_not_and_one_that_fails_leaves_nothing(file: Path) -> None:
    with closing(SqliteJournal(file, "off")) as journal, closing(sqlite3.connect(file)) as other:
        journal.append(rows(1, 1))
        other.execute("BEGIN IMMEDIATE")
        began_s = time.perf_counter()
        with pytest.raises(JournalError, match="locked"):
            journal.append_at_once(rows(2, 1))
        at_once_s = time.perf_counter() - began_s
        with pytest.raises(JournalError, match="locked"):
            journal.append(rows(2, 2), [record(1)])
        assert time.perf_counter() - began_s - at_once_s >= 0.9 * BUSY_TIMEOUT_S > at_once_s
        other.execute("ROLLBACK")
        assert journal.last() == 1
        journal.append_at_once(rows(2, 1))
        journal.append(rows(3, 1))
        assert list(journal.read_from(1)) == rows(1, 3)
        assert list(journal.read_records()) == []


def test_recorded_match_is_never_overwritten(journal: Journal) -> None:
    journal.append(rows(1, 1), [record(1)])
    journal.append(rows(2, 1), [evolve(record(1), reason="void"), record(2)])
    assert list(journal.read_records()) == [record(1), record(2)]
    assert (journal.has_record(2), journal.has_record(3)) == (True, False)


def test_records_are_found_by_the_last_row_of_their_batch(journal: Journal) -> None:
    journal.append(rows(1, 2), [record(1)])
    journal.append(rows(3, 3), [record(3), record(2)])
    journal.append(rows(6, 1), [record(1)])
    assert {row: sorted(matches) for row, matches in journal.ends_after(0).items()} == {2: [1], 5: [2, 3]}
    assert set(journal.ends_after(2)) == {5}
    assert journal.ends_after(5) == {}


def rated(match: int, rating: float) -> MatchRecord:
    """A rated match, after which both players have this rating."""
    plain = record(match)
    return evolve(plain, rated=True, seats=tuple(evolve(seat, rating=rating, deviation=90.5) for seat in plain.seats))


def test_the_latest_rating_of_each_player_is_kept(journal: Journal) -> None:
    book = RatingBook()
    (second,), (first,) = book.enter([rated(2, 0)]), book.enter([rated(1, 0)])
    journal.append(rows(1, 1), [second, record(3)])
    journal.append(rows(2, 1), [first])
    journal.append(rows(2, 1), [first])
    journal.append(rows(3, 1), [rated(2, 9.0)])
    latest = {player: book.rating("Reversi", player) for player in ("ann", "bób")}
    expected = [RatingRecord("Reversi", player, one.mean, one.deviation, 2) for player, one in latest.items()]
    assert sorted(journal.read_ratings(), key=lambda one: one.player) == expected
    assert list(journal.read_records()) == [first, second, record(3)]


def test_everything_about_a_match_comes_back(journal: Journal) -> None:
    plain = record(1)
    lapse = LapseRecord(100, 10_100, 250, 10_400, 10_390, stall_ms=30, is_bank=True)
    whole = evolve(
        plain,
        seats=tuple(
            evolve(seat, round_trip_us=500, round_trip_deviation_us=90, segments_resent=1) for seat in plain.seats
        ),
        moves=tuple(evolve(move, lag_ms=3, stall_ms=7, bank_ms=299_000) for move in plain.moves),
        games=(
            GameRecord(1, "Reversi", 1, "{}", "played", "five in a row", "", (2, 0), (0,)),
            GameRecord(2, "Reversi", 2, '{"x":1}', "late", "", "slow", (0, 1), (1,), 0, lapse),
        ),
        clock="5m+2s, turn 10s",
        opened_ms=77,
        public_id="f00d",
    )
    journal.append(rows(1, 1), [whole])
    assert list(journal.read_records()) == [whole]


def test_a_batch_is_atomic_with_its_records(file: Path) -> None:
    with closing(SqliteJournal(file)) as journal:
        journal.append(rows(1, 1), [record(1)])
        with pytest.raises(JournalError):
            journal.append(rows(2, 1), [evolve(record(2), reason=None)])
        assert journal.last() == 1
        assert list(journal.read_from(1)) == rows(1, 1)


@pytest.mark.parametrize(
    ("content", "statement", "says"),
    [
        (b"this is no database, but it is long enough to look at" * 20, "", "cannot be used as a data file"),
        (b"SQLite", "", "cannot be used as a data file"),
        (b"", "CREATE TABLE match (id)", "a database of something else"),
        (b"", "PRAGMA user_version = 99", "format 99"),
        (None, "", "cannot be used"),
    ],
    ids=["no database", "a short file", "another database", "a newer format", "no folder"],
)
def test_another_file_is_refused_in_one_line(file: Path, content: bytes | None, statement: str, says: str) -> None:
    if content is None:
        file = file / "no" / "such" / "data.sqlite3"
    else:
        file.write_bytes(content)
        with closing(sqlite3.connect(file)) as other:
            other.executescript(statement)
    with pytest.raises(JournalBroken, match=says) as refused:
        SqliteJournal(file)
    assert "\n" not in str(refused.value)


def test_the_shelf_gives_matches_whole_and_without_their_moves(journal: Journal) -> None:
    reader = journal.reader()
    assert reader.match(1) is None
    assert reader.heads(Wanted()) == ()
    others = evolve(record(2), game="Plakoto", seats=(record(2).seats[0], evolve(record(2).seats[1], player="cleo")))
    journal.append(rows(1, 1), [record(1), others, record(3)])
    assert reader.match(2) == others
    heads = reader.heads(Wanted())
    assert [one.match for one in heads] == [3, 2, 1]
    assert all(getattr(heads[1], name) == getattr(others, name) for name in fields_dict(MatchHead))


@pytest.mark.parametrize(("wanted", "found"), table(__file__, "matches that are wanted, and those that are found"))
def test_the_shelf_gives_the_matches_that_are_wanted(journal: Journal, wanted: str, found: str) -> None:
    def one(match: int) -> MatchRecord:
        if match % 2:
            return record(match)
        return evolve(record(match), game="Plakoto", seats=(record(match).seats[0],))

    journal.append(rows(1, 1), [one(match) for match in range(1, 10)])
    given: dict[str, Any] = dict(one.split("=") for one in wanted.split())
    given |= {name: int(value) for name, value in given.items() if value.isdigit()}
    assert [str(head.match) for head in journal.reader().heads(Wanted(**given))] == found.split()


def test_the_shelf_tells_a_career(journal: Journal) -> None:
    lost = evolve(
        record(2), reason="late", seats=tuple(evolve(seat, result=SeatResult.LOSS) for seat in record(2).seats)
    )
    moves = tuple(MoveRecord(number, 0, "1", "player", 0, number, lag_ms=1) for number in range(1, 101))
    journal.append(rows(1, 1), [record(1), lost, evolve(record(3), game="Plakoto", moves=moves)])
    career = journal.reader().career("ann")
    assert career.games == ("Plakoto", "Reversi")
    assert career.counted(None, SeatResult.WIN) == 2
    assert career.counted("Reversi", SeatResult.LOSS) == 1
    assert career.losses == (("late", 1),)
    assert career.moves == 102
    assert career.think == MoveTimes(49, 95, 99)
    assert career.lag == MoveTimes(1, 1, 1)
    assert not journal.reader().career("nobody").is_known


@pytest.mark.parametrize("number", [0, -1, 1 << 63, 1 << 80])
def test_no_match_has_an_absurd_number(journal: Journal, number: int) -> None:
    assert journal.reader().match(number) is None


def test_neighbours_of_a_match_are_each_players_own(journal: Journal) -> None:
    pairs = {1: ("ann", "bób"), 2: ("bób", "cleo"), 4: ("ann", "cleo"), 7: ("bób", "ann")}
    for number, pair in pairs.items():
        seats = tuple(evolve(seat, player=player) for seat, player in zip(record(1).seats, pair, strict=True))
        journal.append([], [evolve(record(number), seats=seats)])
    reader = journal.reader()
    assert reader.neighbours(4, ("ann", "cleo")) == ((1, 7), (2, None))
    assert reader.neighbours(1, ("ann", "bób")) == ((None, 4), (None, 2))
    assert reader.neighbours(9, ("bób", "nobody")) == ((7, None), (None, None)), "a match that is being played"
    assert reader.neighbours(1, ()) == ()
