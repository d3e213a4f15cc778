"""Commands with a PostgreSQL database: what they say where it cannot be used, and that they keep its password."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gameserver.cli.main import main
from tests.support.postgresql import LOCAL, Cluster

AWAY = f"postgresql://ann:geheim@{LOCAL}:1/games"


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


@pytest.mark.parametrize("command", [["serve", "--listen", "strategic=127.0.0.1:0"], ["blame", "1"]])
def test_missing_driver_is_named(tmp_path: Path, command: list[str]) -> None:
    program = "import sys; sys.modules['psycopg'] = None; from gameserver.cli.main import main; main()"
    words = [sys.executable, "-c", program, *command, "--data", "service=games"]
    told = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.returncode == 1
    assert told.stderr == "gameserver: a PostgreSQL database needs psycopg: pip install 'gameserver[postgresql]'\n"


def test_database_that_is_away_is_told_in_a_line() -> None:
    told = run("blame", "1", "--data", AWAY)
    assert told.exit_code == 1
    assert told.stderr == (
        f"gameserver: the database postgresql://ann@{LOCAL}:1/games cannot be used: {LOCAL}:1: Connection refused; "
        "make sure that PostgreSQL runs there\n"
    )


@pytest.mark.parametrize("command", [("serve",), ("blame", "1"), ("export", "matches"), ("status",)])
def test_wrong_connection_string_is_told_in_a_line(command: tuple[str, ...]) -> None:
    told = run(*command, "--data", "postgresql://ann:geheim@db/games?sslmod=require")
    assert told.exit_code == 2
    (line,) = (line for line in told.stderr.splitlines() if line.startswith("gameserver: "))
    assert line.startswith(
        "gameserver: data: this is not a connection string of PostgreSQL: it has an unknown parameter;"
    )
    assert "geheim" not in told.output + told.stderr


def test_settings_are_not_shown_with_a_wrong_connection_string() -> None:
    told = run("config", "--data", "postgresl://ann:geheim@db/games")
    assert (told.exit_code, told.stdout) == (2, "")
    assert told.stderr.startswith("gameserver: data: this is not a connection string of PostgreSQL: a URL begins with")
    assert "geheim" not in told.stderr


def test_settings_are_shown_without_the_driver(tmp_path: Path) -> None:
    program = "import sys; sys.modules['psycopg'] = None; from gameserver.cli.main import main; main()"
    words = [sys.executable, "-c", program, "config", "--data", "service=games"]
    told = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "")


def test_database_without_records(database: str) -> None:
    told = run("blame", "1", "--data", database)
    assert told.exit_code == 1
    assert told.stderr.endswith("has no records: no server has been started on it\n")


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (AWAY, f"postgresql://ann@{LOCAL}:1/games"),
        ("host=db dbname=games password='ge heim'", "host=db dbname=games"),
        ("service=games", "service=games"),
    ],
)
def test_effective_config_has_no_password(tmp_path: Path, data: str, shown: str) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'data = "{data}"\n', encoding="utf-8")
    for words in (("--data", data), ("--config", str(config))):
        told = run("config", *words)
        assert told.exit_code == 0
        assert f'data = "{shown}"' in told.stdout
        assert "heim" not in told.stdout + told.stderr


def test_server_of_another_directory_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cluster: Cluster
) -> None:
    """The access file of a PostgreSQL server lies in the current directory."""
    monkeypatch.chdir(tmp_path)
    told = run("void", "1", "--data", cluster.address())
    assert told.exit_code == 1
    assert "there is no gameserver.admin" in told.stderr
