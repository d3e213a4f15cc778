"""The state of one connection: its player, the match that it plays, and its recent chat lines."""

from collections.abc import Awaitable, Callable

from attrs import Factory, define

from gameserver.protocol import PastMatch
from protocols.line_adapter import PlayerSession
from protocols.strategic.parsing import GameNames
from protocols.strategic.profiles import Profile
from protocols.strategic.shared_lines import SharedLines

WINDOW_MS = 10_000


@define
class MessagePace:
    """Counts the chat lines of the last ten seconds."""

    messages_max: int
    _sent_ms: list[int] = Factory(list)

    def allows(self, at_ms: int) -> bool:
        """True if one more may be sent now; if so, it counts as sent."""
        sent_ms = self._sent_ms
        if len(sent_ms) == self.messages_max:
            if at_ms - sent_ms[0] < WINDOW_MS:
                return False
            del sent_ms[0]
        sent_ms.append(at_ms)
        return True


@define
class StrategicSession(PlayerSession):
    """One connection's state, apart from bytes on their way."""

    profile: Profile
    games: GameNames
    guide_of: Callable[[str], str]
    """The guide of a game, by its name; empty if it has none."""
    pace: MessagePace
    last_match_of: Callable[[str], Awaitable[PastMatch | None]]
    """Looks up a player's latest match on record."""
    pages_url: str = ""
    """The URL of the pages; empty if there are none."""
    shared: SharedLines = Factory(SharedLines)
    """The lines shared by all connections of the protocol."""
