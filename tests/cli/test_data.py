"""Commands with a PostgreSQL database: what they say where it cannot be used, and that they keep its password."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gameserver.admin.client import access_file
from gameserver.cli.common import WrongSettings, data_of, hall_of
from gameserver.cli.effective_config import effective
from gameserver.cli.main import main
from gameserver.journal.sqlite import SqliteJournal
from tests.exports.matches import played
from tests.journal.data_files import beside
from tests.journal.test_data_file import flip, killed
from tests.support.postgresql import Cluster


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


MISSING = "gameserver: a PostgreSQL database needs psycopg: pip install 'gameserver[postgresql]'\n"


@pytest.mark.parametrize(
    ("command", "ends"),
    [
        (["serve", "--listen", "strategic=127.0.0.1:0"], (1, MISSING)),
        (["blame", "1"], (1, MISSING)),
        (["config"], (0, "")),
    ],
)
def test_missing_driver_is_named_where_it_is_needed(tmp_path: Path, command: list[str], ends: tuple[int, str]) -> None:
    program = "import sys; sys.modules['psycopg'] = None; from gameserver.cli.main import main; main()"
    words = [sys.executable, "-c", program, *command, "--data", "service=games"]
    told = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == ends


def test_database_without_records(database: str) -> None:
    told = run("blame", "1", "--data", database)
    assert told.exit_code == 1
    assert told.stderr.endswith("has no records: no server has been started on it\n")


def test_server_of_another_directory_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cluster: Cluster
) -> None:
    """The access file of a PostgreSQL server lies in the current directory."""
    monkeypatch.chdir(tmp_path)
    told = run("void", "1", "--data", cluster.address())
    assert told.exit_code == 1
    assert "there is no gameserver.admin" in told.stderr


def copy(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["copy", *map(str, arguments)])


@pytest.fixture
def source(tmp_path: Path) -> Path:
    with closing(SqliteJournal(tmp_path / "source.sqlite3", "off")) as journal:
        journal.append([], [played("Tic-tac-toe")])
    return tmp_path / "source.sqlite3"


def test_counts_and_digests_are_printed(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.sqlite3"
    done = copy(source, target)
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
    done = copy(young, tmp_path / "target.sqlite3")
    assert done.exit_code == 0
    assert "its last transaction is incomplete, as after a power cut" in done.stderr


def test_rows_that_postgresql_cannot_keep_as_they_are_are_counted(source: Path, database: str) -> None:
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("UPDATE match SET reason = 'a' || char(0)")
        connection.commit()
    done = copy(source, database)
    assert done.exit_code == 0
    assert "rows with a character 0, which PostgreSQL has not, written as U+FFFD: 1" in done.output.splitlines()


def test_a_file_is_not_copied_to_itself(source: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.sqlite3"
    link.symlink_to(source)
    done = copy(source, link)
    assert (done.exit_code, done.output) == (2, f"gameserver: {source} and {link} are the same file\n")


@pytest.mark.parametrize("name", ["Reversi", "first", "x" * 33])
def test_a_name_that_no_hall_can_have_is_refused(name: str, source: Path, database: str) -> None:
    done = copy(source, database, "--to-hall", name)
    assert done.exit_code == 2
    assert done.output.startswith(f"gameserver: --to-hall: {name!r} ")


def test_a_target_with_data_is_named(source: Path, tmp_path: Path) -> None:
    assert copy(source, tmp_path / "target.sqlite3").exit_code == 0
    done = copy(source, tmp_path / "target.sqlite3")
    assert done.exit_code == 1
    assert "target.sqlite3 is not empty (rows: match 1, seat 2, game 1, move " in done.output


@pytest.mark.parametrize("named", [None, "other.sqlite3", ":memory:"])
@pytest.mark.parametrize("config", [None, "", 'data = "mine.sqlite3"\n[match]\nclock = "turn 2s"\n'])
def test_it_is_the_server_s(tmp_path: Path, config: str | None, named: str | None) -> None:
    file = None
    if config is not None:
        file = tmp_path / "config.toml"
        file.write_text(config, encoding="utf-8")
    _, settings, _ = effective(file, named, ())
    assert data_of(file, named) == settings.data


@pytest.mark.parametrize("config", ["data = 3", 'data = ""', "data ="])
def test_a_config_that_names_none_is_refused_by_its_name(tmp_path: Path, config: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(config, encoding="utf-8")
    with pytest.raises(WrongSettings, match=r"config\.toml: "):
        data_of(file, None)


DATABASE = "postgresql://ann:secret@db.example.edu/games"


@pytest.fixture
def hall_config(tmp_path: Path) -> Path:
    file = tmp_path / "reversi.toml"
    file.write_text(f'data = "{DATABASE}"\n[hall]\nname = "reversi"\n', "utf-8")
    return file


def test_a_data_file_has_no_halls(hall_config: Path) -> None:
    _, settings, _ = effective(hall_config, None, ())
    assert settings.hall.name == "reversi"
    for data in ("games.sqlite3", ":memory:"):
        with pytest.raises(WrongSettings, match=f"hall.name: {data} is no PostgreSQL database, so .* 'reversi'"):
            effective(hall_config, data, ())


def test_commands_find_the_hall_of_the_config(hall_config: Path, tmp_path: Path) -> None:
    assert hall_of(None) == ""
    assert hall_of(hall_config) == "reversi"
    assert access_file(DATABASE, hall_of(hall_config)).name == "gameserver-reversi.admin"
    assert access_file(DATABASE).name == "gameserver.admin"
    assert access_file("class.sqlite3").name == "class.sqlite3.admin"
    hall_config.write_text("hall = 5", "utf-8")
    with pytest.raises(WrongSettings, match=r"hall.name: None should be the name of a hall"):
        hall_of(hall_config)


MODULE = """
from tests.support.buggy import BuggyProtocol

class Beside(BuggyProtocol):
    name = "beside"
    title = "From beside the config"
    guide = GUIDE

PROTOCOL = Beside()
"""


@pytest.mark.parametrize(("guide", "says"), [("# The page\\n", "# The page"), ("", "has no page")])
def test_help_finds_protocol_beside_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guide: str, says: str
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    name = f"beside_{'with' if guide else 'without'}_page"
    (tmp_path / f"{name}.py").write_text(MODULE.replace("GUIDE", f'"{guide}"'))
    config = tmp_path / "gameserver.toml"
    config.write_text(f'plugins = ["{name}:PROTOCOL"]\n')
    result = CliRunner().invoke(main, ["help", "beside", "--config", str(config)])
    assert result.exit_code == 0, result.output
    assert says in result.output
