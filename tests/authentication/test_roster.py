"""Rosters: names that need a secret, from a file or from a database that halls share."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import evolve
from click.testing import CliRunner, Result
from psycopg.conninfo import make_conninfo

from gameserver.authentication.roster import (
    ADDRESSES_MAX,
    QUIET_S,
    Roster,
    RosterError,
    RosterLine,
    is_short,
    parse_roster,
    read_roster,
)
from gameserver.cli.databases import postgresql_roster
from gameserver.cli.main import main
from gameserver.core.commands import Book, Enter
from gameserver.core.identity import Proof
from gameserver.database import postgresql_schema
from gameserver.read_model.views import Attack, ListedStudent
from gameserver.server.command_preparer import watch_roster
from tests.database.test_postgresql import prepare
from tests.support.postgresql import Cluster, carried_out
from tests.support.rosters import roster_of
from tests.support.tables import lines, table

CSV = "name,secret,group\nann,apple pie,1A\nZoë van Dijk,pear,1B\nbob,,1A\nann marie,fig,\n"


@pytest.mark.parametrize(
    "text",
    [
        CSV,
        CSV.replace(",", ";"),
        CSV.replace(",", "\t").replace("\n", "\r\n"),
        'Group,"Secret", NAME \n1A,apple pie,ann\n1B,pear,"Zoë van Dijk"\n1A,,bob\n\n,,\n,fig,ann marie\n',
    ],
)
def test_formats_of_spreadsheets_are_read(text: str) -> None:
    secrets = {name: one.secret for name, one in parse_roster(text, "r.csv").items()}
    assert secrets == {"ann": "apple pie", "Zoë van Dijk": "pear", "bob": "", "ann marie": "fig"}


ANN, BOB, STRANGER = (f"{digit * 8}-0000-4000-8000-{digit * 12}" for digit in "abc")
WITH_IDS = f"id,name,secret,GammonX_ID\ns1,ann,apple pie,{ANN.upper()}\ns2,bob,,{BOB}\ns3,cyd,fig,\n"
HUGE = "name,secret\nann," + "x" * 200_000 + "\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [*table(__file__, "files that cannot be used, and what is said"), (HUGE, "not a CSV table: field larger")],
)
def test_what_cannot_be_used(tmp_path: Path, content: str, says: str) -> None:
    file = tmp_path / "r.csv"
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(RosterError, match=says):
        read_roster(file)
    with pytest.raises(RosterError, match="cannot be read: No such file"):
        read_roster(tmp_path / "none.csv")


def test_byte_order_mark_of_excel_is_not_part_of_a_name(tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_bytes("name;secret\nann;x\n".encode("utf-8-sig"))
    assert read_roster(file) == {"ann": RosterLine("x")}


def test_students_ids_are_those_of_the_file_as_it_is_now(tmp_path: Path) -> None:
    found = roster(tmp_path, "name,secret,ID\nann,x,0042\nbob,,\n")
    assert found.student_ids() == {"ann": "0042"}
    (tmp_path / "roster.csv").write_text("id;name;secret\n7;ann;x\n8;bob;\n")
    assert found.student_ids() == {"ann": "7", "bob": "8"}
    assert roster(tmp_path).student_ids() == {}
    assert Roster(None, lambda: 0.0).student_ids() == {}


def roster(tmp_path: Path, text: str = CSV, **given: bool) -> Roster:
    return roster_of(tmp_path, text, **given)


def enter(name: str, secret: str | None = None) -> Enter:
    return Enter(1, name, "strategic", "10.0.0.1", secret=secret)


LONG = [("ann " + "pie " * 10_000, "ann", "wrong"), ("cyd" + " who" * 10_000, "cyd" + " who" * 10_000, "open")]


@pytest.mark.parametrize(
    ("typed", "name", "proof"), [*table(__file__, "what is typed, the name in it, and the proof"), *LONG]
)
def test_a_secret_stands_behind_the_name(tmp_path: Path, typed: str, name: str, proof: str) -> None:
    judged = roster(tmp_path).judged(enter(typed))
    assert judged == evolve(enter(name), proof=Proof(proof))
    assert judged.secret is None


@pytest.mark.parametrize(
    ("typed", "secret", "proof"),
    [*table(__file__, "a name, a secret of its own, and the proof"), ("ann", "x" * 20_000, "wrong")],
)
def test_secret_field_leaves_the_name_unsplit(tmp_path: Path, typed: str, secret: str, proof: str) -> None:
    assert roster(tmp_path).judged(enter(typed, secret)) == evolve(enter(typed), proof=Proof(proof))


def test_a_ticket_is_judged_by_its_identity(tmp_path: Path) -> None:
    listed = roster(tmp_path, "name,secret\n1f-2,apple\n", only=True)
    book = Book(1, "t", "gx-1", "1f-2", "::1", "G", secret="apple")
    assert listed.judged(book) == evolve(book, secret=None, proof=Proof.PROVEN)
    assert listed.judged(evolve(book, identity="1f-3")).proof is Proof.STRANGER


def test_only_who_is_listed(tmp_path: Path) -> None:
    listed = roster(tmp_path, only=True)
    assert listed.judged(enter("cyd")).proof is Proof.STRANGER
    assert listed.judged(enter("bob")).proof is Proof.OPEN
    anonymous = Enter(1, "mm-", "mastermind", "::1", anonymous=True)
    assert listed.judged(anonymous) == anonymous


def test_without_a_roster_nothing_is_judged_and_no_secret_goes_on() -> None:
    nobody = Roster(None, lambda: 0.0, only=True)
    nobody.load()
    assert nobody.judged(enter("ann b", None)) == enter("ann b", None)
    assert nobody.judged(enter("ann", "s")) == enter("ann", None)


def test_connection_has_three_wrong_secrets_and_a_last_one(tmp_path: Path) -> None:
    listed = roster(tmp_path)
    for _ in range(3):
        assert not listed.throttle.must_wait(1)
        assert listed.judged(enter("ann", "guess")).proof is Proof.WRONG
    assert listed.throttle.must_wait(1)
    assert listed.judged(enter("ann", "guess")).proof is Proof.TOO_OFTEN
    listed.throttle.forget(1)
    assert not listed.throttle.must_wait(1)


def test_right_secret_is_accepted_after_any_number_of_wrong_ones(tmp_path: Path) -> None:
    """From other connections of the same address, and from the same connection."""
    listed = roster(tmp_path)
    for session in range(1_000):
        for _ in range(4):
            listed.judged(evolve(enter("ann", "guess"), session=session))
    assert listed.judged(evolve(enter("ann", "apple pie"), session=2_000)).proof is Proof.PROVEN
    assert listed.judged(evolve(enter("ann", "apple pie"), session=7)).proof is Proof.PROVEN


def test_names_under_attack_are_known_with_count_addresses_and_time(tmp_path: Path) -> None:
    now_s = [1_000.0]
    listed = roster(tmp_path)
    listed.throttle.now_s = lambda: now_s[0]
    for number in range(60):
        listed.judged(evolve(enter("ann", "guess"), session=number, address=f"10.0.0.{number % 2}"))
        now_s[0] += 1
    listed.judged(enter("Zoë van Dijk", "guess"))
    listed.judged(enter("nobody here", "guess"))
    assert listed.throttle.under_attack(wall_ms=5_000_000) == (
        Attack("ann", 60, ("10.0.0.0", "10.0.0.1"), since_ms=4_940_000, last_ms=4_999_000),
        Attack("Zoë van Dijk", 1, ("10.0.0.1",), since_ms=5_000_000, last_ms=5_000_000),
    )
    now_s[0] += QUIET_S + 1
    assert listed.throttle.under_attack(wall_ms=9_000_000) == ()


def test_flood_of_guesses_is_a_few_lines_of_log_and_a_few_addresses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    now_s = [0.0]
    listed = roster(tmp_path)
    listed.throttle.now_s = lambda: now_s[0]
    capsys.readouterr()
    for number in range(3_000):
        now_s[0] = number / 100
        listed.judged(evolve(enter("ann", "guess"), session=number, address=str(number)))
    assert capsys.readouterr().out.count("wrong secret") == 3
    (attack,) = listed.throttle.under_attack(0)
    assert (attack.tries, len(attack.addresses), attack.addresses[-1]) == (3_000, ADDRESSES_MAX, "2999")


def test_short_secrets_are_named_with_their_rows_and_not_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = roster(tmp_path, "name,secret\nann,apple pie\nbob,a long secret\ncyd,pear\ndan,\n")
    said = capsys.readouterr().out
    assert "ann (row 2), cyd (row 4)" in said
    assert not any(word in said for word in ("apple", "pear", "a long", "bob", "dan"))
    (tmp_path / "roster.csv").write_text("name,secret\nann,apple pie and more\ncyd,pear\n", encoding="utf-8")
    listed.judged(enter("bob"))
    assert "cyd (row 3)" in capsys.readouterr().out, "a file that has changed is looked at again"
    (tmp_path / "roster.csv").write_text(
        "name,secret\nann,apple pie and more\ncyd,pear tree in May\n", encoding="utf-8"
    )
    listed.judged(enter("bob"))
    assert "row" not in capsys.readouterr().out


def test_secrets_are_short_by_length_and_by_kinds_of_characters() -> None:
    assert [secret for secret in lines(__file__, "short secrets") if not is_short(secret)] == []
    assert [secret for secret in ["", *lines(__file__, "long secrets")] if is_short(secret)] == []


def test_a_change_of_the_file_counts_from_the_next_login_on(tmp_path: Path) -> None:
    listed, file = roster(tmp_path), tmp_path / "roster.csv"
    for text in ("name,secret\nann,a longer secret\n", "nonsense", None):
        file.unlink() if text is None else file.write_text(text, encoding="utf-8")
        assert listed.judged(enter("ann", "a longer secret")).proof is Proof.PROVEN
    assert listed.judged(enter("cyd")).proof is Proof.OPEN


def booking(identity: str, secret: str | None = "") -> Book:
    return Book(1, "t1", "gx-made", identity, "10.0.0.1", "Tavla", secret=secret)


@pytest.mark.parametrize(("lines", "says"), table(__file__, "lines of a roster, and what is wrong with them"))
def test_guids_that_name_nobody_or_two_are_refused(lines: str, says: str) -> None:
    with pytest.raises(RosterError, match=says):
        parse_roster(f"name,secret,gammonx_id\n{lines}", "r.csv")


@pytest.mark.parametrize(
    ("identity", "secret", "player", "proof"),
    [
        (ANN, None, "ann", Proof.OPEN),
        (ANN, "apple pie", "ann", Proof.PROVEN),
        (ANN, "pear", "ann", Proof.WRONG),
        (BOB, None, "bob", Proof.OPEN),
        (BOB, "any", "bob", Proof.OPEN),
        (STRANGER, "any", "gx-made", Proof.OPEN),
    ],
)
def test_clients_play_under_the_students_names(
    tmp_path: Path, identity: str, secret: str | None, player: str, proof: Proof
) -> None:
    is_listed = player != "gx-made"
    expected = evolve(booking(identity, None), player=player, proof=proof, is_listed=is_listed)
    assert roster(tmp_path, WITH_IDS).judged(booking(identity, secret)) == expected


@pytest.mark.parametrize(
    ("given", "identity", "secret", "proof"),
    [
        ({"gammonx_secret_required": True}, ANN, "", Proof.UNPROVEN),
        ({"gammonx_secret_required": True}, ANN, "apple pie", Proof.PROVEN),
        ({"gammonx_secret_required": True}, BOB, "", Proof.OPEN),  # there is none to send
        ({"only": True}, ANN, "", Proof.OPEN),
        ({"only": True}, STRANGER, "", Proof.STRANGER),
    ],
)
def test_teacher_can_require_the_secret_and_the_roster(
    tmp_path: Path, given: dict[str, bool], identity: str, secret: str, proof: Proof
) -> None:
    assert roster(tmp_path, WITH_IDS, **given).judged(booking(identity, secret)).proof is proof


def test_wrong_secrets_count_for_the_name(tmp_path: Path) -> None:
    listed = roster(tmp_path, WITH_IDS)
    for _ in range(4):
        found = listed.judged(booking(ANN, "pear"))
    assert found.proof is Proof.TOO_OFTEN
    assert [attack.name for attack in listed.throttle.under_attack(0)] == ["ann"]


def test_changed_file_counts_from_the_next_booking(tmp_path: Path) -> None:
    listed = roster(tmp_path, WITH_IDS)
    (tmp_path / "roster.csv").write_text(
        f"name,secret,gammonx_id,Team\nanna,apple pie,{ANN}, Rooks\n", encoding="utf-8"
    )
    assert listed.students() == [ListedStudent("anna", ANN, has_secret=True, team="Rooks")]
    (tmp_path / "roster.csv").write_text("name,secret,gammonx_id\nann,apple pie,?\n", encoding="utf-8")
    assert listed.students() == [ListedStudent("anna", ANN, has_secret=True, team="Rooks")], (
        "a faulty file changes nothing"
    )


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
