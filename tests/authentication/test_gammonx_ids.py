"""The column `gammonx_id` of a roster: which students play by which GUIDs, and what they have to show."""

from pathlib import Path

import pytest
from attrs import evolve

from gameserver.authentication.roster import Roster, RosterError, parse_roster
from gameserver.core.commands import Book
from gameserver.core.identity import Proof
from gameserver.read_model.views import ListedStudent
from tests.support.rosters import roster_of
from tests.support.tables import table

ANN, BOB, STRANGER = (f"{digit * 8}-0000-4000-8000-{digit * 12}" for digit in "abc")
CSV = f"id,name,secret,GammonX_ID\ns1,ann,apple pie,{ANN.upper()}\ns2,bob,,{BOB}\ns3,cyd,fig,\n"


def roster(tmp_path: Path, text: str = CSV, **given: bool) -> Roster:
    return roster_of(tmp_path, text, **given)


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
    assert roster(tmp_path).judged(booking(identity, secret)) == expected


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
    assert roster(tmp_path, **given).judged(booking(identity, secret)).proof is proof


def test_wrong_secrets_count_for_the_name(tmp_path: Path) -> None:
    listed = roster(tmp_path)
    for _ in range(4):
        found = listed.judged(booking(ANN, "pear"))
    assert found.proof is Proof.TOO_OFTEN
    assert [attack.name for attack in listed.throttle.under_attack(0)] == ["ann"]


def test_changed_file_counts_from_the_next_booking(tmp_path: Path) -> None:
    listed = roster(tmp_path)
    (tmp_path / "roster.csv").write_text(f"name,secret,gammonx_id\nanna,apple pie,{ANN}\n", encoding="utf-8")
    assert listed.students() == [ListedStudent("anna", ANN, has_secret=True)]
    (tmp_path / "roster.csv").write_text("name,secret,gammonx_id\nann,apple pie,?\n", encoding="utf-8")
    assert listed.students() == [ListedStudent("anna", ANN, has_secret=True)], "a file with a fault changes nothing"
