"""The journal's thread: in order, with what was raised, and to its end."""

import threading

import pytest
import trio

from gameserver.engine.committer import JournalThread


async def test_exception_of_a_job_is_raised_to_its_caller_and_the_next_job_runs() -> None:
    writer, done = JournalThread(), []

    def fail() -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        await writer.carry_out(fail)
    await writer.carry_out(lambda: done.append(1))
    assert done == [1]


async def test_work_that_has_begun_is_waited_for_though_its_task_is_cancelled() -> None:
    writer, begun, goes_on, done = JournalThread(), trio.Event(), threading.Event(), []
    token = trio.lowlevel.current_trio_token()

    def work() -> None:
        token.run_sync_soon(begun.set)
        goes_on.wait()
        done.append("work")

    async def ask() -> None:
        await writer.carry_out(work)
        done.append("told")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        await begun.wait()
        nursery.cancel_scope.cancel()
        goes_on.set()
    assert done == ["work", "told"]


async def test_nothing_is_begun_for_a_task_that_is_cancelled() -> None:
    writer, done = JournalThread(), []
    with trio.CancelScope() as scope:
        scope.cancel()
        await writer.carry_out(lambda: done.append(1))
    assert scope.cancelled_caught
    assert done == []
