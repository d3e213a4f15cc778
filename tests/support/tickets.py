"""Tickets in a lobby: booked, found, paired and playing."""

from typing import Any

from gameserver.core.commands import Arrive, Book, Capability
from gameserver.core.events import Accepted, Rejected
from gameserver.policies import Rules
from tests.support.games import Hands, catalogue
from tests.support.lobbies import LobbyHarness

GAMES = catalogue(Hands())
RULES = Rules(first_move_pause_ms=0)


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
