"""The check's own server, and the clock of it that can be pushed on."""

import time
from pathlib import Path

import trio

from gameserver.check.checker import server_terms
from gameserver.check.server_under_check import ServerUnderCheck, SkippingClock
from tests.check.test_checker import PLUGINS, terms_of
from tests.support.serving import LineClient


def test_skipped_time_is_over_at_once_and_everybody_wakes_in_order() -> None:
    clock = SkippingClock()
    woken: list[float] = []

    async def sleeper(time_s: float) -> None:
        await trio.sleep(time_s)
        woken.append(time_s)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for time_s in (150.0, 1.0, 179.0, 600.0):
                nursery.start_soon(sleeper, time_s)
            await trio.lowlevel.checkpoint()
            before_s = trio.current_time()
            await clock.skip(180.0)
            assert trio.current_time() - before_s >= 180.0
            nursery.cancel_scope.cancel()

    began_s = time.perf_counter()
    trio.run(main, clock=clock)
    assert woken == [1.0, 150.0, 179.0]
    assert time.perf_counter() - began_s < 60


async def test_a_check_commits_to_no_chance(tmp_path: Path) -> None:
    """Its dice follow from its own seed, or are those of a match on record."""
    terms = server_terms(PLUGINS, terms_of(tmp_path, ""), {}, None, "ab" * 32)
    async with trio.open_nursery() as nursery:
        server = ServerUnderCheck(terms, nursery, lambda _: None)
        await server.start()
        lines = []
        clients = [LineClient(await trio.open_tcp_stream("127.0.0.1", server.client_port)) for _ in range(2)]
        for name, client in zip(("ann", "bob"), clients, strict=True):
            await client.login(name)
            await client.send("subscribe Tic-tac-toe")
        for client in clients:
            await client.until("SVR GAME MATCH")
            await client.send("get fairness")
            lines += [line for line in await client.until("SVR FAIRNESS") if "FAIRNESS" in line]
            await client.stream.aclose()
        assert all(' COMMITMENT: ""' in line and 'MATCHCOMMITMENT: ""' in line for line in lines)
        assert len(lines) == 2
        await server.stop()
        nursery.cancel_scope.cancel()
