"""The secret is in the journal, and nowhere else before the end: whatever anybody is shown is searched."""

import json
from typing import Any

import pytest
from attrs import define, field

from games.mastermind import GAME as MASTERMIND
from games.mastermind import write_code
from gameserver.core.messages.commands import HOUSE_SESSION
from gameserver.policies import Rules
from gameserver.server.server import Server
from tests.support.games import catalogue
from tests.support.lobbies import LobbyHarness

SIZE = {"code_length": 8, "value_count": 10, "max_turns": 12}
"""Eight digits do not turn up by chance."""
NEW_GAME = '0|{"NbrColors":10,"MaxTries":12,"CodeLength":8}'
SECRET = "31415926"


def forms(secret: str) -> list[str]:
    """How a code may be written: as digits, with anything between them, or as the dice that were thrown for it."""
    dice = [str(int(digit) + 1) for digit in secret]
    return [gap.join(parts) for parts in (list(secret), dice) for gap in ("", "-", ",", ", ", " ")]


def tells(text: str, secret: str) -> bool:
    return any(form in text for form in forms(secret))


def test_search_finds_planted_secrets() -> None:
    for text in ("31415926", "[3, 1, 4, 1, 5, 9, 2, 6]", "Code(3,1,4,1,5,9,2,6)", "4 2 5 2 6 10 3 7"):
        assert tells(text, SECRET)
    assert not tells("13415926", SECRET)


@define
class Searched:
    """A lobby in which every event is looked at before it is thrown away."""

    harness: LobbyHarness
    allowed: set[int] = field(factory=lambda: {HOUSE_SESSION})
    """The sessions that may know the secret: the maker's own, which is the house."""

    @property
    def state(self) -> Any:
        """The position of the match that is on."""
        (match,) = self.harness.lobby.matches.values()
        return match.state

    @property
    def secret(self) -> str:
        return write_code(self.state.table.secret_code)

    def look(self) -> None:
        """Nobody has been told, and no view or board shows it."""
        for session, events in self.harness.heard.items():
            assert session in self.allowed or not tells(repr(events), self.secret), events
        self.harness.heard.clear()
        state = self.state
        for viewer in (1, None):
            shown = json.dumps(state.view(viewer)) + state.board(viewer) + state.reaction(viewer)
            shown += "".join(state.prompt(seat) for seat in state.turn.seats)
            assert not tells(shown, self.secret), shown


@pytest.fixture
def searched() -> Searched:
    return Searched(LobbyHarness(catalogue(MASTERMIND), Rules(first_move_pause_ms=0, drop_grace_ms=60_000)))


def secret_of(server: Server) -> str:
    (match,) = server._replayed.lobby.matches.values()
    return write_code(match.state.table.secret_code)
