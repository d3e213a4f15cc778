"""The same runs in another process, with another hash seed: everything that crosses the server's border is the same.

What depends on the order of a set, on an address in memory or on time is the same in one process however often it is
done again. As a program, this runs plans of its input and writes the hash of each run's trace.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.simulation.plan import Plan
from tests.simulation.run import Failure, Finished, simulate
from tests.simulation.standby_plan import HallsPlan, StandbyPlan

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 280
KINDS = {kind.__name__: kind for kind in (Plan, StandbyPlan, HallsPlan)}


def diverging(runs: Sequence[Finished]) -> list[int]:
    """The seeds of those runs of a `Plan` that go another way in another process."""
    hash_seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    finished = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.simulation.elsewhere",
            *(f"{type(run.plan).__name__}:{run.plan.seed}" for run in runs),
        ],
        stdout=subprocess.PIPE,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        timeout=TIMEOUT_S,
        text=True,
    )
    traces = zip(runs, finished.stdout.split(), strict=True)
    return [run.plan.seed for run, trace in traces if _trace(run) != trace]


def _trace(outcome: Finished | Failure) -> str:
    if isinstance(outcome, Failure):
        return outcome.rule.replace(" ", "-")
    return outcome.trace or outcome.digest


if __name__ == "__main__":
    for kind, seed in (argument.split(":") for argument in sys.argv[1:]):
        print(_trace(simulate(KINDS[kind](int(seed)))), flush=True)
