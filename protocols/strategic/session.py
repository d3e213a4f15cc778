"""The state of one connection: its player, the match that it plays, and its recent chat lines."""

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Any

from attrs import Factory, define

from gameserver.protocol import MatchEnded, MatchOpened, MatchShown, PastMatch, Peer
from gameserver.values import value
from protocols.line_adapter import LineSession
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


class Stage(StrEnum):
    """The stage of a connection."""

    ARRIVED = "arrived"
    LOBBY = "lobby"
    PLAYING = "playing"
    LEFT = "left"


# In Python 3.11 a member that is looked up by its class costs as much as a call, and every line asks for the stage.
_ARRIVED, _LOBBY, _PLAYING, _LEFT = Stage


@value
class OwnSeat:
    """The match that a player is in, and the player's seat."""

    match: int
    seat: int
    first: int
    """The seat of PLAYERTOMOVE, which is "player one" of the result."""


@define
class StrategicSession(LineSession):
    """One connection's state, apart from bytes on their way.

    The stage is not stored but derived from the rest, so it cannot disagree with what the peer was told.
    `read_in` is None for a line that was read before the login: a player who comes back and moves at
    once means the match that they come back to.
    """

    peer: Peer
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
    entered: bool = False
    left: bool = False
    view: OwnSeat | None = None

    @property
    def match(self) -> int | None:
        """The match that a line which is read now is meant for, as in `read_in`."""
        if not self.entered:
            return None
        return 0 if self.view is None else self.view.match

    @property
    def stage(self) -> Stage:
        """The stage of the connection."""
        if self.left:
            return _LEFT
        if self.view is not None:
            return _PLAYING
        return _LOBBY if self.entered else _ARRIVED


def _take_seat(session: StrategicSession, event: MatchOpened | MatchShown) -> None:
    session.view = OwnSeat(event.match, event.seat, event.first)


def _leave_seat(session: StrategicSession, event: MatchEnded) -> None:
    if session.view is not None and session.view.match == event.match:
        session.view = None


UPDATES: Mapping[type, Callable[[StrategicSession, Any], None]] = {
    MatchOpened: _take_seat,
    MatchShown: _take_seat,
    MatchEnded: _leave_seat,
}
"""The changes that events make to the session. Other events change nothing here."""
