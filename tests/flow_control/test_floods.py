"""Beside a player who floods the server, the others have their turn."""

import trio
import trio.lowlevel
from trio.testing import MockClock

from gameserver.core.commands import ListGames
from gameserver.core.events import Answer
from gameserver.flow_control.limits import Limits
from tests.support.serving import serving


async def test_flood_of_questions_leaves_room_for_others(autojump_clock: MockClock) -> None:
    """Queries need no commit, which would let the loop go round: the sequencer has to do so by itself."""

    class Nagger:
        asked = 0

        def deliver(self, answer: Answer | None, events: object) -> None:
            self.asked += 1

        def flush(self) -> None: ...

        def resume(self) -> None:
            if self.asked < 50_000:
                running.server._sequencer.submit(ListGames(1), 0, self)  # type: ignore[arg-type]

    async with serving() as running:
        nagger = Nagger()
        nagger.resume()
        for _ in range(20):
            await trio.lowlevel.checkpoint()
        assert 0 < nagger.asked < 1_000


async def test_beginning_match_after_match_is_slowed_down_and_nothing_else(autojump_clock: MockClock) -> None:
    async with serving(limits=Limits(commands_per_s=100, offers_per_s=2)) as running:
        (ann,) = await running.enter("ann")
        began_s = trio.current_time()
        await ann.send(*["subscribe Reversi"] * 24)
        assert await ann.lines(24) == ["OK"] * 24
        assert 9 < trio.current_time() - began_s < 11
        await trio.sleep(10)
        began_s = trio.current_time()
        await ann.send(*["get gamelist"] * 100)
        await ann.lines(200)
        assert trio.current_time() - began_s < 0.5


async def test_matches_begun_from_one_address_are_slowed_down_together(autojump_clock: MockClock) -> None:
    async with serving(limits=Limits(address_offers_per_s=2)) as running:
        ann, bob = await running.enter("ann", "bob")
        began_s = trio.current_time()
        for client, game in ((ann, "Reversi"), (bob, "Tic-tac-toe")):
            await client.send(*[f"subscribe {game}", "unsubscribe"] * 12)
        for client in (ann, bob):
            assert await client.lines(24) == ["OK"] * 24
        assert 9 < trio.current_time() - began_s < 12, "24 searches, of which a burst of four is at once"
        (tim,) = await running.enter("tim")
        began_s = trio.current_time()
        await tim.send(*["get gamelist"] * 100)
        await tim.lines(200)
        assert trio.current_time() - began_s < 0.5, "who begins no match does not wait for those who do"
