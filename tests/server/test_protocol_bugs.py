"""A bug in a protocol, over real sockets in virtual time: it costs its player nothing but the connection."""

import pytest
from structlog.testing import capture_logs
from trio.testing import MockClock

from gameserver.policies import Rules
from tests.support.buggy import PROTOCOL as BUGGY
from tests.support.drivers import DRIVERS
from tests.support.serving import LineClient, Running, serving

RULES = Rules(first_move_pause_ms=0, restart_grace_ms=60_000)
PARTS = ["receive", "next", "render", "pending_bytes", "is_waiting", "due_ms", "tick"]
PLEASE = "The server made a mistake with this connection; please connect again"


async def come(running: Running, name: str) -> LineClient:
    """Somebody comes by the third party's protocol."""
    client = await running.connect(running.ports["buggy"])
    await client.login(name)
    return client


async def opened(running: Running) -> tuple[LineClient, LineClient]:
    """A match: the player by the third party's protocol, to move, and the other. Both have heard the opening."""
    for _ in range(50):
        ann, bob = await come(running, "ann"), (await running.enter("bob"))[0]
        for client in (ann, bob):
            await client.send("subscribe Tic-tac-toe")
            await client.line()
        match = await ann.line()
        await bob.line()
        if 'PLAYERTOMOVE: "ann"' in match:
            await ann.line()
            return ann, bob
        await bob.line()
        for client in (ann, bob):
            await client.send("bye")
            await client.rest()
    raise AssertionError("ann never begins")


@DRIVERS
@pytest.mark.parametrize("part", PARTS)
async def test_player_comes_back_after_bug_and_plays_on(autojump_clock: MockClock, part: str, reactor: type) -> None:
    async with serving(rules=RULES, others=[BUGGY], reactor=reactor) as running:
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


async def test_adapter_that_cannot_say_whether_it_knows_its_peer(autojump_clock: MockClock) -> None:
    async with serving(rules=RULES, others=[BUGGY]) as running:
        client = await running.connect(running.ports["buggy"])
        await client.send("bug identified")
        assert PLEASE in "\n".join(await client.rest())
        await running.enter("bob")


async def test_adapter_that_fails_at_its_end(autojump_clock: MockClock) -> None:
    async with serving(rules=RULES, others=[BUGGY]) as running:
        ann = await come(running, "ann")
        await ann.send("bug discarded", "bye")
        await ann.rest()
        await running.enter("ann")


@DRIVERS
async def test_bug_of_the_connection_itself_costs_nobody_the_match(
    autojump_clock: MockClock, reactor: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(rules=RULES, others=[BUGGY], reactor=reactor) as running:
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
