"""The state of one connection: its player, the match that it plays, and its recent chat lines."""

from collections.abc import Awaitable, Callable

from attrs import Factory, define

from gameserver.protocol import PastMatch
from protocols.line_adapter import PlayerSession
from protocols.message_pace import MessagePace
from protocols.strategic.parsing import GameNames
from protocols.strategic.profiles import Profile
from protocols.strategic.shared_lines import SharedLines


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
    own_page_of: Callable[[str, int], str]
    """Makes the link to the player's own page."""
    pages_url: str = ""
    """The URL of the pages; empty if there are none."""
    shared: SharedLines = Factory(SharedLines)
    """The lines shared by all connections of the protocol."""
