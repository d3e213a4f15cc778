"""How fast somebody may ask: a bucket of tokens that fills at the permitted rate.

What is kept is not how many tokens there are but when there will be one, from which the number follows:
so to spend costs an addition, and to look little more.
"""

ADDRESSES_MAX = 10_000
"""For how many addresses it is kept how fast they ask."""

_ONE = 1 - 1e-9
"""A whole token, but for what floating point leaves of it."""


class TokenBucket:
    """Permits `per_s` commands a second, and a burst, of twice as many by default. Times are in seconds."""

    __slots__ = ("_burst_s", "_free_at_s", "_token_s")

    def __init__(self, per_s: float, now_s: float, burst: float | None = None) -> None:
        tokens_max = max(1.0, 2 * per_s if burst is None else burst)
        self._token_s = 1 / per_s
        self._burst_s = (tokens_max - _ONE) / per_s
        self._free_at_s = now_s - self._burst_s
        """The time at which the next command may come, or could have come."""

    def spend(self, tokens: float = 1.0) -> None:
        """Count one command, or one that costs as much as several."""
        self._free_at_s += tokens * self._token_s

    def wait_s(self, now_s: float) -> float:
        """The time that the next command has to wait; 0 if it may come now."""
        self._free_at_s = max(self._free_at_s, now_s - self._burst_s)  # there is no more than a full bucket
        return max(0.0, self._free_at_s - now_s)

    def debt_s(self, now_s: float) -> float:
        """The time that it takes to make up for what was spent and was not there; 0 if there is no debt."""
        self.wait_s(now_s)
        return max(0.0, self._free_at_s - _ONE * self._token_s - now_s)


class AddressBuckets:
    """A rate for each address. Where there are too many addresses, all begin anew."""

    def __init__(self, per_s: float, burst: float | None = None) -> None:
        self._per_s, self._burst = per_s, burst
        self._rates: dict[str, TokenBucket] = {}

    def __len__(self) -> int:
        """How many addresses are known."""
        return len(self._rates)

    def of(self, address: str, now_s: float) -> TokenBucket:
        """The rate of an address."""
        rate = self._rates.get(address)
        if rate is None:
            if len(self._rates) >= ADDRESSES_MAX:
                self._rates.clear()
            rate = self._rates[address] = TokenBucket(self._per_s, now_s, self._burst)
        return rate
