"""Messages to a client by the clock: that its time is half over, and how long an absent opponent may take.

Its time is a turn's, or that for starting the next game. The lobby says until when, at its beginning
and whenever that changes; while the match waits for a player who is away, the clock stands.
"""

from collections.abc import Callable

from attrs import define, field

from gameserver.protocol import SeatDropped
from protocols.gammonx.match_state import OwnMatch
from protocols.gammonx.schema import DisconnectedPayload, TurnTimerPayload


@define
class Deadlines:
    """The times that one client is to be told of. All are on the server's axis, in milliseconds."""

    _date_at: Callable[[int], str]
    """Same as in `Context`."""
    _act_by_ms: int | None = field(default=None, init=False)
    _warned_of_ms: int | None = field(default=None, init=False)
    """The deadline that the client has been told of: one of the same turn is told again with each of its moves."""
    _dropped: SeatDropped | None = field(default=None, init=False)

    def act_by(self, deadline_ms: int | None) -> None:
        """The client has so long; None while it has not to act, or its clock stands."""
        self._act_by_ms = deadline_ms

    def dropped(self, event: SeatDropped) -> None:
        """The opponent is away."""
        self._dropped = event

    def returned(self) -> None:
        """The opponent is back, or need not be."""
        self._dropped = None

    def due_ms(self, view: OwnMatch | None) -> int | None:
        """The time of the next message; at once for an absence, whose length the clock alone knows."""
        if self._dropped is not None:
            return 0
        if view is None or self._act_by_ms is None or self._act_by_ms == self._warned_of_ms:
            return None
        return None if view.turn_time_ms is None else self._act_by_ms - view.turn_time_ms // 2

    def absence(self, view: OwnMatch, now_ms: int) -> DisconnectedPayload | None:
        """The absence that has not been told of, if there is one."""
        dropped, self._dropped = self._dropped, None
        if dropped is None:
            return None
        seconds = max(0, dropped.return_by_ms - now_ms + 999) // 1000
        period = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        return DisconnectedPayload(period, self._date_at(dropped.return_by_ms), view.players[dropped.seat])

    def warning(self, view: OwnMatch, now_ms: int) -> TurnTimerPayload | None:
        """The event that half of the time has passed, if it has."""
        due_ms, deadline_ms = self.due_ms(view), self._act_by_ms
        if due_ms is None or deadline_ms is None or now_ms < due_ms:
            return None
        self._warned_of_ms = deadline_ms
        return TurnTimerPayload(view.players[view.seat], self._date_at(deadline_ms))
