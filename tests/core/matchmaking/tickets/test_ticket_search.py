"""Pairs of tickets: the id that both know, who may sit, and who is paired with whom."""

from typing import Any

import pytest

from gameserver.core.messages.commands import Against, Ready, ShowTicket, TicketTimeUp, Unbook
from gameserver.core.messages.events import (
    Accepted,
    Displaced,
    EndReason,
    MatchEnded,
    Rejected,
    TicketShown,
    TicketStatus,
)
from gameserver.core.messages.identity import Proof
from gameserver.core.messages.rejections import Code
from tests.support.lobbies import LobbyHarness
from tests.support.tickets import RULES, arrive, book, found, of

ELSEWHERE = "10.9.9.9"


def shown(harness: LobbyHarness, ticket: str, who: str) -> Any:
    harness.do(ShowTicket(90, ticket, who))
    return harness.hear(90)[-1]


def refused(answer: Accepted | Rejected) -> Code | None:
    return answer.code if isinstance(answer, Rejected) else None


# One public id.


def test_an_id_names_whoever_gives_it(harness: LobbyHarness) -> None:
    found(harness)
    assert shown(harness, "t1", "ann").ticket == "t1"
    assert shown(harness, "t1", "bob").ticket == "t2"
    assert refused(harness.do(ShowTicket(90, "t1", "cyd"))) is Code.NOT_YOUR_TICKET
    assert refused(harness.do(ShowTicket(90, "t2", "ann"))) is Code.NOT_YOUR_TICKET, "ann was never told it"
    assert refused(harness.do(ShowTicket(90, "t9", "ann"))) is Code.NO_SUCH_TICKET


def test_a_search_is_given_back_by_any_id(harness: LobbyHarness) -> None:
    found(harness)
    assert refused(harness.do(Unbook(90, "t1", "bob"))) is Code.TICKET_SEATED
    arrive(harness, 2, "t1", "bob")
    harness.now_ms += RULES.ticket_arrival_ms
    harness.do(TicketTimeUp("t1"))
    assert harness.do(Unbook(90, "t1", "bob")) == Accepted()
    assert harness.lobby.tickets == {}


def test_nobody_is_told_of_a_player_who_has_not_come(harness: LobbyHarness) -> None:
    found(harness)
    assert shown(harness, "t1", "ann").opponent_identity == ""
    arrive(harness, 2, "t1", "bob")
    assert shown(harness, "t1", "ann").opponent_identity == "bob"


# Who may sit.


def test_against_the_house_the_id_stays_secret(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann", against=Against.HOUSE)
    arrive(harness, 1, "t1", "ann")
    harness.leave(1)
    assert arrive(harness, 2, "t1", "ann", address=ELSEWHERE) == Accepted()
    assert refused(arrive(harness, 3, "t1", "ann", address=ELSEWHERE)) is Code.NAME_TAKEN


def test_the_second_to_join_comes_from_another_address(harness: LobbyHarness) -> None:
    """A backend joins for a browser: both ids of the pair are public, and no token comes along."""
    found(harness)
    assert arrive(harness, 2, "t1", "bob", address=ELSEWHERE) == Accepted()
    arrive(harness, 1, "t1", "ann")
    assert harness.match().seats[0].is_claimed
    harness.leave(2)
    assert refused(arrive(harness, 3, "t1", "bob", address="10.8.8.8")) is Code.NAME_HELD
    assert arrive(harness, 3, "t1", "bob", address=ELSEWHERE) == Accepted(), "where it was played from"


PROOFS = pytest.mark.parametrize(
    "proof",
    [
        {"token": "secret-t2", "address": "10.8.8.8"},
        {"is_proven": True, "address": "10.8.8.8"},
        {"address": "10.0.0.1"},
        {"ticket": "t2", "address": "10.8.8.8"},
    ],
    ids=["token", "JWT", "address of the join", "the id that nobody else was told"],
)


def come(harness: LobbyHarness, session: int, proof: dict[str, Any]) -> Accepted | Rejected:
    return arrive(harness, session, **{"ticket": "t1", "who": "bob"} | proof)


def claimed(harness: LobbyHarness) -> None:
    """A thief has come for bob, before bob did."""
    found(harness)
    assert arrive(harness, 6, "t1", "bob", address=ELSEWHERE) == Accepted()
    harness.heard.clear()


@PROOFS
@pytest.mark.parametrize("stage", ["waits", "gone", "paired", "started"])
def test_a_claim_gives_way_to_the_owner(harness: LobbyHarness, proof: dict[str, Any], stage: str) -> None:
    claimed(harness)
    if stage == "gone":
        harness.leave(6)
    if stage in {"paired", "started"}:
        arrive(harness, 1, "t1", "ann")
    if stage == "started":
        harness.do(Ready(1))
        harness.do(Ready(6))
    harness.heard.clear()
    assert come(harness, 2, proof) == Accepted()
    assert of(Displaced, harness.hear(6)) == ([] if stage == "gone" else [Displaced()])
    assert refused(arrive(harness, 7, "t1", "bob", address=ELSEWHERE)) is Code.NAME_TAKEN
    if stage in {"waits", "gone"}:
        arrive(harness, 1, "t1", "ann")
    seats = {holder.player: holder for holder in harness.match().seats}
    assert (seats["gx-bob"].session, seats["gx-bob"].is_claimed) == (2, False)
    harness.leave(2)
    assert refused(arrive(harness, 7, "t1", "bob", address=ELSEWHERE)) is Code.NAME_HELD, "its owner has used it"


@PROOFS
def test_match_played_by_an_unproven_claimant_is_void(harness: LobbyHarness, proof: dict[str, Any]) -> None:
    claimed(harness)
    arrive(harness, 1, "t1", "ann")
    harness.do(Ready(1))
    harness.do(Ready(6))
    assert harness.play(6, "1") == Accepted()
    harness.heard.clear()
    assert come(harness, 2, proof) == Accepted()
    for session in (1, 2):
        assert [end.reason for end in of(MatchEnded, harness.hear(session))] == [EndReason.VOID]
    assert harness.records[-1].why == "somebody else had played for gx-bob, who came with a proof"


def test_one_claim_does_not_push_another_out(harness: LobbyHarness) -> None:
    claimed(harness)
    assert refused(arrive(harness, 7, "t1", "bob", address="10.8.8.8")) is Code.NAME_TAKEN
    harness.leave(6)
    assert arrive(harness, 7, "t1", "bob", address="10.8.8.8") == Accepted(), "the owner has not come yet"


def test_a_claim_learns_no_id_that_proves_something(harness: LobbyHarness) -> None:
    """Alone again, the thief is told the id of the ticket itself, in the lobby that waits."""
    claimed(harness)
    harness.now_ms += RULES.ticket_arrival_ms
    harness.do(TicketTimeUp("t1"))
    harness.leave(6)
    assert arrive(harness, 2, "t1", "bob") == Accepted(), "from the address of the join"
    harness.leave(2)
    assert refused(arrive(harness, 6, "t2", "bob", address=ELSEWHERE)) is Code.NAME_HELD


def test_a_secret_is_not_replaced_by_a_secret_id(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann", standing=Proof.PROVEN)
    assert refused(arrive(harness, 1, "t1", "ann")) is Code.UNPROVEN
    assert arrive(harness, 1, "t1", "ann", token="secret-t1", address=ELSEWHERE) == Accepted()


# Those who are present are paired first.


def test_present_players_do_not_wait_for_an_absent_one(harness: LobbyHarness) -> None:
    found(harness)
    arrive(harness, 1, "t1", "ann")
    book(harness, "t3", "cyd")
    assert harness.hear(90)[-1].status is TicketStatus.WAITING
    assert arrive(harness, 3, "t3", "cyd") == Accepted()
    assert harness.match().players == ("gx-ann", "gx-cyd")
    assert harness.match().public_id == "t1"
    assert shown(harness, "t1", "bob") == TicketShown("t2", TicketStatus.WAITING, "Hands")
    assert arrive(harness, 2, "t1", "bob") == Accepted(), "the id that bob was told is still good"


def test_both_who_wait_for_the_absent_meet_each_other(harness: LobbyHarness) -> None:
    for ticket, who in (("t1", "ann"), ("t2", "bob"), ("t3", "cyd"), ("t4", "dan")):
        book(harness, ticket, who)
    arrive(harness, 1, "t1", "ann")
    arrive(harness, 4, "t3", "dan")
    assert harness.match().players == ("gx-ann", "gx-dan")
    assert {ticket.id: ticket.partner for ticket in harness.lobby.tickets.values()} == {"t2": "t3", "t3": "t2"}
    arrive(harness, 3, "t3", "cyd")
    arrive(harness, 2, "t2", "bob")
    assert harness.match(2).players == ("gx-cyd", "gx-bob")


def test_present_text_player_is_preferred_to_an_absent_one(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann", open_to_queue=True)
    book(harness, "t2", "bob", open_to_queue=True)
    harness.enter(5, "tim")
    harness.seek(5, "Hands")
    arrive(harness, 1, "t1", "ann")
    assert harness.match().players == ("tim", "gx-ann")
    assert harness.lobby.tickets["t2"].partner is None


def test_ticket_whose_player_never_came_lapses_on_time(harness: LobbyHarness) -> None:
    found(harness)
    arrive(harness, 1, "t1", "ann")
    book(harness, "t3", "cyd")
    arrive(harness, 3, "t3", "cyd")
    harness.now_ms += RULES.ticket_arrival_ms
    assert harness.do(TicketTimeUp("t2")) == Accepted()
    assert harness.lobby.tickets == {}


# Journals.
