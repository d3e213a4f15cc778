"""The roster: what a spreadsheet saves, who is whom by name and by GUID, and guessing."""

from pathlib import Path

import pytest
from attrs import evolve

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
from gameserver.core.commands import Book, Enter
from gameserver.core.identity import Proof
from gameserver.read_model.views import Attack, ListedStudent
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
