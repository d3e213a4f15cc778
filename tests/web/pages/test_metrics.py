"""What monitoring is told."""

from prometheus_client.parser import text_string_to_metric_families
from trio.testing import MockClock

from gameserver.core.messages.commands import ListGames
from tests.web.support import get, serving_pages


async def test_live_matches_and_totals_are_counted(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        first, second = await running.match()
        await first.send("move 4")
        await first.lines(2)
        await second.lines(2)
        await second.send("move 4")
        await second.until("LOSS")
        (cleo,) = await running.enter("cleo")
        await cleo.send("subscribe Reversi", "subscribe Chess")
        await cleo.lines(2)
        page = await get(running, "/metrics")
        assert page.headers["content-type"].startswith("text/plain")
        found = {
            (sample.name, *sample.labels.values()): sample.value
            for family in text_string_to_metric_families(page.text)
            for sample in family.samples
        }
        assert found["gameserver_players", "strategic"] == 3
        assert found["gameserver_connections", "strategic"] == 3
        assert found["gameserver_connections", "http"] == 1
        assert found["gameserver_queue_depth",] == 0
        assert found["gameserver_open_offers", "search"] == 1
        assert found["gameserver_matches_total",] == 1
        assert found["gameserver_moves_total",] == 2, "the illegal one was taken, and cost the match"
        assert found["gameserver_refusals_total",] == 1
        assert found["gameserver_commands_total",] > found["gameserver_journal_rows_total",] > 6
        assert found["gameserver_commit_seconds_bucket", "+Inf"] == found["gameserver_commit_seconds_count",] > 0


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
