"""One run, from its plan to its end or to its failure; the smallest run that fails, and runs in another process.

Whatever depends on the order of a set, on an address in memory or on time is the same in one process however often it
is run again, so runs are compared with those of another process that has another hash seed. As a program, this runs the
plans of its input and prints the hash of each run's trace.
"""

import os
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from attrs import evolve, frozen

from gameserver.journal.snapshot import digest
from tests.simulation.interrupted import Held, InterruptedWorld, compare
from tests.simulation.plan import BOTS_MIN, HallsPlan, Interrupted, Plan, StandbyPlan
from tests.simulation.standby import HallWorld, StandbyWorld
from tests.simulation.violation import Violation
from tests.simulation.world import World

WORLDS: Mapping[type[Plan], type[World]] = {
    Plan: World,
    StandbyPlan: StandbyWorld,
    HallsPlan: HallWorld,
    Interrupted: InterruptedWorld,
}
SHRINK_RUNS_MAX = 120
SHRINK_RUNS_IN_TESTS = 30
"""Less than a test's patience."""
ROOT = Path(__file__).parents[2]
TIMEOUT_S = 280


@frozen
class Failure:
    """A rule that was broken: where, and what happened before."""

    plan: Plan
    step: int
    rule: str
    text: str
    events: tuple[str, ...]
    calm: bool
    """True if it was found after the faults had stopped."""

    def report(self) -> str:
        where = f"after step {self.step}, when faults had stopped" if self.calm else f"in step {self.step}"
        return "\n".join(
            (f"seed {self.plan.seed}, {where}:", self.text, "", "before that:", *self.events, "", self.plan.command())
        )


@frozen
class Finished:
    """A run in which everything held, with its marks and what its journal leads to."""

    plan: Plan
    marks: Counter[str]
    digest: str
    trace: str
    """A hash of everything that crossed the border of the server's process."""
    held: Held | None


def simulate(plan: Plan, peaceful: Held | None = None) -> Finished | Failure:
    """Carry out a plan. Whatever is raised is a find: the simulation itself is expected to be right.

    A tournament with interruptions is compared with the one in peace, which is held first unless given.
    """
    if isinstance(plan, Interrupted) and plan != plan.in_peace() and peaceful is None:
        outcome = simulate(plan.in_peace())
        if isinstance(outcome, Failure):
            return outcome
        peaceful = outcome.held
    world: World | None = None
    try:
        world = WORLDS[type(plan)](plan)
        world.run()
        if peaceful is not None:
            compare(peaceful, world.held)
    except Exception as error:  # noqa: BLE001 - whatever it is, the seed has to be told
        return _failure(plan, world, error)
    return Finished(plan, world.marks, digest(world.truth.lobby), world.hash.hexdigest(), world.held)


def _failure(plan: Plan, world: World | None, error: Exception) -> Failure:
    rule = error.rule if isinstance(error, Violation) else f"{type(error).__name__}: {error}"[:100]
    text = str(error) if isinstance(error, Violation) else "".join(traceback.format_exception(error)[-6:])
    if world is None:
        return Failure(plan, 0, rule, text, (), calm=False)
    events = tuple(
        f"  {step:4} {ms / 1000:8.3f} s  {text % facts if facts else text}" for step, ms, text, facts in world.events
    )
    return Failure(plan, world.steps, rule, text, events, calm=world.calm)


def finished(plan: Plan, peaceful: Held | None = None) -> Finished:
    """Carry out a plan. Raises `AssertionError` with the smallest run that fails."""
    __tracebackhide__ = True  # pytest shows the report alone
    outcome = simulate(plan, peaceful)
    if isinstance(outcome, Finished):
        return outcome
    smallest = shrink(outcome, SHRINK_RUNS_IN_TESTS)
    raise AssertionError(f"{smallest.report()}\nfound by: {outcome.plan.command()}")


def shrink(failure: Failure, runs_max: int = SHRINK_RUNS_MAX) -> Failure:
    """Find the smallest run of the same seed that breaks the same rule, as far as trying comes."""
    best, runs = failure, 0
    progress = True
    while progress:
        progress = False
        for plan in _smaller(best):
            if runs == runs_max:
                return best
            runs += 1
            found = simulate(plan)
            if isinstance(found, Failure) and found.rule == failure.rule:
                best, progress = found, True
                break
    return best


def _smaller(failure: Failure) -> Iterator[Plan]:
    """Yield plans with less of something, the most promising first."""
    plan = failure.plan
    if failure.step < plan.steps:
        yield evolve(plan, steps=failure.step)
    for steps in (plan.steps // 2, plan.steps * 3 // 4, plan.steps * 9 // 10, plan.steps - 1):
        if 0 < steps < plan.steps and failure.calm:
            yield evolve(plan, steps=steps)
    for bots in range(BOTS_MIN, plan.bots):
        yield evolve(plan, bots=bots)
    active = [kind for kind, rate in plan.rates().items() if rate]
    if len(active) < len(plan.faults):
        yield evolve(plan, faults=tuple(active))
    for half in (active[: len(active) // 2], active[len(active) // 2 :]):
        if 1 < len(half) < len(active):
            yield evolve(plan, faults=tuple(half))
    for kind in active:
        yield evolve(plan, faults=tuple(other for other in plan.faults if other != kind))


def diverging(runs: Sequence[Finished]) -> list[int]:
    """Find the seeds of those runs that go another way in another process, with another hash seed."""
    hash_seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    plans = [f"{type(run.plan).__name__}:{run.plan.seed}" for run in runs]
    done = subprocess.run(
        [sys.executable, "-m", "tests.simulation.run", *plans],
        stdout=subprocess.PIPE,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        timeout=TIMEOUT_S,
        text=True,
    )
    return [run.plan.seed for run, trace in zip(runs, done.stdout.split(), strict=True) if run.trace != trace]


def _print_traces(plans: Sequence[str]) -> None:
    kinds = {kind.__name__: kind for kind in WORLDS}
    for kind, seed in (plan.split(":") for plan in plans):
        outcome = simulate(kinds[kind](int(seed)))
        print(outcome.trace if isinstance(outcome, Finished) else "failed", flush=True)


if __name__ == "__main__":
    _print_traces(sys.argv[1:])
