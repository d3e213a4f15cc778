"""Finds the connection that gives way to a newcomer: the longest idle one among those that never logged in.

Looking at all of them costs 0.15 us each, and a flood of newcomers would make that happen hundreds of times a second.
So one look finds several, and a look that finds none is not repeated for a while. An `AdmittedConnection` tells if its
peer has logged in, and how long it has been idle.
"""

from collections import deque
from collections.abc import Callable, Mapping
from heapq import nsmallest

import structlog
from attrs import define, field

from gameserver.protocol import Adapter, RefusalKind

log = structlog.get_logger()


class AdmittedConnection:
    """A connection, or a TLS handshake that is to become one."""

    __slots__ = ()

    adapter: Adapter
    session: int
    address: str
    stamp_ms: int

    @property
    def is_established(self) -> bool:
        """True if the peer has logged in, plays or is being answered: then it never gives way."""
        try:
            return self.adapter.is_established
        except Exception:
            log.exception("adapter failed", session=self.session)
            return False

    @property
    def heard_ms(self) -> int:
        """The time of the last bytes, or else of the connection's start, in milliseconds on the server's axis."""
        return self.stamp_ms

    def farewell(self, why: str, kind: RefusalKind) -> None:
        """End the connection with a reason, in the protocol's own words."""
        raise NotImplementedError

    def abort(self, why: str) -> None:
        """Close now, whatever is queued."""
        raise NotImplementedError


FOUND_AT_ONCE = 32
LOOK_EVERY_MS = 100
"""Milliseconds between two looks that find no connection."""


@define(eq=False)
class EvictionQueue:
    """The idle connections of one address, or of all. `may_give_way` selects the ones that may be evicted."""

    _may_give_way: Callable[[AdmittedConnection], bool]
    _found: deque[tuple[int, AdmittedConnection]] = field(factory=deque, init=False)
    _look_again_ms: int = field(default=0, init=False)

    def longest_idle(self, guests: Mapping[int, AdmittedConnection], now_ms: int) -> AdmittedConnection | None:
        """The connection among these that gives way next; None if none does."""
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
