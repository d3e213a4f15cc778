"""Tickets: searches whose player need not be connected."""

from typing import Any

import pytest
from attrs import evolve

from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import (
    Against,
    Arrive,
    Book,
    ListPlayers,
    Ready,
    ServerStarted,
    ShowTicket,
    TicketTimeUp,
    Unbook,
)
from gameserver.core.messages.events import (
    Accepted,
    Displaced,
    EndReason,
    Event,
    MatchEnded,
    MatchOpened,
    MatchPaired,
    MatchShown,
    PlayersListed,
    Rejected,
    TicketClosed,
    TicketShown,
    TicketStatus,
)
from gameserver.core.messages.rejections import Code
from gameserver.core.state.ticket import ANSWER_LOST_MS, Ticket
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest, read_snapshot, write_snapshot
from gameserver.policies import Rules
from tests.support.games import HandOptions, Hands, catalogue
from tests.support.journals import RowsOnly
from tests.support.lobbies import SEED, LobbyHarness

GAMES = catalogue(Hands())
RULES = Rules(first_move_pause_ms=0, tickets_share_ids=True)


@pytest.fixture
def harness() -> LobbyHarness:
    return LobbyHarness(GAMES, RULES)


def book(harness: LobbyHarness, ticket: str, who: str, **more: Any) -> Accepted | Rejected:
    """A request, by a session of its own, that takes out a ticket."""
    wanted: dict[str, Any] = {"options": {"length": "long"}, "seat_options": {"by_hand": True}} | more
    return harness.do(Book(90, ticket, f"gx-{who}", who, "10.0.0.1", "Hands", token=f"secret-{ticket}", **wanted))


def arrive(harness: LobbyHarness, session: int, ticket: str, who: str, **more: Any) -> Accepted | Rejected:
    return harness.do(
        Arrive(session, ticket, who, "gammonx", more.pop("address", "10.0.0.1"), (Capability.READY,), **more)
    )


def found(harness: LobbyHarness) -> None:
    """Two tickets that have found each other."""
    book(harness, "t1", "ann")
    book(harness, "t2", "bob")
    harness.heard.clear()


def paired(harness: LobbyHarness) -> None:
    """Bob was there first, so he has the first seat."""
    found(harness)
    arrive(harness, 2, "t2", "bob")
    harness.now_ms += 1
    arrive(harness, 1, "t1", "ann")


def of(kind: type, events: list[Event]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def test_the_first_waits_and_the_second_finds(harness: LobbyHarness) -> None:
    assert book(harness, "t1", "ann") == Accepted()
    assert harness.hear(90) == [TicketShown("t1", TicketStatus.WAITING, "Hands")]
    arrive(harness, 1, "t1", "ann")
    assert harness.hear(1) == [TicketShown("t1", TicketStatus.WAITING, "Hands")]
    book(harness, "t2", "bob")
    assert harness.hear(90) == [TicketShown("t2", TicketStatus.FOUND, "Hands", "gx-ann", "ann", public_id="t1")]
    assert harness.hear(1) == [TicketShown("t1", TicketStatus.FOUND, "Hands", "gx-bob")], "bob has not come"
    assert harness.lobby.matches == {}


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


@pytest.mark.parametrize("other", [{"options": {"length": "short"}}, {"against": Against.RATED}])
def test_unlike_wishes_do_not_meet(harness: LobbyHarness, other: dict[str, Any]) -> None:
    book(harness, "t1", "ann")
    book(harness, "t2", "bob", **other)
    assert harness.hear(90)[-1] == TicketShown("t2", TicketStatus.WAITING, "Hands")


def test_the_longest_waiting_comes_first(harness: LobbyHarness) -> None:
    for ticket, who in (("t1", "ann"), ("t2", "bob"), ("t3", "cyd")):
        book(harness, ticket, who, options={"length": who} if who != "cyd" else {"length": "bob"})
    assert harness.lobby.tickets["t3"].partner == "t2"


@pytest.mark.parametrize(("apart", "after_ms"), [(50, 0), (51, 5_000), (150, 15_000), (300, 30_000)])
def test_rated_players_wait_for_their_like(harness: LobbyHarness, apart: int, after_ms: int) -> None:
    book(harness, "t1", "ann", against=Against.RATED, rating=1200)
    book(harness, "t2", "bob", against=Against.RATED, rating=1200 + apart)
    arrive(harness, 1, "t1", "ann")
    arrive(harness, 2, "t2", "bob")
    assert (harness.lobby.matches != {}) is (after_ms == 0)
    for step_ms in (5_000, 15_000, 30_000):
        if step_ms <= after_ms:
            harness.now_ms = 1_000 + step_ms - 1
            assert harness.do(TicketTimeUp("t1")) == Rejected(Code.STALE)
            harness.now_ms += 1
            harness.do(TicketTimeUp("t1"))
    assert harness.lobby.matches != {}


def look(harness: LobbyHarness, ticket: str) -> int | None:
    """Look at a ticket when it is due; gives how long it has waited then."""
    due_ms = harness.lobby.tickets[ticket].due_ms
    if due_ms is None:
        return None
    harness.now_ms = due_ms
    assert harness.do(TicketTimeUp(ticket)) == Accepted()
    return due_ms - 1_000


def test_nobody_is_too_good_to_be_met_in_the_end(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann", against=Against.RATED, rating=1000)
    book(harness, "t2", "bob", against=Against.RATED, rating=3000)
    arrive(harness, 1, "t1", "ann")
    arrive(harness, 2, "t2", "bob")
    assert [look(harness, "t1") for _ in range(5)] == [5_000, 15_000, 30_000, 120_000, 240_000]
    assert harness.match().players == ("gx-bob", "gx-ann"), "as soon as the reach of both is wide enough"


@pytest.mark.parametrize(("apart", "after_ms"), [(400, 30_000), (401, 120_000), (800, 120_000), (801, 240_000)])
def test_rating_range_widens_for_absent_players(harness: LobbyHarness, apart: int, after_ms: int) -> None:
    """Clients of 2026 ask how their search stands, and come only when it has led to somebody."""
    book(harness, "t1", "ann", against=Against.RATED, rating=1200)
    book(harness, "t2", "bob", against=Against.RATED, rating=1200 + apart)
    waited_ms: int | None = 0
    while harness.lobby.tickets["t1"].partner is None:
        waited_ms = look(harness, "t1")
    assert waited_ms == after_ms


def test_a_rated_search_lapses_when_nobody_comes_for_it(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann", against=Against.RATED, rating=1200)
    assert [look(harness, "t1") for _ in range(6)][-1] == 300_000
    assert harness.lobby.tickets == {}


def test_rated_search_that_reaches_everybody_keeps_waiting(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann", against=Against.RATED, rating=1200)
    arrive(harness, 1, "t1", "ann")
    assert [look(harness, "t1") for _ in range(6)][-2:] == [240_000, None]
    harness.leave(1)
    assert harness.lobby.tickets["t1"].due_ms == harness.now_ms + 300_000


@pytest.mark.parametrize(
    ("ratings", "waited_s", "meet"),
    [
        ((1500, 1510), (5, 5), True),
        ((1500, 1510), (15, 15), True),
        ((1500, 1510), (35, 35), True),
        ((1500, 1510), (65, 65), True),
        ((1500, 1600), (5, 5), True),
        ((1500, 1600), (4, 5), False),
        ((1200, 1800), (65, 65), False),
        ((1500, 2000), (40, 0), False),
        ((1500, 1800), (40, 40), True),
        ((1200, 1600), (60, 60), True),
    ],
)
def test_ratings_that_meet_on_gammonx_meet_here(
    ratings: tuple[int, int], waited_s: tuple[int, int], meet: bool
) -> None:
    """Pairs of the tests of the GammonX server (Apache-2.0), and one of ours: both have to reach the other."""
    now_ms = 1_000_000
    one, two = (
        Ticket(name, name, name, "", "Hands", against=Against.RATED, rating=rating, opened_ms=now_ms - 1_000 * waited)
        for name, rating, waited in zip("ab", ratings, waited_s, strict=True)
    )
    assert one.wants(two, now_ms) is two.wants(one, now_ms) is meet


def test_the_strong_meet_the_strong(harness: LobbyHarness) -> None:
    """Of four, each finds its like, though it waited less long."""
    for ticket, who, rating in (("t1", "ann", 1800), ("t2", "bob", 1200), ("t3", "cyd", 1230), ("t4", "dan", 1790)):
        book(harness, ticket, who, against=Against.RATED, rating=rating)
    partners = {ticket.id: ticket.partner for ticket in harness.lobby.tickets.values()}
    assert partners == {"t1": "t4", "t2": "t3", "t3": "t2", "t4": "t1"}


def show(harness: LobbyHarness, ticket: str = "t1", who: str = "ann") -> Any:
    assert harness.do(ShowTicket(90, ticket, who)) == Accepted()
    return harness.hear(90)[-1]


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


def test_asking_does_not_keep_an_opponent_waiting(harness: LobbyHarness) -> None:
    found(harness)
    harness.now_ms += RULES.ticket_arrival_ms
    assert show(harness).status is TicketStatus.FOUND
    assert harness.do(TicketTimeUp("t1")) == Accepted()
    assert harness.lobby.tickets == {}


def test_ticket_shows_an_opponent_without_a_ticket(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann", open_to_queue=True)
    assert show(harness).status is TicketStatus.WAITING
    harness.enter(5, "tim")
    harness.seek(5, "Hands")
    assert show(harness) == TicketShown("t1", TicketStatus.FOUND, "Hands", "tim")
    harness.leave(5)
    assert show(harness).status is TicketStatus.WAITING


def test_nobody_is_found_for_themselves(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann", open_to_queue=True)
    arrive(harness, 1, "t1", "ann")
    assert harness.seek(1, "Hands") == Rejected(Code.TICKET_OPEN)
    assert not harness.lobby.matches


def test_without_a_house_nobody_waits_for_it() -> None:
    harness = LobbyHarness(GAMES, RULES)
    harness.do(ServerStarted(2, SEED, RULES, (), {"Hands": 1}))
    refusal = book(harness, "t1", "ann", against=Against.HOUSE)
    assert refusal == Rejected(Code.GAME_NOT_PLAYED, {"player": "the house", "game": "Hands"})


def test_against_the_house_there_is_no_waiting(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann", against=Against.HOUSE)
    assert show(harness) == TicketShown("t1", TicketStatus.FOUND, "Hands", "house-random")
    arrive(harness, 1, "t1", "ann")
    assert harness.match().players == ("gx-ann", "house-random")
    assert harness.match().options == HandOptions("long", (True, False))
    harness.do(Ready(1))
    assert of(MatchOpened, harness.hear(1))


def test_queued_player_counts_as_present(harness: LobbyHarness) -> None:
    harness.enter(5, "tim")
    harness.seek(5, "Hands")
    book(harness, "t1", "ann", open_to_queue=True)
    assert harness.lobby.matches == {}
    arrive(harness, 1, "t1", "ann")
    assert harness.match().players == ("tim", "gx-ann")
    assert harness.match().options.by_hand == (False, True)
    assert harness.hear(5) == [], "nothing before the match begins"
    harness.do(Ready(1))
    assert of(MatchOpened, harness.hear(5))


def test_ticket_players_are_listed_while_they_play_a_listed_player(harness: LobbyHarness) -> None:
    def names() -> list[str]:
        harness.hear(5)
        harness.do(ListPlayers(5))
        (listed,) = of(PlayersListed, harness.hear(5))
        return [shown.name for shown in listed.players if not shown.house]

    harness.enter(5, "tim")
    book(harness, "t1", "ann", open_to_queue=True)
    arrive(harness, 1, "t1", "ann")
    assert names() == ["tim"]
    harness.seek(5, "Hands")
    assert names() == ["tim", "gx-ann"]


def test_later_queued_player_meets_a_waiting_ticket(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann", open_to_queue=True)
    arrive(harness, 1, "t1", "ann")
    harness.enter(5, "tim")
    harness.seek(5, "Hands")
    assert harness.match().players == ("gx-ann", "tim")


def test_a_ticket_that_is_not_open_to_the_queue_stays_among_its_like(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann")
    arrive(harness, 1, "t1", "ann")
    harness.enter(5, "tim")
    harness.seek(5, "Hands")
    assert harness.lobby.matches == {}


@pytest.mark.parametrize("leaves", ["late", "gone"])
def test_queued_player_returns_to_the_queue_if_the_match_does_not_begin(harness: LobbyHarness, leaves: str) -> None:
    harness.enter(5, "tim")
    harness.seek(5, "Hands")
    book(harness, "t1", "ann", open_to_queue=True)
    arrive(harness, 1, "t1", "ann")
    if leaves == "gone":
        harness.leave(1)
    harness.now_ms += 60_250
    harness.time_up()
    assert harness.lobby.matches == {}
    assert harness.lobby.queues == {"Hands": ("tim",)}
    assert not of(MatchOpened, harness.hear(5))


def test_queued_player_who_left_before_hearing_of_the_match_loses_nothing(harness: LobbyHarness) -> None:
    harness.enter(5, "tim")
    harness.seek(5, "Hands")
    book(harness, "t1", "ann", open_to_queue=True)
    arrive(harness, 1, "t1", "ann")
    harness.leave(5)
    assert [record.reason for record in harness.records] == [EndReason.VOID]


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


def test_waiting_player_is_told_when_the_opponents_ticket_is_returned(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann")
    arrive(harness, 1, "t1", "ann")
    harness.heard.clear()
    harness.do(Unbook(90, "t1", "ann"))
    assert harness.hear(1) == [TicketClosed("t1")]


# Coming back.


def playing(harness: LobbyHarness) -> None:
    paired(harness)
    for session in (1, 2):
        harness.do(Ready(session))
    harness.heard.clear()


def test_the_seat_is_taken_back_with_the_ticket(harness: LobbyHarness) -> None:
    playing(harness)
    harness.play(2, "1")
    harness.leave(1)
    harness.now_ms += 29_000
    harness.heard.clear()
    assert arrive(harness, 3, "t1", "ann") == Accepted()
    (shown,) = of(MatchShown, harness.hear(3))
    assert (shown.identities, shown.seat, [move.text for move in shown.moves]) == (("bob", "ann"), 1, ["1"])
    assert harness.play(3, "1") == Accepted()


def test_grace_is_a_budget(harness: LobbyHarness) -> None:
    playing(harness)
    harness.leave(1)
    harness.now_ms += 30_000
    harness.time_up()
    assert [event.reason for event in of(MatchEnded, harness.hear(2))] == [EndReason.DROPPED]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"who": "bob"}, Code.NAME_TAKEN),
        ({"who": "cyd"}, Code.NOT_YOUR_TICKET),
        ({"address": "10.9.9.9"}, Code.NAME_HELD),
        ({"token": "guessed"}, Code.TOKEN_WRONG),
    ],
)
def test_nobody_else_takes_the_seat(harness: LobbyHarness, more: dict[str, Any], code: Code) -> None:
    playing(harness)
    harness.leave(1)
    answer = arrive(harness, 3, "t1", more.pop("who", "ann"), **more)
    assert isinstance(answer, Rejected)
    assert answer.code is code


def test_a_living_connection_keeps_the_seat_unless_the_token_is_shown(harness: LobbyHarness) -> None:
    playing(harness)
    assert arrive(harness, 3, "t1", "ann") == Rejected(Code.NAME_TAKEN, {"name": "gx-ann"})
    assert arrive(harness, 3, "t1", "ann", token="secret-t1", address="10.9.9.9") == Accepted()
    assert of(Displaced, harness.hear(1))
    assert harness.leave(1) == Rejected(Code.NOT_ENTERED), "the old session's end takes nothing along"
    assert harness.match().seats[1].session == 3


@pytest.mark.parametrize("stage", ["booked", "found", "arrived", "paired", "playing"])
def test_it_goes_on_after_a_restart(harness: LobbyHarness, stage: str) -> None:
    book(harness, "t1", "ann")
    if stage != "booked":
        book(harness, "t2", "bob")
    if stage not in {"booked", "found"}:
        arrive(harness, 1, "t1", "ann")
    if stage in {"paired", "playing"}:
        arrive(harness, 2, "t2", "bob")
    if stage == "playing":
        for session in (1, 2):
            harness.do(Ready(session))
    harness.start()
    saved = write_snapshot(harness.lobby, 1, 1)
    assert digest(read_snapshot(saved, GAMES)) == digest(harness.lobby)
    journal = RowsOnly()
    journal.append(harness.rows)
    assert digest(replay(journal, GAMES).lobby) == digest(harness.lobby)
    assert arrive(harness, 1, "t1", "ann") == Accepted()
    if stage == "booked":
        return
    assert arrive(harness, 2, "t2", "bob") == Accepted()
    if stage != "playing":
        for session in (1, 2):
            assert harness.do(Ready(session)) == Accepted()
    first = 2 if harness.match().players[0] == "gx-bob" else 1
    assert harness.play(first, "1") == Accepted()


def test_a_ticket_tells_whose_it_is_before_and_in_the_match(harness: LobbyHarness) -> None:
    found(harness)
    assert harness.lobby.player_with("t1", "ann") == "gx-ann"
    assert harness.lobby.player_with("t1", "bob") == "gx-bob"
    arrive(harness, 1, "t1", "ann")
    arrive(harness, 2, "t2", "bob")
    assert harness.lobby.tickets == {}
    assert harness.lobby.player_with("t2", "bob") == harness.lobby.player_with("t1", "bob") == "gx-bob"
    assert harness.lobby.player_with("t2", "ann") == harness.lobby.player_with("t9", "ann") == ""


@pytest.mark.parametrize("unlike", [True, False])
def test_only_a_text_player_needs_a_pause_before_the_first_move(unlike: bool) -> None:
    harness = LobbyHarness(GAMES, Rules(first_move_pause_ms=100, tickets_share_ids=True))
    book(harness, "t1", "ann", open_to_queue=True)
    if unlike:
        harness.enter(5, "tim")
        harness.seek(5, "Hands")
    else:
        book(harness, "t2", "bob", open_to_queue=True)
        arrive(harness, 2, "t2", "bob")
    arrive(harness, 1, "t1", "ann")
    assert harness.match().policies.first_move_pause_ms == (100 if unlike else 0)
