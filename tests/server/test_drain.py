"""A stop that waits for the matches that run."""

import trio
from trio.testing import MockClock

from tests.support.serving import serving

GOODBYE = "ERR The server is stopping; matches are saved, log in again when it is back"


async def test_it_waits_no_longer_than_it_was_told(autojump_clock: MockClock) -> None:
    """The match is saved, and goes on at the next start."""
    async with serving() as running:
        first, _ = await running.match()
        running.server.drain(5, "over", "Ms Reed")
        began_s = trio.current_time()
        await running.stopped.wait()
        assert 5 <= trio.current_time() - began_s < 7
        assert await first.rest() == [GOODBYE]
    async with serving(journal=running.journal) as again:
        (back,) = await again.enter(first.name)
        assert (await back.line()).startswith("SVR GAME MATCH")
        (cyd,) = await again.enter("cyd")
        await cyd.send("subscribe Reversi")
        assert await cyd.line() == "OK", "the next start knows nothing of the stop"
