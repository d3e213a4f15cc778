"""What monitoring is told."""

from trio.testing import MockClock

from gameserver.core.messages.commands import ListGames
from tests.web.support import get, serving_pages


async def test_queue_depth_and_closed_connections_are_counted(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        (ann,) = await running.enter("ann")
        server = running.server
        figures = server._read_model.metrics
        assert dict(figures.connections()) == {"strategic": 1, "http": 0}
        for _ in range(3):  # of a session that nobody has: a client refuses answers that it did not ask for
            server._sequencer.submit(ListGames(99), server.now_ms())
        assert figures.queue_depth() == 3
        await ann.send("logout")
        await ann.rest()
        await ann.stream.aclose()
        assert figures.queue_depth() == 0
        page = await get(running, "/metrics")
        assert 'gameserver_connections{protocol="strategic"} 0.0' in page.text, "none is a number, too"
