"""Which player may have been meant by a name that nobody has."""

import pytest

from gameserver.core.matchmaking import suggestions
from gameserver.core.messages.commands import Challenge, Say
from gameserver.core.messages.events import Rejected
from gameserver.core.messages.rejections import Code
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness


@pytest.mark.parametrize(
    ("name", "like"),
    [("house-randm", "house-random"), ("BOBBY", "bobby"), ("boby", "bobby"), ("zed", None), ("b", None)],
)
def test_the_nearest_name_is_suggested(name: str, like: str | None) -> None:
    harness = LobbyHarness(catalogue(Countdown()))
    harness.enter(1, "ann")
    harness.enter(2, "bobby")
    expected = Rejected(Code.UNKNOWN_PLAYER, {"player": name} | ({"like": like} if like else {}))
    assert harness.do(Challenge(1, name, "Countdown")) == expected
    assert harness.do(Say(1, name, "hi")) == expected


def test_only_so_many_names_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggestions, "COMPARED_MAX", 1)
    harness = LobbyHarness(catalogue(Countdown()))
    for session, name in enumerate(("anna", "bobby"), start=1):
        harness.enter(session, name)
    assert harness.do(Challenge(1, "bobbi", "Countdown")) == Rejected(Code.UNKNOWN_PLAYER, {"player": "bobbi"})
