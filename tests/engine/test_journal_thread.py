"""The journal's thread: in order, with what was raised, to its end, and no longer than it is needed."""

import pytest

from gameserver.engine.journal_thread import JournalThread


async def test_exception_of_a_job_is_raised_to_its_caller_and_the_next_job_runs() -> None:
    writer, done = JournalThread(), []

    def fail() -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        await writer.carry_out(fail)
    await writer.carry_out(lambda: done.append(1))
    assert done == [1]
