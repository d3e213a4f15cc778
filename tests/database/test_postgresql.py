"""PostgreSQL: its schema, its connections, and its errors in words."""

import sqlite3
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from gameserver.database import postgresql, postgresql_schema, sqlite
from gameserver.database.connection import DatabaseAway, DatabaseError
from gameserver.database.postgresql import CONNECTIONS_MAX, ReadingPool
from tests.support.postgresql import LOCAL, Cluster, carried_out
from tests.support.tables import table

RESTART = "boot, at_ms, last_decision_at, up_at"
ATTENDANCE = "number, tournament, at, at_ms, what, pairing, player, why"


def prepare(data: str) -> None:
    with closing(postgresql.connect(data)) as connection, postgresql.explained(data):
        postgresql_schema.prepare(connection, "the database")


def columns_of(data: str) -> dict[str, list[tuple[str, bool]]]:
    """The columns of each table, without those about halls, and whether they must have a value."""
    rows = carried_out(
        data,
        "SELECT table_name, column_name, is_nullable = 'NO' FROM information_schema.columns"
        " WHERE table_schema = 'gameserver' AND column_name NOT IN ('hall', 'changed_at', 'changed_by')"
        " ORDER BY table_name, ordinal_position",
    )
    found: dict[str, list[tuple[str, bool]]] = {}
    for name, column, is_needed in rows:
        found.setdefault(name, []).append((column, is_needed))
    return found


def test_inserts_are_gathered_into_the_statement_whose_answer_is_needed(tables: str) -> None:
    sent: list[bytes] = []
    with closing(postgresql.connect(tables)) as connection, connection.gathered():
        connection.insert("restart", RESTART, [(1, 10, "then", "now"), (2, 20, "then", "now")])
        connection.raw.cursor_factory = noting(sent)
        connection.insert("bye", "tournament, round, player", [(1, 1, "ann")])
        assert connection.insert_new("attendance", ATTENDANCE, [attended(7), attended(8)]) == {7, 8}
        assert len(sent) == 1, sent
        connection.insert("bye", "tournament, round, player", [(1, 1, "ann"), (1, 2, "bob")], key=("tournament",))
        connection.change("restart", "UPDATE gameserver.restart SET up_at = ? WHERE boot = ?", ("later", 2))
        assert len(sent) == 1, sent
        assert connection.execute("SELECT count(*) FROM bye").fetchone() == (2,), "what waited went first"
        assert len(sent) == 3, sent
        connection.insert("restart", RESTART, [(3, 30, "then", "now")])
    found = carried_out(tables, "SELECT boot, up_at FROM gameserver.restart ORDER BY boot")
    assert found == [(1, "now"), (2, "later"), (3, "now")]


def test_gathered_inserts_of_one_table_keep_their_order(tables: str) -> None:
    with closing(postgresql.connect(tables)) as connection, connection.gathered():
        for up_at in ("first", "second"):
            connection.insert("restart", RESTART, [(1, 10, "then", up_at)], key=("boot",), update=("up_at",))
    assert carried_out(tables, "SELECT up_at FROM gameserver.restart") == [("second",)]


def test_rows_of_a_hall_are_seen_there_alone(tables: str) -> None:
    row = (1, 10, "then", "now")
    with closing(postgresql.connect(tables)) as first, closing(postgresql.connect(tables, "reversi")) as other:
        assert first.insert("restart", RESTART, [row]) == other.insert("restart", RESTART, [row]) == 1
        assert other.execute("DELETE FROM restart").rowcount == 1
        assert first.execute("SELECT boot FROM restart").fetchall() == [(1,)]
    assert carried_out(tables, "SELECT hall, boot FROM gameserver.restart") == [("", 1)]
    assert carried_out(tables, "SELECT boot FROM gameserver_hall.restart") == [(1,)], "a teacher's session sets nothing"


@pytest.mark.parametrize(
    ("condition", "index"), [("match = ?", "match_pkey"), ("journal_row > ? ORDER BY match", "match_by_row")]
)
def test_views_of_a_hall_look_up_by_an_index(tables: str, condition: str, index: str) -> None:
    """A server that stands by looks for the matches of the last rows several times a second."""
    carried_out(
        tables,
        "INSERT INTO gameserver.match (hall, match, game, game_version, options, opened_at, ended_at, reason,"
        " reason_text, why, journal_row) SELECT hall, match, '', 1, '', '', '', '', '', '', match"
        " FROM unnest(ARRAY['', 'reversi']) AS hall, generate_series(1, 5000) AS match",
        "ANALYZE gameserver.match",
    )
    with closing(postgresql.connect(tables, "reversi")) as connection:
        plan = str(connection.execute(f"EXPLAIN SELECT match FROM match WHERE {condition}", (4990,)).fetchall())
    assert index in plan
    assert "Seq Scan" not in plan


def test_two_first_starts_at_the_same_instant(database: str) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(prepare, [database] * 4))
    assert carried_out(database, "SELECT version FROM gameserver.schema_version") == [
        (len(postgresql_schema.MIGRATIONS),)
    ]


def noting(sent: list[bytes]) -> type[psycopg.Cursor[Any]]:
    """A cursor that notes the statements that it carries out."""

    class Noting(psycopg.RawCursor[Any]):
        def execute(self, query: Any, *args: Any, **kwargs: Any) -> Any:
            sent.append(query)
            return super().execute(query, *args, **kwargs)

    return Noting


def attended(number: int) -> tuple[object, ...]:
    return (number, 1, "now", 10, "came", None, "ann", "")


def test_tables_are_upgraded_by_the_next_version(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = postgresql_schema.MIGRATIONS
    prepare(database)
    with closing(postgresql.connect(database)) as connection:
        connection.insert("restart", RESTART, [(1, 10, "then", "now")])
    later = (
        "ALTER TABLE gameserver.restart ADD COLUMN why TEXT NOT NULL DEFAULT '';"
        "CREATE TABLE gameserver.a (HALL, b bigint);"
    )
    monkeypatch.setattr(postgresql_schema, "MIGRATIONS", (*steps, later))
    with (
        pytest.raises(DatabaseError, match="start this version of the server on it once"),
        postgresql.read_only(database),
    ):
        pass
    prepare(database)
    with postgresql.read_only(database) as connection:
        assert connection.execute("SELECT boot, up_at, why FROM restart").fetchall() == [(1, "now", "")]
        assert connection.execute("SELECT b FROM a").fetchall() == []


def test_failed_upgrade_leaves_the_tables_as_they_were(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(database)
    steps = postgresql_schema.MIGRATIONS
    monkeypatch.setattr(
        postgresql_schema, "MIGRATIONS", (*steps, "CREATE TABLE gameserver.a (b bigint); SELECT nothing;")
    )
    with pytest.raises(DatabaseError, match='column "nothing" does not exist'):
        prepare(database)
    assert carried_out(database, "SELECT version, to_regclass('gameserver.a') FROM gameserver.schema_version") == [
        (len(steps), None)
    ]


def test_newer_tables_are_refused(database: str) -> None:
    prepare(database)
    carried_out(database, "UPDATE gameserver.schema_version SET version = 99")
    with pytest.raises(
        DatabaseError, match=r"the tables of version 99, this program reads .* use the server that made"
    ):
        prepare(database)


def test_schema_of_something_else_is_refused(database: str) -> None:
    carried_out(database, "CREATE SCHEMA gameserver", "CREATE TABLE gameserver.match (id integer)")
    with pytest.raises(DatabaseError, match="a schema `gameserver` of something else; choose another database"):
        prepare(database)
    assert carried_out(database, "SELECT to_regclass('gameserver.schema_version')") == [(None,)]


@pytest.fixture
def role(database: str) -> Iterator[str]:
    """The address for a role that may do nothing in the database."""
    carried_out(database, "CREATE ROLE student LOGIN")
    yield make_conninfo(database, user="student")
    carried_out(database, "DROP OWNED BY student", "DROP ROLE student")


def test_database_without_the_right_to_create(database: str, role: str) -> None:
    with pytest.raises(
        DatabaseError, match=r"the role student may not create schemas there; have .* owner carry out"
    ) as no:
        prepare(role)
    advice = str(no.value).partition("carry out ")[2]
    carried_out(database, *advice.split(";")[:2])
    prepare(role)


def test_reader_needs_no_right_but_to_read(database: str, role: str) -> None:
    with (
        pytest.raises(DatabaseError, match="has no records: no server has been started on it"),
        postgresql.read_only(role),
    ):
        pass
    prepare(database)
    with pytest.raises(DatabaseError, match="permission denied"), postgresql.read_only(role):
        pass
    for schema in ("gameserver", "gameserver_hall"):
        carried_out(
            database,
            f"GRANT USAGE ON SCHEMA {schema} TO student",
            f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO student",
        )
    with postgresql.read_only(role) as connection:
        assert connection.execute("SELECT count(*) FROM match").fetchall() == [(0,)]
    with pytest.raises(DatabaseError, match="read-only"), postgresql.read_only(database) as connection:
        connection.execute("DELETE FROM match")


def test_text_of_another_encoding_is_refused(cluster: Cluster) -> None:
    cluster.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(DatabaseError, match="keeps text as LATIN1; create the database with"):
        postgresql.connect(cluster.address("latin"))
    cluster.drop("latin")


def test_character_that_postgresql_does_not_know(tables: str) -> None:
    with closing(postgresql.connect(tables)) as connection:
        connection.insert("restart", RESTART, [(1, 10, "a\0b", "now")])
        assert connection.execute("SELECT last_decision_at FROM restart").fetchone() == ("a\ufffdb",)
        assert connection.execute("SELECT boot FROM restart WHERE last_decision_at = ?", ("a\0b",)).fetchall() == [(1,)]


@pytest.fixture
def pool(tables: str) -> Iterator[ReadingPool]:
    opened = ReadingPool(tables)
    yield opened
    opened.close()


def test_pool_keeps_connections_open(tables: str, pool: ReadingPool) -> None:
    with pool.connection() as one, pool.connection() as other:
        assert one is not other
    with pool.connection() as again:
        assert again in {one, other}
        process = again.raw.info.backend_pid
    carried_out(tables, f"SELECT pg_terminate_backend({process}, 5000)")
    with pool.connection() as fresh:
        assert fresh.raw.info.backend_pid != process, "one that PostgreSQL has ended is not given out"
        assert fresh.execute("SELECT count(*) FROM match").fetchone() == (0,)


def test_database_gives_up_a_reader_whose_machine_is_lost(pool: ReadingPool) -> None:
    """Servers whose network comes and goes took all of `max_connections` otherwise."""
    names = ("tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count")
    with pool.connection() as connection:
        told = connection.execute(f"SELECT {', '.join(f'current_setting({name!r})' for name in names)}").fetchone()
    idle_s, interval_s, count = map(int, told or ())
    assert 0 < idle_s + interval_s * count < 30


def test_pool_tells_at_once_that_the_database_is_away(tables: str, cluster: Cluster, pool: ReadingPool) -> None:
    with pool.connection():
        pass
    cluster.kill()
    with (
        pytest.raises(DatabaseAway, match="Connection refused; make sure that PostgreSQL runs there"),
        pool.connection(),
    ):
        pass
    cluster.start()
    with pool.connection() as fresh:
        assert fresh.execute("SELECT count(*) FROM match").fetchone() == (0,)


@pytest.mark.parametrize(
    ("query", "kind", "says"),
    [
        ("DELETE FROM match", DatabaseError, "read-only"),
        ("SELECT pg_terminate_backend(pg_backend_pid())", DatabaseAway, "terminating connection"),
    ],
)
def test_pool_gives_out_no_connection_that_has_failed(
    pool: ReadingPool, query: str, kind: type[DatabaseError], says: str
) -> None:
    with pytest.raises(kind, match=says), pool.connection() as broken:
        broken.execute(query)
    with pool.connection() as other:
        assert other is not broken
        assert other.execute("SELECT count(*) FROM match").fetchone() == (0,)


def test_pool_is_small(pool: ReadingPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gameserver.database.postgresql.WAIT_S", 0.01)
    with ExitStack() as taken:
        for _ in range(CONNECTIONS_MAX):
            taken.enter_context(pool.connection())
        with pytest.raises(DatabaseAway, match="lookups have taken"), pool.connection():
            pass
    with pool.connection():
        pass


def test_closed_pool_leaves_no_connection_open(pool: ReadingPool) -> None:
    with pool.connection() as one, pool.connection() as other:
        pass
    with pool.connection() as used:
        pool.close()
    assert all(connection.raw.closed for connection in (one, other, used))


def test_tables_are_those_of_sqlite(tables: str) -> None:
    found = columns_of(tables)
    with closing(sqlite3.connect(":memory:")) as file:
        sqlite.prepare(file)
        names = [name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
        for name in names:
            columns = file.execute(f"PRAGMA table_info({name})").fetchall()
            assert [column for column, _ in found[name]] == [column for _, column, *_ in columns], name
            needed = {column for column, is_needed in found[name] if is_needed}
            if found[name] and needed:  # a view's columns all count as nullable
                assert needed == {column for _, column, _, is_needed, _, key in columns if is_needed or key}, name
    assert "result" in names


def test_text_is_sorted_by_its_bytes_as_in_sqlite(tables: str) -> None:
    with closing(postgresql.connect(tables)) as connection:
        connection.insert("bye", "tournament, round, player", [(1, 1, name) for name in ("b", "B", "ä", "a", "Z")])
        found = connection.execute("SELECT player FROM bye ORDER BY player").fetchall()
        assert [name for (name,) in found] == ["B", "Z", "a", "b", "ä"]


@pytest.mark.parametrize(("changes", "kind", "words"), table(__file__, "settings, the kind of error, and what it says"))
def test_database_that_cannot_be_used_is_told_in_a_line(cluster: Cluster, changes: str, kind: str, words: str) -> None:
    given = dict(change.split("=") for change in changes.split(" "))
    data = make_conninfo(cluster.address(), password="geheim", **given)
    with pytest.raises(DatabaseError, match=words) as told:
        postgresql.connect(data)
    assert type(told.value).__name__ == kind
    assert "\n" not in str(told.value)
    assert "geheim" not in "".join(traceback.format_exception(told.value))


@pytest.mark.parametrize(("kind", "text"), table(__file__, "kinds of errors, and what libpq says"))
def test_what_may_pass_is_told_from_what_lasts(kind: str, text: str) -> None:
    """The texts are those of libpq, whose errors of connections have no codes."""
    found = postgresql.explanation(psycopg.OperationalError(text), "postgresql://db/games")
    assert type(found).__name__ == kind


def test_part_of_a_password_that_is_taken_for_a_host_is_not_told() -> None:
    """A password with signs that have a meaning in URLs."""
    with pytest.raises(DatabaseError, match=r"ann@db/games cannot be used: .*\*\*\*") as told:
        postgresql.connect("postgresql://ann:ab@geheim/x@db/games")
    assert "geheim" not in str(told.value)


def test_each_server_of_several_is_named() -> None:
    with pytest.raises(
        DatabaseAway, match=r"127\.0\.0\.1:2: Connection refused; 127\.0\.0\.1:1: Connection refused; make"
    ):
        postgresql.connect(f"postgresql://{LOCAL}:1,{LOCAL}:2/games")


@pytest.mark.parametrize(("data", "hint"), table(__file__, "wrong connection strings, and hints"))
def test_wrong_connection_string_is_told_without_a_word_of_it(data: str, hint: str) -> None:
    with pytest.raises(DatabaseError, match="not a connection string of PostgreSQL") as told:
        postgresql.connect(data)
    assert hint in str(told.value)
    shown = "".join(traceback.format_exception(told.value))
    assert "eim" not in shown
    assert "geh" not in shown
