"""The state of one connection: its player, the match that it plays, and its recent chat lines.

Lines that many receivers are told alike are put into words once. The receivers of an event follow each other, so the
latest line of a kind is enough. The protocol owns them, one of each kind for all its connections.
"""

from collections.abc import Awaitable, Callable

from attrs import Factory, define

from gameserver.protocol import PastMatch
from protocols.lines import MessagePace, PlayerSession
from protocols.strategic.parsing import GameNames
from protocols.strategic.profiles import Profile


@define
class LatestLine:
    """The event that was put into words last, and its line."""

    event: object = None
    line: bytes = b""


@define
class SharedLines:
    """The latest line of each kind."""

    move: LatestLine = Factory(LatestLine)
    """A move, which all players of its match are told."""
    players: LatestLine = Factory(LatestLine)
    """The list of players, of whatever length, which everybody may ask for."""


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
