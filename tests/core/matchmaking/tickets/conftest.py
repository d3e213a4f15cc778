"""An empty lobby in which tickets are booked."""

import pytest

from tests.support.lobbies import LobbyHarness
from tests.support.tickets import GAMES, RULES


@pytest.fixture
def harness() -> LobbyHarness:
    return LobbyHarness(GAMES, RULES)
