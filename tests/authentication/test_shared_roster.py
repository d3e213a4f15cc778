"""The roster in a database: the file's table, for all halls, changed by the same command."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
import trio
from click.testing import CliRunner, Result
from psycopg.conninfo import make_conninfo

from gameserver.authentication.roster import Roster, RosterError
from gameserver.cli.databases import postgresql_roster
from gameserver.cli.main import main
from gameserver.core.commands import Enter
from gameserver.core.identity import Proof
from gameserver.database import postgresql_schema
from gameserver.server.command_preparer import watch_roster
from tests.database.test_postgresql import prepare
from tests.support.postgresql import Cluster, carried_out

CLASS = "name;secret;id;group\nann;very-secret;s1;a\n李小龙;also-very-secret;s2;b\nzed;;s3;b\n"


@pytest.fixture
def command(database: str) -> Callable[..., Result]:
    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, ["roster", *arguments, "--data", database])

    return run


@pytest.fixture
def class_list(tmp_path: Path) -> str:
    file = tmp_path / "class.csv"
    file.write_text(CLASS, "utf-8")
    return str(file)


@pytest.fixture
def imported(command: Callable[..., Result], class_list: str) -> Result:
    result = command(class_list, "--output", "database")
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture
def opened(database: str) -> Iterator[Callable[[], Roster]]:
    """Opens the roster as a server does."""
    with ExitStack() as stack:

        def make() -> Roster:
            shared = stack.enter_context(closing(postgresql_roster(database)))
            roster = Roster(None, lambda: 0.0, only=True, shared=shared)
            roster.load()
            return roster

        yield make


def schemas_of(database: str) -> list[Any]:
    return carried_out(database, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'gameserver%'")


def proof(roster: Roster, name: str, secret: str) -> Proof:
    judged = roster.judged(Enter(1, name, "strategic", "10.0.0.1", secret=secret))
    assert judged.secret is None
    return judged.proof


def test_a_class_list_is_imported_as_it_is(
    imported: Result, command: Callable[..., Result], opened: Callable[[], Roster]
) -> None:
    assert "the roster in the database written" in imported.stderr
    assert "secrets made: 1, kept: 2" in imported.stderr
    printed = command("database").stdout
    head, ann, *_, zed = printed.splitlines()
    assert (head, ann) == tuple(CLASS.splitlines()[:2])
    made = zed.split(";")[1]
    assert len(made) > 10
    roster = opened()
    assert proof(roster, "ann", "very-secret") == Proof.PROVEN
    assert proof(roster, "ann", "guess") == Proof.WRONG
    assert proof(roster, "zed", made) == Proof.PROVEN
    assert proof(roster, "Mallory", "") == Proof.STRANGER
    assert roster.student_ids() == {"ann": "s1", "李小龙": "s2", "zed": "s3"}


@pytest.mark.parametrize("has_tables", [False, True])
def test_without_a_table_there_is_an_empty_roster(
    command: Callable[..., Result], opened: Callable[[], Roster], database: str, has_tables: bool
) -> None:
    if has_tables:
        prepare(database)
    result = command("database")
    assert result.exit_code == 1
    assert "put a class list there: gameserver roster FILE --output database" in result.stderr
    assert len(schemas_of(database)) == (2 if has_tables else 0)
    if has_tables:
        assert proof(opened(), "ann", "") == Proof.STRANGER


@pytest.mark.parametrize("arguments", [("database",), ("database", "--in-place"), ("CLASS", "--output", "database")])
def test_tables_of_older_servers_are_left_as_they_are(
    command: Callable[..., Result],
    class_list: str,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
) -> None:
    """They may be at play, and could not be started again after an upgrade."""
    prepare(database)
    older = len(postgresql_schema.MIGRATIONS)
    monkeypatch.setattr(
        postgresql_schema, "MIGRATIONS", (*postgresql_schema.MIGRATIONS, "CREATE TABLE gameserver.a (b bigint)")
    )
    result = command(*(class_list if word == "CLASS" else word for word in arguments))
    assert result.exit_code == 1
    assert f"has the tables of version {older}, this program reads {older + 1}: start this version" in result.stderr
    assert carried_out(database, "SELECT version FROM gameserver.schema_version") == [(older,)]


def test_the_roster_is_printed_for_a_role_that_may_only_read(imported: Result, database: str) -> None:
    carried_out(
        database,
        "CREATE ROLE headmaster LOGIN",
        "ALTER ROLE headmaster SET default_transaction_read_only = on",
        "GRANT USAGE ON SCHEMA gameserver TO headmaster",
        "GRANT SELECT ON gameserver.roster, gameserver.schema_version TO headmaster",
    )
    try:
        data = make_conninfo(database, user="headmaster")
        result = CliRunner().invoke(main, ["roster", "database", "--data", data])
        assert result.exit_code == 0, result.output
        assert result.stdout.splitlines()[1] == CLASS.splitlines()[1]
    finally:
        carried_out(database, "DROP OWNED BY headmaster", "DROP ROLE headmaster")


def test_all_halls_see_a_change(imported: Result, command: Callable[..., Result], opened: Callable[[], Roster]) -> None:
    halls = [opened(), opened()]
    assert command("database", "--renew", "ann", "--in-place").exit_code == 0
    secret = command("database").stdout.splitlines()[1].split(";")[1]
    for roster in halls:
        assert proof(roster, "ann", "very-secret") == Proof.PROVEN, "it was not looked for yet"
        roster.shared.look()
        assert proof(roster, "ann", "very-secret") == Proof.WRONG
        assert proof(roster, "ann", secret) == Proof.PROVEN
        assert proof(roster, "李小龙", "also-very-secret") == Proof.PROVEN


def test_a_table_with_names_is_not_replaced_by_mistake(
    imported: Result, command: Callable[..., Result], class_list: str
) -> None:
    refused = command(class_list, "--output", "database")
    assert refused.exit_code == 2
    assert "has names already" in refused.stderr
    assert command(class_list, "--output", "database", "--replace").exit_code == 0


def test_who_comes_second_is_refused(
    imported: Result, command: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(*_: object) -> str:
        monkeypatch.undo()
        assert command("database", "--renew", "zed", "--in-place").exit_code == 0
        return "a-new-secret"

    monkeypatch.setattr("gameserver.cli.roster.new_secret", meanwhile)
    late = command("database", "--renew", "ann", "--in-place")
    assert late.exit_code == 1
    assert "was changed by somebody else meanwhile, and nothing was written" in late.stderr
    assert "ann;very-secret" in command("database").stdout


def test_secrets_are_nowhere_but_in_the_table(imported: Result, opened: Callable[[], Roster]) -> None:
    roster = opened()
    assert "very-secret" not in repr(roster)
    assert "very-secret" not in imported.output


async def test_the_server_looks_for_changes_and_survives_a_database_that_is_away(
    cluster: Cluster,
    imported: Result,
    command: Callable[..., Result],
    opened: Callable[[], Roster],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gameserver.server.command_preparer.LOOK_EVERY_S", 0.01)
    roster = opened()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch_roster, roster.shared)
        cluster.kill()
        await trio.sleep(0.1)
        assert proof(roster, "ann", "very-secret") == Proof.PROVEN
        cluster.start()
        assert command("database", "--renew", "ann", "--in-place").exit_code == 0
        with trio.fail_after(10):
            while proof(roster, "ann", "very-secret") == Proof.PROVEN:  # noqa: ASYNC110 - nobody tells
                await trio.sleep(0.01)
        nursery.cancel_scope.cancel()


def test_a_database_that_is_away_at_the_start_is_an_error_of_one_line() -> None:
    roster = postgresql_roster("postgresql://nobody@127.0.0.1:1/none")
    with pytest.raises(RosterError, match="the roster in the database cannot be read: ") as refused:
        roster.look()
    assert "\n" not in str(refused.value)
