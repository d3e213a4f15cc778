"""One run, from its plan to its end or to what it found."""

import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, TypeVar

import structlog
from attrs import frozen

from gameserver.journal.journal import JournalRow
from gameserver.journal.snapshot import digest
from tests.simulation.copied_world import World as CopiedWorld
from tests.simulation.interrupted import Held, InterruptedWorld, compare, in_peace
from tests.simulation.interrupted_plan import Interrupted
from tests.simulation.plan import Plan
from tests.simulation.settling import settle
from tests.simulation.standby import RowsLost, StandbyWorld
from tests.simulation.standby_plan import StandbyPlan
from tests.simulation.tasks import without_trio
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
    if isinstance(plan, StandbyPlan):
        return _carried_out(plan, StandbyWorld, _with_standby)
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


def _whole(world: CopiedWorld) -> None:
    for _ in range(world.plan.steps):
        world.step()
    settle(world)


def _with_standby(world: StandbyWorld) -> None:
    try:
        _whole(world)
        world.check_standby()
    except RowsLost:
        pass


PlanT = TypeVar("PlanT", bound=Plan)
WorldT = TypeVar("WorldT", bound=CopiedWorld)
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


def _carried_out(
    plan: PlanT, made: Callable[[PlanT], WorldT], carry_out: Callable[[WorldT], None]
) -> Finished | Failure:
    world: WorldT | None = None
    with _mistakes_surface(), without_trio():
        try:
            world = made(plan)
            carry_out(world)
            assert world.process is not None
            world.process.die()
        except Exception as error:  # noqa: BLE001 - whatever it is, the seed has to be told
            return _failure(plan, world, error)
    assert world.process is not None
    return Finished(plan, world.marks, tuple(world.journal.history), digest(world.process.lobby))


def _failure(plan: Plan, world: World | CopiedWorld | None, error: Exception) -> Failure:
    rule = error.rule if isinstance(error, Violation) else f"{type(error).__name__}: {error}"[:100]
    text = str(error) if isinstance(error, Violation) else "".join(traceback.format_exception(error)[-6:])
    if world is None:
        return Failure(plan, 0, rule, text, (), calm=False)
    events = tuple(
        f"  {step:4} {ms / 1000:8.3f} s  {text % facts if facts else text}" for step, ms, text, facts in world.events
    )
    return Failure(plan, world.steps, rule, text, events, calm=world.calm)


@contextmanager
def _mistakes_surface() -> Iterator[None]:
    """Print no log lines; but what the server logs and survives, because it is a mistake of its own, is raised."""
    before = structlog.get_config()
    structlog.configure(processors=[_raised_or_dropped])
    try:
        yield
    finally:
        structlog.configure(**before)


def _raised_or_dropped(_: Any, __: str, event: MutableMapping[str, Any]) -> str:
    error = sys.exc_info()[1]
    if event["event"] in {"decision failed", "route failed"} and error is not None:
        raise Violation("the server makes no mistakes", repr(error)) from error
    raise structlog.DropEvent
