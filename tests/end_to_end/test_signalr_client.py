"""The official SignalR client, `@microsoft/signalr` on Node, at a hub of ours on real sockets."""

import json
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from gameserver.http.listener import HttpProtocol
from protocols.signalr import Timeouts
from tests.support.chat import ChatProtocol
from tests.support.node import DIRECTORY, node
from tests.support.serving import Running, serving

DEADLINE_S = 30

Lines = Callable[[], Awaitable[Any]]


@pytest.fixture(scope="session")
def program() -> str:
    return node()


@asynccontextmanager
async def client(program: str, running: Running, scenario: str) -> AsyncIterator[Lines]:
    """A client that plays a scenario; reads what it prints, line by line. It must end well."""
    command = [program, str(DIRECTORY / "chat.mjs"), f"http://127.0.0.1:{running.port}/chat?matchId=1", scenario]
    process = await trio.lowlevel.open_process(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    unread = b""

    async def line() -> Any:
        nonlocal unread
        while b"\n" not in unread:
            data = await process.stdout.receive_some()
            assert data, f"{scenario} ended: {unread!r}"
            unread += data
        first, _, unread = unread.partition(b"\n")
        return json.loads(first)

    try:
        with trio.fail_after(DEADLINE_S):
            yield line
            assert await process.wait() == 0
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()
            await process.stdout.aclose()


@asynccontextmanager
async def chat(**options: Any) -> AsyncIterator[Running]:
    async with serving(protocol=HttpProtocol([ChatProtocol(**options)])) as running:
        yield running


async def test_calls_events_and_errors(program: str) -> None:
    async with chat() as running, client(program, running, "talk") as line:
        found = await line()
    result, log = found["joined"]
    assert result is None
    assert [name for name, _ in log] == ["joined"], "the event came before the completion"
    assert len(log[0][1]["connectionId"]) == 22
    assert {"ann", "bob"} <= set(found["players"])
    assert ["said", {"by": "ann", "text": "games?"}] in found["told"]
    assert found["told"][-1] == ["games", ["Reversi", "Tic-tac-toe"]]
    assert found["inOrder"]
    server = "due to an error on the server."
    errors = found["errors"]
    assert errors["unknown"] == f"Failed to invoke 'Nope' {server} HubException: Method does not exist."
    assert errors["arity"].startswith(f"Failed to invoke 'Move' {server}")
    assert errors["type"].startswith(f"Failed to invoke 'Move' {server}")
    assert errors["hub"] == "An unexpected error occurred invoking 'Refuse' on the server. HubException: not now"
    assert errors["stream"].startswith(f"Failed to invoke 'Version' {server}")
    assert found["closed"] == [None, None], "stop() is no error"


async def test_without_negotiation(program: str) -> None:
    async with chat() as running, client(program, running, "skip") as line:
        assert await line() == {"version": "1.0", "id": None, "closed": None}


async def test_an_access_token(program: str) -> None:
    async with chat() as running, client(program, running, "token") as line:
        assert await line() == [["welcome", "secret"]]


async def test_a_lost_connection_is_made_again(program: str) -> None:
    async with chat() as running, client(program, running, "dropped") as line:
        assert await line() == {"version": "1.0"}
        for connection in list(running.server._connections.values()):
            connection.abort("the test cuts it")
        assert await line() == {"other": True, "version": "1.0", "closed": None}


async def test_disconnected_client_reconnects_only_if_told_so(program: str) -> None:
    async with chat() as running, client(program, running, "sentAway") as line:
        found = await line()
    assert found["version"] == "1.0"
    assert "for good" in found["closed"]
    assert found["state"] == "Disconnected"


async def test_pings_keep_the_connection(program: str) -> None:
    """The times are a tenth of the usual ones, so that nobody waits half a minute."""
    times = Timeouts(ping_every_ms=500, client_timeout_ms=1_500)
    async with chat(times=times) as running, client(program, running, "pings") as line:
        assert await line() == {"lost": "still there", "version": "1.0", "waited": True}
