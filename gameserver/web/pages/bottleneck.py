"""The players for whom a tournament waits, and the estimate that grows meanwhile: for its page and the teacher's."""

from gameserver.read_model.lobby_view import LobbyView
from gameserver.tournaments.view import TournamentView
from gameserver.values import value

_AHEAD_MS = 10_000
"""The distance between the two estimates of a line: less than most waits for a player who does not come."""
_GRAIN_MS = 1_000
"""The precision of a line's beginning: it must not move by rounding, as the page would be sent again for it."""


@value
class GrowingEstimate:
    """The time left while everybody waits: it is 0 at `from_ms` on the server's axis, and grows at a steady rate.

    While a player who does not come is waited for, it shrinks: the rate is negative.
    """

    from_ms: int
    rate: float


def bottleneck_values(view: TournamentView, lobby_view: LobbyView) -> dict[str, object]:
    """The values for the template.

    The view has the time left as of the last result. While everybody waits it grows or shrinks, but nothing happens for
    which the page would be made anew. So the page's script lets it.
    """
    bottleneck = lobby_view.waiting(view.number)
    eta_ms, estimate = view.eta_ms, None
    if bottleneck is not None:
        now_ms = lobby_view.now_ms
        eta_ms = lobby_view.left_ms(view.number, now_ms)
        estimate = _line(now_ms, eta_ms, lobby_view.left_ms(view.number, now_ms + _AHEAD_MS))
    return {"bottleneck": bottleneck, "eta_ms": eta_ms, "estimate": estimate}


def _line(now_ms: int, left_ms: int | None, later_ms: int | None) -> GrowingEstimate | None:
    """The line through the estimates of now and of some seconds later."""
    if left_ms is None or later_ms is None or later_ms == left_ms:
        return None
    rate = (later_ms - left_ms) / _AHEAD_MS
    return GrowingEstimate(round((now_ms - left_ms / rate) / _GRAIN_MS) * _GRAIN_MS, round(rate, 3))
