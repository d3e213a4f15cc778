"""The page about the records: it names every table and column there is, and its queries run."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gameserver.journal.sqlite import SqliteJournal
from tests.exports.matches import played

PAGE = (Path(__file__).parents[2] / "docs" / "records.md").read_text("utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    path = tmp_path_factory.mktemp("records") / "data.sqlite3"
    journal = SqliteJournal(path)
    journal.append([], [played("Tic-tac-toe")])
    journal.close()
    with closing(sqlite3.connect(path)) as connection:
        yield connection


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.split("FROM ")[1].split()[0])
def test_the_queries_run(database: sqlite3.Connection, query: str) -> None:
    assert database.execute(query).description


def test_there_are_queries() -> None:
    assert len(QUERIES) > 5


@pytest.mark.parametrize("table", ["match", "seat", "game", "move", "rating", "attendance", "restart"])
def test_every_column_is_explained(database: sqlite3.Connection, table: str) -> None:
    section = re.search(rf"^`{table}`: .*?\n\n(.*?)\n\n", PAGE, re.DOTALL | re.MULTILINE)
    assert section is not None
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
