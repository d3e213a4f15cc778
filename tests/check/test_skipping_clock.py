"""The clock that can be pushed on."""

import time

import trio

from gameserver.check.server_under_check import SkippingClock


def test_skipped_time_is_over_at_once_and_everybody_wakes_in_order() -> None:
    clock = SkippingClock()
    woken: list[float] = []

    async def sleeper(time_s: float) -> None:
        await trio.sleep(time_s)
        woken.append(time_s)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for time_s in (150.0, 1.0, 179.0, 600.0):
                nursery.start_soon(sleeper, time_s)
            await trio.lowlevel.checkpoint()
            before_s = trio.current_time()
            await clock.skip(180.0)
            assert trio.current_time() - before_s >= 180.0
            nursery.cancel_scope.cancel()

    began_s = time.perf_counter()
    trio.run(main, clock=clock)
    assert woken == [1.0, 150.0, 179.0]
    assert time.perf_counter() - began_s < 60
