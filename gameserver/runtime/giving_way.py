"""Which connection gives way to a newcomer: of those that never logged in, the one that has been idle longest.

Looking at all of them costs 0.15 us each, and a flood of newcomers would make that happen hundreds of times a second.
So one look finds several, and a look that finds none is not repeated for a while.
"""

from collections import deque
from collections.abc import Callable, Mapping
from heapq import nsmallest

from attrs import define, field

from gameserver.runtime.guest import Guest

FOUND_AT_ONCE = 32
LOOK_EVERY_MS = 100
"""Milliseconds between two looks that find nobody."""


@define(eq=False)
class IdleQueue:
    """The idle connections of one address, or of all. `may_give_way` says which of them count."""

    _may_give_way: Callable[[Guest], bool]
    _found: deque[tuple[int, Guest]] = field(factory=deque, init=False)
    _look_again_ms: int = field(default=0, init=False)

    def longest_idle(self, guests: Mapping[int, Guest], now_ms: int) -> Guest | None:
        """The one of these guests that gives way next; None if none does."""
        while True:
            while self._found:
                heard_ms, guest = self._found.popleft()
                is_here = guests.get(guest.session) is guest
                if is_here and guest.heard_ms == heard_ms and self._may_give_way(guest):
                    return guest
            if now_ms < self._look_again_ms:
                return None
            idle = ((guest.heard_ms, guest.session, guest) for guest in guests.values() if self._may_give_way(guest))
            self._found.extend((heard_ms, guest) for heard_ms, _, guest in nsmallest(FOUND_AT_ONCE, idle))
            if not self._found:
                self._look_again_ms = now_ms + LOOK_EVERY_MS
                return None
