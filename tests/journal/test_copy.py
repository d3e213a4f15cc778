"""A copy has every row, and a server goes on from it; one that cannot be made leaves nothing behind."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from attrs import evolve

from gameserver.database.connection import Connection
from gameserver.journal.copy import Copied, CopyRefused, copy
from gameserver.journal.copy_sides import open_source, open_target
from gameserver.journal.data_file import layout
from gameserver.journal.file_lock import FileInUse
from gameserver.journal.journal import Journal, JournalBroken
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest, write_snapshot
from gameserver.journal.sqlite import SqliteJournal
from gameserver.records.attendance import Attendance, AttendanceRecord
from gameserver.records.restarts import RestartRecord
from tests.exports.matches import played
from tests.journal.test_recovery import GAMES, played_lobby
from tests.records.test_tournament_record import keep
from tests.records.test_tournament_record import played as played_tournament

RESTART = RestartRecord(2, 5_000, "2026-09-21T14:13:20.500+00:00", "2026-09-21T14:13:27.800+00:00")
NO_SHOW = AttendanceRecord(3, "2026-09-21T14:13:20.500+00:00", 5_000, Attendance.NO_SHOW, 1, "bób", "it was away")


def fill(journal: Journal) -> None:
    """Live matches after a snapshot, finished ones with and without a rating, a tournament, a no-show, a restart."""
    harness = played_lobby()
    half = len(harness.rows) // 2
    journal.append(harness.rows[:half])
    found = replay(journal, GAMES)
    journal.save_snapshot(write_snapshot(found.lobby, found.seq, found.now_ms))
    journal.trim(half)
    one = played("Reversi")
    rated = [evolve(seat, rating=1500.1 + seat.seat / 3, deviation=99.0) for seat in one.seats]
    records = [evolve(one, match=1_000, seats=tuple(rated)), evolve(played("Backgammon", moves_max=30), match=1_001)]
    journal.append(harness.rows[half:], [*records, NO_SHOW, RESTART, evolve(NO_SHOW, what=Attendance.CAME)])
    keep(journal, played_tournament("swiss"))


def rows_of(connection: Connection) -> dict[str, list[object]]:
    return {
        table.name: connection.execute(
            f"SELECT {', '.join(table.columns)} FROM {table.name} ORDER BY {', '.join(table.key)}"
        ).fetchall()
        for table in layout()
    }


def everything(data: str) -> dict[str, list[object]]:
    """All rows of a database."""
    with open_source(data, "") as side:
        return rows_of(side.connection)


def copied(source: str, target: str) -> Copied:
    with open_source(source, "") as from_side, open_target(target, "") as to_side:
        return copy(from_side, to_side, GAMES)


Place = Callable[[str], str]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """The names of new databases."""
    return lambda name: str(tmp_path / f"{name}.sqlite3")


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "source.sqlite3"
    with closing(SqliteJournal(path, "off")) as journal:
        fill(journal)
    return str(path)


def test_every_row_is_there_and_back(source: str, place: Place) -> None:
    there = copied(source, place("target"))
    back = copied(place("target"), place("back"))
    before = everything(source)
    assert min(len(rows) for rows in before.values()) > 0, "a table is not tested"
    assert everything(place("back")) == before
    assert there == back
    assert there.rows == {name: len(rows) for name, rows in before.items()}
    assert there.live_matches == 2


def test_the_lobby_goes_on(source: str, place: Place) -> None:
    there = copied(source, place("target"))
    journals = SqliteJournal(Path(source)), SqliteJournal(Path(place("target")))
    lobbies = [replay(journal, GAMES) for journal in journals]
    assert {digest(one.lobby) for one in lobbies} == {there.lobby_digest}
    assert lobbies[0].seq == lobbies[1].seq == journals[1].last()
    for journal in journals:
        journal.close()


def test_a_killed_first_server_leaves_a_row_that_is_copied(place: Place) -> None:
    with closing(SqliteJournal(Path(place("first")))) as journal:
        journal.append(played_lobby().rows[:1])
        for suffix in ("", "-wal"):
            shutil.copy(place("first") + suffix, place("killed") + suffix)
    copied(place("killed"), place("target"))
    with closing(SqliteJournal(Path(place("target")))) as journal:
        assert journal.last() == 1


def test_rows_of_the_first_format_get_their_checksum(source: str, place: Place) -> None:
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("UPDATE journal SET crc = NULL")
        connection.execute("UPDATE snapshot SET crc = NULL")
        connection.commit()
    copied(source, place("target"))
    assert all(row[-1] is not None for row in everything(place("target"))["journal"])


def test_a_target_with_something_in_it_is_refused(source: str, place: Place) -> None:
    copied(source, place("target"))
    before = everything(place("target"))
    with pytest.raises(CopyRefused, match=r"target.sqlite3 is not empty \(rows: journal \d+, snapshot 1, match 2,"):
        copied(source, place("target"))
    assert everything(place("target")) == before


def test_a_source_in_use_is_refused(source: str, place: Place) -> None:
    with closing(SqliteJournal(Path(source))), pytest.raises(FileInUse):
        copied(source, place("target"))
    assert not Path(place("target")).exists()


def test_a_target_in_use_is_refused(source: str, place: Place) -> None:
    with closing(SqliteJournal(Path(place("target")))), pytest.raises(FileInUse):
        copied(source, place("target"))


def test_a_source_that_is_not_there_is_refused_and_not_made(place: Place) -> None:
    with pytest.raises(CopyRefused, match="there is no data file"):
        copied(place("nowhere"), place("target"))
    assert not Path(place("nowhere")).exists()


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (
            "UPDATE journal SET body = '{}' WHERE seq = (SELECT min(seq) FROM journal)",
            "of the journal is damaged",
        ),
        (
            "UPDATE journal SET body = '{}' WHERE seq = (SELECT max(seq) FROM journal)",
            "of the journal is damaged",
        ),
        ("UPDATE snapshot SET body = '{}'", "the snapshot"),
        ("DELETE FROM journal WHERE seq = 8", "row 8 of the journal"),
    ],
)
def test_a_damaged_source_is_refused(source: str, place: Place, damage: str, what: str) -> None:
    with closing(sqlite3.connect(source)) as connection:
        connection.execute(damage.replace("'{}'", "x'7b7d'"))
        connection.commit()
    with pytest.raises(JournalBroken, match=what):
        copied(source, place("target"))
    assert not any(everything(place("target")).values())


def test_what_the_target_keeps_otherwise_is_noticed(source: str, place: Place) -> None:
    copied_tables: list[str] = []
    with open_source(source, "") as from_side, open_target(place("target"), "") as to_side:
        insert = to_side.connection.insert

        def forgetful(table: str, columns: str, rows: list[tuple[object, ...]], **_: object) -> int:
            copied_tables.append(table)
            return insert(table, columns, rows[:-1] if table == "restart" else rows)

        to_side.connection.insert = forgetful  # type: ignore[method-assign, assignment]
        with pytest.raises(CopyRefused, match="did not keep the table restart"):
            copy(from_side, to_side, GAMES)
    assert "restart" in copied_tables
    assert not any(everything(place("target")).values())
