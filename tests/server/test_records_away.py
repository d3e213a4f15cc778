"""Players and the records: a lookup that fails is refused, and costs nobody the connection."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import psycopg
import pytest
import trio
from trio.testing import MockClock

from tests.support.away_records import WHY, AwayJournal
from tests.support.journals import open_journal
from tests.support.serving import serving

REFUSAL = "ERR Matches on record cannot be looked up now; ask again in a moment"


async def test_player_whose_last_match_cannot_be_read_is_refused(
    autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = AwayJournal()
    async with serving(journal=journal) as running:
        (ann,) = await running.enter("ann")
        await ann.send("get match", "get match", "get gamelist")
        assert await ann.lines(3) == [REFUSAL, REFUSAL, "OK"]
        assert (await ann.line()).startswith("SVR GAMELIST")
        journal.is_away = False
        await ann.send("get match")
        assert (await ann.line()).startswith("ERR You have not played any match yet")
    said = capsys.readouterr().out
    assert said.count(WHY) == 1, "the operator is told why, and not each time"
    assert "Traceback" not in said


async def test_player_is_refused_while_postgresql_has_no_connection_left(database: str) -> None:
    with trio.fail_after(60):
        async with serving(journal=open_journal(database)) as running:
            (ann,) = await running.enter("ann")
            with _all_connections(database):
                await ann.send("get match")
                assert await ann.line() == REFUSAL
            await ann.send("get match")
            assert (await ann.line()).startswith("ERR You have not played any match yet")


@contextmanager
def _all_connections(database: str) -> Iterator[None]:
    """Leave none to anybody else."""
    with ExitStack() as taken:
        with suppress(psycopg.OperationalError):  # too many clients already
            while True:
                taken.enter_context(psycopg.connect(database))
        yield
