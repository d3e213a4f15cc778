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
from tests.support.lobbies import LobbyHarness

STOPPING = Rejected(Code.STOPPING)
BOOK = Book(9, "t1", "gx-1", "1", "10.0.0.1", "Countdown")


@pytest.fixture
def harness() -> LobbyHarness:
    rules = Rules(first_move_pause_ms=0, drop_grace_ms=60_000, room_game="Countdown")
    return LobbyHarness(catalogue(Countdown()), rules)


def drain(harness: LobbyHarness, within_ms: int = 60_000) -> None:
    assert harness.do(Drain(within_ms, "over", "Ms Reed")) == Accepted()


def test_nothing_new_begins(harness: LobbyHarness) -> None:
    for session, name in ((1, "ann"), (2, "bob")):
        harness.enter(session, name)
    harness.enter_by_rooms(3, "cyd")
    harness.challenge(1, "bob", "Countdown")
    harness.sit(3)
    drain(harness)
    for command in (
        Seek(1, "Countdown"),
        Challenge(1, "bob", "Countdown"),
        Challenge(1, "house-random", "Countdown", practice=True),
        Accept(2),
        Ready(3),
        BOOK,
    ):
        assert harness.do(command) == STOPPING
    harness.enter_by_rooms(4, "dan")
    assert harness.do(Sit(4, 0)) == STOPPING
    assert harness.do(Seek(8, "Countdown")) == Rejected(Code.NOT_ENTERED)
    assert not harness.lobby.matches


def test_a_match_that_runs_is_played_to_its_end_and_no_search_goes_on_after_it(harness: LobbyHarness) -> None:
    match, first, second = harness.opened()
    harness.enter(7, "eve")
    harness.seek(7, "Countdown")
    harness.seek(first, "Countdown")
    drain(harness)
    assert harness.play(first, "2") == Accepted()
    assert harness.do(Resign(second)) == Accepted()
    assert not harness.lobby.matches


def test_a_room_begins_no_second_match_without_a_word(harness: LobbyHarness) -> None:
    for session, name in ((1, "ann"), (2, "bob")):
        harness.enter_by_rooms(session, name)
        harness.sit(session)
        harness.ready(session)
    assert len(harness.lobby.matches) == 1
    drain(harness)
    harness.resign(1)
    assert harness.do(Ready(1)) == STOPPING
    assert harness.do(Ready(2)) == STOPPING


def test_tickets_that_wait_meet_nobody(harness: LobbyHarness) -> None:
    harness.do(BOOK)
    assert harness.do(Arrive(1, "t1", "1", "gammonx", "10.0.0.1")) == Accepted()
    harness.do(Book(9, "t2", "gx-2", "2", "10.0.0.1", "Countdown"))
    drain(harness)
    assert harness.do(Arrive(2, "t2", "2", "gammonx", "10.0.0.1")) == STOPPING
    harness.now_ms += 300_000
    assert harness.do(TicketTimeUp("t2")) == Accepted()
    assert harness.do(Arrive(2, "t2", "2", "gammonx", "10.0.0.1")) == Rejected(Code.NO_SUCH_TICKET, {"ticket": "t2"})
    assert not harness.lobby.matches
