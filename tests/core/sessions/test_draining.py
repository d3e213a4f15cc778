"""Before a stop: what runs goes on, what would begin is refused, whatever way it would begin."""

import pytest

from gameserver.core.messages.commands import (
    Accept,
    Arrive,
    Book,
    Challenge,
    Drain,
    Ready,
    Resign,
    Seek,
    Sit,
    TicketTimeUp,
)
from gameserver.core.messages.events import Accepted, Rejected
from gameserver.core.messages.rejections import Code
from gameserver.policies import Rules
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import Table

STOPPING = Rejected(Code.STOPPING)
BOOK = Book(9, "t1", "gx-1", "1", "10.0.0.1", "Countdown")


@pytest.fixture
def table() -> Table:
    rules = Rules(first_move_pause_ms=0, drop_grace_ms=60_000, table_game="Countdown")
    return Table(catalogue(Countdown()), rules)


def drain(table: Table, within_ms: int = 60_000) -> None:
    assert table.do(Drain(within_ms, "over", "Ms Reed")) == Accepted()


def test_nothing_new_begins(table: Table) -> None:
    for session, name in ((1, "ann"), (2, "bob")):
        table.enter(session, name)
    table.enter_by_tables(3, "cyd")
    table.challenge(1, "bob", "Countdown")
    table.sit(3)
    drain(table)
    for command in (
        Seek(1, "Countdown"),
        Challenge(1, "bob", "Countdown"),
        Challenge(1, "house-random", "Countdown", practice=True),
        Accept(2),
        Ready(3),
        BOOK,
    ):
        assert table.do(command) == STOPPING
    table.enter_by_tables(4, "dan")
    assert table.do(Sit(4, 0)) == STOPPING
    assert table.do(Seek(8, "Countdown")) == Rejected(Code.NOT_ENTERED)
    assert not table.lobby.matches


def test_a_match_that_runs_is_played_to_its_end_and_no_search_goes_on_after_it(table: Table) -> None:
    match, first, second = table.opened()
    table.enter(7, "eve")
    table.seek(7, "Countdown")
    table.seek(first, "Countdown")
    drain(table)
    assert table.play(first, "2") == Accepted()
    assert table.do(Resign(second)) == Accepted()
    assert not table.lobby.matches


def test_a_table_begins_no_second_match_without_a_word(table: Table) -> None:
    for session, name in ((1, "ann"), (2, "bob")):
        table.enter_by_tables(session, name)
        table.sit(session)
        table.ready(session)
    assert len(table.lobby.matches) == 1
    drain(table)
    table.resign(1)
    assert table.do(Ready(1)) == STOPPING
    assert table.do(Ready(2)) == STOPPING


def test_who_was_away_comes_back_to_the_match(table: Table) -> None:
    for session, name in ((1, "ann"), (2, "bob")):
        table.enter_by_tables(session, name)
        table.sit(session)
        table.ready(session)
    table.leave(1)
    drain(table)
    table.enter_by_tables(3, "ann")
    assert table.sit(3) == Accepted()
    assert table.ready(3) == Accepted()
    assert next(iter(table.lobby.matches.values())).waits_for_absent is False


def test_tickets_that_wait_meet_nobody(table: Table) -> None:
    table.do(BOOK)
    assert table.do(Arrive(1, "t1", "1", "gammonx", "10.0.0.1")) == Accepted()
    table.do(Book(9, "t2", "gx-2", "2", "10.0.0.1", "Countdown"))
    drain(table)
    assert table.do(Arrive(2, "t2", "2", "gammonx", "10.0.0.1")) == STOPPING
    table.now_ms += 300_000
    assert table.do(TicketTimeUp("t2")) == Accepted()
    assert table.do(Arrive(2, "t2", "2", "gammonx", "10.0.0.1")) == Rejected(Code.NO_SUCH_TICKET, {"ticket": "t2"})
    assert not table.lobby.matches


def test_a_later_word_counts_and_the_next_start_forgets_it(table: Table) -> None:
    drain(table)
    drain(table, 0)
    assert table.lobby.server[""].stop_by_ms == table.now_ms
    table.start()
    assert table.lobby.server[""].stop_by_ms is None
    table.enter(1, "ann")
    assert table.seek(1, "Countdown") == Accepted()
