"""Which matches count for ratings: a fact of the match, on its record."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Against, Arrive, Book, Ready
from gameserver.policies import Rules
from tests.support.games import Countdown, Hands, catalogue
from tests.support.lobbies import LobbyHarness

GAMES = catalogue(Countdown(), Hands())


def harness(**rules: Any) -> LobbyHarness:
    return LobbyHarness(GAMES, Rules(first_move_pause_ms=0, room_game="Countdown", **rules))


def resigned(harness: LobbyHarness, session: int) -> bool:
    harness.resign(session)
    (record,) = harness.records
    return record.rated


def by_challenge(lobby: LobbyHarness, to: str = "bob") -> None:
    lobby.enter(1, "ann")
    lobby.enter(2, "bob")
    lobby.challenge(1, to, "Countdown")
    if to == "bob":
        lobby.accept(2)


def by_room(lobby: LobbyHarness) -> None:
    for session, name in ((1, "ann"), (2, "bob")):
        lobby.enter_by_rooms(session, name)
        lobby.sit(session)
    for session in (1, 2):
        lobby.ready(session)


@pytest.mark.parametrize(
    ("begin", "rules", "counts"),
    [
        (LobbyHarness.opened, {}, True),
        (LobbyHarness.opened, {"rated": False}, False),
        (by_challenge, {}, True),
        (by_room, {}, True),
        (partial(by_challenge, to="house-random"), {}, False),
    ],
)
def test_match_counts_against_other_players_where_the_settings_say_so(
    begin: Callable[[LobbyHarness], object], rules: dict[str, Any], *, counts: bool
) -> None:
    lobby = harness(**rules)
    begin(lobby)
    assert lobby.match().policies.rated is counts
    lobby.check_restored()
    assert resigned(lobby, 1) is counts


@pytest.mark.parametrize("against", [Against.ANYBODY, Against.RATED, Against.HOUSE])
def test_match_of_tickets_is_rated_only_if_both_ask_for_it(against: Against) -> None:
    lobby = harness()
    for session, who in ((1, "ann"), (2, "bob")):
        if against is not Against.HOUSE or who == "ann":
            seats = {"by_hand": True}
            lobby.do(Book(90, who, f"gx-{who}", who, "10.0.0.1", "Hands", seat_options=seats, against=against))
            lobby.do(Arrive(session, who, who, "gammonx", "10.0.0.1", (Capability.READY,)))
    for session in (1, 2):
        lobby.do(Ready(session))
    assert resigned(lobby, 1) is (against is Against.RATED)
