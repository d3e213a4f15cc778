"""Commands of senders who have not been told what was decided."""

import pytest

from gameserver.core.commands import Kick, Leave, Play, Void, Withdraw
from gameserver.engine.batch import InFlight
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness


@pytest.fixture
def harness() -> LobbyHarness:
    """A match of ann and bob, and cyd, who waits."""
    harness = LobbyHarness(catalogue(Countdown()))
    for session, name in enumerate(("ann", "bob", "cyd"), 1):
        harness.enter(session, name)
    for session in (1, 2, 3):
        harness.seek(session, "Countdown")
    return harness


BEFORE = (Withdraw(1), Void(1, "ann had left before it began"))
KICK = Kick("ann", "enough", "teacher")
BY_OUR_BUG = Leave(1, fault="bots.chat")


@pytest.mark.parametrize(
    ("in_flight", "command", "expected"),
    [
        (InFlight(opened=[1]), Leave(1), (*BEFORE, Leave(1))),
        (InFlight(opened=[1]), KICK, (*BEFORE, KICK)),
        (InFlight(entered=[1], opened=[1]), Leave(1), (*BEFORE, Leave(1, unheard=True))),
        (InFlight(entered=[1]), Leave(1), (Leave(1, unheard=True),)),
        (InFlight(entered=[1], opened=[1]), BY_OUR_BUG, (Leave(1, unheard=True, fault="bots.chat"),)),
        (InFlight(entered=[2], opened=[2]), Leave(1), (Leave(1),)),
        (InFlight(opened=[1]), Leave(3), (Leave(3),)),
        (InFlight(opened=[1]), Leave(9), (Leave(9),)),
        (InFlight(entered=[1], opened=[1]), Play(1, "1"), (Play(1, "1"),)),
    ],
    ids=lambda value: None,
)
def test_the_end_of_a_session_is_taken_as_of_what_its_player_knows(
    harness: LobbyHarness, in_flight: InFlight, command: Leave, expected: tuple[object, ...]
) -> None:
    assert in_flight.adjust(harness.lobby, command) == expected
