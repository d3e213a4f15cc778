"""Searches for an opponent of a like rating, and how their range widens."""

import pytest

from gameserver.core.messages.commands import Against, TicketTimeUp
from gameserver.core.messages.events import Accepted
from gameserver.core.state.ticket import Ticket
from tests.support.lobbies import LobbyHarness
from tests.support.tickets import arrive, book


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
