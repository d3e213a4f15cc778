"""Others that open the data file: a stranger that writes into it, a second server, readers, other users."""

import os
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gameserver.journal.file_lock import exposed
from gameserver.journal.journal import JournalBroken, JournalError
from gameserver.journal.sqlite import SqliteJournal
from tests.journal.data_files import beside, in_another_process, stranger
from tests.journal.test_contract import record, rows

posix_only = pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX'")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.sqlite3"


FOREIGN_ROW = "INSERT INTO journal VALUES (?, 1, 1, 1, 'seek', 1, '{}', NULL)".replace("'{}'", "x'7b7d'")


def test_foreign_row_stops_the_journal_with_one_line(file: Path) -> None:
    with closing(SqliteJournal(file)) as journal:
        journal.append(rows(1, 2))
        stranger(file, FOREIGN_ROW, 3)
        with pytest.raises(JournalError, match="UNIQUE"):
            journal.append(rows(3, 1))
        with pytest.raises(JournalBroken, match="row 3 of the journal was written by somebody else") as error:
            journal.append(rows(3, 1))
        assert "\n" not in str(error.value)


def test_equal_number_of_foreign_rows_is_detected(file: Path) -> None:
    with closing(SqliteJournal(file)) as journal:
        journal.append(rows(1, 2))
        for seq in (3, 4):
            stranger(file, FOREIGN_ROW, seq)
        with pytest.raises(JournalError):
            journal.append(rows(3, 2))
        with pytest.raises(JournalBroken, match=r"row 3 .* another server has this data file too"):
            journal.append(rows(3, 2))


def test_second_server_is_refused_by_any_name_of_the_file(file: Path, other_name: Callable[[], Path]) -> None:
    with closing(SqliteJournal(file)) as journal:
        journal.append(rows(1, 1), [record(1)])
        for _ in range(3):  # each opens the file and closes it again, in this process, as pages do
            assert journal.reader().match(1) == record(1)
        said = in_another_process(
            """
            try:
                SqliteJournal(Path(sys.argv[1]))
            except JournalBroken as broken:
                print(broken)
            """,
            other_name(),
        )
        holder = f" (process {os.getpid()})" if sys.platform == "linux" else ""
        assert said.endswith(f" is in use by another server{holder}; stop that one, or use another data file\n")
        assert said.count("\n") == 1
        journal.append(rows(2, 1))
    SqliteJournal(file).close()


@pytest.fixture(params=["itself", "symbolic link", "hard link", "without its lock file"])
def other_name(request: pytest.FixtureRequest, file: Path) -> Callable[[], Path]:
    """The file by another name, made while a server has it."""

    def made() -> Path:
        beside(file, ".lock").unlink(missing_ok=True)
        other = file.with_name("other.sqlite3")
        if request.param == "symbolic link":
            other.symlink_to(file)
        elif request.param == "hard link":
            other.hardlink_to(file)
        return other if other.exists() else file

    return made


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
