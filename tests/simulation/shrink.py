"""A failure is found in a crowd; the same failure with fewer steps, bots and faults is easier to read."""

from collections.abc import Iterator

from attrs import evolve

from tests.simulation.plan import BOTS_MIN, Plan
from tests.simulation.run import Failure, simulate

RUNS_MAX = 120


def shrink(failure: Failure, runs_max: int = RUNS_MAX) -> Failure:
    """The smallest run of the same seed, as far as trying comes, in which the same rule does not hold."""
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
    """Plans with less of something, the most promising first."""
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
