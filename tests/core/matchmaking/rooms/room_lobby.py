"""A lobby whose players know rooms or know none, and the states that matches in a room pass through."""

from collections.abc import Sequence

from gameserver.core.messages.commands import ListRooms
from gameserver.core.messages.events import Accepted, Event, RoomsListed
from gameserver.policies import Rules
from tests.support.games import Broken, Countdown, Dice, catalogue
from tests.support.lobbies import LobbyHarness

RULES = Rules(
    first_move_pause_ms=0,
    room_count=3,
    room_game="Countdown",
    room_turn_time_ms=15_000,
    room_wait_ms=180_000,
    late_margin_ms=250,
)
GAMES = catalogue(Countdown(), Dice(), Broken("start"))
ANN, BOB, CYD, TIM, UMA = range(1, 6)
"""The first three come by a protocol with rooms, the others by one without."""


def arrive(harness: LobbyHarness) -> LobbyHarness:
    for session, name in ((ANN, "ann"), (BOB, "bob"), (CYD, "cyd")):
        harness.enter_by_rooms(session, name)
    for session, name in ((TIM, "tim"), (UMA, "uma")):
        harness.enter(session, name)
    harness.heard.clear()
    return harness


def kinds(events: Sequence[Event]) -> list[type]:
    return [type(event) for event in events]


def started(harness: LobbyHarness) -> LobbyHarness:
    """Ann and Bob play in room 0, Ann to move."""
    for session in (ANN, BOB):
        harness.sit(session)
    for session in (ANN, BOB):
        harness.ready(session)
    harness.heard.clear()
    return harness


def over(harness: LobbyHarness) -> LobbyHarness:
    """Ann and Bob have played in room 0, Ann has won."""
    for session, move in ((ANN, "2"), (BOB, "1"), (ANN, "2")):
        assert harness.play(session, move) == Accepted()
    harness.heard.clear()
    return harness


def listed(harness: LobbyHarness, session: int) -> dict[int, str | None]:
    harness.hear(session)
    assert harness.do(ListRooms(session)) == Accepted()
    (event,) = harness.hear(session)
    assert isinstance(event, RoomsListed)
    return {shown.number: shown.host for shown in event.rooms}
