"""Commands with a PostgreSQL database: what they say where it cannot be used, and that they keep its password."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gameserver.cli.main import main
from tests.support.postgresql import Cluster


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


@pytest.mark.parametrize("command", [["serve", "--listen", "strategic=127.0.0.1:0"], ["blame", "1"]])
def test_missing_driver_is_named(tmp_path: Path, command: list[str]) -> None:
    program = "import sys; sys.modules['psycopg'] = None; from gameserver.cli.main import main; main()"
    words = [sys.executable, "-c", program, *command, "--data", "service=games"]
    told = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.returncode == 1
    assert told.stderr == "gameserver: a PostgreSQL database needs psycopg: pip install 'gameserver[postgresql]'\n"


def test_settings_are_shown_without_the_driver(tmp_path: Path) -> None:
    program = "import sys; sys.modules['psycopg'] = None; from gameserver.cli.main import main; main()"
    words = [sys.executable, "-c", program, "config", "--data", "service=games"]
    told = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "")


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
