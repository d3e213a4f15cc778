"""A lobby with rooms."""

import pytest

from tests.core.matchmaking.rooms.room_lobby import GAMES, RULES, arrive
from tests.support.lobbies import LobbyHarness


@pytest.fixture
def harness() -> LobbyHarness:
    return arrive(LobbyHarness(GAMES, RULES))
