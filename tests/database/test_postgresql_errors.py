"""Messages about a PostgreSQL that cannot be used, and whether the server tries again."""

import traceback

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from gameserver.database import postgresql, postgresql_errors
from gameserver.database.connection import DatabaseAway, DatabaseError
from tests.support.postgresql import LOCAL, Cluster


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        ({"dbname": "nix"}, DatabaseError, r'database "nix" does not exist; create it with `createdb`$'),
        ({"user": "nix"}, DatabaseError, r'role "nix" does not exist; create it with `createuser`$'),
        ({"port": "1"}, DatabaseAway, r"127\.0\.0\.1:1: Connection refused; make sure that PostgreSQL runs there$"),
        ({"host": "/nix"}, DatabaseAway, "No such file or directory; make sure that PostgreSQL runs there$"),
        ({"sslmode": "verify-full"}, DatabaseError, "SSL|certificate"),
        ({"sslmode": "nix"}, DatabaseError, 'invalid sslmode value: "nix"'),
        (
            {"port": "nix"},
            DatabaseError,
            'invalid integer value "nix" for connection option "port"; a port is a number$',
        ),
        ({"host": "localhost", "port": "nix"}, DatabaseError, "; a port is a number$"),
        ({"port": "99999"}, DatabaseError, 'invalid port number: "99999"; a port is a number$'),
        ({"host": "a,b", "port": "1,2,3"}, DatabaseError, "could not match 3 port numbers to 2 hosts"),
        ({"hostaddr": "nix"}, DatabaseError, 'network address "nix": .*; `hostaddr` is a number, `host` a name$'),
        ({"host": f"/{'x' * 200}"}, DatabaseError, "Unix-domain socket path .* is too long"),
    ],
)
def test_database_that_cannot_be_used_is_told_in_a_line(
    cluster: Cluster, changes: dict[str, str], kind: type[DatabaseError], words: str
) -> None:
    data = make_conninfo(cluster.address(), **({"password": "geheim"} | changes))
    with pytest.raises(DatabaseError, match=words) as told:
        postgresql.connect(data)
    assert type(told.value) is kind
    assert "\n" not in str(told.value)
    assert "geheim" not in "".join(traceback.format_exception(told.value))


ENTRY_MISSING = 'FATAL:  no pg_hba.conf entry for host "127.0.0.1", user "ann", database "games", no encryption'


def attempt(port: int, fault: str) -> str:
    return f'connection failed: connection to server at "127.0.0.1", port {port} failed: {fault}'


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (DatabaseAway, "consuming input failed: SSL error: unexpected eof while reading"),
        (DatabaseAway, "consuming input failed: SSL SYSCALL error: EOF detected"),
        (DatabaseAway, "SSL SYSCALL error: Connection timed out"),
        (DatabaseAway, "consuming input failed: SSL connection has been closed unexpectedly"),
        (DatabaseAway, attempt(1, "SSL SYSCALL error: EOF detected")),
        (DatabaseError, attempt(1, "SSL error: certificate verify failed")),
        (DatabaseError, attempt(1, "SSL error: tlsv1 alert unknown ca")),
        (DatabaseError, attempt(1, "server does not support SSL, but SSL was required")),
        (DatabaseError, attempt(1, ENTRY_MISSING)),
        (DatabaseAway, f"{attempt(1, 'Connection refused')}\n- {attempt(2, ENTRY_MISSING)}"),
        (DatabaseError, f"{attempt(1, ENTRY_MISSING)}\n- {attempt(2, ENTRY_MISSING)}"),
    ],
)
def test_what_may_pass_is_told_from_what_lasts(kind: type[DatabaseError], text: str) -> None:
    """The texts are those of libpq, whose errors of connections have no codes."""
    assert type(postgresql_errors.explanation(psycopg.OperationalError(text), "postgresql://db/games")) is kind


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


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        ("postgresql://ann:geheim@db/games?sslmod=require", "did you mean 'sslmode'"),
        ("host=db passwort=geheim", "did you mean 'password'"),
        ("host=db password=geh eim", "quote them"),
        ("postgresql://ann:geh eim@db/games", "%20"),
        ("postgresql://ann:%ZZgeheim@db/games", "%20"),
        ("postgresql://ann:geheim@[db/games", "postgresql://USER@HOST/DATABASE"),
        ("postgresql:/ann:geheim@db/games", "begins with postgresql:// in small"),
        ("postgresql+psycopg://ann:geheim@db/games", "begins with postgresql:// in small"),
        ("POSTGRESQL://ann:geheim@db/games?sslmode=require", "begins with postgresql:// in small"),
        ("user=ann passwd=geheim", "did you mean 'password'"),
    ],
)
def test_wrong_connection_string_is_told_without_a_word_of_it(data: str, hint: str) -> None:
    with pytest.raises(DatabaseError, match="not a connection string of PostgreSQL") as told:
        postgresql.connect(data)
    assert hint in str(told.value)
    shown = "".join(traceback.format_exception(told.value))
    assert "eim" not in shown
    assert "geh" not in shown
