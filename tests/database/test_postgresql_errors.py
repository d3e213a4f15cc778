"""Messages about a PostgreSQL that cannot be used, and whether the server tries again."""

import traceback

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from gameserver.database import postgresql
from gameserver.database.connection import DatabaseAway, DatabaseError
from tests.support.postgresql import LOCAL, Cluster
from tests.support.tables import table


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
