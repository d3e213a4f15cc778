"""One run, from its plan to its end or to what it found."""

import traceback
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from attrs import frozen

from gameserver.journal.journal import JournalRow
from gameserver.journal.snapshot import digest
from tests.simulation.halls import HallWorld
from tests.simulation.interrupted import Held, InterruptedWorld, compare, in_peace
from tests.simulation.interrupted_plan import Interrupted
from tests.simulation.plan import Plan
from tests.simulation.standby import StandbyWorld
from tests.simulation.standby_plan import HallsPlan, StandbyPlan
from tests.simulation.violation import Violation
from tests.simulation.world import World


@frozen
class Failure:
    """What was found: the rule that does not hold, where, and what happened before."""

    plan: Plan
    step: int
    rule: str
    text: str
    events: tuple[str, ...]
    calm: bool
    """Whether it was found after the faults had stopped."""

    def report(self) -> str:
        """All of it, for a person."""
        where = f"after step {self.step}, when faults had stopped" if self.calm else f"in step {self.step}"
        return "\n".join(
            (f"seed {self.plan.seed}, {where}:", self.text, "", "before that:", *self.events, "", self.plan.command())
        )


@frozen
class Finished:
    """A run in which everything held: what happened in it, and its journal with what it leads to."""

    plan: Plan
    marks: Counter[str]
    rows: tuple[JournalRow, ...]
    digest: str
    trace: str = ""
    """A hash of everything that crossed the border of the server's process."""


def simulate(plan: Plan) -> Finished | Failure:
    """Carry out a plan. Whatever is raised is a find: the simulation itself is expected to be right."""
    if isinstance(plan, Interrupted):
        return interrupt(plan)
    if isinstance(plan, HallsPlan):
        return _run(plan, lambda: HallWorld(plan), lambda _: None)
    if isinstance(plan, StandbyPlan):
        return _run(plan, lambda: StandbyWorld(plan), lambda _: None)
    return _run(plan, lambda: World(plan), lambda _: None)


def interrupt(plan: Interrupted, peaceful: Held | None = None) -> Finished | Failure:
    """Hold a tournament with interruptions, and compare it with the one in peace, which is held first unless given."""
    held = peaceful
    if held is None:
        outcome = hold_in_peace(plan)
        if isinstance(outcome, Failure):
            return outcome
        held = outcome
    return _held(plan, lambda world: compare(held, _result(world)))


def hold_in_peace(plan: Interrupted) -> Held | Failure:
    """The tournament as it is without any interruption."""
    found: list[Held] = []
    outcome = _held(in_peace(plan), lambda world: found.append(_result(world)))
    return outcome if isinstance(outcome, Failure) else found[0]


def _result(world: InterruptedWorld) -> Held:
    assert world.held is not None, "it was played to its end"
    return world.held


def _held(plan: Interrupted, look: Callable[[InterruptedWorld], None]) -> Finished | Failure:
    return _run(plan, lambda: InterruptedWorld(plan), look)


RealT = TypeVar("RealT", bound=World)


def _run(plan: Plan, made: Callable[[], RealT], look: Callable[[RealT], None]) -> Finished | Failure:
    world: RealT | None = None
    try:
        world = made()
        world.run()
        look(world)
    except Exception as error:  # noqa: BLE001 - whatever it is, the seed has to be told
        return _failure(plan, world, error)
    return Finished(plan, world.marks, tuple(world.disk.history), digest(world.truth.lobby), world.hash.hexdigest())


def _failure(plan: Plan, world: World | None, error: Exception) -> Failure:
    rule = error.rule if isinstance(error, Violation) else f"{type(error).__name__}: {error}"[:100]
    text = str(error) if isinstance(error, Violation) else "".join(traceback.format_exception(error)[-6:])
    if world is None:
        return Failure(plan, 0, rule, text, (), calm=False)
    events = tuple(
        f"  {step:4} {ms / 1000:8.3f} s  {text % facts if facts else text}" for step, ms, text, facts in world.events
    )
    return Failure(plan, world.steps, rule, text, events, calm=world.calm)
