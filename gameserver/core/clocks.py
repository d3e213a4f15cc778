"""The two clocks of a match: that of the turn, and each player's bank of time for the whole match.

Both are points on the server's axis and amounts of time, so a clock that stands costs nothing, and a replay, a snapshot
and a standby have them to the millisecond. Of a bank, nothing is taken before the turn is over: until then it keeps
what the turn has used so far, because periods of a bank are counted by whole turns.
"""

import attrs

from gameserver.time_control import TimeControl
from gameserver.values import value


@value
class TurnClock:
    """The time of a turn: a deadline while it runs, what is left while it stands, neither without one.

    It runs from `from_ms` on, which may lie a moment ahead where output is held back.
    """

    deadline_ms: int | None = None
    left_ms: int | None = None
    from_ms: int = 0

    def held(self, now_ms: int) -> "TurnClock":
        """The clock of a turn, stopped at `now_ms`."""
        if self.deadline_ms is None:
            return self
        # The turn may not have begun: where output is held back, it runs from the moment at which that goes out.
        return TurnClock(left_ms=max(0, self.deadline_ms - max(now_ms, self.from_ms)))

    def resumed(self, from_ms: int) -> "TurnClock":
        """The clock of a turn that was stopped, running again from `from_ms` on."""
        if self.left_ms is None:
            return self
        return TurnClock(deadline_ms=from_ms + self.left_ms, from_ms=from_ms)


NO_CLOCK = TurnClock()
"""No time runs, and none is left to go on with."""


@value
class Bank:
    """A player's time for all turns of a match: `left_ms` until it would be lost, as it was when the turn began.

    `used_ms` is what this turn has used of it before the clock stood last; it runs since `since_ms`.
    """

    left_ms: int
    used_ms: int = 0
    since_ms: int | None = None

    @property
    def end_ms(self) -> int | None:
        """The time at which a bank that runs is used up."""
        return None if self.since_ms is None else self.since_ms + self.left_ms - self.used_ms

    def left_at(self, now_ms: int) -> int:
        """The time until a bank is used up, as it stands at this time."""
        return self.left_ms - self.held(now_ms).used_ms

    def held(self, now_ms: int) -> "Bank":
        """The bank, stopped at this time. Once it is used up, no more is used: the margin is on no clock."""
        if self.since_ms is None:
            return self
        return Bank(self.left_ms, min(self.left_ms, self.used_ms + max(0, now_ms - self.since_ms)))

    def resumed(self, from_ms: int) -> "Bank":
        """The bank, running from this time on."""
        return self if self.since_ms is not None else attrs.evolve(self, since_ms=from_ms)

    def charged(self, terms: TimeControl, now_ms: int) -> "Bank":
        """The bank after a turn that ended at this time, or was cut short by the end of a game."""
        used_ms = self.held(now_ms).used_ms
        return Bank(terms.spent(self.left_ms, used_ms)) if used_ms else Bank(self.left_ms)

    def after_move(self, terms: TimeControl, stamp_ms: int, increment_ms: int) -> "Bank":
        """The bank after a turn that its player ended by a move read at this time."""
        # Within the margin a move still counts, and leaves nothing of the bank; of its last period, all.
        return Bank(terms.spent(self.left_ms, self.held(stamp_ms).used_ms) + increment_ms)
