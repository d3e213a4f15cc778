"""A page that is made once for all who ask at the same time, and that is made for a small share of the time only.

A viewer who asks while the page is being made gets the next one, which is made once for all who wait. So no
viewer sees a page older than the request. After each making there is a pause `PAUSES` times as long as it
took (at most `PAUSE_MAX_S`), however many ask. So a flood of browsers, or one that reloads all the time,
waits for itself. Time is trio's: under a virtual clock, work takes no time.
"""

from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

import trio
from attrs import define, field

from gameserver.flow_control.fair_scheduler import SHARES
from gameserver.read_model.lobby_view import ReadModel

KEPT_MAX = 32
"""Pages of one kind that are shared; a tournament's has some 100 KB."""
PAUSES = SHARES["pages"].rest_s / SHARES["pages"].slice_s
PAUSE_MAX_S = 1.0
"""The longest work is done in a thread and takes a second: the ranks of a large tournament."""


PageT = TypeVar("PageT")
KeyT = TypeVar("KeyT", bound=Hashable)


@define
class SharedPage(Generic[PageT]):
    """A page made by `make`, which may contain checkpoints."""

    _make: Callable[[ReadModel], Awaitable[PageT]]
    _page: PageT | None = field(default=None, init=False)
    _begun: int = field(default=0, init=False)
    """The number of times that making the page was begun."""
    _made: int = field(default=0, init=False)
    """The time, counted so, that made the present page. A viewer who asked before it began can be given that page."""
    _next_s: float = field(default=float("-inf"), init=False)
    _making: trio.Lock = field(factory=trio.Lock, init=False)

    async def get(self, read_model: ReadModel) -> PageT:
        """The page, no older than this call."""
        asked = self._begun
        async with self._making:
            if self._made <= asked:
                await trio.sleep_until(self._next_s)
                self._begun += 1
                began_s = trio.current_time()
                self._page = await self._make(read_model)
                self._made = self._begun
                made_s = trio.current_time()
                self._next_s = made_s + min(PAUSE_MAX_S, PAUSES * (made_s - began_s))
            assert self._page is not None, "it has been made"
            return self._page


@define
class SharedPages(Generic[KeyT, PageT]):
    """The pages of one kind, such as those of tournaments, each with a key."""

    _make: Callable[[ReadModel, KeyT], Awaitable[PageT]]
    _pages: dict[KeyT, SharedPage[PageT]] = field(factory=dict, init=False)

    async def get(self, read_model: ReadModel, key: KeyT) -> PageT:
        """The page with this key, no older than this call."""
        page = self._pages.pop(key, None) or SharedPage(lambda read_model: self._make(read_model, key))
        self._pages[key] = page
        while len(self._pages) > KEPT_MAX:
            del self._pages[next(iter(self._pages))]
        return await page.get(read_model)
