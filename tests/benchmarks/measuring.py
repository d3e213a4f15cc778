"""A round of a benchmark: clients at work for a while, and what they and the server did meanwhile."""

import time
from collections.abc import Callable
from typing import Protocol

import psutil

from tests.benchmarks.generator import Loop, Tally, now_s
from tests.benchmarks.processes import BenchmarkError
from tests.benchmarks.report import Figures


class Spender(Protocol):
    """A server that is measured, or several as one."""

    def cpu_s(self) -> float:
        """User and system time of all its threads so far."""


CPU_US = " CPU us"
"""The end of the names of counters of CPU time."""


def measured(
    process: Spender,
    working: Loop,
    tally: Tally,
    one: str,
    many: str,
    *,
    warmup_s: float,
    seconds: float,
    reset: Callable[[], None] | None = None,
    counters: Callable[[], Figures] = dict,
) -> Figures:
    """The rate of what was done, and the cost of each; `one` and `many` name it.

    `reset` forgets the warm-up where the tally is not all that has to. `counters` are totals of other processes, of
    which each gets its share, too.
    Raises `BenchmarkError` if nothing was done.
    """
    working.run_for(warmup_s)
    (tally.reset if reset is None else reset)()
    counted = counters()
    began_s, before = now_s(), spent_s(process)
    working.run_for(seconds)
    took_s = now_s() - began_s
    cpu_s, own_cpu_s, all_cpu_s = (after - then for after, then in zip(spent_s(process), before, strict=True))
    more = {key: total - counted[key] for key, total in counters().items()}
    beside_s = sum(amount for key, amount in more.items() if key.endswith(CPU_US)) / 1e6
    if not tally.latencies_s:
        raise BenchmarkError(f"no {one} was answered in {took_s:.1f} s")
    latencies_s = sorted(tally.latencies_s)
    return {
        f"{many}/s": tally.moves / took_s,
        f"CPU us/{one}": cpu_s / tally.moves * 1e6,
        "p50 ms": latencies_s[len(latencies_s) // 2] * 1e3,
        "p99 ms": latencies_s[len(latencies_s) * 99 // 100] * 1e3,
        "CPU %": 100 * cpu_s / took_s,
        "generator CPU %": 100 * own_cpu_s / took_s,
        "others CPU %": max(0.0, 100 * (all_cpu_s - cpu_s - own_cpu_s - beside_s) / took_s),
    } | {f"{key}/{one}": amount / tally.moves for key, amount in more.items()}


def spent_s(process: Spender) -> tuple[float, float, float]:
    """CPU time of the server, of this process, and of the whole machine."""
    machine = psutil.cpu_times()
    return process.cpu_s(), time.process_time(), sum(machine) - machine.idle - machine.iowait - machine.guest
