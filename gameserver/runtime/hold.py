"""What is not urgent waits while a commit runs: to do it then makes everybody wait for the commit longer."""

from collections.abc import Iterator
from contextlib import contextmanager

import trio

HOLD_S = 0.05
"""For how long at the most; commits that take longer are few."""


class Hold:
    """Entered by whoever is in a hurry, and waited for by whoever is not."""

    __slots__ = ("_goes_on",)

    def __init__(self) -> None:
        self._goes_on: trio.Event | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Have the others wait meanwhile."""
        self._goes_on = goes_on = trio.Event()
        try:
            yield
        finally:
            self._goes_on = None
            goes_on.set()

    async def over(self) -> None:
        """Wait until nobody is in a hurry, for `HOLD_S` at the most; at once, without a checkpoint, if nobody is."""
        if self._goes_on is not None:
            with trio.move_on_after(HOLD_S):
                await self._goes_on.wait()
