"""Who may connect: so many in all, so many from one address, and so many a second."""

import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import structlog
import trio

from gameserver.adapter import Adapter, Refusal, RefusalKind
from gameserver.runtime.limits import Limits
from gameserver.runtime.rate import AddressRates

log = structlog.get_logger()


class Admission:
    """Counts the sessions that are there, and says why another one may not come in."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._admitted: dict[int, str] = {}
        self._per_address: Counter[str] = Counter()
        burst = 2.0 * limits.connections_per_address_max
        self._rates = AddressRates(limits.new_connections_per_s, burst)
        self._refused = 0
        self._refusal_logged_s = float("-inf")

    def too_fast(self, address: str) -> str | None:
        """Why a connection comes too soon after so many others from this address; None if it does not."""
        limits, now_s = self._limits, trio.current_time()
        rate = self._rates.of(address, now_s)
        if rate.wait_s(now_s) == 0:
            rate.spend()
            return None
        why = (
            f"Too many connections from {address} in so short a time, more than {limits.new_connections_per_s:g} "
            "a second (new_connections_per_s); wait a little"
        )
        self._log(address, why)
        return why

    def refusal(self, address: str) -> str | None:
        """Why a connection from this address may not come in, for its peer and the log; None if it may."""
        limits, why = self._limits, None
        if len(self._admitted) >= limits.connections_max:
            why = f"The server is full with {limits.connections_max} connections (connections_max); try again later"
        elif self._per_address[address] >= limits.connections_per_address_max:
            why = (
                f"There are {limits.connections_per_address_max} connections from {address} already "
                "(connections_per_address_max); close some of them"
            )
        if why is not None:
            self._log(address, why)
        return why

    def admit(self, session: int, address: str) -> None:
        """Count a session."""
        self._admitted[session] = address
        self._per_address[address] += 1

    def release(self, session: int) -> None:
        """A session is over, if it was one that counts."""
        address = self._admitted.pop(session, None)
        if address is not None:
            self._per_address[address] -= 1
            if self._per_address[address] == 0:
                del self._per_address[address]

    def _log(self, address: str, why: str) -> None:
        """At most one line a second: a flood of connections must not become one of log lines."""
        self._refused += 1
        now_s = trio.current_time()
        if now_s - self._refusal_logged_s >= 1:
            log.warning("connections refused", count=self._refused, latest=address, why=why)
            self._refused, self._refusal_logged_s = 0, now_s


def turn_away(sock: socket.socket, adapter: Callable[[], Adapter], why: str) -> None:
    """Say why, as far as it can be said at once, and forget a connection: a flood must cost no more than this."""
    with suppress(Exception):
        if why:
            sock.send(adapter().farewell(Refusal(why, RefusalKind.FULL)))
    sock.close()
