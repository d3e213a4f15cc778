"""Server time runs only while we serve."""

from gameserver.engine.clock import HEARTBEAT_MS, STALL_MS, ServerClock


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


def test_it_goes_on_from_where_it_left_off() -> None:
    monotonic = Monotonic()
    clock = watched_clock(monotonic, 5_000)
    assert clock.now_ms() == 5_000
    monotonic.pass_ms(40)
    assert clock.now_ms() == 5_040


def test_heartbeats_add_up() -> None:
    monotonic = Monotonic()
    clock = watched_clock(monotonic)
    for _ in range(200):
        monotonic.pass_ms(HEARTBEAT_MS)
        clock.now_ms()
    assert clock.now_ms() == 10_000
    assert clock.stalled_ms == 0


def test_a_stall_is_nobodys_time() -> None:
    monotonic = Monotonic()
    clock = watched_clock(monotonic)
    monotonic.pass_ms(3_000)
    assert clock.now_ms() == STALL_MS
    assert round(clock.stalled_ms) == 3_000 - STALL_MS


def test_a_slow_commit_is_nobodys_time_though_the_loop_goes_on() -> None:
    monotonic = Monotonic()
    clock = watched_clock(monotonic)
    with clock.held():
        for _ in range(40):
            monotonic.pass_ms(HEARTBEAT_MS)
            clock.now_ms()
    assert clock.now_ms() == STALL_MS
    monotonic.pass_ms(HEARTBEAT_MS)
    assert clock.now_ms() == STALL_MS + HEARTBEAT_MS


def test_a_quick_commit_is_time_like_any_other() -> None:
    monotonic = Monotonic()
    clock = watched_clock(monotonic)
    for _ in range(100):
        with clock.held():
            monotonic.pass_ms(1)
    assert clock.now_ms() in {99, 100}


def test_quiet_time_is_time_while_nothing_is_due() -> None:
    monotonic = Monotonic()
    clock = ServerClock(monotonic)
    monotonic.pass_ms(3_600_000)
    assert clock.now_ms() == 3_600_000
    assert clock.stalled_ms == 0
