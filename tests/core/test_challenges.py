"""The effort for a name that nobody has."""

import pytest

from gameserver.core import challenges
from gameserver.core.commands import Challenge
from gameserver.core.events import Code, Rejected
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness


def test_only_so_many_names_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(challenges, "COMPARED_MAX", 1)
    harness = LobbyHarness(catalogue(Countdown()))
    for session, name in enumerate(("anna", "bobby"), start=1):
        harness.enter(session, name)
    assert harness.do(Challenge(1, "bobbi", "Countdown")) == Rejected(Code.UNKNOWN_PLAYER, {"player": "bobbi"})
