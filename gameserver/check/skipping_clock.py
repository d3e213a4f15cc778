"""A clock that runs as time does, and can be pushed on: nobody has to wait for what only the server waits for."""

import time

import trio

STEP_S = 0.05
"""Time that is skipped at once: no more than the server takes for a pause of its own, which it charges to nobody."""
TURNS = 3
"""Passes of the event loop after each step, in which everybody does what was due."""


class SkippingClock(trio.abc.Clock):
    """The time of this machine, and all that was skipped. Make one for each `trio.run`."""

    def __init__(self) -> None:
        self.skipped_s = 0.0

    def start_clock(self) -> None:
        """Nothing has to be started."""

    def current_time(self) -> float:
        """Seconds since some moment."""
        return time.perf_counter() + self.skipped_s

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """The real time until a deadline, if nothing is skipped meanwhile."""
        return deadline - self.current_time()

    async def skip(self, time_s: float) -> None:
        """Let time pass at once, in small steps, each with what is due in it."""
        end_s = self.skipped_s + time_s
        while self.skipped_s < end_s:
            self.skipped_s = min(self.skipped_s + STEP_S, end_s)
            for _ in range(TURNS):
                await trio.lowlevel.checkpoint()


def real_s() -> float:
    """The time that really passes: what a client takes is measured by it."""
    return time.perf_counter()
