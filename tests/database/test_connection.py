"""The interface to a database: what the queries of the records rely on, the same in each."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from gameserver.database import postgresql, sqlite
from gameserver.database.connection import DatabaseConnection
from tests.support.tables import table

RESTART = "boot, at_ms, last_decision_at, up_at"
RATING = "game, player, rating, deviation, matches"


@pytest.fixture(params=["sqlite", "postgresql"])
def connection(request: pytest.FixtureRequest) -> Iterator[DatabaseConnection]:
    if request.param == "sqlite":
        with closing(sqlite.connect(":memory:")) as opened:
            sqlite.prepare(opened)
            yield opened
    else:
        with closing(postgresql.connect(*request.getfixturevalue("new_hall"))) as session:
            yield session


def test_rows_are_written_and_counted(connection: DatabaseConnection) -> None:
    assert connection.insert("restart", RESTART, [(1, 10, "then", "now"), (2, 20, "then", "now")]) == 2
    assert connection.insert("restart", RESTART, []) == 0
    assert connection.execute("SELECT boot FROM restart WHERE at_ms > ? ORDER BY boot", (5,)).fetchall() == [(1,), (2,)]


def test_a_row_that_is_there_stands(connection: DatabaseConnection) -> None:
    connection.insert("restart", RESTART, [(1, 10, "then", "now")])
    assert connection.insert("restart", RESTART, [(1, 11, "x", "x"), (2, 20, "then", "now")], key=("boot",)) == 1
    assert connection.execute("SELECT at_ms FROM restart ORDER BY boot").fetchall() == [(10,), (20,)]


def test_the_latest_row_of_a_key_stands(connection: DatabaseConnection) -> None:
    connection.insert("restart", RESTART, [(1, 10, "then", "now")])
    new = [(1, 11, "x", "second"), (2, 20, "x", "first"), (2, 21, "x", "second")]
    connection.insert("restart", RESTART, new, key=("boot",), update=("at_ms", "up_at"))
    found = connection.execute("SELECT boot, at_ms, up_at FROM restart ORDER BY boot").fetchall()
    assert found == [(1, 11, "second"), (2, 21, "second")]


def test_columns_are_raised(connection: DatabaseConnection) -> None:
    for rating, matches in ((1500.0, 1), (1600.5, 2)):
        row = ("Reversi", "ann", rating, 30.0, matches)
        connection.insert("rating", RATING, [row], key=("game", "player"), update=("rating",), add=("matches",))
    assert connection.execute("SELECT rating, matches FROM rating").fetchone() == (1600.5, 3)


def test_new_rows_are_named(connection: DatabaseConnection) -> None:
    assert connection.insert_new("restart", RESTART, []) == set()
    assert connection.insert_new("restart", RESTART, [(1, 10, "a", "b"), (2, 20, "a", "b")]) == {1, 2}
    assert connection.insert_new("restart", RESTART, [(2, 0, "", ""), (3, 30, "a", "b"), (3, 31, "a", "b")]) == {3}
    assert connection.execute("SELECT at_ms FROM restart ORDER BY boot").fetchall() == [(10,), (20,), (30,)]


@pytest.mark.parametrize(("json", "text"), table(__file__, "JSON, and the text of its field a"))
def test_fields_of_json_are_text(connection: DatabaseConnection, json: str, text: str) -> None:
    connection.insert("restart", RESTART, [(1, 0, json, "")])
    field = connection.json_field("last_decision_at", "a")
    assert connection.execute(f"SELECT {field} FROM restart").fetchone() == (text or None,)


def test_a_value_may_be_used_twice(connection: DatabaseConnection) -> None:
    connection.insert("restart", RESTART, [(1, 10, "then", "now"), (7, 7, "then", "now")])
    query = "SELECT boot FROM restart WHERE at_ms = ?1 AND boot = ?1"
    assert connection.execute(query, (7,)).fetchall() == [(7,)]
