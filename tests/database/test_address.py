"""The setting `data`: which database it names, and that its password is never shown."""

import pytest

from gameserver.database.address import has_password, is_postgresql, kept_beside, shown

PATHS = [
    "gameserver.sqlite3",
    ":memory:",
    "/var/lib/a=b.sqlite3",
    "user=ann.sqlite3",
    "x/host=1/f.db",
    "C:\\host=a\\f.db",
    "C://games/f.db",
]


@pytest.mark.parametrize("data", PATHS)
def test_paths_stay_paths(data: str) -> None:
    assert not is_postgresql(data)
    assert shown(data) == data
    assert not has_password(data)


@pytest.mark.parametrize(
    "data",
    [
        "postgresql://db/games",
        "postgresql://ann@db1:5432,db2:5433/games?target_session_attrs=read-write&sslmode=require",
        "postgres:///games?host=/run/postgresql",
        "service=games",
        "host=db1,db2 dbname=games user=ann",
        "user = ann host = 'a b'",
        "hostaddr=127.0.0.1 port=5433",
        "postgresql:/ann@db/games",
        "service=games\n",
    ],
)
def test_connection_strings_are_shown_as_they_are(data: str) -> None:
    assert is_postgresql(data)
    assert shown(data) == data.strip()
    assert not has_password(data)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("postgresql://ann:secret@db/games", "postgresql://ann@db/games"),
        (
            "postgres://ann:secret@db1:5432,db2/games?sslmode=require",
            "postgres://ann@db1:5432,db2/games?sslmode=require",
        ),
        ("postgresql://ann:se/cr?et@db/games", "postgresql://ann@db/games"),
        ("postgresql://ann:secret@secret@db/games", "postgresql://ann@db/games"),
        (
            "postgresql://db/games?user=ann&password=secret&sslmode=require",
            "postgresql://db/games?user=ann&sslmode=require",
        ),
        ("postgresql://db/games?password=sec@ret", "postgresql://db/games"),
        ("postgresql://db/games?sslpassword=secret&user=ann", "postgresql://db/games?user=ann"),
        ("host=db password=secret dbname=games", "host=db dbname=games"),
        ("password='sec ret' host=db", "host=db"),
        ("host=db password='se\\'cret' user=ann", "host=db user=ann"),
        ("host=db password = secret", "host=db"),
        ("host=db password=sec ret dbname=games", "host=db dbname=games"),
        ("host=db PASSWORD=secret", "host=db"),
        ("user=ann password=secret", "user=ann"),
        ("password=sec ret user=ann", ""),
        ("postgresql:/ann:secret@db/games", "postgresql:/ann@db/games"),
        ("postgresql:ann:secret@db/games", "postgresql:ann@db/games"),
        ("postgresql+psycopg://ann:secret@db/games", "postgresql+psycopg://ann@db/games"),
        ("POSTGRESQL://ann:secret@db/games", "POSTGRESQL://ann@db/games"),
        ("postgress://ann:secret@db/games", "postgress://ann@db/games"),
        ("mysql://ann:secret@db/games", "mysql://ann@db/games"),
        ("user=ann passwd=secret", "user=ann"),
        ("user=ann pwd='sec ret'", "user=ann"),
    ],
)
def test_passwords_are_left_out(data: str, expected: str) -> None:
    assert is_postgresql(data)
    assert has_password(data)
    assert shown(data) == expected


def test_files_about_the_data_lie_beside_it_or_here() -> None:
    assert kept_beside("/var/lib/games.sqlite3") == "/var/lib/games.sqlite3"
    assert {kept_beside(data) for data in (":memory:", "service=games", "postgresql://db/games")} == {"gameserver"}
