"""A page that is made once for all who ask at the same time, and that is made for a small share of the time only.

A viewer who asks while the page is being made gets the next one, which is made once for all who wait. So no
viewer sees a page older than the request. After each making there is a pause `PAUSES` times as long as it
took, however many ask. So a flood of browsers, or one that reloads all the time, waits for itself. Time is
trio's: under a virtual clock, work takes no time.
"""

from collections.abc import Awaitable, Callable

import trio
from attrs import define, field

from gameserver.flow_control.shares import SHARES
from gameserver.read_model.lobby_view import ReadModel

PAUSES = SHARES["pages"].rest_s / SHARES["pages"].slice_s


@define
class SharedPage:
    """A page made by `make`, which may contain checkpoints."""

    _make: Callable[[ReadModel], Awaitable[bytes]]
    _page: bytes = field(default=b"", init=False)
    _begun: int = field(default=0, init=False)
    """The number of times that making the page was begun."""
    _made: int = field(default=0, init=False)
    """The time, counted so, that made the present page. A viewer who asked before it began can be given that page."""
    _next_s: float = field(default=float("-inf"), init=False)
    _making: trio.Lock = field(factory=trio.Lock, init=False)

    async def get(self, read_model: ReadModel) -> bytes:
        """The page, no older than this call."""
        asked = self._begun
        async with self._making:
            if self._made <= asked:
                await trio.sleep_until(self._next_s)
                self._begun += 1
                began_s = trio.current_time()
                self._page = await self._make(read_model)
                self._made = self._begun
                self._next_s = trio.current_time() + PAUSES * (trio.current_time() - began_s)
            return self._page
