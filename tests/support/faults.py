"""A bug in the server that ends a player's connection."""

from gameserver.core.commands import Leave
from gameserver.core.events import Accepted
from tests.support.lobbies import LobbyHarness

MODULE = "bots.chat"
REASON = f"a bug in the server ({MODULE}) ended the connection"
GRACE_MS = 60_000


def fault(harness: LobbyHarness, session: int) -> None:
    assert harness.do(Leave(session, "closed", fault=MODULE)) == Accepted()
