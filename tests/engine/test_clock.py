"""Server time runs only while we serve."""

from gameserver.engine.clock import STALL_MS, ServerClock


class Monotonic:
    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s

    def pass_ms(self, ms: float) -> None:
        self.now_s += ms / 1000


def watched_clock(monotonic: Monotonic, start_ms: int = 0) -> ServerClock:
    clock = ServerClock(monotonic, start_ms)
    clock.watched = True
    return clock


def test_a_stall_is_nobodys_time() -> None:
    monotonic = Monotonic()
    clock = watched_clock(monotonic)
    monotonic.pass_ms(3_000)
    assert clock.now_ms() == STALL_MS
    assert round(clock.stalled_ms) == 3_000 - STALL_MS


def test_quiet_time_is_time_while_nothing_is_due() -> None:
    monotonic = Monotonic()
    clock = ServerClock(monotonic)
    monotonic.pass_ms(3_600_000)
    assert clock.now_ms() == 3_600_000
    assert clock.stalled_ms == 0
