"""Limits connections: in all, from one address, and new ones a second.

A class sits behind one address, so these limits must not let one classmate keep the others out:

* Where there is no room, a connection that never logged in gives way: the longest idle one, of the same address first.
  It is told why. An HTTP request or a page in progress, and a Mastermind game, count as logged in.
* A newcomer that finds no room, or comes too fast after others of its address, is in doubt: it is let in, and
  `command_preparer` judges it by its first command. A right secret, a player's own key, or a seat or ticket that waits,
  lets it stay; shown in an HTTP request, it is good for that request.
* One that only comes too fast may also stay by logging in, at the same rate once more. Otherwise a storm of connections
  kept out 19 of 27 classmates who have no secret. A storm that logs in as well uses up the logins of new names, so each
  name that has played before, or is on the roster, has a rate of its own: the storm may be a classmate's program that
  comes back at once whenever it fails.
* Where neither could help, a newcomer is not doubted but turned away at once, which costs less.

`limits.connections_max` is a hard bound on sockets: connections that have ended and still wait for their peer's last
bytes are closed before any other has to give way.

The connection that gives way to a newcomer is the longest idle one among those that never logged in. Looking at all of
them costs 0.15 us each, and a flood of newcomers would make that happen hundreds of times a second. So one look finds
several, and a look that finds none is not repeated for a while. An `AdmittedConnection` tells if its peer has logged
in, and how long it has been idle.
"""

from collections import deque
from collections.abc import Callable, Mapping
from heapq import nsmallest

import structlog
import trio
from attrs import define, field

from gameserver.flow_control.limits import Limits
from gameserver.flow_control.rates import AddressBuckets
from gameserver.protocol import Adapter, RefusalKind

log = structlog.get_logger()
DOUBTED_MAX = 64
"""Newcomers of one address that may be in doubt at once, each for `_DOUBT_MS`; they may exceed the address's limit."""
_DOUBT_MS = 1_000
"""Milliseconds in which a doubted newcomer gives way only to the last of `DOUBTED_MAX` others of its address."""
# A program that fails and comes back at once is a storm of logins under one known name: its rate is its own.
_KNOWN_LOGINS_PER_S = 1.0
"""Logins a second of one known name from one address, after a burst of two, by connections that come too fast."""
_ROOM_NEEDED = "closed after its last words, because its socket is needed"
# Judgement: a look at 10,000 connections takes a millisecond (measured), so one look serves this many newcomers.
_FOUND_AT_ONCE = 32
_LOOK_EVERY_MS = 100
"""Milliseconds between two looks that find no connection."""


class TurnedAway(Exception):
    """Raised where the connection limiter turns a newcomer away; the text is for its peer.

    `has_socket`: True if a socket can be spared until the peer has read the text.
    """

    def __init__(self, why: str, *, has_socket: bool) -> None:
        super().__init__(why)
        self.has_socket = has_socket


class AdmittedConnection:
    """A connection as the connection limiter counts it, or a TLS handshake that is to become one."""

    __slots__ = ()

    adapter: Adapter
    session: int
    address: str
    stamp_ms: int

    @property
    def is_established(self) -> bool:
        """True if the peer has logged in, plays or is being answered: then its connection never gives way."""
        try:
            # A plug-in's code: one that fails keeps no place, and does not end the server.
            return self.adapter.is_established
        except Exception:
            log.exception("adapter failed", session=self.session)
            return False

    @property
    def heard_ms(self) -> int:
        """The time of the connection's last bytes, or of its start, in milliseconds on the server's axis."""
        return self.stamp_ms

    def farewell(self, why: str, kind: RefusalKind) -> None:
        """End a connection that gives way to others, with a reason in the protocol's own words."""
        raise NotImplementedError

    def abort(self, why: str) -> None:
        """Close a connection that gives way to others now, whatever is queued."""
        raise NotImplementedError


@define(eq=False)
class _EvictionQueue:
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
            self._found.extend((heard_ms, guest) for heard_ms, _, guest in nsmallest(_FOUND_AT_ONCE, idle))
            if not self._found:
                self._look_again_ms = now_ms + _LOOK_EVERY_MS
                return None


@define(eq=False)
class ConnectionLimiter:
    """The connection limiter: counts the open connections, and decides which of them give way to newcomers.

    `may_prove` returns True if a secret or a seat could let a newcomer in, `knows_names` if any name is known.
    """

    _limits: Limits
    _now_ms: Callable[[], int]
    _may_prove: Callable[[], bool]
    _knows_names: Callable[[], bool]
    doubts: dict[int, str] = field(factory=dict, init=False)
    """The reason, by session, for which a newcomer has to leave unless its first command proves who it is."""
    _guests: dict[int, AdmittedConnection] = field(factory=dict, init=False)
    _by_address: dict[str, dict[int, AdmittedConnection]] = field(factory=dict, init=False)
    _vouched_once: dict[int, str] = field(factory=dict, init=False)
    """The reason, by session, for which it will be in doubt again at its next request."""
    _doubted: dict[str, int] = field(factory=dict, init=False)
    """Newcomers in doubt, by address."""
    _leaving: dict[int, AdmittedConnection] = field(factory=dict, init=False)
    """Connections that have ended and whose sockets are not closed yet."""
    _queues: dict[str, _EvictionQueue] = field(factory=dict, init=False)
    _all: _EvictionQueue = field(init=False)
    _rates: AddressBuckets = field(init=False)
    _new_logins: AddressBuckets = field(init=False)
    """The rates of logins under new names of connections that come too fast."""
    _known_logins: AddressBuckets = field(factory=lambda: AddressBuckets(_KNOWN_LOGINS_PER_S), init=False)
    """The same of known names, by address and name."""
    _told: dict[str, tuple[int, float]] = field(factory=dict, init=False)

    @_all.default
    def _queue_of_all(self) -> _EvictionQueue:
        return _EvictionQueue(self._may_give_way)

    @_rates.default
    def _rates_of_addresses(self) -> AddressBuckets:
        # A class that starts again comes all at once, and each of its connections a second time.
        limits = self._limits
        return AddressBuckets(limits.new_connections_per_s, 2.0 * limits.connections_per_address_max)

    @_new_logins.default
    def _rates_of_new_logins(self) -> AddressBuckets:
        return AddressBuckets(self._limits.new_connections_per_s)

    @property
    def _sockets(self) -> int:
        return len(self._guests) + len(self._leaving)

    def receive(self, address: str) -> str | None:
        """Make room for a new connection among those that are limited.

        Returns the doubt it has to disprove, if any; raises `TurnedAway`.
        """
        # The rate comes first: nobody has to give way to a newcomer who is turned away for it.
        doubt = self._too_fast(address)
        if doubt is not None and not (self._may_prove() or self._may_log_in_at(address)):
            raise self._turned_away(address, doubt, has_socket=False)
        doubt = self._room_at(address) or doubt
        if not self._room_in_all(address):
            most = self._limits.connections_max
            why = f"The server is full with {most} connections (connections_max); try again later"
            raise self._turned_away(address, why, has_socket=False)
        return doubt

    def admit(self, guest: AdmittedConnection, doubt: str | None = None) -> None:
        """Count a new connection that `receive` has made room for within the limits; a handshake's place goes to it."""
        self._guests[guest.session] = guest
        self._by_address.setdefault(guest.address, {})[guest.session] = guest
        if doubt is not None:
            self._doubt(guest, doubt)

    def may_log_in(self, guest: AdmittedConnection, known_name: str) -> bool:
        """True if a new connection that the limiter doubts may stay by logging in, which is counted.

        Where there is no room, none may.

        `known_name` is empty for a new name.
        """
        if len(self._by_address[guest.address]) > self._limits.connections_per_address_max:
            return False
        now_s = trio.current_time()
        if known_name:
            rate = self._known_logins.of(f"{guest.address} {known_name}", now_s)
        else:
            rate = self._new_logins.of(guest.address, now_s)
        if rate.wait_s(now_s) > 0:
            return False
        rate.spend()
        return True

    def _may_log_in_at(self, address: str) -> bool:
        now_s = trio.current_time()
        return self._knows_names() or self._new_logins.of(address, now_s).wait_s(now_s) == 0

    def vouch(self, guest: AdmittedConnection, *, once: bool = False) -> None:
        """Stop doubting a new connection, for good or until its next request."""
        doubt = self.doubts.pop(guest.session, None)
        if doubt is None:
            return
        self._doubted[guest.address] -= 1
        if self._doubted[guest.address] == 0:
            del self._doubted[guest.address]
        if once:
            self._vouched_once[guest.session] = doubt

    def doubt_of_request(self, guest: AdmittedConnection) -> str | None:
        """The doubt that a connection has to disprove by the request that begins now, if any."""
        doubt = self._vouched_once.pop(guest.session, None)
        if doubt is not None:
            self._doubt(guest, doubt)
        return self.doubts.get(guest.session)

    def _doubt(self, guest: AdmittedConnection, why: str) -> None:
        if guest.session not in self.doubts:
            self.doubts[guest.session] = why
            self._doubted[guest.address] = self._doubted.get(guest.address, 0) + 1

    def release(self, guest: AdmittedConnection) -> None:
        """Stop counting a connection that is over; its socket counts until it is `closed`."""
        if self._guests.pop(guest.session, None) is None:
            return
        self.vouch(guest)
        self._vouched_once.pop(guest.session, None)
        self._leaving[guest.session] = guest
        here = self._by_address[guest.address]
        del here[guest.session]
        if not here:
            # Else a flood from ever new addresses would leave an entry for each.
            del self._by_address[guest.address]
            self._queues.pop(guest.address, None)

    def closed(self, session: int) -> None:
        """Stop counting the socket of a connection that is over."""
        self._leaving.pop(session, None)

    def free_a_socket(self) -> bool:
        """Close a connection that the limiter can spare, as the system is out of sockets; True if there was one."""
        if not self._leaving:
            guest = self._all.longest_idle(self._guests, self._now_ms())
            if guest is None:
                return False
            why = "The server is full: the system gives it no more sockets. Those that have not logged in give way"
            self._give_way(guest, why)
        self._close_leaving()
        return True

    def _too_fast(self, address: str) -> str | None:
        """The reason why a connection comes too soon after others of its address; None if it does not."""
        limits, now_s = self._limits, trio.current_time()
        rate = self._rates.of(address, now_s)
        if rate.wait_s(now_s) == 0:
            rate.spend()
            return None
        return (
            f"Too many connections from {address} in so short a time, more than {limits.new_connections_per_s:g} "
            "a second; wait a little"
        )

    def _room_at(self, address: str) -> str | None:
        """Have a connection of this address give way if there are too many; returns the doubt if none does."""
        here = self._by_address.get(address, {})
        most = self._limits.connections_per_address_max
        if len(here) < most:
            return None
        guest = self._longest_idle_at(address)
        crowd = f"There are {most} connections from {address} already (connections_per_address_max)"
        why = f"{crowd}; close some of them"
        if guest is not None:
            self._give_way(guest, f"{crowd}, and those that have not logged in give way: log in once you connect")
            # After a doubted connection gave way, proven ones may still fill the address.
            return None if len(here) < most else why
        if not self._may_prove() or self._doubted.get(address, 0) >= DOUBTED_MAX:
            raise self._turned_away(address, why, has_socket=self._sockets < self._limits.connections_max)
        return why

    def _room_in_all(self, address: str) -> bool:
        """Have a connection give way if there are too many sockets; False if none does."""
        most = self._limits.connections_max
        while self._sockets >= most:
            if not self._leaving:
                # The newcomer's own address first: a flood from one address costs others nothing.
                guest = self._longest_idle_at(address) or self._all.longest_idle(self._guests, self._now_ms())
                if guest is None:
                    return False
                why = f"The server is full with {most} connections (connections_max)"
                self._give_way(guest, f"{why}, and those that have not logged in give way: log in once you connect")
            self._close_leaving()
        return True

    def _longest_idle_at(self, address: str) -> AdmittedConnection | None:
        here: Mapping[int, AdmittedConnection] = self._by_address.get(address, {})
        if not here:
            return None
        queue = self._queues.get(address)
        if queue is None:
            queue = self._queues[address] = _EvictionQueue(self._may_give_way)
        return queue.longest_idle(here, self._now_ms())

    def _may_give_way(self, guest: AdmittedConnection) -> bool:
        if guest.session not in self.doubts:
            return not guest.is_established
        # Established or not: a request that may prove something has begun, and it could be one for an endless page.
        return self._doubted[guest.address] >= DOUBTED_MAX or self._now_ms() - guest.heard_ms > _DOUBT_MS

    def _give_way(self, guest: AdmittedConnection, why: str) -> None:
        self._log("connections give way", guest.address, why)
        guest.farewell(why, RefusalKind.FULL)
        self.release(guest)  # a connection has done so by itself, a handshake has not

    def _close_leaving(self) -> None:
        """Close the socket of the connection that ended first, whatever the peer has read of its last bytes."""
        session, guest = next(iter(self._leaving.items()), (0, None))
        if guest is not None:
            guest.abort(_ROOM_NEEDED)
            self._leaving.pop(session, None)

    def _turned_away(self, address: str, why: str, *, has_socket: bool) -> TurnedAway:
        self._log("connections refused", address, why)
        return TurnedAway(why, has_socket=has_socket)

    def _log(self, event: str, address: str, why: str) -> None:
        """Log at most one line a second: a flood of connections must not become one of log lines."""
        now_s = trio.current_time()
        count, logged_s = self._told.get(event, (0, float("-inf")))
        if now_s - logged_s >= 1:
            log.warning(event, count=count + 1, latest=address, why=why)
            self._told[event] = (0, now_s)
        else:
            self._told[event] = (count + 1, logged_s)
