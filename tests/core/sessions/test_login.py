"""Names that may enter."""

import pytest

from gameserver.core.events import Code, Rejected
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness

BROKEN = ["", " ", " ann", "ann ", "x" * 65, 'a"b', "a{b", "a}b", "a[b", "a]b", "a\nb", "a\tb", "a\x00b", "\u202eann"]
GUID = "281ccec7-0000-4000-8000-0123456789ab"
RESERVED = ["No player1 yet", "no PLAYER2 yet", "server", "House-x", "mm-1", "gx-77", GUID, GUID.upper()]
FREE = ["Ann", "Zoë van Dijk", "x" * 64, "a,b", "'; --", "NULL", "42"]


@pytest.mark.parametrize(("names", "code"), [(BROKEN, Code.NAME_INVALID), (RESERVED, Code.NAME_RESERVED), (FREE, None)])
def test_names_that_may_enter_and_that_may_not(names: list[str], code: Code | None) -> None:
    for name in names:
        answer = LobbyHarness(catalogue(Countdown())).enter(1, name)
        assert (answer.code if isinstance(answer, Rejected) else None) is code, name
        assert not isinstance(answer, Rejected) or answer.facts["name"] == name
        assert code is not Code.NAME_INVALID or answer.facts["why"]
