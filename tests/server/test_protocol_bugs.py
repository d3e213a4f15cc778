"""A bug in a protocol, over real sockets in virtual time: it costs its player nothing but the connection."""

from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs
from trio.testing import MockClock

from gameserver.policies import Rules
from gameserver.records.explanations import blame
from tests.support.buggy import PROTOCOL as BUGGY
from tests.support.buggy import BuggyAdapter
from tests.support.drivers import DRIVERS
from tests.support.lobbies import lucky_seed
from tests.support.serving import LineClient, Running, serving

RULES = Rules(first_move_pause_ms=0, restart_grace_ms=60_000)
PARTS = ["receive", "next", "render", "pending_bytes", "is_waiting", "due_ms", "tick"]
PLEASE = "The server made a mistake with this connection; please connect again"


async def come(running: Running, name: str) -> LineClient:
    """Somebody comes by the third party's protocol."""
    client = await running.connect(running.ports["buggy"])
    await client.login(name)
    return client


def served(**setup: Any) -> AbstractAsyncContextManager[Running]:
    """A server with a third party's protocol, which has bugs."""
    return serving(rules=RULES, others=[BUGGY], new_seed=lambda: lucky_seed(()), **setup)


async def opened(running: Running) -> tuple[LineClient, LineClient]:
    """A match: the player by the third party's protocol, to move, and the other. Both have heard the opening."""
    ann, bob = await come(running, "ann"), (await running.enter("bob"))[0]
    for client in (ann, bob):
        await client.send("subscribe Tic-tac-toe")
        await client.line()
    await ann.until("YOURTURN")
    await bob.until("MATCH")
    return ann, bob


@DRIVERS
@pytest.mark.parametrize("part", PARTS)
async def test_player_comes_back_after_bug_and_plays_on(autojump_clock: MockClock, part: str, reactor: type) -> None:
    async with served(reactor=reactor) as running:
        ann, bob = await opened(running)
        with capture_logs() as logs:
            await ann.send(f"bug {part}", "get gamelist")
            assert PLEASE in "\n".join(await ann.rest())
        failed = [event for event in logs if event["event"] == "adapter failed"]
        assert [event["module"] for event in failed] == ["tests.support.buggy"]
        await bob.silence(30)
        again = await come(running, "ann")
        assert "MATCH" in (await again.until("YOURTURN"))[0]
        await again.send("move 4")
        assert await again.line() == "OK"
        assert (await bob.until("YOURTURN"))[0].startswith('SVR GAME MOVE {PLAYER: "ann", MOVE: "4"')


async def test_bug_met_while_opponents_move_is_told(autojump_clock: MockClock) -> None:
    async with served() as running:
        ann, bob = await opened(running)
        await ann.send("move 4")
        await ann.lines(2)
        await bob.until("YOURTURN")
        await ann.send("bug render")
        await trio.sleep(1)
        await bob.send("move 0")
        assert (await bob.lines(2))[0] == "OK"
        assert PLEASE in "\n".join(await ann.rest())
        await bob.silence(20)
        again = await come(running, "ann")
        shown = await again.until("YOURTURN")
        assert any('MOVE: "0"' in line for line in shown), "nothing of the match is lost"
        await again.send("move 1")
        assert await again.line() == "OK"


async def test_match_is_void_with_true_reason_if_player_stays_away(autojump_clock: MockClock) -> None:
    async with served() as running:
        ann, bob = await opened(running)
        await ann.send("bug next", "get gamelist")
        await ann.rest()
        began_s = trio.current_time()
        (ending,) = await bob.lines(1)
        assert 59.9 < trio.current_time() - began_s < 60.6
        assert ending.startswith("SVR GAME DRAW")
        record = list(running.journal.read_records())[-1]
        assert record.reason == "void"
        assert any("tests.support.buggy" in line and "ann" in line for line in blame(record))


async def test_adapter_that_cannot_say_whether_it_knows_its_peer(autojump_clock: MockClock) -> None:
    async with served() as running:
        client = await running.connect(running.ports["buggy"])
        await client.send("bug identified")
        assert PLEASE in "\n".join(await client.rest())
        await running.enter("bob")


async def test_adapter_that_fails_to_greet(autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BuggyAdapter, "greeting", lambda _: 1 / 0)
    async with served() as running:
        client = await running.connect(running.ports["buggy"])
        assert PLEASE in "\n".join(await client.rest())
        await running.enter("bob")


async def test_adapter_that_fails_at_its_end(autojump_clock: MockClock) -> None:
    async with served() as running:
        ann = await come(running, "ann")
        await ann.send("bug discarded", "bye")
        await ann.rest()
        await running.enter("ann")


@DRIVERS
async def test_bug_of_the_connection_itself_costs_nobody_the_match(
    autojump_clock: MockClock, reactor: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(reactor=reactor) as running:
        ann, bob = await opened(running)
        connection = next(one for one in running.server._connections.values() if one.adapter.identified)

        def fail(_: object, _now_ms: int) -> bool:
            raise ZeroDivisionError

        with monkeypatch.context() as patched:
            patched.setattr(type(connection), "on_readable", fail)
            await ann.send("get gamelist")
            await ann.rest()
        await bob.silence(20)
        await come(running, "ann")
