"""Playing a whole transcript."""

import trio
from trio.testing import wait_all_tasks_blocked

from tests.support.transcripts.model import MANNERS, Manner, Transcript
from tests.support.transcripts.stage import QUIET_S, Stage
from tests.support.transcripts.text import joined


async def perform(transcript: Transcript, manner: Manner = MANNERS[0]) -> str:
    """The transcript as it really goes. Needs a clock that jumps."""
    lines = list(transcript.head)
    async with trio.open_nursery() as nursery:
        stage = Stage(transcript.settings, manner, nursery)
        await stage.start()
        for step in transcript.steps:
            lines += await stage.perform(step)
        await wait_all_tasks_blocked(QUIET_S)
        lines += stage.told(())
        for client in stage.clients.values():
            await client.stream.aclose()
        await stage.stop()
    return joined(lines)
