"""Which data file a command is about: that of the server with the same options."""

from pathlib import Path

import pytest

from gameserver.cli.common import WrongSettings, data_of
from gameserver.cli.effective_config import effective


@pytest.mark.parametrize("named", [None, "other.sqlite3", ":memory:"])
@pytest.mark.parametrize("config", [None, "", 'data = "mine.sqlite3"\n[match]\nturn_time_s = 2\n'])
def test_it_is_the_server_s(tmp_path: Path, config: str | None, named: str | None) -> None:
    file = None
    if config is not None:
        file = tmp_path / "config.toml"
        file.write_text(config, encoding="utf-8")
    _, settings, _ = effective(file, named, ())
    assert data_of(file, named) == settings.data


@pytest.mark.parametrize("config", ["data = 3", 'data = ""', "data ="])
def test_a_config_that_names_none_is_refused_by_its_name(tmp_path: Path, config: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(config, encoding="utf-8")
    with pytest.raises(WrongSettings, match=r"config\.toml: "):
        data_of(file, None)
