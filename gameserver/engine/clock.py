"""Server time: one axis of milliseconds that runs only while we serve.

Deadlines and budgets are points on this axis, so anything that keeps the server from serving must not move it: a
stalled loop, a slow commit, a suspended process. Two rules ensure that.

* While deadlines are watched, the alarm looks at the clock every `HEARTBEAT_MS`, and between two looks the axis
  advances by at most `STALL_MS`: a longer gap is a stall, and the excess is charged to nobody. While there is no
  deadline the clock need not be looked at, and a gap is just quiet time.
* While a commit runs the axis advances by at most `STALL_MS` in all, because no player can be told anything until the
  commit is done.

The allowance itself is covered by the margin after every deadline (`late_margin_ms`).

Rejected: subtracting measured stalls from each turn afterwards. Every deadline would need to know every stall, and a
restart would have to remember them.

`Stalls` keeps the points of the axis at which the server stood still, and for how long. It is evidence for the records,
never a rule: it tells how long the server stood still during a turn.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager

KEPT_MAX = 4_096
"""Stalls that are remembered, the latest ones."""


class Stalls:
    """The stalls since the start of the server."""

    def __init__(self) -> None:
        self._at_ms: list[int] = []
        self._total_ms: list[float] = []
        self._forgotten_ms = 0.0

    @property
    def total_ms(self) -> float:
        """Milliseconds of all stalls together."""
        return self._total_ms[-1] if self._total_ms else self._forgotten_ms

    def note(self, at_ms: int, lost_ms: float) -> None:
        """Note that this much time was lost at this point of the axis."""
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
        """Milliseconds that the server stood still after the first point of the axis, up to the second."""
        return round(self._until(to_ms) - self._until(from_ms))

    def _until(self, at_ms: int) -> float:
        """Milliseconds of all stalls up to this point, as far as they are remembered."""
        index = bisect_right(self._at_ms, at_ms)
        return self._total_ms[index - 1] if index else self._forgotten_ms


STALL_MS = 100
HEARTBEAT_MS = 50


class ServerClock:
    """The axis. `monotonic` gives seconds, such as `trio.current_time`; the axis goes on at `start_ms`."""

    def __init__(self, monotonic: Callable[[], float], start_ms: int = 0) -> None:
        self._monotonic = monotonic
        self._seen_s = monotonic()
        self._axis_ms = float(start_ms)
        self._hold_left_ms: float | None = None
        self.watched = False
        """True while there are deadlines, and the alarm looks at every heartbeat."""
        self.stalls = Stalls()
        """The stalls so far."""

    @property
    def stalled_ms(self) -> float:
        """Milliseconds that were charged to nobody, in all."""
        return self.stalls.total_ms

    def now_ms(self) -> int:
        """Look at the clock."""
        seen_s = self._monotonic()
        passed_ms = (seen_s - self._seen_s) * 1000
        self._seen_s = seen_s
        step_ms = STALL_MS if passed_ms > STALL_MS and self.watched else passed_ms
        if self._hold_left_ms is not None:
            step_ms = min(step_ms, self._hold_left_ms)
            self._hold_left_ms -= step_ms
        self._axis_ms += step_ms
        if passed_ms > step_ms:
            self.stalls.note(round(self._axis_ms), passed_ms - step_ms)
        return round(self._axis_ms)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let the axis advance by no more than the allowance while this lasts."""
        self.now_ms()
        self._hold_left_ms = STALL_MS
        try:
            yield
        finally:
            self.now_ms()
            self._hold_left_ms = None
