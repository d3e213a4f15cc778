"""Opponents without a ticket: the house, and players in the queue."""

import pytest

from gameserver.core.messages.commands import Against, ListPlayers, Ready, ServerStarted, Unbook
from gameserver.core.messages.events import Accepted, MatchOpened, PlayersListed, Rejected, TicketShown, TicketStatus
from gameserver.core.messages.rejections import Code
from gameserver.policies import Rules
from tests.support.games import HandOptions
from tests.support.lobbies import SEED, LobbyHarness
from tests.support.tickets import GAMES, RULES, arrive, book, of, show


def test_nobody_is_found_for_themselves(harness: LobbyHarness) -> None:
    book(harness, "t1", "ann", open_to_queue=True)
    arrive(harness, 1, "t1", "ann")
    assert harness.seek(1, "Hands") == Rejected(Code.TICKET_OPEN)
    assert not harness.lobby.matches


@pytest.mark.parametrize("looks_by", ["seek", "challenge"])
def test_a_new_ticket_ends_what_its_player_looked_for_on_the_last_connection(
    harness: LobbyHarness, looks_by: str
) -> None:
    book(harness, "t1", "ann")
    arrive(harness, 1, "t1", "ann")
    harness.do(Unbook(90, "t1", "ann"))
    harness.enter(5, "tim")
    if looks_by == "seek":
        assert harness.seek(1, "Hands") == Accepted()
    else:
        assert harness.challenge(1, "tim", "Hands") == Accepted()
    book(harness, "t2", "ann")
    assert arrive(harness, 2, "t2", "ann") == Accepted()
    assert not harness.lobby.queues
    assert not harness.lobby.challenges


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
