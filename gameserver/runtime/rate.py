"""How fast a connection may ask: a bucket of tokens that fills at the permitted rate."""

_ONE = 1 - 1e-9
"""A whole token, but for what floating point leaves of it: a wait of nothing would never end."""


class Rate:
    """Permits `per_s` commands a second, and a burst, of twice as many by default. Times are in seconds."""

    __slots__ = ("_filled_at_s", "_per_s", "_tokens", "_tokens_max")

    def __init__(self, per_s: float, now_s: float, burst: float | None = None) -> None:
        self._per_s = per_s
        self._tokens_max = max(1.0, 2 * per_s if burst is None else burst)
        self._tokens = self._tokens_max
        self._filled_at_s = now_s

    def spend(self, tokens: float = 1) -> None:
        """Count one command, or one that costs as much as several."""
        self._tokens -= tokens

    def wait_s(self, now_s: float) -> float:
        """How long the next command has to wait; 0 if it may come now."""
        gained = (now_s - self._filled_at_s) * self._per_s
        self._tokens = min(self._tokens_max, self._tokens + gained)
        self._filled_at_s = now_s
        return 0.0 if self._tokens >= _ONE else (1 - self._tokens) / self._per_s
