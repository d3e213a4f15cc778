"""A page that is made for everybody who asks for it at the time, and takes a small part of the time only.

Who asks while it is being made gets the next one, which is made once for all who wait: what they see is
never older than their asking. However many ask, there is a pause after each that is `PAUSES` times as
long as it took. So a flood of browsers, or one that reloads all the time, waits for itself. Time is trio's: in virtual
time work takes none.
"""

from collections.abc import Awaitable, Callable

import trio
from attrs import define, field

from gameserver.flow_control.shares import SHARES
from gameserver.read_model.lobby_view import ReadModel

PAUSES = SHARES["pages"].rest_s / SHARES["pages"].slice_s


@define
class SharedPage:
    """`make` makes it; it may let others go first wherever it likes."""

    _make: Callable[[ReadModel], Awaitable[bytes]]
    _page: bytes = field(default=b"", init=False)
    _begun: int = field(default=0, init=False)
    """How often it was begun."""
    _made: int = field(default=0, init=False)
    """Which of these times led to the page that is there: if it began after somebody asked, they need no other."""
    _next_s: float = field(default=float("-inf"), init=False)
    _making: trio.Lock = field(factory=trio.Lock, init=False)

    async def get(self, read_model: ReadModel) -> bytes:
        """The page as it stands."""
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
