"""The halls of a database: each tells of itself, and hears of all."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from gameserver.journal.postgresql import PostgresqlJournal
from gameserver.records.hall_directory import DirectoryError, HallNews, HallTournament
from tests.journal.test_contract import record, rows
from tests.support.postgresql import Cluster

CUP = HallTournament(3, "Žofie's cup", "Reversi", "running", 24)
REVERSI = HallNews("reversi", "https://reversi.example.edu", 40, 20, (CUP,))


@pytest.fixture
def reversi(database: str) -> Iterator[PostgresqlJournal]:
    with closing(PostgresqlJournal(database, "reversi", "off")) as journal:
        assert journal.lead()
        yield journal


@pytest.fixture
def first(database: str, reversi: PostgresqlJournal) -> Iterator[PostgresqlJournal]:
    with closing(PostgresqlJournal(database, "", "off")) as journal:
        assert journal.lead(), "each hall has a leader of its own"
        yield journal


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


def test_records_of_every_hall_can_be_read(first: PostgresqlJournal, reversi: PostgresqlJournal) -> None:
    first.append(rows(1, 1), [record(1), record(2)])
    reversi.append(rows(1, 1), [record(7)])
    with closing(first.halls()) as halls:
        assert halls.reader("reversi").match(7) == record(7)
        assert halls.reader("reversi").match(1) is None
        assert halls.reader("").match(1) == record(1)
        career = halls.reader("reversi").career_parts("ann")
        assert sum(one.count for one in career.meetings) == 1


def test_a_database_that_comes_back_is_heard_again(cluster: Cluster, reversi: PostgresqlJournal) -> None:
    with closing(reversi.halls()) as halls:
        halls.exchange(REVERSI)
        cluster.kill()
        with pytest.raises(DirectoryError):
            halls.exchange(REVERSI)
        cluster.start()
        assert [one.news for one in halls.exchange(REVERSI)] == [REVERSI]
