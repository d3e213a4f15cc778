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
from tests.support.lobbies import SEED, Table

GAMES = catalogue(Hands())
RULES = Rules(first_move_pause_ms=0, tickets_share_ids=True)


@pytest.fixture
def table() -> Table:
    return Table(GAMES, RULES)


def book(table: Table, ticket: str, who: str, **more: Any) -> Accepted | Rejected:
    """A request, by a session of its own, that takes out a ticket."""
    wanted: dict[str, Any] = {"options": {"length": "long"}, "seat_options": {"by_hand": True}} | more
    return table.do(Book(90, ticket, f"gx-{who}", who, "10.0.0.1", "Hands", token=f"secret-{ticket}", **wanted))


def arrive(table: Table, session: int, ticket: str, who: str, **more: Any) -> Accepted | Rejected:
    return table.do(
        Arrive(session, ticket, who, "gammonx", more.pop("address", "10.0.0.1"), (Capability.READY,), **more)
    )


def found(table: Table) -> None:
    """Two tickets that have found each other."""
    book(table, "t1", "ann")
    book(table, "t2", "bob")
    table.heard.clear()


def paired(table: Table) -> None:
    """Bob was there first, so he has the first seat."""
    found(table)
    arrive(table, 2, "t2", "bob")
    table.now_ms += 1
    arrive(table, 1, "t1", "ann")


def of(kind: type, events: list[Event]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def test_the_first_waits_and_the_second_finds(table: Table) -> None:
    assert book(table, "t1", "ann") == Accepted()
    assert table.hear(90) == [TicketShown("t1", TicketStatus.WAITING, "Hands")]
    arrive(table, 1, "t1", "ann")
    assert table.hear(1) == [TicketShown("t1", TicketStatus.WAITING, "Hands")]
    book(table, "t2", "bob")
    assert table.hear(90) == [TicketShown("t2", TicketStatus.FOUND, "Hands", "gx-ann", "ann", public_id="t1")]
    assert table.hear(1) == [TicketShown("t1", TicketStatus.FOUND, "Hands", "gx-bob")], "bob has not come"
    assert table.lobby.matches == {}


def test_the_match_waits_for_both_and_the_earlier_arrival_sits_first(table: Table) -> None:
    paired(table)
    options = HandOptions("long", (True, True))
    names, identities = ("gx-bob", "gx-ann"), ("bob", "ann")
    assert table.hear(2)[-1] == MatchPaired(1, "Hands", options, names, 0, 60_000, identities, 61_001, ("t1", "t2"))
    assert table.hear(1)[-1] == MatchPaired(1, "Hands", options, names, 1, 60_000, identities, 61_001, ("t1",))
    assert table.lobby.tickets == {}
    for session in (1, 2):
        assert table.do(Ready(session)) == Accepted()
    assert of(MatchOpened, table.hear(1))
    table.do(ShowTicket(90, "t1", "ann"))
    assert table.hear(90)[-1] == TicketShown("t1", TicketStatus.SEATED, "Hands", match=1)


@pytest.mark.parametrize("other", [{"options": {"length": "short"}}, {"against": Against.RATED}])
def test_unlike_wishes_do_not_meet(table: Table, other: dict[str, Any]) -> None:
    book(table, "t1", "ann")
    book(table, "t2", "bob", **other)
    assert table.hear(90)[-1] == TicketShown("t2", TicketStatus.WAITING, "Hands")


def test_the_longest_waiting_comes_first(table: Table) -> None:
    for ticket, who in (("t1", "ann"), ("t2", "bob"), ("t3", "cyd")):
        book(table, ticket, who, options={"length": who} if who != "cyd" else {"length": "bob"})
    assert table.lobby.tickets["t3"].partner == "t2"


@pytest.mark.parametrize(("apart", "after_ms"), [(50, 0), (51, 5_000), (150, 15_000), (300, 30_000)])
def test_rated_players_wait_for_their_like(table: Table, apart: int, after_ms: int) -> None:
    book(table, "t1", "ann", against=Against.RATED, rating=1200)
    book(table, "t2", "bob", against=Against.RATED, rating=1200 + apart)
    arrive(table, 1, "t1", "ann")
    arrive(table, 2, "t2", "bob")
    assert (table.lobby.matches != {}) is (after_ms == 0)
    for step_ms in (5_000, 15_000, 30_000):
        if step_ms <= after_ms:
            table.now_ms = 1_000 + step_ms - 1
            assert table.do(TicketTimeUp("t1")) == Rejected(Code.STALE)
            table.now_ms += 1
            table.do(TicketTimeUp("t1"))
    assert table.lobby.matches != {}


def look(table: Table, ticket: str) -> int | None:
    """Look at a ticket when it is due; gives how long it has waited then."""
    due_ms = table.lobby.tickets[ticket].due_ms
    if due_ms is None:
        return None
    table.now_ms = due_ms
    assert table.do(TicketTimeUp(ticket)) == Accepted()
    return due_ms - 1_000


def test_nobody_is_too_good_to_be_met_in_the_end(table: Table) -> None:
    book(table, "t1", "ann", against=Against.RATED, rating=1000)
    book(table, "t2", "bob", against=Against.RATED, rating=3000)
    arrive(table, 1, "t1", "ann")
    arrive(table, 2, "t2", "bob")
    assert [look(table, "t1") for _ in range(5)] == [5_000, 15_000, 30_000, 120_000, 240_000]
    assert table.match().players == ("gx-bob", "gx-ann"), "as soon as the reach of both is wide enough"


@pytest.mark.parametrize(("apart", "after_ms"), [(400, 30_000), (401, 120_000), (800, 120_000), (801, 240_000)])
def test_the_reach_widens_for_who_has_not_come_yet(table: Table, apart: int, after_ms: int) -> None:
    """Clients of 2026 ask how their search stands, and come only when it has led to somebody."""
    book(table, "t1", "ann", against=Against.RATED, rating=1200)
    book(table, "t2", "bob", against=Against.RATED, rating=1200 + apart)
    waited_ms: int | None = 0
    while table.lobby.tickets["t1"].partner is None:
        waited_ms = look(table, "t1")
    assert waited_ms == after_ms


def test_a_rated_search_lapses_when_nobody_comes_for_it(table: Table) -> None:
    book(table, "t1", "ann", against=Against.RATED, rating=1200)
    assert [look(table, "t1") for _ in range(6)][-1] == 300_000
    assert table.lobby.tickets == {}


def test_who_waits_for_a_rated_match_waits_on_when_a_search_has_reached_everybody(table: Table) -> None:
    book(table, "t1", "ann", against=Against.RATED, rating=1200)
    arrive(table, 1, "t1", "ann")
    assert [look(table, "t1") for _ in range(6)][-2:] == [240_000, None]
    table.leave(1)
    assert table.lobby.tickets["t1"].due_ms == table.now_ms + 300_000


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


def test_the_strong_meet_the_strong(table: Table) -> None:
    """Of four, each finds its like, though it waited less long."""
    for ticket, who, rating in (("t1", "ann", 1800), ("t2", "bob", 1200), ("t3", "cyd", 1230), ("t4", "dan", 1790)):
        book(table, ticket, who, against=Against.RATED, rating=rating)
    partners = {ticket.id: ticket.partner for ticket in table.lobby.tickets.values()}
    assert partners == {"t1": "t4", "t2": "t3", "t3": "t2", "t4": "t1"}


def show(table: Table, ticket: str = "t1", who: str = "ann") -> Any:
    assert table.do(ShowTicket(90, ticket, who)) == Accepted()
    return table.hear(90)[-1]


def test_who_asks_again_and_again_does_not_lapse(table: Table) -> None:
    book(table, "t1", "ann")
    rows = len(table.rows)
    for _ in range(60):
        table.now_ms += 10_000
        table.do(TicketTimeUp("t1"))
        assert show(table).status is TicketStatus.WAITING
    assert len(table.rows) == rows + 4, "asking is written down now and then, not each time"
    table.now_ms += RULES.ticket_wait_ms
    assert table.do(TicketTimeUp("t1")) == Accepted()
    assert table.do(ShowTicket(90, "t1", "ann")) == Rejected(Code.NO_SUCH_TICKET, {"ticket": "t1"})


def test_asking_does_not_keep_an_opponent_waiting(table: Table) -> None:
    found(table)
    table.now_ms += RULES.ticket_arrival_ms
    assert show(table).status is TicketStatus.FOUND
    assert table.do(TicketTimeUp("t1")) == Accepted()
    assert table.lobby.tickets == {}


def test_who_asks_is_told_of_an_opponent_without_a_ticket(table: Table) -> None:
    book(table, "t1", "ann", open_to_queue=True)
    assert show(table).status is TicketStatus.WAITING
    table.enter(5, "tim")
    table.seek(5, "Hands")
    assert show(table) == TicketShown("t1", TicketStatus.FOUND, "Hands", "tim")
    table.leave(5)
    assert show(table).status is TicketStatus.WAITING


def test_nobody_is_found_for_themselves(table: Table) -> None:
    book(table, "t1", "ann", open_to_queue=True)
    arrive(table, 1, "t1", "ann")
    assert table.seek(1, "Hands") == Rejected(Code.TICKET_OPEN)
    assert not table.lobby.matches


def test_without_a_house_nobody_waits_for_it() -> None:
    table = Table(GAMES, RULES)
    table.do(ServerStarted(2, SEED, RULES, (), {"Hands": 1}))
    refusal = book(table, "t1", "ann", against=Against.HOUSE)
    assert refusal == Rejected(Code.GAME_NOT_PLAYED, {"player": "the house", "game": "Hands"})


def test_against_the_house_there_is_no_waiting(table: Table) -> None:
    book(table, "t1", "ann", against=Against.HOUSE)
    assert show(table) == TicketShown("t1", TicketStatus.FOUND, "Hands", "house-random")
    arrive(table, 1, "t1", "ann")
    assert table.match().players == ("gx-ann", "house-random")
    assert table.match().options == HandOptions("long", (True, False))
    table.do(Ready(1))
    assert of(MatchOpened, table.hear(1))


def test_who_looks_in_the_queue_is_there_already(table: Table) -> None:
    table.enter(5, "tim")
    table.seek(5, "Hands")
    book(table, "t1", "ann", open_to_queue=True)
    assert table.lobby.matches == {}
    arrive(table, 1, "t1", "ann")
    assert table.match().players == ("tim", "gx-ann")
    assert table.match().options.by_hand == (False, True)
    assert table.hear(5) == [], "nothing before the match begins"
    table.do(Ready(1))
    assert of(MatchOpened, table.hear(5))


def test_players_with_tickets_are_listed_while_they_play_somebody_who_is(table: Table) -> None:
    def names() -> list[str]:
        table.hear(5)
        table.do(ListPlayers(5))
        (listed,) = of(PlayersListed, table.hear(5))
        return [shown.name for shown in listed.players if not shown.house]

    table.enter(5, "tim")
    book(table, "t1", "ann", open_to_queue=True)
    arrive(table, 1, "t1", "ann")
    assert names() == ["tim"]
    table.seek(5, "Hands")
    assert names() == ["tim", "gx-ann"]


def test_who_comes_to_the_queue_later_meets_who_waits(table: Table) -> None:
    book(table, "t1", "ann", open_to_queue=True)
    arrive(table, 1, "t1", "ann")
    table.enter(5, "tim")
    table.seek(5, "Hands")
    assert table.match().players == ("gx-ann", "tim")


def test_a_ticket_that_is_not_open_to_the_queue_stays_among_its_like(table: Table) -> None:
    book(table, "t1", "ann")
    arrive(table, 1, "t1", "ann")
    table.enter(5, "tim")
    table.seek(5, "Hands")
    assert table.lobby.matches == {}


@pytest.mark.parametrize("leaves", ["late", "gone"])
def test_who_looked_in_the_queue_is_there_again_if_the_match_does_not_begin(table: Table, leaves: str) -> None:
    table.enter(5, "tim")
    table.seek(5, "Hands")
    book(table, "t1", "ann", open_to_queue=True)
    arrive(table, 1, "t1", "ann")
    if leaves == "gone":
        table.leave(1)
    table.now_ms += 60_250
    table.time_up()
    assert table.lobby.matches == {}
    assert table.lobby.queues == {"Hands": ("tim",)}
    assert not of(MatchOpened, table.hear(5))


def test_who_looked_in_the_queue_and_left_unawares_loses_nothing(table: Table) -> None:
    table.enter(5, "tim")
    table.seek(5, "Hands")
    book(table, "t1", "ann", open_to_queue=True)
    arrive(table, 1, "t1", "ann")
    table.leave(5)
    assert [record.reason for record in table.records] == [EndReason.VOID]


def test_so_many_tickets_from_one_address_wait_for_nobody(table: Table) -> None:
    table = Table(GAMES, evolve(RULES, tickets_per_address_max=2))
    book(table, "t1", "ann", options={"length": "long"})
    book(table, "t2", "bob", options={"length": "short"})
    assert book(table, "t3", "tim") == Rejected(Code.TICKETS_FULL, {"address": "10.0.0.1", "count": "2"})
    arrive(table, 1, "t1", "ann")
    assert book(table, "t3", "tim") == Accepted(), "who is there counts as a connection"
    assert book(table, "t4", "eve") == Rejected(Code.TICKETS_FULL, {"address": "10.0.0.1", "count": "2"})
    table.do(Unbook(90, "t2", "bob"))
    assert book(table, "t4", "eve") == Accepted()


def test_who_was_not_answered_and_asks_again_is_given_the_same_ticket(table: Table) -> None:
    book(table, "t1", "ann")
    table.now_ms += ANSWER_LOST_MS - 1
    assert book(table, "t9", "ann") == Rejected(Code.TICKET_OPEN)
    table.now_ms += 1
    assert book(table, "t9", "ann", options={"length": "short"}) == Rejected(Code.TICKET_OPEN), "another wish"
    table.hear(90)
    assert book(table, "t9", "ann") == Accepted()
    assert [shown.ticket for shown in of(TicketShown, table.hear(90))] == ["t1"]
    assert arrive(table, 1, "t1", "ann", token="secret-t1") != Accepted(), "the token of the answer that was lost"
    assert arrive(table, 1, "t1", "ann", token="secret-t9") == Accepted()
    table.leave(1)
    table.now_ms += ANSWER_LOST_MS
    assert book(table, "t9", "ann") == Rejected(Code.TICKET_OPEN), "who has come with it has it"


def test_one_ticket_for_each_player_and_one_match(table: Table) -> None:
    book(table, "t1", "ann")
    assert book(table, "t9", "ann") == Rejected(Code.TICKET_OPEN)
    assert table.do(Unbook(90, "t1", "bob")) == Rejected(Code.NOT_YOUR_TICKET, {"ticket": "t1"})
    assert table.do(Unbook(90, "t1", "ann")) == Accepted()
    assert table.do(Unbook(90, "t1", "ann")) == Rejected(Code.NO_SUCH_TICKET, {"ticket": "t1"})
    paired(table)
    assert book(table, "t9", "ann") == Rejected(Code.IN_MATCH)


def test_a_ticket_that_has_found_its_opponent_is_not_given_back(table: Table) -> None:
    found(table)
    assert table.do(Unbook(90, "t1", "ann")) == Rejected(Code.TICKET_SEATED, {"ticket": "t1"})


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"options": {"height": 3}}, Code.BAD_OPTIONS),
        ({"game": "Chess"}, Code.UNKNOWN_GAME),
        ({"player": "ann"}, Code.NAME_INVALID),
    ],
)
def test_what_cannot_be_is_refused(table: Table, more: dict[str, Any], code: Code) -> None:
    wanted = {"player": "gx-ann", "game": "Hands"} | more
    answer = table.do(Book(90, "t1", identity="ann", address="::1", **wanted))
    assert isinstance(answer, Rejected)
    assert answer.code is code
    assert table.lobby.tickets == {}


def test_who_does_not_come_loses_the_ticket_and_the_other_waits_again(table: Table) -> None:
    found(table)
    arrive(table, 1, "t1", "ann")
    table.heard.clear()
    table.now_ms += 59_999
    assert table.do(TicketTimeUp("t1")) == Rejected(Code.STALE)
    table.now_ms += 1
    assert table.do(TicketTimeUp("t1")) == Accepted()
    assert table.hear(1) == [TicketShown("t1", TicketStatus.WAITING, "Hands")]
    assert list(table.lobby.tickets) == ["t1"]
    assert arrive(table, 2, "t2", "bob") == Rejected(Code.NO_SUCH_TICKET, {"ticket": "t2"})


def test_a_ticket_lapses_if_nobody_ever_comes_but_not_under_who_waits(table: Table) -> None:
    book(table, "t1", "ann")
    book(table, "t2", "bob", options={"length": "short"})
    arrive(table, 2, "t2", "bob")
    table.now_ms += 300_000
    table.do(TicketTimeUp("t1"))
    assert table.do(TicketTimeUp("t2")) == Rejected(Code.STALE)
    assert list(table.lobby.tickets) == ["t2"]
    table.leave(2)
    table.now_ms += 300_000
    table.do(TicketTimeUp("t2"))
    assert table.lobby.tickets == {}


def test_whoever_waits_is_told_when_the_ticket_is_given_back(table: Table) -> None:
    book(table, "t1", "ann")
    arrive(table, 1, "t1", "ann")
    table.heard.clear()
    table.do(Unbook(90, "t1", "ann"))
    assert table.hear(1) == [TicketClosed("t1")]


# Coming back.


def playing(table: Table) -> None:
    paired(table)
    for session in (1, 2):
        table.do(Ready(session))
    table.heard.clear()


def test_the_seat_is_taken_back_with_the_ticket(table: Table) -> None:
    playing(table)
    table.play(2, "1")
    table.leave(1)
    table.now_ms += 29_000
    table.heard.clear()
    assert arrive(table, 3, "t1", "ann") == Accepted()
    (shown,) = of(MatchShown, table.hear(3))
    assert (shown.identities, shown.seat, [move.text for move in shown.moves]) == (("bob", "ann"), 1, ["1"])
    assert table.play(3, "1") == Accepted()


def test_grace_is_a_budget(table: Table) -> None:
    playing(table)
    table.leave(1)
    table.now_ms += 30_000
    table.time_up()
    assert [event.reason for event in of(MatchEnded, table.hear(2))] == [EndReason.DROPPED]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"who": "bob"}, Code.NAME_TAKEN),
        ({"who": "cyd"}, Code.NOT_YOUR_TICKET),
        ({"address": "10.9.9.9"}, Code.NAME_HELD),
        ({"token": "guessed"}, Code.TOKEN_WRONG),
    ],
)
def test_nobody_else_takes_the_seat(table: Table, more: dict[str, Any], code: Code) -> None:
    playing(table)
    table.leave(1)
    answer = arrive(table, 3, "t1", more.pop("who", "ann"), **more)
    assert isinstance(answer, Rejected)
    assert answer.code is code


def test_a_living_connection_keeps_the_seat_unless_the_token_is_shown(table: Table) -> None:
    playing(table)
    assert arrive(table, 3, "t1", "ann") == Rejected(Code.NAME_TAKEN, {"name": "gx-ann"})
    assert arrive(table, 3, "t1", "ann", token="secret-t1", address="10.9.9.9") == Accepted()
    assert of(Displaced, table.hear(1))
    assert table.leave(1) == Rejected(Code.NOT_ENTERED), "the old session's end takes nothing along"
    assert table.match().seats[1].session == 3


@pytest.mark.parametrize("stage", ["booked", "found", "arrived", "paired", "playing"])
def test_it_goes_on_after_a_restart(table: Table, stage: str) -> None:
    book(table, "t1", "ann")
    if stage != "booked":
        book(table, "t2", "bob")
    if stage not in {"booked", "found"}:
        arrive(table, 1, "t1", "ann")
    if stage in {"paired", "playing"}:
        arrive(table, 2, "t2", "bob")
    if stage == "playing":
        for session in (1, 2):
            table.do(Ready(session))
    table.start()
    saved = write_snapshot(table.lobby, 1, 1)
    assert digest(read_snapshot(saved, GAMES)) == digest(table.lobby)
    journal = RowsOnly()
    journal.append(table.rows)
    assert digest(replay(journal, GAMES).lobby) == digest(table.lobby)
    assert arrive(table, 1, "t1", "ann") == Accepted()
    if stage == "booked":
        return
    assert arrive(table, 2, "t2", "bob") == Accepted()
    if stage != "playing":
        for session in (1, 2):
            assert table.do(Ready(session)) == Accepted()
    first = 2 if table.match().players[0] == "gx-bob" else 1
    assert table.play(first, "1") == Accepted()


def test_a_ticket_tells_whose_it_is_before_and_in_the_match(table: Table) -> None:
    found(table)
    assert table.lobby.player_with("t1", "ann") == "gx-ann"
    assert table.lobby.player_with("t1", "bob") == "gx-bob"
    arrive(table, 1, "t1", "ann")
    arrive(table, 2, "t2", "bob")
    assert table.lobby.tickets == {}
    assert table.lobby.player_with("t2", "bob") == table.lobby.player_with("t1", "bob") == "gx-bob"
    assert table.lobby.player_with("t2", "ann") == table.lobby.player_with("t9", "ann") == ""


@pytest.mark.parametrize("unlike", [True, False])
def test_only_a_text_player_needs_a_pause_before_the_first_move(unlike: bool) -> None:
    table = Table(GAMES, Rules(first_move_pause_ms=100, tickets_share_ids=True))
    book(table, "t1", "ann", open_to_queue=True)
    if unlike:
        table.enter(5, "tim")
        table.seek(5, "Hands")
    else:
        book(table, "t2", "bob", open_to_queue=True)
        arrive(table, 2, "t2", "bob")
    arrive(table, 1, "t1", "ann")
    assert table.match().policies.first_move_pause_ms == (100 if unlike else 0)
