"""A ladder on real sockets under virtual time: its director pairs, and its records say what was played."""

from collections import defaultdict
from contextlib import suppress
from itertools import pairwise

import trio
from trio.testing import MockClock

from games.tic_tac_toe import GAME
from gameserver.core.commands import SetLadder
from gameserver.core.identity import HOUSE_PREFIX
from gameserver.ladder import BETWEEN_MS, LadderResult
from tests.server.test_tournaments import conduct
from tests.support.games import catalogue
from tests.support.serving import Closed, LineClient, Running, serving

EVENING_MS = 1_788_303_600_000
"""23:00 on 2026-09-01, in UTC."""


def wall_ms() -> int:
    return EVENING_MS + round(trio.current_time() * 1000)


async def subscribes_again(client: LineClient) -> None:
    """A program that gives up whenever it is its turn, and looks for the next opponent after each match."""
    with suppress(Closed, trio.BrokenResourceError, trio.ClosedResourceError):
        await client.send("subscribe tic-tac-toe")
        while True:
            line = await client.line()
            if "YOURTURN" in line:
                await client.send("forfeit")
            elif any(f"GAME {word}" in line for word in ("WIN", "LOSS", "DRAW")):
                await client.send("subscribe tic-tac-toe")


async def on_record(running: Running) -> list[LadderResult]:
    return running.journal.reader().ladder(GAME.name, 0)[0]


def check(results: list[LadderResult]) -> None:
    by_pair = defaultdict(list)
    for one in results:
        by_pair[frozenset(one.players)].append(one)
    assert len(by_pair) >= 3
    for met in by_pair.values():
        for before, after in pairwise(met):
            assert after.ended_ms >= before.ended_ms + BETWEEN_MS
            assert after.players == before.players[::-1]


async def test_programs_that_search_again_and_again_play_near_equals_and_anchors(autojump_clock: MockClock) -> None:
    async with serving(games=catalogue(GAME), wall_ms=wall_ms) as running, trio.open_nursery() as bots:
        # Before they search: without a ladder they would play some hundred matches a second.
        await conduct(running, SetLadder("tic-tac-toe", True))
        for client in await running.enter("ann", "bob", "cyd"):
            bots.start_soon(subscribes_again, client)
        await trio.sleep(2 * 3600)
        reader = running.journal.reader()
        results = await on_record(running)
        bots.cancel_scope.cancel()
    check(results)
    with_anchors = [one for one in results if any(name.startswith(HOUSE_PREFIX) for name in one.players)]
    assert 0 < len(with_anchors) <= len(results) / 3
    record = reader.match(with_anchors[-1].match)
    assert record.rated
    assert record.is_ladder
    assert [seat.rating is None for seat in record.seats] == [seat.protocol == "house" for seat in record.seats]
    # At midnight, and not at the opening, when nobody had played.
    nights, ranking = reader.ranking(GAME.name, None, 5)
    assert nights == ("2026-09-02",)
    assert sorted(player for player, *_ in ranking) == ["ann", "bob", "cyd"]
