"""Measures the effect of a flood on players: the time from a move to the next turn, quiet and beside so many flooders.

The limits are those that a user has; the baseline is the same players alone, on the same server. Floods at the doors
of other protocols than the players' take one round each.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import evolve

from tests.benchmarks.flood import LOGINS, OTHER_FLOODS, PROTOCOLS, TEXT_FLOODS
from tests.benchmarks.generator import Loop, Tally, loop
from tests.benchmarks.load import GATHER, medians
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.players import Pace
from tests.benchmarks.processes import HERE, BenchmarkError, free_port, gameserver, running
from tests.benchmarks.report import Figures, Row

PAUSE_S = 0.2
SETTLE_S = 0.5
HOME = "strategic"
"""The protocol of the players."""
KINDS = (*TEXT_FLOODS, LOGINS, *OTHER_FLOODS)


def measure(plan: Plan) -> list[Row]:
    """A row for each kind of flood."""
    kinds = plan.floods or KINDS
    return [_row(plan, kind, plan.rounds if PROTOCOLS[kind] == HOME else 1) for kind in kinds]


def _row(plan: Plan, kind: str, rounds: int) -> Row:
    flooded: list[Figures] = []
    quiet: list[Figures] = []
    what = f"{plan.flooded_pairs} matches beside {plan.flooders} flooders: {kind}"
    for number in range(rounds):
        with TemporaryDirectory() as directory:
            subject = gameserver(Path(directory), raised=False)
            door = free_port()
            if PROTOCOLS[kind] != HOME:
                opened = ("--listen", f"{PROTOCOLS[kind]}=127.0.0.1:{door}")
                subject = evolve(subject, command=(*subject.command, *opened))
            with running(subject, Path(directory), plan.cores) as process, loop() as working:
                note(f"{what}, round {number + 1} (process {process.popen.pid})")
                tally = Tally()
                GATHER[HOME](process, plan.flooded_pairs, working, tally, Pace(working, PAUSE_S))
                quiet.append(figures_of(plan, working, tally))
                with _flood(plan, process.port if PROTOCOLS[kind] == HOME else door, kind):
                    working.run_for(SETTLE_S)
                    flooded.append(figures_of(plan, working, tally))
    return Row("abuse", what, medians(flooded), medians(quiet), {"server": flooded, "echo": quiet})


def figures_of(plan: Plan, working: Loop, tally: Tally) -> Figures:
    """The delays that the players notice, measured now."""
    working.run_for(plan.warmup_s)
    tally.reset()
    working.run_for(plan.seconds)
    if not tally.latencies_s:
        raise BenchmarkError("no move was answered")
    latencies_s = sorted(tally.latencies_s)
    return {
        "moves/s": tally.moves / plan.seconds,
        "p50 ms": latencies_s[len(latencies_s) // 2] * 1e3,
        "p99 ms": latencies_s[len(latencies_s) * 99 // 100] * 1e3,
        "worst ms": latencies_s[-1] * 1e3,
    }


@contextmanager
def _flood(plan: Plan, port: int, kind: str) -> Iterator[None]:
    # At low priority, or it would keep the players' own program from the processor, and not only the server.
    command = ["nice", "-n", "15", sys.executable, str(HERE / "flood.py"), str(port), kind, str(plan.flooders)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as flood:
        assert flood.stdout is not None
        try:
            if not flood.stdout.readline():
                raise BenchmarkError(f"the flood of {kind} did not begin")
            yield
            if flood.poll() is not None:
                raise BenchmarkError(f"the flood of {kind} has ended")
        finally:
            flood.kill()
