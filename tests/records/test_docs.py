"""The page about the records: it names every table and column there is, and its queries run, as its role does, too."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gameserver.journal.sqlite import SqliteJournal
from tests.exports.matches import played
from tests.support.journals import open_journal

if TYPE_CHECKING:
    import psycopg

    from tests.support.postgresql import Cluster

PAGE = (Path(__file__).parents[2] / "docs" / "records.md").read_text("utf-8")
FOR_BOTH, IN_POSTGRESQL = (re.findall(r"```sql\n(.*?)```", part, re.DOTALL) for part in PAGE.split("## In PostgreSQL"))
ROLE, *QUERIES_WITH_HALLS = IN_POSTGRESQL
SECRET = ["journal", "snapshot", "leader", "server", "schema_version"]
"""Tables that the role must not read."""


def _table_of(query: str) -> str:
    return query.split("FROM ")[1].split(maxsplit=1)[0]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    path = tmp_path_factory.mktemp("records") / "data.sqlite3"
    journal = SqliteJournal(path)
    journal.append([], [played("Tic-tac-toe")])
    journal.close()
    with closing(sqlite3.connect(path)) as connection:
        yield connection


@pytest.fixture(scope="module")
def teacher(_shared_cluster: "Cluster", _template: str) -> Iterator["psycopg.Connection"]:
    """A connection to the same records in PostgreSQL, as the page's role."""
    import psycopg  # noqa: PLC0415 - an extra

    cluster = _shared_cluster.ensure()
    name = cluster.new_database(_template)
    with closing(open_journal(cluster.address(name))) as journal:
        journal.append([], [played("Tic-tac-toe")])
    cluster.execute(ROLE, database=name)
    address = cluster.address(name).replace("//postgres@", "//teacher@")
    with psycopg.connect(address, autocommit=True) as connection:
        yield connection
    for statement in ("DROP OWNED BY teacher", "DROP ROLE teacher"):
        cluster.execute(statement, database=name)
    cluster.drop(name)


def test_there_are_queries() -> None:
    assert len(FOR_BOTH) > 5
    assert len(QUERIES_WITH_HALLS) > 2


@pytest.mark.parametrize("table", SECRET)
def test_the_role_cannot_read_what_is_secret(teacher: "psycopg.Connection", table: str) -> None:
    for schema in ("gameserver", "gameserver_hall"):
        with pytest.raises(Exception, match="permission denied"):
            teacher.execute(f"SELECT * FROM {schema}.{table}".encode())


def test_the_role_reads_every_table_of_records(teacher: "psycopg.Connection") -> None:
    names = {
        name
        for (name,) in teacher.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'gameserver'::regnamespace AND relkind IN ('r', 'v')"
        )
    }
    for name in names - set(SECRET) - {"roster", "hall"}:
        assert teacher.execute(f"SELECT * FROM {name}".encode()).description


def test_the_role_cannot_write(teacher: "psycopg.Connection") -> None:
    teacher.execute("SET default_transaction_read_only = off")
    with pytest.raises(Exception, match="permission denied"):
        teacher.execute("DELETE FROM match")


@pytest.mark.parametrize("table", ["match", "seat", "game", "move", "rating", "attendance", "epoch", "restart"])
def test_every_column_is_explained(database: sqlite3.Connection, table: str) -> None:
    section = re.search(rf"^`{table}`: .*?\n\n(.*?)\n\n", PAGE, re.DOTALL | re.MULTILINE)
    explained = [name for row in section[1].splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(explained) == sorted(name for _, name, *_ in database.execute(f"PRAGMA table_info({table})"))


def test_every_table_is_named(database: sqlite3.Connection) -> None:
    for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"):
        assert f"`{name}`" in PAGE


def test_the_views_show_both_players(database: sqlite3.Connection) -> None:
    rows = database.execute("SELECT player, opponent, result FROM result ORDER BY seat").fetchall()
    assert len(rows) == 2
    assert rows[0][:2] == rows[1][1::-1]
    (moves,) = database.execute("SELECT count(*) FROM player_move").fetchone()
    assert moves == database.execute("SELECT count(*) FROM move WHERE seat IS NOT NULL").fetchone()[0]


@pytest.mark.parametrize("query", FOR_BOTH, ids=_table_of)
def test_the_queries_run(database: sqlite3.Connection, query: str) -> None:
    assert database.execute(query).description


@pytest.mark.parametrize("query", [*FOR_BOTH, *QUERIES_WITH_HALLS], ids=_table_of)
def test_the_queries_run_in_postgresql(teacher: "psycopg.Connection", query: str) -> None:
    assert teacher.execute(query.encode()).description
