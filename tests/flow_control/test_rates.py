"""The wait of a connection that has asked for more than its rate."""

from types import SimpleNamespace
from typing import Any

from gameserver.flow_control.limits import Limits
from gameserver.flow_control.rates import AddressBuckets, RateLimiter
from gameserver.protocol import Reply


def test_wait_is_no_shorter_than_a_tick_of_the_server_clock() -> None:
    """A shorter one finds the same time and waits again: for as long as a commit holds the clock, the loop spins."""
    waits_s: list[float] = []
    services: Any = SimpleNamespace(
        limits=Limits(commands_per_s=1_000),
        match_requests=AddressBuckets(500),
        timers=SimpleNamespace(after=lambda delay_s, _: waits_s.append(delay_s)),
        now_ms=lambda: 0,
    )
    limiter = RateLimiter(services, 1, "10.0.0.1", lambda: None)
    for _ in range(1_999):
        limiter.count(Reply(b""), 0)
    limiter.count(Reply(bytes(257)), 0)  # a little more than one command
    assert limiter.is_too_fast(1)
    assert waits_s == [0.001]
    assert not limiter.is_too_fast(2)
