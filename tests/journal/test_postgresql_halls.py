"""The halls of a database: each tells of itself, and hears of all."""

from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import orjson
import psycopg
import pytest
from attrs import asdict

from gameserver.database import postgresql
from gameserver.database.connection import DatabaseError
from gameserver.database.postgresql import PostgresqlConnection
from gameserver.journal.postgresql import PostgresqlJournal
from gameserver.records.reader import HallNews, HallTournament
from tests.journal.test_contract import record, rows
from tests.support.postgresql import Cluster
from tests.support.tables import lines

CUP = HallTournament(3, "Žofie's cup", "Reversi", "running", 24)
REVERSI = HallNews("reversi", "https://reversi.example.edu", 40, 20, (CUP,))


@pytest.fixture
def reversi(tables: str) -> Iterator[PostgresqlJournal]:
    with closing(PostgresqlJournal(tables, "reversi", "off")) as journal:
        assert journal.lead()
        yield journal


@pytest.fixture
def first(tables: str, reversi: PostgresqlJournal) -> Iterator[PostgresqlJournal]:
    with closing(PostgresqlJournal(tables, "", "off")) as journal:
        assert journal.lead(), "each hall has a leader of its own"
        yield journal


def test_records_of_every_hall_can_be_read(first: PostgresqlJournal, reversi: PostgresqlJournal) -> None:
    first.append(rows(1, 1), [record(1), record(2)])
    reversi.append(rows(1, 1), [record(7)])
    with closing(first.halls()) as halls:
        assert halls.reader("reversi").match(7) == record(7)
        assert halls.reader("reversi").match(1) is None
        assert halls.reader("").match(1) == record(1)
        career = halls.reader("reversi").career_parts("ann")
        assert sum(one.count for one in career.meetings) == 1


def test_a_session_that_ends_as_soon_as_it_is_opened_is_told_as_any_other(
    reversi: PostgresqlJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = postgresql.connect

    def connected(*arguments: Any, **options: Any) -> PostgresqlConnection:
        connection = connect(*arguments, **options)
        with suppress(psycopg.Error):
            connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return connection

    with closing(reversi.halls()) as halls:
        with monkeypatch.context() as patched:
            patched.setattr(postgresql, "connect", connected)
            with pytest.raises(DatabaseError, match=r"terminating connection|closed"):
                halls.exchange(REVERSI)
        assert len(halls.exchange(REVERSI)) == 1


def test_a_database_that_comes_back_is_heard_again(cluster: Cluster, reversi: PostgresqlJournal) -> None:
    with closing(reversi.halls()) as halls:
        halls.exchange(REVERSI)
        cluster.kill()
        with pytest.raises(DatabaseError):
            halls.exchange(REVERSI)
        cluster.start()
        assert [one.news for one in halls.exchange(REVERSI)] == [REVERSI]


@pytest.mark.parametrize(
    "told", lines(__file__, "what a hall tells of its tournaments, of which the cup is understood")
)
def test_what_cannot_be_read_of_another_hall_is_left_out(tables: str, reversi: PostgresqlJournal, told: str) -> None:
    """Servers of several versions run on one database during an upgrade."""
    cup = orjson.dumps(asdict(CUP)).decode()
    with closing(reversi.halls()) as halls:
        halls.exchange(REVERSI)
        with psycopg.connect(tables) as connection:
            values = "('newer', 'https://newer', 2, 1, %s, now())"
            connection.execute(f"INSERT INTO gameserver.hall VALUES {values}", (told.replace("CUP", cup),))
        newer, own = halls.exchange(REVERSI)
        assert newer.news == HallNews("newer", "https://newer", 2, 1, (CUP,) if told.startswith("[") else ())
        assert own.news == REVERSI


def test_each_hall_hears_of_all(first: PostgresqlJournal, reversi: PostgresqlJournal) -> None:
    with closing(first.halls()) as of_first, closing(reversi.halls()) as of_reversi:
        (alone,) = of_reversi.exchange(REVERSI)
        assert alone.news == REVERSI
        assert alone.seen_ago_s < 60
        heard = of_first.exchange(HallNews(""))
        assert [one.news for one in heard] == [HallNews(""), REVERSI]
        (_, again) = of_reversi.exchange(HallNews("reversi"))
        assert again.news == HallNews("reversi")
        assert again.seen_at >= alone.seen_at
