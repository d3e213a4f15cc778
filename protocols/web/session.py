"""The state of one connection: its player, the match that it plays, and the question in flight."""

from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field

from gameserver.protocol import Context, Displaced, MatchEnded, MatchOpened, MatchPaired, MatchShown
from protocols.lines import SEAT_UPDATES, MessagePace, OwnSeat, PlayerSession
from protocols.web.schema import Id


@define
class WebSession(PlayerSession):
    """The state of one browser's connection, apart from bytes on their way."""

    context: Context
    pace: MessagePace
    key: str = field(default="", init=False, repr=False)
    """The key that the welcome is to bring."""
    id: Id = field(default=None, init=False)
    """The `id` of the question that was read last, which its answer repeats."""
    do: str = field(default="", init=False)
    """The `do` of that question."""
    is_elsewhere: bool = field(default=False, init=False)
    """True if its player has come in by another connection, and this one is to end."""
    latest: OwnSeat | None = field(default=None, init=False)
    """The seat that the player has, or had last: the end of a match is told when the seat is gone."""

    def seat_in(self, match: int) -> int | None:
        """The seat of a browser's player in this match; None if it is not the player's."""
        return self.latest.seat if self.latest is not None and self.latest.match == match else None


def _take_seat(session: WebSession, event: MatchOpened | MatchShown) -> None:
    SEAT_UPDATES[type(event)](session, event)
    session.latest = session.view


def _be_paired(session: WebSession, event: MatchPaired) -> None:
    # The seat that moves first is not known before the game begins, and nobody asks for it until then.
    session.view = session.latest = OwnSeat(event.match, event.seat, 0)


def _go_elsewhere(session: WebSession, _: Displaced) -> None:
    session.is_elsewhere = True


UPDATES: Mapping[type, Callable[[Any, Any], None]] = {
    MatchPaired: _be_paired,
    MatchOpened: _take_seat,
    MatchShown: _take_seat,
    MatchEnded: SEAT_UPDATES[MatchEnded],
    Displaced: _go_elsewhere,
}
"""The changes that events make to the session. Other events change nothing here."""
