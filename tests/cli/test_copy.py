"""`gameserver copy`: what it says, in one line where nothing is copied."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gameserver.cli.main import main
from gameserver.journal.sqlite import SqliteJournal
from tests.exports.matches import played
from tests.journal.data_files import beside
from tests.journal.test_data_file import flip, killed


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["copy", *map(str, arguments)])


@pytest.fixture
def source(tmp_path: Path) -> Path:
    with closing(SqliteJournal(tmp_path / "source.sqlite3", "off")) as journal:
        journal.append([], [played("Tic-tac-toe")])
    return tmp_path / "source.sqlite3"


def test_counts_and_digests_are_printed(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.sqlite3"
    done = run(source, target)
    assert done.exit_code == 0
    first, *counts, live, rows, lobby, last = done.output.splitlines()
    assert first == f"copied {source} to {target}, read back and compared:"
    assert counts[2].split() == ["match", "1"]
    assert live == "live matches: 0, players: 0"
    assert len(rows.split()[-1]) == len(lobby.split()[-1]) == 64
    assert last == f"start the server on {target} from now on, and no more on {source}"


def test_transaction_that_a_power_cut_left_incomplete_is_named(tmp_path: Path) -> None:
    """The source is opened as by a server, so a server that is started on it later has nothing left to say."""
    young = killed(tmp_path / "data.sqlite3")
    log = beside(young, "-wal")
    flip(log, log.stat().st_size - 100)
    done = run(young, tmp_path / "target.sqlite3")
    assert done.exit_code == 0
    assert "its last transaction is incomplete, as after a power cut" in done.stderr


def test_rows_that_postgresql_cannot_keep_as_they_are_are_counted(source: Path, database: str) -> None:
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("UPDATE match SET reason = 'a' || char(0)")
        connection.commit()
    done = run(source, database)
    assert done.exit_code == 0
    assert "rows with a character 0, which PostgreSQL has not, written as U+FFFD: 1" in done.output.splitlines()


def test_a_file_is_not_copied_to_itself(source: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.sqlite3"
    link.symlink_to(source)
    done = run(source, link)
    assert (done.exit_code, done.output) == (2, f"gameserver: {source} and {link} are the same file\n")


@pytest.mark.parametrize("name", ["Reversi", "first", "x" * 33])
def test_a_name_that_no_hall_can_have_is_refused(name: str, source: Path, database: str) -> None:
    done = run(source, database, "--to-hall", name)
    assert done.exit_code == 2
    assert done.output.startswith(f"gameserver: --to-hall: {name!r} ")


def test_a_target_with_data_is_named(source: Path, tmp_path: Path) -> None:
    assert run(source, tmp_path / "target.sqlite3").exit_code == 0
    done = run(source, tmp_path / "target.sqlite3")
    assert done.exit_code == 1
    assert "target.sqlite3 is not empty (rows: match 1, seat 2, game 1, move " in done.output
