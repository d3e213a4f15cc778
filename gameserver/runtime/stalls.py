"""When the server stood still, and for how long: evidence for the records, never a rule.

The clock leaves such time out of its axis, so nobody is charged for it. Here it is kept by where on
the axis it happened, which tells of any turn how long the server stood still during it.
"""

from bisect import bisect_right

KEPT_MAX = 4_096
"""So many stalls are remembered, the latest."""


class Stalls:
    """The stalls since the start of the server."""

    def __init__(self) -> None:
        self._at_ms: list[int] = []
        self._total_ms: list[float] = []
        self._forgotten_ms = 0.0

    @property
    def total_ms(self) -> float:
        """All there was."""
        return self._total_ms[-1] if self._total_ms else self._forgotten_ms

    def note(self, at_ms: int, lost_ms: float) -> None:
        """So much time was lost at this point of the axis."""
        total_ms = self.total_ms + lost_ms
        if self._at_ms and self._at_ms[-1] == at_ms:
            self._total_ms[-1] = total_ms
            return
        self._at_ms.append(at_ms)
        self._total_ms.append(total_ms)
        if len(self._at_ms) > KEPT_MAX:
            self._forgotten_ms = self._total_ms[KEPT_MAX // 2 - 1]
            del self._at_ms[: KEPT_MAX // 2], self._total_ms[: KEPT_MAX // 2]

    def between(self, from_ms: int, to_ms: int) -> int:
        """How long the server stood still after the one point of the axis, up to the other, in milliseconds."""
        return round(self._until(to_ms) - self._until(from_ms))

    def _until(self, at_ms: int) -> float:
        """All that is remembered up to this point."""
        index = bisect_right(self._at_ms, at_ms)
        return self._total_ms[index - 1] if index else self._forgotten_ms
