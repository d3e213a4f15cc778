"""Calls at a later time, for code without a task of its own. One task serves them all."""

import heapq
from collections.abc import Callable
from itertools import count

import trio


class Timer:
    """One pending call; `cancel()` drops it."""

    __slots__ = ("_callback",)

    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """Forget the call. Its place in the heap stays until its time; it holds nothing alive."""
        self._callback = None

    def fire(self) -> bool:
        """Make the call, once; False if it was made or cancelled before."""
        callback, self._callback = self._callback, None
        if callback is None:
            return False
        callback()
        return True


class Timers:
    """All timers of a server. Callbacks are synchronous, quick, and guard themselves against exceptions."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Timer]] = []
        self._order = count()
        self._earlier = trio.Event()

    def after(self, delay_s: float, callback: Callable[[], None]) -> Timer:
        """Call back after so many seconds."""
        timer = Timer(callback)
        at_s = trio.current_time() + delay_s
        if not self._heap or at_s < self._heap[0][0]:
            self._earlier.set()
        heapq.heappush(self._heap, (at_s, next(self._order), timer))
        return timer

    async def run(self) -> None:
        """Serve the timers, for ever."""
        while True:
            self._earlier = trio.Event()
            with trio.move_on_at(self._heap[0][0] if self._heap else float("inf")):
                await self._earlier.wait()
            for timer in self._due():
                timer.fire()

    def _due(self) -> list[Timer]:
        """The timers whose time has come; a timer that they start is left for the next round."""
        now_s = trio.current_time()
        due = []
        while self._heap and self._heap[0][0] <= now_s:
            due.append(heapq.heappop(self._heap)[2])
        return due
