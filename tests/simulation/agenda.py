"""What happens by itself, outside of all machines: words on their way, and ends of what went wrong."""

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from math import inf

import trio
from attrs import define, field


@define(eq=False)
class Agenda:
    """Does what is due, what was put down first before what was put down later for the same time."""

    _watched: Callable[[Callable[[], None]], None]
    """Does something, and takes what it raises for a find."""
    _due: list[tuple[float, int, Callable[[], None]]] = field(factory=list, init=False)
    _number: count = field(factory=count, init=False)  # type: ignore[type-arg]
    _wake: trio.Event = field(factory=trio.Event, init=False)

    def at(self, due_s: float, what: Callable[[], None]) -> None:
        """Do something at this time; never before the caller waits."""
        heappush(self._due, (due_s, next(self._number), what))
        self._wake.set()

    async def run(self) -> None:
        """Do it all, for ever."""
        while True:
            while self._due and self._due[0][0] <= trio.current_time():
                self._watched(heappop(self._due)[2])
            self._wake = trio.Event()
            with trio.move_on_at(self._due[0][0] if self._due else inf):
                await self._wake.wait()
