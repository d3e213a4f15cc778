"""The state of one connection: its player, the match that it plays, and its recent chat lines.

Lines that many receivers are told alike are put into words once. The receivers of an event follow each other, so the
latest line of a kind is enough. The protocol owns them, one of each kind for all its connections.
"""

from collections.abc import Awaitable, Callable

from attrs import Factory, define

from gameserver.protocol import MovePlayed, PastMatch, PlayersListed
from protocols.lines import MessagePace, PlayerSession
from protocols.strategic.parsing import GameNames
from protocols.strategic.profiles import StrategicProfile

Latest = dict[type, tuple[object, bytes]]
"""By kind, the event that was put into words last, and its line.

`functools.lru_cache` would hash an event of ten fields for each receiver, where this asks if it is the same object."""


def no_latest() -> Latest:
    """The latest lines that strategic sessions share, still empty: of a move, and of the list of players."""
    return {MovePlayed: (None, b""), PlayersListed: (None, b"")}


@define
class StrategicSession(PlayerSession):
    """The state of one connection of the text protocol, apart from bytes on their way."""

    profile: StrategicProfile
    games: GameNames
    guide_of: Callable[[str], str]
    """The guide of a game, by its name; empty if it has none."""
    pace: MessagePace
    last_match_of: Callable[[str], Awaitable[PastMatch | None]]
    """Looks up a player's latest match on record."""
    own_page_of: Callable[[str, int], str]
    """Makes the link to the player's own page."""
    # As this peer reaches them: a link that the student can open.
    pages_url: str = ""
    """The URL of the pages; empty if there are none."""
    latest: Latest = Factory(no_latest)
    """The lines shared by all connections of the protocol."""
