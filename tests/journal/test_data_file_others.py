"""Others that open the data file: a stranger that writes into it, a second server, readers, other users."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gameserver.journal.file_lock import exposed
from gameserver.journal.journal import JournalBroken, JournalError
from gameserver.journal.sqlite import SqliteJournal
from tests.journal.data_files import beside, stranger
from tests.journal.test_contract import rows

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
