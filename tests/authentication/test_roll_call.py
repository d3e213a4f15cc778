"""The roll: students who are here, missing, or here under nearly their names."""

from pathlib import Path

import pytest
from attrs import evolve

from gameserver.authentication.roll_call import RollCaller
from gameserver.authentication.roster import Roster
from gameserver.read_model.views import AdminLobbyView, AdminPlayerView, RollCall

GUID = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
CSV = f"name,secret,gammonx_id\nann,apple pie,{GUID}\nbob,,\nZoë van Dijk,,\nal,,\nMarijke,,\n李明,,\n"
EMPTY = AdminLobbyView((), (), (), (), (), ())


def caller(tmp_path: Path, text: str = CSV) -> RollCaller:
    (tmp_path / "r.csv").write_text(text, encoding="utf-8")
    roster = Roster(tmp_path / "r.csv", lambda: 0.0)
    roster.load()
    return RollCaller(roster)


def here(*names: str) -> AdminLobbyView:
    return evolve(EMPTY, players=tuple(AdminPlayerView(name, "strategic", "10.0.0.1") for name in names))


def called(tmp_path: Path, *names: str) -> RollCall:
    roll = caller(tmp_path).call(here(*names))
    assert roll is not None
    return roll


def mistaken(roll: RollCall) -> dict[str, list[str]]:
    return {one.name: [player.name for player in one.mistaken] for one in roll.students if one.mistaken}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Ann", "ann"),
        ("anne", "ann"),
        ("an", "ann"),
        ("nan", "ann"),
        ("BOB", "bob"),
        ("b0b", "bob"),
        ("\u0432\u043eb", "bob"),
        ("zoe van dijk", "Zoë van Dijk"),
        ("Zoë van Dyk", None),
        ("Zoe\u0308 van Dijk", "Zoë van Dijk"),
        ("AL", "al"),
        ("a1", "al"),
        ("ali", None),
        ("Marijek", "Marijke"),
        ("Marike", "Marijke"),
        ("Mraijek", None),
        ("李眀", None),
    ],
)
def test_names_that_are_nearly_a_students(tmp_path: Path, typed: str, meant: str | None) -> None:
    roll = called(tmp_path, typed)
    assert mistaken(roll) == ({} if meant is None else {meant: [typed]})
    assert [one.name for one in roll.others] == ([typed] if meant is None else [])


def test_changed_file_is_called_anew(tmp_path: Path) -> None:
    call = caller(tmp_path)
    call.call(here("dam"))
    (tmp_path / "r.csv").write_text("name,secret\ndan,\n", encoding="utf-8")
    roll = call.call(here("dam"))
    assert roll is not None
    assert mistaken(roll) == {"dan": ["dam"]}


def test_without_a_roster_there_is_no_roll() -> None:
    assert RollCaller(Roster(None, lambda: 0.0)).call(here("ann")) is None
