"""Token buckets: they permit a rate of commands and a burst.

A bucket keeps the time at which the next token is there, not the number of tokens, which follows from it. So spending
costs an addition, and looking little more.
"""

ADDRESSES_MAX = 10_000
"""Addresses whose buckets are kept."""

_ONE = 1 - 1e-9
"""A whole token, less the rounding error of floating point."""


class TokenBucket:
    """Permits `per_s` commands a second, and a burst, of twice as many by default. Times are in seconds."""

    __slots__ = ("burst_s", "free_at_s", "token_s")

    def __init__(self, per_s: float, now_s: float, burst: float | None = None) -> None:
        tokens_max = max(1.0, 2 * per_s if burst is None else burst)
        self.token_s = 1 / per_s
        self.burst_s = (tokens_max - _ONE) / per_s
        self.free_at_s = now_s - self.burst_s
        """The time at which the next command may come, or could have come."""

    def spend(self, tokens: float = 1.0) -> None:
        """Count one command, or one that costs as much as several."""
        self.free_at_s += tokens * self.token_s

    def wait_s(self, now_s: float) -> float:
        """Seconds that the next command has to wait; 0 if it may come now."""
        self.free_at_s = max(self.free_at_s, now_s - self.burst_s)  # a bucket is never more than full
        return max(0.0, self.free_at_s - now_s)

    def debt_s(self, now_s: float) -> float:
        """Seconds until the tokens that were overspent are made up for; 0 if there is no debt."""
        self.wait_s(now_s)
        return max(0.0, self.free_at_s - _ONE * self.token_s - now_s)


class AddressBuckets:
    """A token bucket for each address. Beyond `ADDRESSES_MAX` addresses, all buckets are reset."""

    def __init__(self, per_s: float, burst: float | None = None) -> None:
        self._per_s, self._burst = per_s, burst
        self._rates: dict[str, TokenBucket] = {}

    def __len__(self) -> int:
        """The number of known addresses."""
        return len(self._rates)

    def of(self, address: str, now_s: float) -> TokenBucket:
        """The bucket of an address."""
        rate = self._rates.get(address)
        if rate is None:
            if len(self._rates) >= ADDRESSES_MAX:
                self._rates.clear()
            rate = self._rates[address] = TokenBucket(self._per_s, now_s, self._burst)
        return rate
