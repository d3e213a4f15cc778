"""A copy has every row, and a server goes on from it; one that cannot be made leaves nothing behind."""

import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from gameserver.core.commands import KeepRanking, Seek
from gameserver.core.events import SeatsBy
from gameserver.core.lobby import At
from gameserver.database.address import is_postgresql
from gameserver.database.connection import DatabaseConnection
from gameserver.database.sqlite import layout
from gameserver.journal.codec import write_row
from gameserver.journal.copy import Copied, CopyRefused, copy, open_source, open_target, rows_to_read
from gameserver.journal.journal import Journal, JournalBroken, JournalError
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest, write_snapshot
from gameserver.journal.sqlite import FileInUse
from gameserver.records import store
from gameserver.records.match_record import EpochRecord, RestartRecord
from gameserver.records.tournament_record import Attendance, AttendanceRecord
from tests.exports.matches import played
from tests.journal.data_files import copy_of, stranger
from tests.journal.test_recovery import GAMES, played_lobby
from tests.records.test_tournament_record import keep
from tests.records.test_tournament_record import played as played_tournament
from tests.support.journals import open_journal
from tests.support.postgresql import Cluster
from tests.support.tables import table

RESTART = RestartRecord(2, 5_000, "2026-09-21T14:13:20.500+00:00", "2026-09-21T14:13:27.800+00:00")
END_COPY = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gameserver copy'"
EPOCH = EpochRecord("ab" * 32, 1, 1, 7, "2026-09-21T14:13:20.500+00:00", "cd" * 32, "2026-09-22T14:13:20.500+00:00")
NO_SHOW = AttendanceRecord(3, "2026-09-21T14:13:20.500+00:00", 5_000, Attendance.NO_SHOW, 1, "bób", "it was away")

RANKING = KeepRanking("Reversi", "2026-09-22", (("bób", 1512.25, 88.5, 30), ("ann", 1487.75, 90.5, 30)))


def fill(journal: Journal) -> None:
    """Live matches after a snapshot, finished ones with and without a rating, one of each other record."""
    harness = played_lobby()
    half = len(harness.rows) // 2
    journal.append(harness.rows[:half])
    found = replay(journal, GAMES)
    journal.save_snapshot(write_snapshot(found.lobby, found.seq, found.now_ms))
    journal.trim(half)
    one = played("Reversi")
    rated = [evolve(seat, rating=1500.1 + seat.seat / 3, deviation=99.0) for seat in one.seats]
    on_ladder = evolve(one, match=1_000, seats=tuple(rated), seats_by=SeatsBy.LADDER)
    records = [on_ladder, evolve(played("Backgammon", moves_max=30), match=1_001)]
    others = [NO_SHOW, RESTART, EPOCH, evolve(NO_SHOW, what=Attendance.CAME), RANKING]
    journal.append(harness.rows[half:], [*records, *others])
    # The rest of a match after `gameserver records prune`.
    store.prune(journal._connected(), [(1_001, 30)], "2026-10-01T00:00:00.000+00:00")
    keep(journal, played_tournament("swiss-cut"))


def rows_of(connection: DatabaseConnection) -> dict[str, list[Any]]:
    return {
        table.name: connection.execute(
            f"SELECT {', '.join(table.columns)} FROM {table.name} ORDER BY {', '.join(table.key)}"
        ).fetchall()
        for table in layout()
    }


def everything(data: str, hall: str = "") -> dict[str, list[Any]]:
    """All rows of a database."""
    with open_target(data, hall) as side:
        return rows_of(side.connection)


def copied(source: str, target: str, from_hall: str = "", to_hall: str = "") -> Copied:
    with open_source(source, from_hall) as from_side, open_target(target, to_hall) as to_side:
        return copy(from_side, to_side, GAMES)


Place = Callable[[str], str]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """The names of new data files."""
    return lambda name: str(tmp_path / f"{name}.sqlite3")


@pytest.fixture(params=["sqlite", "postgresql"])
def target(request: pytest.FixtureRequest, place: Place) -> str:
    """An empty database to copy to, of each kind."""
    return place("target") if request.param == "sqlite" else str(request.getfixturevalue("tables"))


@pytest.fixture
def source(place: Place) -> str:
    """A data file with something in every table."""
    with closing(open_journal(place("source"))) as journal:
        fill(journal)
    return place("source")


def test_every_row_is_there_and_back(source: str, target: str, place: Place) -> None:
    there = copied(source, target)
    back = copied(target, place("back"))
    before = everything(source)
    assert min(len(rows) for rows in before.values()) > 0, "a table is not tested"
    assert everything(place("back")) == everything(target) == before
    assert there == back
    assert there.rows == {name: len(rows) for name, rows in before.items()}
    assert there.live_matches == 2


def test_every_row_that_is_read_is_told(source: str, target: str) -> None:
    """The rows told after each page add up to the number told before the first."""
    told: list[int] = []
    with open_source(source) as from_side, open_target(target) as to_side:
        from_side.advance = to_side.advance = told.append
        expected = rows_to_read(from_side)
        copy(from_side, to_side, GAMES)
    assert sum(told) == expected == 2 * sum(len(rows) for rows in everything(source).values())


def test_a_server_goes_on_where_the_other_stopped(source: str, target: str) -> None:
    there = copied(source, target)
    with closing(open_journal(source)) as before, closing(open_journal(target)) as after:
        lobbies = [replay(journal, GAMES) for journal in (before, after)]
        assert {digest(one.lobby) for one in lobbies} == {there.lobby_digest}
        assert lobbies[0].seq == lobbies[1].seq == after.last()
        for journal in (before, after):
            journal.append([write_row(after.last() + 1, At(9, 9, 9), Seek(1, "Reversi"))], [NO_SHOW])
    numbers = [row[0] for row in everything(target)["attendance"]]
    assert len(numbers) == 3
    assert numbers == sorted(numbers)


def test_matches_of_a_game_that_is_missing_here_are_copied(source: str, target: str) -> None:
    """The server that is started on the copy may have the plug-in."""
    without = {name: game for name, game in GAMES.items() if name != "dice"}
    with open_source(source) as from_side, open_target(target) as to_side:
        copy(from_side, to_side, without)
    assert everything(target) == everything(source)


def test_a_character_that_postgresql_lacks_is_replaced_and_counted(source: str, target: str) -> None:
    stranger(Path(source), "UPDATE attendance SET why = 'it was' || char(0) || 'away'")
    there = copied(source, target)
    kept = {why for *_, why in everything(target)["attendance"]}
    if is_postgresql(target):
        assert (there.adapted, kept) == (there.rows["attendance"], {"it was\N{REPLACEMENT CHARACTER}away"})
    else:
        assert (there.adapted, kept) == (0, {"it was\0away"})


def test_a_killed_first_server_leaves_a_row_that_is_copied(place: Place, target: str) -> None:
    with closing(open_journal(place("first"))) as journal:
        journal.append(played_lobby().rows[:1])
        copy_of(Path(place("first")), "killed.sqlite3")
    copied(place("killed"), target)
    with closing(open_journal(target)) as journal:
        assert journal.last() == 1


def test_a_target_with_something_in_it_is_refused(source: str, target: str) -> None:
    copied(source, target)
    before = everything(target)
    with pytest.raises(CopyRefused, match=r" is not empty \(rows: journal \d+, snapshot 1, match 2,"):
        copied(source, target)
    assert everything(target) == before


def test_a_source_or_target_in_use_is_refused(source: str, place: Place, target: str) -> None:
    copied(source, target)
    with closing(open_journal(target)):
        for between in ((target, place("other")), (source, target)):
            with pytest.raises((FileInUse, CopyRefused), match="is in use by"):
                copied(*between)
    assert not Path(place("other")).exists()


def test_a_source_with_nothing_in_it_is_refused(source: str, database: str, place: Place) -> None:
    with pytest.raises(CopyRefused, match="there is no data file"):
        copied(place("nowhere"), place("target"))
    assert not Path(place("nowhere")).exists()
    with pytest.raises(JournalBroken, match="has no records"):
        copied(database, place("target"))
    copied(source, database, to_hall="reversi")
    with pytest.raises(CopyRefused, match="is empty, so nothing was copied; halls with data: reversi"):
        copied(database, place("target"))


@pytest.mark.parametrize(("damage", "what"), table(__file__, "damage to a source, and what is said"))
def test_a_damaged_source_is_refused(source: str, target: str, damage: str, what: str) -> None:
    stranger(Path(source), damage)
    with pytest.raises(JournalBroken, match=what):
        copied(source, target)
    assert not any(everything(target).values())


def test_what_the_target_keeps_otherwise_is_noticed(source: str, target: str) -> None:
    copied_tables: list[str] = []
    with open_source(source) as from_side, open_target(target) as to_side:
        insert = to_side.connection.insert

        def forgetful(table: str, columns: str, rows: list[tuple[object, ...]], **_: object) -> int:
            copied_tables.append(table)
            return insert(table, columns, rows[:-1] if table == "restart" else rows)

        to_side.connection.insert = forgetful  # type: ignore[method-assign, assignment]
        with pytest.raises(CopyRefused, match="did not keep the table restart"):
            copy(from_side, to_side, GAMES)
    assert "restart" in copied_tables
    assert not any(everything(target).values())


def test_a_full_disk_is_said_of_the_target(source: str, place: Place) -> None:
    with closing(open_journal(source)) as journal:
        journal.append([], [evolve(played("Reversi"), match=number) for number in range(2_000, 2_020)])
    with open_source(source) as from_side, open_target(place("target")) as to_side:
        to_side.connection.execute("PRAGMA max_page_count = 1")
        with pytest.raises(JournalBroken, match=r"target\.sqlite3 cannot be used .* full; make room on the disk"):
            copy(from_side, to_side, GAMES)
    assert not any(everything(place("target")).values())


@pytest.mark.parametrize("ended", ["source", "target"])
def test_a_session_that_ends_leaves_the_target_empty(
    source: str, place: Place, tables: str, cluster: Cluster, ended: str
) -> None:
    """With the session the lock is gone, so that a server may write to the source, or to the target."""
    names = (tables, place("target"))
    if ended == "source":
        copied(source, tables)
    else:
        names = (source, tables)
    with open_source(names[0]) as from_side, open_target(names[1]) as to_side:
        insert = to_side.connection.insert

        def interrupted(table: str, *values: Any, **options: Any) -> int:
            if table == "restart":
                cluster.execute(END_COPY)
            return insert(table, *values, **options)

        to_side.connection.insert = interrupted  # type: ignore[method-assign]
        with pytest.raises(JournalError, match="the database postgresql://"):
            copy(from_side, to_side, GAMES)
    assert not any(everything(names[1]).values())


def test_halls_lie_side_by_side(source: str, tables: str, place: Place) -> None:
    first = copied(source, tables)
    stranger(Path(source), "UPDATE rating SET rating = 1234.5, matches = 7 WHERE player = 'ann'")
    stranger(Path(source), "INSERT INTO rating VALUES ('Reversi', 'cleo', 1700.0, 50.0, 3)")
    second = copied(source, tables, to_hall="reversi")
    assert (first.stood, second.stood, second.rows["rating"]) == (0, 2, 1)
    assert everything(tables, "reversi") | {"rating": []} == everything(source) | {"rating": []}
    ratings = everything(tables)["rating"]
    assert everything(tables, "reversi")["rating"] == ratings
    assert [row[:2] for row in ratings] == [("Reversi", "ann"), ("Reversi", "bob"), ("Reversi", "cleo")]
    assert ratings[0][2] != 1234.5, "that of the first hall stands"
    copied(tables, place("back"), from_hall="reversi")
    assert everything(place("back")) == everything(tables, "reversi")
    moved = copied(tables, tables, "reversi", "third")
    assert moved.stood == 3
    assert everything(tables, "third") == everything(tables, "reversi")


def test_a_server_that_has_just_stopped_is_waited_for(source: str, tables: str) -> None:
    """PostgreSQL ends a session a moment after its client has gone."""
    server = open_journal(tables)
    ends = threading.Timer(0.2, server.close)
    ends.start()
    assert copied(source, tables).live_matches == 2
    ends.join()


@pytest.mark.parametrize("hall", ["to_hall", "from_hall"])
def test_a_data_file_has_no_halls(source: str, place: Place, hall: str) -> None:
    with pytest.raises(CopyRefused, match="has no halls"):
        copied(source, place("target"), **{hall: "reversi"})
