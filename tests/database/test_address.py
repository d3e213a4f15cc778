"""The setting `data`: which database it names, and that its password is never shown."""

import pytest

from gameserver.database.address import has_password, is_postgresql, kept_beside, shown
from tests.support.tables import lines, table


@pytest.mark.parametrize("data", lines(__file__, "paths"))
def test_paths_stay_paths(data: str) -> None:
    assert not is_postgresql(data)
    assert shown(data) == data
    assert not has_password(data)


@pytest.mark.parametrize("data", lines(__file__, "connection strings without a password"))
def test_connection_strings_are_shown_as_they_are(data: str) -> None:
    assert is_postgresql(data)
    assert shown(data) == data.strip()
    assert not has_password(data)


@pytest.mark.parametrize(("data", "expected"), table(__file__, "passwords, and what is shown"))
def test_passwords_are_left_out(data: str, expected: str) -> None:
    assert is_postgresql(data)
    assert has_password(data)
    assert shown(data) == expected


def test_files_about_the_data_lie_beside_it_or_here() -> None:
    assert kept_beside("/var/lib/games.sqlite3") == "/var/lib/games.sqlite3"
    assert {kept_beside(data) for data in (":memory:", "service=games", "postgresql://db/games")} == {"gameserver"}
