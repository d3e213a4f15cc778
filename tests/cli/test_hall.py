"""The hall that a command is about: refused with a data file, and named by the config."""

from pathlib import Path

import pytest

from gameserver.admin.token_file import access_file
from gameserver.cli.common import WrongSettings, hall_of
from gameserver.cli.effective_config import effective

DATABASE = "postgresql://ann:secret@db.example.edu/games"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "reversi.toml"
    file.write_text(f'data = "{DATABASE}"\n[hall]\nname = "reversi"\n', "utf-8")
    return file


def test_a_data_file_has_no_halls(config: Path) -> None:
    _, settings, _ = effective(config, None, ())
    assert settings.hall.name == "reversi"
    for data in ("games.sqlite3", ":memory:"):
        with pytest.raises(WrongSettings, match=f"hall.name: {data} is no PostgreSQL database, so .* 'reversi'"):
            effective(config, data, ())


def test_commands_find_the_hall_of_the_config(config: Path, tmp_path: Path) -> None:
    assert hall_of(None) == ""
    assert hall_of(config) == "reversi"
    assert access_file(DATABASE, hall_of(config)).name == "gameserver-reversi.admin"
    assert access_file(DATABASE).name == "gameserver.admin"
    assert access_file("class.sqlite3").name == "class.sqlite3.admin"
    config.write_text("hall = 5", "utf-8")
    with pytest.raises(WrongSettings, match=r"hall.name: None should be the name of a hall"):
        hall_of(config)
