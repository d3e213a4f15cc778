"""A stop that waits for the matches that run."""

import trio
from trio.testing import MockClock

from tests.admin.support import BEARER, get, post, serving_admin
from tests.support.serving import serving

REFUSED = "ERR The server is about to stop, no new match begins; come back when it is up again"
GOODBYE = "ERR The server is stopping; matches are saved, log in again when it is back"


async def test_it_ends_with_the_last_match(autojump_clock: MockClock) -> None:
    async with serving() as running:
        first, second = await running.match()
        (cyd,) = await running.enter("cyd")
        running.server.drain(60, "over", "Ms Reed")
        await trio.sleep(5)
        await cyd.send("subscribe Reversi", 'challenge "house-random" "Reversi"')
        assert await cyd.lines(2) == [REFUSED, REFUSED]
        assert not running.stopped.is_set()
        await first.send("forfeit")
        await running.stopped.wait()
        assert (await cyd.rest()) == [GOODBYE]
        assert "WIN" in (await second.rest())[0]
        (record,) = running.journal.read_records()
        assert record.reason == "resigned"


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


async def test_a_second_word_stops_at_once(autojump_clock: MockClock) -> None:
    async with serving() as running:
        await running.match()
        running.server.drain(500, "over", "Ms Reed")
        await trio.sleep(1)
        running.server.drain(0, "now", "Ms Reed")
        with trio.fail_after(3):
            await running.stopped.wait()


async def test_admin_requests_are_answered_while_draining(autojump_clock: MockClock) -> None:
    async with serving_admin() as running:
        first, _ = await running.match()
        asked = await post(running, "/api/drain", {"within_s": 3600, "by": "Ms Reed"})
        assert asked.json == {"done": True, "matches": 1, "within_s": 3600.0}
        assert (await get(running, "/api/status", BEARER)).json["drains"]
        asked = await post(running, "/api/drain", {"within_s": 0})
        assert asked.json["done"]
        await running.stopped.wait()


async def test_nothing_is_played_so_nothing_is_waited_for(autojump_clock: MockClock) -> None:
    async with serving_admin() as running:
        assert (await post(running, "/api/drain", {})).json == {"done": True, "matches": 0, "within_s": 300.0}
        with trio.fail_after(3):
            await running.stopped.wait()
