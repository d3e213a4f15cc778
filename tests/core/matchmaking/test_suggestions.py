"""The effort for a name that nobody has."""

import pytest

from gameserver.core.matchmaking import suggestions
from gameserver.core.messages.commands import Challenge
from gameserver.core.messages.events import Rejected
from gameserver.core.messages.rejections import Code
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness


def test_only_so_many_names_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggestions, "COMPARED_MAX", 1)
    harness = LobbyHarness(catalogue(Countdown()))
    for session, name in enumerate(("anna", "bobby"), start=1):
        harness.enter(session, name)
    assert harness.do(Challenge(1, "bobbi", "Countdown")) == Rejected(Code.UNKNOWN_PLAYER, {"player": "bobbi"})
