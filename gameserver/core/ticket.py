"""A ticket as a value: a search whose player need not be connected.

What happens to tickets is in `tickets`.
"""

from collections.abc import Mapping
from typing import Any

from attrs import Factory, field, frozen

from gameserver.core.commands import Against

RATED_WINDOWS = ((5_000, 50), (15_000, 100), (30_000, 200))
"""How far ratings may be apart after less than so many milliseconds of waiting (GammonX)."""
RATED_WINDOW_MAX = 400


@frozen
class Ticket:
    """One player's search. `partner` is the ticket of the opponent that was found."""

    id: str
    player: str
    identity: str
    address: str
    game: str
    options: Mapping[str, Any] = Factory(dict)
    seat_options: Mapping[str, Any] = Factory(dict)
    against: Against = Against.ANYBODY
    rating: int = 0
    open_to_queue: bool = False
    token: str = field(default="", repr=False)
    opened_ms: int = 0
    session: int | None = None
    """Where its player waits; None before they arrive, and while they are away."""
    arrived_ms: int = 0
    partner: str | None = None
    due_ms: int | None = None
    """When it lapses, or a rated search widens."""

    def wants(self, other: "Ticket", now_ms: int) -> bool:
        """Whether these two may play each other."""
        if (self.game, self.against, dict(self.options)) != (other.game, other.against, dict(other.options)):
            return False
        if self.against is Against.HOUSE:
            return False
        if self.against is Against.ANYBODY:
            return True
        window = min(self.window(now_ms), other.window(now_ms))
        return abs(self.rating - other.rating) <= window

    def window(self, now_ms: int) -> int:
        """How far away a rating may be by now."""
        waited_ms = now_ms - self.opened_ms
        return next((window for until_ms, window in RATED_WINDOWS if waited_ms < until_ms), RATED_WINDOW_MAX)

    def widens_ms(self, now_ms: int) -> int | None:
        """When the window grows next; None if it does not."""
        if self.against is not Against.RATED:
            return None
        steps = (self.opened_ms + until_ms for until_ms, _ in RATED_WINDOWS)
        return next((step for step in steps if step > now_ms), None)
