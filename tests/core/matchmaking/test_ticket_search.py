"""Pairs of tickets: the id that both know, who may sit, and who is paired with whom."""

from typing import Any

import pytest

from gameserver.core.messages.commands import Against, Ready, ShowTicket, TicketTimeUp, Unbook
from gameserver.core.messages.events import (
    Accepted,
    Displaced,
    EndReason,
    MatchEnded,
    MatchPaired,
    MatchShown,
    Rejected,
    TicketShown,
    TicketStatus,
)
from gameserver.core.messages.identity import Proof
from gameserver.core.messages.rejections import Code
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest, read_snapshot, write_snapshot
from gameserver.policies import Rules
from tests.core.matchmaking.test_tickets import GAMES, RULES, arrive, book, found, of, playing
from tests.support.journals import RowsOnly
from tests.support.lobbies import Table

ELSEWHERE = "10.9.9.9"


@pytest.fixture
def table() -> Table:
    return Table(GAMES, RULES)


def shown(table: Table, ticket: str, who: str) -> Any:
    table.do(ShowTicket(90, ticket, who))
    return table.hear(90)[-1]


def refused(answer: Accepted | Rejected) -> Code | None:
    return answer.code if isinstance(answer, Rejected) else None


# One public id.


def test_both_are_told_the_id_of_the_older_ticket(table: Table) -> None:
    book(table, "t1", "ann")
    book(table, "t2", "bob")
    assert table.hear(90)[-1].public_id == "t1", "the second to join is told at once"
    arrive(table, 2, "t1", "bob")
    arrive(table, 1, "t1", "ann")
    (ann,), (bob,) = of(MatchPaired, table.hear(1)), of(MatchPaired, table.hear(2))
    assert (ann.match_ids, bob.match_ids) == (("t1",), ("t1", "t2"))
    assert table.match().public_id == "t1"


def test_an_id_names_whoever_gives_it(table: Table) -> None:
    found(table)
    assert shown(table, "t1", "ann").ticket == "t1"
    assert shown(table, "t1", "bob").ticket == "t2"
    assert refused(table.do(ShowTicket(90, "t1", "cyd"))) is Code.NOT_YOUR_TICKET
    assert refused(table.do(ShowTicket(90, "t2", "ann"))) is Code.NOT_YOUR_TICKET, "ann was never told it"
    assert refused(table.do(ShowTicket(90, "t9", "ann"))) is Code.NO_SUCH_TICKET


def test_an_id_that_was_told_stays_good_when_the_pair_comes_to_nothing(table: Table) -> None:
    found(table)
    arrive(table, 2, "t1", "bob")
    table.now_ms += RULES.ticket_arrival_ms
    assert table.do(TicketTimeUp("t1")) == Accepted()
    assert list(table.lobby.tickets) == ["t2"], "ann did not come"
    assert shown(table, "t1", "bob") == TicketShown("t2", TicketStatus.WAITING, "Hands")
    book(table, "t3", "cyd")
    assert table.hear(90)[-1].public_id == "t2", "bob's is the older ticket now"
    arrive(table, 3, "t2", "cyd")
    assert of(MatchPaired, table.hear(2))[0].match_ids == ("t2", "t1")
    table.leave(2)
    assert arrive(table, 4, "t1", "bob") == Accepted()
    assert of(MatchShown, table.hear(4))[0].match_ids == ("t2", "t1")


def test_a_search_is_given_back_by_any_id(table: Table) -> None:
    found(table)
    assert refused(table.do(Unbook(90, "t1", "bob"))) is Code.TICKET_SEATED
    arrive(table, 2, "t1", "bob")
    table.now_ms += RULES.ticket_arrival_ms
    table.do(TicketTimeUp("t1"))
    assert table.do(Unbook(90, "t1", "bob")) == Accepted()
    assert table.lobby.tickets == {}


def test_nobody_is_told_of_a_player_who_has_not_come(table: Table) -> None:
    found(table)
    assert shown(table, "t1", "ann").opponent_identity == ""
    arrive(table, 2, "t1", "bob")
    assert shown(table, "t1", "ann").opponent_identity == "bob"


# Who may sit.


def test_an_id_that_nobody_else_knows_needs_no_address(table: Table) -> None:
    book(table, "t1", "ann")
    assert arrive(table, 1, "t1", "ann", address=ELSEWHERE) == Accepted()
    assert not table.lobby.tickets["t1"].is_claimed
    table.leave(1)
    assert arrive(table, 2, "t1", "ann", address="10.8.8.8") == Accepted()


def test_against_the_house_the_id_stays_secret(table: Table) -> None:
    book(table, "t1", "ann", against=Against.HOUSE)
    arrive(table, 1, "t1", "ann")
    table.leave(1)
    assert arrive(table, 2, "t1", "ann", address=ELSEWHERE) == Accepted()
    assert refused(arrive(table, 3, "t1", "ann", address=ELSEWHERE)) is Code.NAME_TAKEN


def test_the_second_to_join_comes_from_another_address(table: Table) -> None:
    """A backend joins for a browser: both ids of the pair are public, and no token comes along."""
    found(table)
    assert arrive(table, 2, "t1", "bob", address=ELSEWHERE) == Accepted()
    arrive(table, 1, "t1", "ann")
    assert table.match().seats[0].is_claimed
    table.leave(2)
    assert refused(arrive(table, 3, "t1", "bob", address="10.8.8.8")) is Code.NAME_HELD
    assert arrive(table, 3, "t1", "bob", address=ELSEWHERE) == Accepted(), "where it was played from"


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


def come(table: Table, session: int, proof: dict[str, Any]) -> Accepted | Rejected:
    return arrive(table, session, **{"ticket": "t1", "who": "bob"} | proof)


def claimed(table: Table) -> None:
    """A thief has come for bob, before bob did."""
    found(table)
    assert arrive(table, 6, "t1", "bob", address=ELSEWHERE) == Accepted()
    table.heard.clear()


@PROOFS
@pytest.mark.parametrize("stage", ["waits", "gone", "paired", "started"])
def test_a_claim_gives_way_to_the_owner(table: Table, proof: dict[str, Any], stage: str) -> None:
    claimed(table)
    if stage == "gone":
        table.leave(6)
    if stage in {"paired", "started"}:
        arrive(table, 1, "t1", "ann")
    if stage == "started":
        table.do(Ready(1))
        table.do(Ready(6))
    table.heard.clear()
    assert come(table, 2, proof) == Accepted()
    assert of(Displaced, table.hear(6)) == ([] if stage == "gone" else [Displaced()])
    assert refused(arrive(table, 7, "t1", "bob", address=ELSEWHERE)) is Code.NAME_TAKEN
    if stage in {"waits", "gone"}:
        arrive(table, 1, "t1", "ann")
    seats = {holder.player: holder for holder in table.match().seats}
    assert (seats["gx-bob"].session, seats["gx-bob"].is_claimed) == (2, False)
    table.leave(2)
    assert refused(arrive(table, 7, "t1", "bob", address=ELSEWHERE)) is Code.NAME_HELD, "its owner has used it"


@PROOFS
def test_what_a_claim_has_played_makes_the_match_void(table: Table, proof: dict[str, Any]) -> None:
    claimed(table)
    arrive(table, 1, "t1", "ann")
    table.do(Ready(1))
    table.do(Ready(6))
    assert table.play(6, "1") == Accepted()
    table.heard.clear()
    assert come(table, 2, proof) == Accepted()
    for session in (1, 2):
        assert [end.reason for end in of(MatchEnded, table.hear(session))] == [EndReason.VOID]
    assert table.records[-1].why == "somebody else had played for gx-bob, who came with a proof"


def test_whoever_shows_the_token_where_they_played_goes_on(table: Table) -> None:
    claimed(table)
    arrive(table, 1, "t1", "ann")
    table.do(Ready(1))
    table.do(Ready(6))
    table.play(6, "1")
    table.leave(6)
    assert arrive(table, 2, "t1", "bob", token="secret-t2", address=ELSEWHERE) == Accepted()
    assert not table.match().seats[0].is_claimed


def test_one_claim_does_not_push_another_out(table: Table) -> None:
    claimed(table)
    assert refused(arrive(table, 7, "t1", "bob", address="10.8.8.8")) is Code.NAME_TAKEN
    table.leave(6)
    assert arrive(table, 7, "t1", "bob", address="10.8.8.8") == Accepted(), "the owner has not come yet"


def test_a_claim_learns_no_id_that_proves_something(table: Table) -> None:
    """Alone again, the thief is told the id of the ticket itself, in the lobby that waits."""
    claimed(table)
    table.now_ms += RULES.ticket_arrival_ms
    table.do(TicketTimeUp("t1"))
    table.leave(6)
    assert arrive(table, 2, "t1", "bob") == Accepted(), "from the address of the join"
    table.leave(2)
    assert refused(arrive(table, 6, "t2", "bob", address=ELSEWHERE)) is Code.NAME_HELD


def test_a_secret_is_not_replaced_by_a_secret_id(table: Table) -> None:
    book(table, "t1", "ann", standing=Proof.PROVEN)
    assert refused(arrive(table, 1, "t1", "ann")) is Code.UNPROVEN
    assert arrive(table, 1, "t1", "ann", token="secret-t1", address=ELSEWHERE) == Accepted()


def test_a_wrong_token_is_called_that(table: Table) -> None:
    book(table, "t1", "ann")
    assert refused(arrive(table, 1, "t1", "ann", token="of another join")) is Code.TOKEN_WRONG


# Those who are present are paired first.


def test_two_who_are_here_do_not_wait_for_somebody_who_is_not(table: Table) -> None:
    found(table)
    arrive(table, 1, "t1", "ann")
    book(table, "t3", "cyd")
    assert table.hear(90)[-1].status is TicketStatus.WAITING
    assert arrive(table, 3, "t3", "cyd") == Accepted()
    assert table.match().players == ("gx-ann", "gx-cyd")
    assert table.match().public_id == "t1"
    assert shown(table, "t1", "bob") == TicketShown("t2", TicketStatus.WAITING, "Hands")
    assert arrive(table, 2, "t1", "bob") == Accepted(), "the id that bob was told is still good"


def test_both_who_wait_for_the_absent_meet_each_other(table: Table) -> None:
    for ticket, who in (("t1", "ann"), ("t2", "bob"), ("t3", "cyd"), ("t4", "dan")):
        book(table, ticket, who)
    arrive(table, 1, "t1", "ann")
    arrive(table, 4, "t3", "dan")
    assert table.match().players == ("gx-ann", "gx-dan")
    assert {ticket.id: ticket.partner for ticket in table.lobby.tickets.values()} == {"t2": "t3", "t3": "t2"}
    arrive(table, 3, "t3", "cyd")
    arrive(table, 2, "t2", "bob")
    assert table.match(2).players == ("gx-cyd", "gx-bob")


def test_a_new_search_finds_whoever_is_here_first(table: Table) -> None:
    book(table, "t1", "ann")
    book(table, "t2", "bob", options={"length": "short"})
    book(table, "t3", "cyd", options={"length": "short"})
    arrive(table, 3, "t3", "cyd")
    table.now_ms += RULES.ticket_arrival_ms
    table.do(TicketTimeUp("t2"))
    book(table, "t4", "dan", options={"length": "short"})
    assert table.lobby.tickets["t4"].partner == "t3"


def test_a_text_player_is_not_left_for_somebody_absent(table: Table) -> None:
    book(table, "t1", "ann", open_to_queue=True)
    book(table, "t2", "bob", open_to_queue=True)
    table.enter(5, "tim")
    table.seek(5, "Hands")
    arrive(table, 1, "t1", "ann")
    assert table.match().players == ("tim", "gx-ann")
    assert table.lobby.tickets["t2"].partner is None


def test_a_text_player_who_comes_later_takes_the_place_of_somebody_absent(table: Table) -> None:
    book(table, "t1", "ann", open_to_queue=True)
    book(table, "t2", "bob", open_to_queue=True)
    arrive(table, 1, "t1", "ann")
    table.enter(5, "tim")
    table.seek(5, "Hands")
    assert table.match().players == ("gx-ann", "tim")
    assert table.lobby.tickets["t2"].partner is None


def test_whoever_never_came_lapses_when_it_would_have(table: Table) -> None:
    found(table)
    arrive(table, 1, "t1", "ann")
    book(table, "t3", "cyd")
    arrive(table, 3, "t3", "cyd")
    table.now_ms += RULES.ticket_arrival_ms
    assert table.do(TicketTimeUp("t2")) == Accepted()
    assert table.lobby.tickets == {}


# Journals.


def test_it_is_all_in_the_journal_and_in_snapshots(table: Table) -> None:
    playing(table)
    book(table, "t3", "cyd")
    book(table, "t4", "dan")
    arrive(table, 4, "t3", "dan", address=ELSEWHERE)
    journal = RowsOnly()
    journal.append(table.rows)
    assert digest(replay(journal, GAMES).lobby) == digest(table.lobby)
    assert digest(read_snapshot(write_snapshot(table.lobby, 1, 1), GAMES)) == digest(table.lobby)


def test_old_journals_replay_by_their_own_rules() -> None:
    table = Table(GAMES, Rules(first_move_pause_ms=0))
    for ticket, who in (("t1", "ann"), ("t2", "bob"), ("t3", "cyd")):
        book(table, ticket, who, open_to_queue=True)
    arrive(table, 1, "t1", "ann")
    arrive(table, 3, "t3", "cyd")
    table.enter(5, "tim")
    table.seek(5, "Hands")
    assert table.match().players == ("gx-cyd", "tim"), "ann waits for bob, who has not come"
    assert refused(arrive(table, 2, "t1", "bob")) is Code.NOT_YOUR_TICKET
    arrive(table, 2, "t2", "bob")
    told = [event.match_ids for session in (1, 2) for event in of(MatchPaired, table.hear(session))]
    assert told == [("t1",), ("t2",)]
    assert table.match(2).public_id == ""
