"""Starts over the data file, new, interrupted or not whole; and others that open it."""

import os
import re
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gameserver.journal import sqlite
from gameserver.journal.journal import JournalBroken, JournalError, Snapshot
from gameserver.journal.recovery import replay
from gameserver.journal.sqlite import SqliteJournal, exposed
from tests.journal.data_files import beside, copy_of, in_another_process, stranger
from tests.journal.test_contract import record, rows
from tests.support.tables import table

posix_only = pytest.mark.skipif(os.name != "posix", reason="forks and file modes are POSIX'")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.sqlite3"


def killed(file: Path, batches: int = 3) -> Path:
    """A young data file as a kill leaves it: one match of it is on record, in the log alone."""
    journal = SqliteJournal(file)
    for number in range(1, batches + 1):
        journal.append(rows(number, 1), [record(1)] if number == 2 else [])
    copy = copy_of(file, "killed.sqlite3")
    journal.close()
    return copy


def content(file: Path) -> dict[str, bytes]:
    return {suffix: beside(file, suffix).read_bytes() for suffix in ("", "-wal") if beside(file, suffix).exists()}


def refused(file: Path, says: str) -> None:
    """The file cannot be opened, says so in one line, and is left as it was; the second time too."""
    before = content(file)
    for _ in range(2):
        with pytest.raises(JournalBroken, match=says) as error:
            SqliteJournal(file)
        assert "\n" not in str(error.value)
        assert content(file) == before


def test_log_that_kills_have_left_counts_for_the_next_checkpoint(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gameserver.journal.sqlite.LOG_PAGES_MAX", 10)
    with closing(SqliteJournal(killed(file, batches=12))) as journal:
        assert journal.checkpoint_is_due
        journal.checkpoint()
        assert not journal.checkpoint_is_due


def flip(file: Path, at: int) -> None:
    """Damage a byte; the end of the file counts from the last one, below zero."""
    damaged = bytearray(file.read_bytes())
    damaged[at] ^= 0xFF
    file.write_bytes(damaged)


HEADER_DAMAGED = "write-ahead log killed.sqlite3-wal alone, and its header is damaged.*serve --accept-damage"


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda _, log: log.unlink(), "killed.sqlite3-wal, which is missing.*put killed.sqlite3-wal back"),
        (lambda _, log: log.write_bytes(b""), "holds no match without it"),
        (lambda _, log: flip(log, 0), HEADER_DAMAGED),
        (lambda _, log: flip(log, 9), HEADER_DAMAGED),
        (lambda _, log: flip(log, 17), HEADER_DAMAGED),
        (lambda _, log: flip(log, 25), HEADER_DAMAGED),
        (
            lambda young, _: young.write_bytes(b""),
            "killed.sqlite3 is empty.*or delete killed.sqlite3-wal to start with an empty one",
        ),
    ],
    ids=["no log", "an empty log", "magic", "page size", "salt", "checksum", "no file"],
)
def test_young_file_without_all_of_its_log_is_refused(
    file: Path, damage: Callable[[Path, Path], object], says: str
) -> None:
    young = killed(file)
    damage(young, beside(young, "-wal"))
    refused(young, says)


FRAME = 24 + 4096


@pytest.mark.parametrize("at", [24 + 100, 4, 8, 12, 16], ids=["page", "commit", "salt 1", "salt 2", "checksum"])
@pytest.mark.parametrize("is_old", [False, True], ids=["a new log", "a log restarted over older frames"])
def test_log_damaged_in_its_middle_is_refused_or_read_up_to_there(file: Path, at: int, *, is_old: bool) -> None:
    """Also where the frame's own header is damaged, which SQLite takes for a frame left from before."""
    with closing(SqliteJournal(file)) as journal:
        journal.append(rows(1, 1))
        if is_old:
            for number in range(2, 22):
                journal.append(rows(number, 1))
            journal.checkpoint()
        first = journal.last() + 1
        for number in range(first, first + 6):
            journal.append(rows(number, 1))
        damaged = copy_of(file, "damaged.sqlite3")
    flip(beside(damaged, "-wal"), 32 + 2 * FRAME + at)
    refused(damaged, r"damaged after 2 transactions: up to 4 later ones are lost; nothing was changed")
    before = content(damaged)
    with closing(SqliteJournal(damaged, accept_damage=True)) as journal:
        assert journal.last() == first + 1
        assert "up to 4 later ones are lost; copies of both files" in journal.lost
        assert list(journal.read_from(1)) == rows(1, first + 1)
    copy = file.with_name("damaged.sqlite3.damaged-1")
    assert content(copy) == before
    assert (copy.stat().st_mode & 0o077 == 0) or os.name != "posix"


def test_log_that_was_restarted_before_and_after_kills_is_whole(file: Path) -> None:
    """SQLite counts its checkpoints anew in each process, and older frames stay behind the new ones."""
    with closing(SqliteJournal(file)) as journal:
        journal.append(rows(1, 2))
        journal.append(rows(3, 1))
    last = 3
    for start, commits in enumerate([(12, 8, 3), (1, 2), (1, 1)]):
        with closing(SqliteJournal(file)) as journal:
            assert (journal.last(), journal.lost) == (last, "")
            for some in commits:
                journal.checkpoint()
                for _ in range(some):
                    last += 1
                    journal.append(rows(last, 1))
            killed_one = copy_of(file, f"killed-{start}.sqlite3")
        file = killed_one
    with closing(SqliteJournal(file)) as journal:
        assert (journal.last(), journal.lost) == (last, "")


def test_what_accepted_damage_has_cost_is_said_once(file: Path) -> None:
    """Lost transactions lie behind those that came later, and must not count as lost again after a kill."""
    damaged = killed(file, batches=9)
    flip(beside(damaged, "-wal"), 32 + 2 * FRAME + 24 + 100)
    with closing(SqliteJournal(damaged, accept_damage=True)) as journal:
        assert "later ones are lost" in journal.lost
        journal.append(rows(journal.last() + 1, 1))
        again = copy_of(damaged, "again.sqlite3")
        last = journal.last()
    with closing(SqliteJournal(again)) as journal:
        assert (journal.last(), journal.lost) == (last, "")


INCOMPLETE = "killed.sqlite3-wal: its last transaction is incomplete, as after a power cut, and left out"
SEVERAL = "transactions are incomplete, as after a power cut, and left out; copies of both files"


@pytest.mark.parametrize(
    ("batches", "synchronous", "damage", "last", "lost"),
    [
        (3, "full", lambda log: flip(log, 24 + 100 - FRAME), 2, f"^{INCOMPLETE}$"),
        (3, "full", lambda log: log.write_bytes(log.read_bytes()[:-100]), 2, ""),
        (9, "normal", lambda log: flip(log, 32 + 24 + 100), 1, SEVERAL),
    ],
    ids=["the very end", "half a page", "several without a sync for each"],
)
def test_what_a_power_cut_leaves_incomplete_is_left_out_and_said(
    file: Path, batches: int, synchronous: str, damage: Callable[[Path], object], last: int, lost: str
) -> None:
    """Nobody was told of it."""
    young = killed(file, batches)
    damage(beside(young, "-wal"))
    with closing(SqliteJournal(young, synchronous)) as journal:
        assert list(journal.read_from(1)) == rows(1, last)
        assert re.search(lost, journal.lost)
    assert any(file.parent.glob("*.damaged-*")) == (lost == SEVERAL)


def test_database_of_something_else_in_wal_mode_is_left_alone(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript("CREATE TABLE journal (entry TEXT); CREATE TABLE diary (day TEXT);")
        copy_of(file, "old.sqlite3")
    refused(file.with_name("old.sqlite3"), "a database of something else")


@pytest.mark.parametrize(("statement", "says"), table(__file__, "damage to rows, and what a start says"))
def test_damaged_and_missing_rows_are_named(file: Path, statement: str, says: str) -> None:
    with closing(SqliteJournal(file)) as journal:
        journal.append(rows(1, 6))
        if "snapshot" in statement:
            journal.save_snapshot(Snapshot(1, 5, 1, b"{}"))
    stranger(file, statement)
    with closing(SqliteJournal(file)) as journal, pytest.raises(JournalBroken, match=says):
        replay(journal, {})


def damage_page(file: Path, table: str) -> None:
    """Overwrite the first page of a table."""
    with closing(sqlite3.connect(file)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    with file.open("r+b") as raw:
        raw.seek((page - 1) * 4096)
        raw.write(b"\xa5" * 4096)


@pytest.mark.parametrize("whole", [True, False], ids=["every page", "the pages of a start"])
@pytest.mark.parametrize("table", ["journal", "snapshot", "match", "rating"])
def test_damaged_pages_are_named_before_anything_is_changed(
    file: Path, table: str, monkeypatch: pytest.MonkeyPatch, *, whole: bool
) -> None:
    if not whole:
        monkeypatch.setattr(sqlite, "WHOLE_CHECK_BYTES_MAX", 0)
    with closing(SqliteJournal(file)) as journal:
        journal.append(rows(1, 3), [record(1)])
    damage_page(file, table)
    refused(file, r"data.sqlite3 is damaged \(.*\); nothing was changed; restore it from a backup")


def test_page_that_goes_bad_while_the_server_runs_stops_it_with_one_line(file: Path) -> None:
    with closing(SqliteJournal(file)) as journal:
        journal.append(rows(1, 3), [record(1)])
    with closing(SqliteJournal(file)) as journal:
        damage_page(file, "journal")
        journal._connection.execute("PRAGMA cache_size = 0")
        with pytest.raises(JournalBroken, match="is damaged"):
            journal.append(rows(4, 1))


def test_snapshot_that_cannot_be_read_now_is_no_end_of_the_server(file: Path) -> None:
    """The server looks for the one before whenever it keeps one, and goes on without."""
    kept = Snapshot(3, 3, 1, b"kept")
    with closing(SqliteJournal(file)) as journal:
        journal.append(rows(1, 3))
        journal.save_snapshot(kept)
        stranger(file, "ALTER TABLE snapshot RENAME TO away")
        with pytest.raises(JournalError):
            journal.load_snapshot()
        stranger(file, "ALTER TABLE away RENAME TO snapshot")
        assert journal.load_snapshot() == kept


KILLED_FIRST_STARTS = """
    directory, kills = Path(sys.argv[1]), int(sys.argv[2])
    left = set()
    for number in range(kills):
        file = directory / f"data{number}.sqlite3"
        child = os.fork()
        if not child:
            journal = SqliteJournal(file)
            for seq in range(1, 200):
                journal.append(rows(seq, 1), [record(seq)])
            os._exit(0)
        while not file.exists():
            pass
        time.sleep(number * 0.05 / kills)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        left.add(file.stat().st_size)
        journal = SqliteJournal(file)
        last = journal.last()
        assert list(journal.read_from(1)) == rows(1, last)
        assert journal.last_match() == last
        journal.append(rows(last + 1, 1))
        journal.close()
    print(len(left))
"""


@posix_only
@pytest.mark.parametrize("kills", [40, pytest.param(2_000, marks=(pytest.mark.slow, pytest.mark.timeout(600)))])
def test_first_start_killed_at_any_moment_leaves_a_usable_file(tmp_path: Path, kills: int) -> None:
    assert int(in_another_process(KILLED_FIRST_STARTS, tmp_path, kills)) > 1, "no kill came early enough"


FULL_DISKS = """
    directory = Path(sys.argv[1])
    for number, limit in enumerate([*range(0, 8192, 1024), *range(8192, 140_000, 8192)]):
        file = directory / f"data{number}.sqlite3"
        child = os.fork()
        if not child:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            try:
                journal = SqliteJournal(file)
                for seq in range(1, 9):
                    journal.append(rows(seq, 1), [record(seq)])
            except (JournalBroken, JournalError) as error:
                print(type(error).__name__, str(error).count("\\n"), flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        journal = SqliteJournal(file)
        last = journal.last()
        assert journal.last_match() == last
        journal.append(rows(last + 1, 1))
        journal.close()
"""


@posix_only
def test_disk_that_is_full_at_the_first_start_leaves_a_usable_file(tmp_path: Path) -> None:
    said = set(in_another_process(FULL_DISKS, tmp_path).splitlines())
    assert said == {"JournalBroken 0", "JournalError 0"}


def test_a_killed_file_is_read_with_its_log(file: Path) -> None:
    with closing(SqliteJournal(killed(file))) as journal:
        assert list(journal.read_from(1)) == rows(1, 3)
        assert journal.last_match() == 1


FOREIGN_ROW = "INSERT INTO journal VALUES (?, 1, 1, 1, 'seek', 1, '{}', 0)".replace("'{}'", "x'7b7d'")


@pytest.mark.parametrize(
    ("foreign", "says"),
    [(1, "row 3 of the journal was written by somebody else"), (2, r"row 3 .* another server has this data file too")],
)
def test_foreign_rows_stop_the_journal_with_one_line(file: Path, foreign: int, says: str) -> None:
    with closing(SqliteJournal(file)) as journal:
        journal.append(rows(1, 2))
        for seq in range(3, 3 + foreign):
            stranger(file, FOREIGN_ROW, seq)
        with pytest.raises(JournalError, match="UNIQUE"):
            journal.append(rows(3, foreign))
        with pytest.raises(JournalBroken, match=says) as error:
            journal.append(rows(3, foreign))
        assert "\n" not in str(error.value)


def test_second_server_is_refused_by_any_name_of_the_file(file: Path) -> None:
    symbolic, hard = file.with_name("symbolic.sqlite3"), file.with_name("hard.sqlite3")
    with closing(SqliteJournal(file)) as journal:
        journal.append(rows(1, 1), [record(1)])
        for _ in range(3):  # each opens the file and closes it again, in this process, as pages do
            assert journal.reader().match(1) == record(1)
        symbolic.symlink_to(file)
        hard.hardlink_to(file)
        program = """
            for name in sys.argv[1:]:
                try:
                    SqliteJournal(Path(name))
                except JournalBroken as broken:
                    print(broken)
        """
        said = in_another_process(program, file, symbolic, hard).splitlines()
        holder = f" (process {os.getpid()})" if sys.platform == "linux" else ""
        refusal = f" is in use by another server{holder}; stop that one, or use another data file"
        assert [line.endswith(refusal) for line in said] == [True] * 3, said
        journal.append(rows(2, 1))
    SqliteJournal(file).close()


@posix_only
def test_new_data_file_is_for_its_owner_alone(file: Path) -> None:
    umask = os.umask(0o022)
    try:
        with closing(SqliteJournal(file)) as journal:
            journal.append(rows(1, 1))
            modes = {name.name: name.stat().st_mode & 0o777 for name in file.parent.iterdir()}
    finally:
        os.umask(umask)
    assert modes == dict.fromkeys(("data.sqlite3", "data.sqlite3-wal", "data.sqlite3-shm"), 0o600)
    assert exposed(file) == ()


@posix_only
def test_wider_mode_is_kept_and_told(file: Path) -> None:
    SqliteJournal(file).close()
    file.chmod(0o640)
    with closing(SqliteJournal(file)) as journal:
        journal.append(rows(1, 1))
        assert file in exposed(file)
        assert file.stat().st_mode & 0o777 == 0o640
