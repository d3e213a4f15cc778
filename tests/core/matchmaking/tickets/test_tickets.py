"""Tickets: searches whose player need not be connected, from the booking until they lapse."""

from typing import Any

import pytest
from attrs import evolve

from gameserver.core.messages.commands import Book, Ready, ShowTicket, TicketTimeUp, Unbook
from gameserver.core.messages.events import Accepted, MatchOpened, MatchPaired, Rejected, TicketShown, TicketStatus
from gameserver.core.messages.rejections import Code
from gameserver.core.state.ticket import ANSWER_LOST_MS
from tests.support.games import HandOptions
from tests.support.lobbies import LobbyHarness
from tests.support.tickets import GAMES, RULES, arrive, book, found, of, paired, show


def test_the_match_waits_for_both_and_the_earlier_arrival_sits_first(harness: LobbyHarness) -> None:
    paired(harness)
    options = HandOptions("long", (True, True))
    names, identities = ("gx-bob", "gx-ann"), ("bob", "ann")
    assert harness.hear(2)[-1] == MatchPaired(1, "Hands", options, names, 0, 60_000, identities, 61_001, ("t1", "t2"))
    assert harness.hear(1)[-1] == MatchPaired(1, "Hands", options, names, 1, 60_000, identities, 61_001, ("t1",))
    assert harness.lobby.tickets == {}
    for session in (1, 2):
        assert harness.do(Ready(session)) == Accepted()
    assert of(MatchOpened, harness.hear(1))
    harness.do(ShowTicket(90, "t1", "ann"))
    assert harness.hear(90)[-1] == TicketShown("t1", TicketStatus.SEATED, "Hands", match=1)


def test_ticket_that_is_asked_about_does_not_lapse(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann")
    rows = len(harness.rows)
    for _ in range(60):
        harness.now_ms += 10_000
        harness.do(TicketTimeUp("t1"))
        assert show(harness).status is TicketStatus.WAITING
    assert len(harness.rows) == rows + 4, "asking is written down now and then, not each time"
    harness.now_ms += RULES.ticket_wait_ms
    assert harness.do(TicketTimeUp("t1")) == Accepted()
    assert harness.do(ShowTicket(90, "t1", "ann")) == Rejected(Code.NO_SUCH_TICKET, {"ticket": "t1"})


def test_so_many_tickets_from_one_address_wait_for_nobody(harness: LobbyHarness) -> None:
    harness = LobbyHarness(GAMES, evolve(RULES, tickets_per_address_max=2))
    book(harness, "t1", "ann", options={"length": "long"})
    book(harness, "t2", "bob", options={"length": "short"})
    assert book(harness, "t3", "tim") == Rejected(Code.TICKETS_FULL, {"address": "10.0.0.1", "count": "2"})
    arrive(harness, 1, "t1", "ann")
    assert book(harness, "t3", "tim") == Accepted(), "who is there counts as a connection"
    assert book(harness, "t4", "eve") == Rejected(Code.TICKETS_FULL, {"address": "10.0.0.1", "count": "2"})
    harness.do(Unbook(90, "t2", "bob"))
    assert book(harness, "t4", "eve") == Accepted()


def test_repeated_booking_without_an_answer_gives_the_same_ticket(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann")
    harness.now_ms += ANSWER_LOST_MS - 1
    assert book(harness, "t9", "ann") == Rejected(Code.TICKET_OPEN)
    harness.now_ms += 1
    assert book(harness, "t9", "ann", options={"length": "short"}) == Rejected(Code.TICKET_OPEN), "another wish"
    harness.hear(90)
    assert book(harness, "t9", "ann") == Accepted()
    assert [shown.ticket for shown in of(TicketShown, harness.hear(90))] == ["t1"]
    assert arrive(harness, 1, "t1", "ann", token="secret-t1") != Accepted(), "the token of the answer that was lost"
    assert arrive(harness, 1, "t1", "ann", token="secret-t9") == Accepted()
    harness.leave(1)
    harness.now_ms += ANSWER_LOST_MS
    assert book(harness, "t9", "ann") == Rejected(Code.TICKET_OPEN), "who has come with it has it"


def test_one_ticket_for_each_player_and_one_match(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann")
    assert book(harness, "t9", "ann") == Rejected(Code.TICKET_OPEN)
    assert harness.do(Unbook(90, "t1", "bob")) == Rejected(Code.NOT_YOUR_TICKET, {"ticket": "t1"})
    assert harness.do(Unbook(90, "t1", "ann")) == Accepted()
    assert harness.do(Unbook(90, "t1", "ann")) == Rejected(Code.NO_SUCH_TICKET, {"ticket": "t1"})
    paired(harness)
    assert book(harness, "t9", "ann") == Rejected(Code.IN_MATCH)


def test_a_ticket_that_has_found_its_opponent_is_not_given_back(harness: LobbyHarness) -> None:
    found(harness)
    assert harness.do(Unbook(90, "t1", "ann")) == Rejected(Code.TICKET_SEATED, {"ticket": "t1"})


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"options": {"height": 3}}, Code.BAD_OPTIONS),
        ({"game": "Chess"}, Code.UNKNOWN_GAME),
        ({"player": "ann"}, Code.NAME_INVALID),
    ],
)
def test_what_cannot_be_is_refused(harness: LobbyHarness, more: dict[str, Any], code: Code) -> None:
    wanted = {"player": "gx-ann", "game": "Hands"} | more
    answer = harness.do(Book(90, "t1", identity="ann", address="::1", **wanted))
    assert isinstance(answer, Rejected)
    assert answer.code is code
    assert harness.lobby.tickets == {}


def test_absent_player_loses_the_ticket_and_the_opponent_waits_again(harness: LobbyHarness) -> None:
    found(harness)
    arrive(harness, 1, "t1", "ann")
    harness.heard.clear()
    harness.now_ms += 59_999
    assert harness.do(TicketTimeUp("t1")) == Rejected(Code.STALE)
    harness.now_ms += 1
    assert harness.do(TicketTimeUp("t1")) == Accepted()
    assert harness.hear(1) == [TicketShown("t1", TicketStatus.WAITING, "Hands")]
    assert list(harness.lobby.tickets) == ["t1"]
    assert arrive(harness, 2, "t2", "bob") == Rejected(Code.NO_SUCH_TICKET, {"ticket": "t2"})


def test_a_ticket_lapses_if_nobody_ever_comes_but_not_under_who_waits(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann")
    book(harness, "t2", "bob", options={"length": "short"})
    arrive(harness, 2, "t2", "bob")
    harness.now_ms += 300_000
    harness.do(TicketTimeUp("t1"))
    assert harness.do(TicketTimeUp("t2")) == Rejected(Code.STALE)
    assert list(harness.lobby.tickets) == ["t2"]
    harness.leave(2)
    harness.now_ms += 300_000
    harness.do(TicketTimeUp("t2"))
    assert harness.lobby.tickets == {}
