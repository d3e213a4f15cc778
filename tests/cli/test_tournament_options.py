"""Who takes part, as files and options say it."""

from pathlib import Path

import pytest

from gameserver.cli.common import WrongSettings
from gameserver.cli.tournament_options import creation, read_roster, student_ids_in


def written(folder: Path, text: str) -> Path:
    file = folder / "class.csv"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "text",
    [
        "ann\nbob, 1700\n\n",
        "name,group,rating\nann,1A,\nbob,1B,1700\n",
        "Secret;NAME;Rating\nx;ann;\ny;bob;1700\n",
        '"ann"\n"bob",1700\n',
    ],
)
def test_rosters(tmp_path: Path, text: str) -> None:
    assert read_roster(written(tmp_path, text)) == [{"player": "ann", "rating": 0}, {"player": "bob", "rating": 1700}]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ann,good\n", "line 1: 'good' is not a rating"),
        ("ann,²\n", "'²' is not a rating"),
        ("ann,10000\n", "'10000' is not a rating"),
        ('"ann\nbob\ncyd\n', "is there a quotation mark too many"),
    ],
)
def test_rosters_that_cannot_be_used(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(WrongSettings, match=says):
        read_roster(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("ann,1500\nbob\n", {}),
        ("\ufeffName;ID;Secret\nann;007;x\nbob;;\n", {"ann": "007"}),
        ("id\tname\n007\tbob\n", {"bob": "007"}),
        ("", {}),
    ],
)
def test_ids_for_the_grades(tmp_path: Path, text: str, ids: dict[str, str]) -> None:
    assert student_ids_in(written(tmp_path, text)) == ids
    assert student_ids_in(None) == {}


@pytest.mark.parametrize("text", ["house-random*0", "house-random*", "house-random*²", "house-random*1001"])
def test_as_many_house_players_as_there_can_be(text: str) -> None:
    with pytest.raises(WrongSettings, match="a number must follow the star"):
        creation("cup", "Reversi", "hanze", (), "roster", None, (text,), "Ms Reed")


def test_house_players_have_numbers() -> None:
    made = creation("cup", "Reversi", "hanze", ("games=2",), "roster", None, ("house-random*2",), "Ms Reed")
    assert [one["player"] for one in made["roster"]] == ["house-random", "house-random-2"]
    assert made["changes"] == {"games": 2}
