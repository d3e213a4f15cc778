"""Limits how fast a connection's commands are read: by its rate, and by turns with others that have more to ask.

A token bucket permits a rate of commands and a burst. It keeps the time at which the next token is there, not the
number of tokens, which follows from it. So spending costs an addition, and looking little more.
"""

from collections.abc import Callable
from typing import Protocol

import structlog

from gameserver.flow_control.fair_scheduler import Share, Timer, Timers
from gameserver.flow_control.limits import MATCH_REQUESTS, Limits
from gameserver.protocol import Command, Query, Reply, Work

# As many as there may be connections (`limits.connections_max`).
ADDRESSES_MAX = 10_000
"""Addresses whose buckets are kept."""
_ONE = 1 - 1e-9
"""A whole token, less the rounding error of floating point."""
_TICK_S = 0.001
"""The server's clock shows whole milliseconds, and stands during a commit: after a shorter wait it may show the same
time, and the loop would spin until it goes on."""
_REPLY_BYTES = 256
"""Bytes of an answer that count as one command: asking for long answers again and again is no cheaper than playing."""
log = structlog.get_logger()


class TokenBucket:
    """A token bucket: permits a rate of `per_s` commands a second, and a burst, of twice as many by default.

    Times are in seconds.
    """

    __slots__ = ("burst_s", "free_at_s", "token_s")

    def __init__(self, per_s: float, now_s: float, burst: float | None = None) -> None:
        tokens_max = max(1.0, 2 * per_s if burst is None else burst)
        self.token_s = 1 / per_s
        self.burst_s = (tokens_max - _ONE) / per_s
        self.free_at_s = now_s - self.burst_s
        """The time at which the next command may come, or could have come."""

    def spend(self, tokens: float = 1.0) -> None:
        """Spend a token of the bucket for one command, or several for one that costs as much."""
        self.free_at_s += tokens * self.token_s

    def wait_s(self, now_s: float) -> float:
        """Seconds until the token bucket permits the next command; 0 if it may come now."""
        self.free_at_s = max(self.free_at_s, now_s - self.burst_s)  # a bucket is never more than full
        return max(0.0, self.free_at_s - now_s)

    def debt_s(self, now_s: float) -> float:
        """Seconds until the bucket's tokens that were overspent are made up for; 0 if there is no debt."""
        self.wait_s(now_s)
        return max(0.0, self.free_at_s - _ONE * self.token_s - now_s)


class AddressBuckets:
    """Token buckets that limit the rate of each address. Beyond `ADDRESSES_MAX` addresses, all buckets are reset."""

    def __init__(self, per_s: float, burst: float | None = None) -> None:
        self._per_s, self._burst = per_s, burst
        self._rates: dict[str, TokenBucket] = {}

    def __len__(self) -> int:
        return len(self._rates)

    def of(self, address: str, now_s: float) -> TokenBucket:
        """The token bucket of an address."""
        rate = self._rates.get(address)
        if rate is None:
            if len(self._rates) >= ADDRESSES_MAX:
                # Everybody has a full burst after that. Dropping the longest idle would need them in order, only for a
                # flood of addresses.
                self._rates.clear()
            rate = self._rates[address] = TokenBucket(self._per_s, now_s, self._burst)
        return rate


class _RateLimiterServices(Protocol):
    """The part of the server that a rate limiter uses."""

    limits: Limits
    match_requests: AddressBuckets
    """The buckets of match requests, by address."""
    timers: Timers
    turns: Share
    """The share for connections with more commands than were answered."""

    def now_ms(self) -> int:
        """Look at the server's clock."""


class RateLimiter:
    """The rate limiter of one connection.

    `go_on` is called when its next item may be taken; `wait` is set while it may not.
    """

    __slots__ = ("_address", "_go_on", "_owes_until_s", "_rate", "_services", "_session", "wait")

    def __init__(self, services: _RateLimiterServices, session: int, address: str, go_on: Callable[[], None]) -> None:
        self.wait: Timer | None = None
        self._services = services
        self._session = session
        self._address = address
        self._go_on = go_on
        self._rate = TokenBucket(services.limits.commands_per_s, services.now_ms() / 1000)
        self._owes_until_s = 0.0
        """The time at which this connection's match requests are paid for, within its address's rate."""

    def count(self, item: Command | Query | Reply | Work, now_ms: int) -> None:
        """Count a command, query or reply against a connection's rate."""
        if type(item) in MATCH_REQUESTS:
            self._rate.spend(self._services.limits.cost_of(item))
            now_s = now_ms / 1000
            together = self._services.match_requests.of(self._address, now_s)
            together.spend()
            # The address goes into debt instead of refusing: its next commands are read later, and nobody else waits.
            self._owes_until_s = now_s + together.debt_s(now_s)
        elif isinstance(item, Reply):
            self._rate.spend(max(1.0, len(item.data) / _REPLY_BYTES))
        else:
            self._rate.free_at_s += self._rate.token_s  # `spend`, spelled out likewise

    def is_too_fast(self, now_ms: int) -> bool:
        """True if a connection's next item has to wait until its rate permits it; `go_on` is called at that time."""
        now_s, rate = now_ms / 1000, self._rate
        full_at_s = now_s - rate.burst_s
        if rate.free_at_s < full_at_s:  # noqa: PLR1730 - `wait_s`, spelled out without a call: every move comes by here
            rate.free_at_s = full_at_s
        if rate.free_at_s <= now_s and self._owes_until_s <= now_s:
            return False
        free_at_s = max(rate.free_at_s, self._owes_until_s)
        log.debug("connection slowed down", session=self._session, address=self._address)
        self.wait = self._services.timers.after(max(_TICK_S, free_at_s - now_s), self.wait_for_turn)
        return True

    def wait_for_turn(self) -> None:
        """Have a connection that is over its rate wait for a turn, after the other connections."""
        self.wait = self._services.turns.ask(self._address, self._resume)

    def stop(self) -> None:
        """Cancel all waits of a rate limiter whose connection ends."""
        if self.wait is not None:
            self.wait.cancel()

    def _resume(self) -> None:
        self.wait = None
        self._go_on()
