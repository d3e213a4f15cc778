"""Promises about tickets that are no conversation: which ratings meet, and whose a ticket is."""

import pytest

from gameserver.core.commands import Against, Book
from gameserver.core.lobby import Ticket
from gameserver.core.match import Claim
from tests.support.lobbies import LobbyHarness
from tests.support.tickets import GAMES, RULES, arrive, found


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
        Ticket(
            Claim(Book(0, name, name, name, "", "Hands", against=Against.RATED, rating=rating)), now_ms - 1_000 * waited
        )
        for name, rating, waited in zip("ab", ratings, waited_s, strict=True)
    )
    assert one.wants(two, now_ms) is two.wants(one, now_ms) is meet


def test_a_ticket_tells_whose_it_is_before_and_in_the_match() -> None:
    harness = LobbyHarness(GAMES, RULES)
    found(harness)
    assert [harness.lobby.player_with("t1", who) for who in ("ann", "bob")] == ["gx-ann", "gx-bob"]
    arrive(harness, 1, "t1", "ann")
    arrive(harness, 2, "t2", "bob")
    assert harness.lobby.tickets == {}
    asked = (("t2", "bob"), ("t1", "bob"), ("t2", "ann"), ("t9", "ann"))
    assert [harness.lobby.player_with(*one) for one in asked] == ["gx-bob", "gx-bob", "", ""]
