"""Evidence for the records: what the network was like, and when the server stood still."""

from trio.testing import MockClock

from gameserver.core.events import EndReason
from gameserver.engine.clock import KEPT_MAX, STALL_MS, ServerClock, Stalls
from gameserver.records.match_record import MatchRecord
from tests.support.serving import Running, serving


def test_old_stalls_are_forgotten() -> None:
    stalls = Stalls()
    for number in range(3 * KEPT_MAX):
        stalls.note(number, 1.0)
    assert stalls.total_ms == 3 * KEPT_MAX
    assert stalls.between(3 * KEPT_MAX - 11, 3 * KEPT_MAX) == 10
    assert stalls.between(0, 10) == 0
    assert len(stalls._at_ms) <= KEPT_MAX


def test_clock_records_the_time_it_leaves_out() -> None:
    ticks = iter((0.0, 0.05, 5.05, 5.10))
    clock = ServerClock(lambda: next(ticks))
    clock.watched = True
    for _ in range(3):
        clock.now_ms()
    assert clock.stalls.between(50, 50 + STALL_MS) == 5_000 - STALL_MS
    assert clock.stalls.between(50 + STALL_MS, 10_000) == 0


def record(running: Running) -> MatchRecord:
    (found,) = running.journal.read_records()
    return found


async def test_a_late_move_is_on_record_with_the_time_at_which_it_was_read(autojump_clock: MockClock) -> None:
    async with serving() as running:
        first, _ = await running.match()
        await first.until("LOSS")
        (game,) = record(running).games
        lapse = game.lapse
        assert lapse is not None
        assert (lapse.deadline_ms - lapse.began_ms, lapse.margin_ms, lapse.read_ms) == (10_000, 250, None)
        assert lapse.decided_ms >= lapse.deadline_ms + lapse.margin_ms


async def test_a_stall_is_on_record_with_the_turn_in_which_it_was(autojump_clock: MockClock) -> None:
    """The loop is kept busy for a while of virtual time, as a slow disk or a suspended process would do."""
    async with serving() as running:
        first, second = await running.match()
        await first.send("move 0")
        await second.until("YOURTURN")
        autojump_clock.jump(2.0)
        await second.send("move 1")
        await first.until("YOURTURN")
        await first.send("forfeit")
        await second.until("WIN")
        one, other = record(running).moves
        assert one.stall_ms == 0
        assert 1_800 <= other.stall_ms <= 2_000
        assert other.think_ms < 200, "that time is charged to nobody"


async def test_a_lost_connection_is_on_record_with_what_ended_it(autojump_clock: MockClock) -> None:
    async with serving() as running:
        first, second = await running.match()
        await first.stream.aclose()
        await second.until("WIN")
        assert (record(running).reason, record(running).why) == (EndReason.DROPPED, "closed by the player")
