"""Threads of simulated machines, and machines that stand still.

A thread is a greenlet: code that waits in the midst of a call, such as for the answer of a database, while the event
loop goes on and virtual time passes. Exactly one of all these runs at a time, and which one follows from the seed.

What is frozen, as by SIGSTOP, executes nothing: its tasks that would go on are kept, and go on in the same order later.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from unittest.mock import patch

import trio
from attrs import define, field
from greenlet import getcurrent, greenlet
from trio._core._run import GLOBAL_RUN_CONTEXT, Runner
from trio.lowlevel import Task

from gameserver.journal.journal import JournalError
from tests.simulation.power import MACHINE

T = TypeVar("T")


def wait_for(something: Callable[[], Awaitable[None]]) -> None:
    """Let the event loop go on until this has been waited for. Called in a thread."""
    thread = getcurrent()
    assert thread.parent is not None, "the event loop must not wait for the database"
    thread.parent.switch(something)


@define(eq=False)
class Threads:
    """The threads of one machine. None survives its power, and nothing else cancels one."""

    _scopes: dict[trio.CancelScope, None] = field(factory=dict, init=False)

    @property
    def are_at_work(self) -> bool:
        return bool(self._scopes)

    async def run(self, work: Callable[[], T]) -> T:
        """Wait until a thread has done this, and raise what it raises."""
        thread = greenlet(work)
        with trio.CancelScope(shield=True) as scope:
            self._scopes[scope] = None
            try:
                found = thread.switch()
                while not thread.dead:
                    await found()
                    found = thread.switch()
                return found
            finally:
                del self._scopes[scope]
                if not thread.dead:
                    thread.throw()
        raise JournalError("the process is no more")

    def end(self) -> None:
        """End all threads, as the power is gone."""
        for scope in self._scopes:
            scope.cancel()


@define(eq=False)
class Freezer:
    """Keeps the tasks of a machine that stands still."""

    is_on: bool = field(default=False, init=False)
    _tasks: list[Task] = field(factory=list, init=False)

    def keep(self, task: Task) -> None:
        self._tasks.append(task)

    def thaw(self) -> None:
        self.is_on = False
        GLOBAL_RUN_CONTEXT.runner.runq.extend(self._tasks)
        self._tasks.clear()


@contextmanager
def freezable(threads_of: Callable[[Any], Threads], freezer_of: Callable[[Any], Freezer]) -> Iterator[None]:
    """Let machines be frozen, and trio's threads be theirs, while this lasts."""
    reschedule = Runner.reschedule

    def reschedule_unless_frozen(runner: Runner, task: Task, *next_send: Any) -> None:
        reschedule(runner, task, *next_send)
        machine = task.context.get(MACHINE)
        if machine is not None and freezer_of(machine).is_on:
            runner.runq.pop()
            freezer_of(machine).keep(task)

    async def run_sync(work: Callable[..., T], *args: Any, abandon_on_cancel: bool = False) -> T:
        await trio.lowlevel.checkpoint_if_cancelled()
        return await threads_of(MACHINE.get()).run(lambda: work(*args))

    with (
        patch.object(Runner, "reschedule", reschedule_unless_frozen),
        patch.object(trio.to_thread, "run_sync", run_sync),
    ):
        yield
