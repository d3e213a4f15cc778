"""The roll: students who are here, missing, or here under nearly their names."""

import string
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from gameserver.authentication.names import SimilarNames, roll_call
from gameserver.authentication.roster import Roster
from gameserver.read_model.views import AdminLobbyView, AdminMatchView, AdminPlayerView, AdminTicketView, RollCall
from tests.support.rosters import roster_of
from tests.support.tables import table

GUID = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
CSV = f"name,secret,gammonx_id\nann,apple pie,{GUID}\nbob,,\nZoë van Dijk,,\nal,,\nMarijke,,\n李明,,\n"
EMPTY = AdminLobbyView((), (), (), (), (), ())


def here(*names: str) -> AdminLobbyView:
    return evolve(EMPTY, players=tuple(AdminPlayerView(name, "strategic", "10.0.0.1") for name in names))


def called(tmp_path: Path, *names: str) -> RollCall:
    return roll_call(roster_of(tmp_path, CSV), here(*names))


def mistaken(roll: RollCall) -> dict[str, list[str]]:
    return {one.name: [player.name for player in one.mistaken] for one in roll.students if one.mistaken}


def test_every_student_is_here_or_missing(tmp_path: Path) -> None:
    roll = called(tmp_path, "bob", "李明", "gx-1", "cyd")
    assert [one.name for one in roll.students if one.player is None] == ["ann", "Zoë van Dijk", "al", "Marijke"]
    assert [one.name for one in roll.students if one.player is not None] == ["bob", "李明"]
    assert roll.students[0].gammonx_id == GUID
    assert [one.name for one in roll.others] == ["gx-1", "cyd"]
    assert mistaken(roll) == {}


@pytest.mark.parametrize(("typed", "meant"), table(__file__, "what is typed, and the student who is meant"))
def test_names_that_are_nearly_a_students(tmp_path: Path, typed: str, meant: str) -> None:
    roll = called(tmp_path, typed)
    assert mistaken(roll) == ({meant: [typed]} if meant else {})
    assert [one.name for one in roll.others] == ([] if meant else [typed])


def test_away_and_expected_students(tmp_path: Path) -> None:
    match = AdminMatchView(7, "Tavla", ("ann", "cyd"), "playing", 3, ("ann",), ("ann",), None, 0)
    lobby = evolve(EMPTY, matches=(match,), tickets=(AdminTicketView("bob", "Tavla", is_here=False, opponent=None),))
    roll = roll_call(roster_of(tmp_path, CSV), lobby)
    assert [one.away_from for one in roll.students[:2]] == [7, None]
    assert [one.is_expected for one in roll.students[:2]] == [False, True]


def test_changed_file_is_called_anew(tmp_path: Path) -> None:
    roster = roster_of(tmp_path, CSV)
    roll_call(roster, here("dam"))
    (tmp_path / "roster.csv").write_text("name,secret\ndan,\n", encoding="utf-8")
    roll = roll_call(roster, here("dam"))
    assert mistaken(roll) == {"dan": ["dam"]}


def test_without_a_roster_there_is_no_roll() -> None:
    assert roll_call(Roster(None, lambda: 0.0), here("ann")) is None


LETTERS = st.text("abcdeABC", min_size=1, max_size=6)


def distance(one: str, other: str) -> int:
    """Letters to change, add, drop, or swap with the next one: the textbook's table (optimal string alignment)."""
    rows = [[max(i, j) if not i or not j else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            is_other = one[i - 1] != other[j - 1]
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + is_other)
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


@given(st.lists(LETTERS, unique=True, max_size=20), LETTERS)
def test_index_finds_what_the_distance_says(names: list[str], typed: str) -> None:
    assert set(typed) <= set(string.ascii_letters)
    expected = [
        name
        for name in names
        if name != typed
        and (
            name.casefold() == typed.casefold() or (len(name) >= 3 and distance(name.casefold(), typed.casefold()) == 1)
        )
    ]
    assert list(SimilarNames(names).to(typed)) == expected
