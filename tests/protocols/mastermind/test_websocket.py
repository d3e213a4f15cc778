"""Clients of the original at `/echo`, with a WebSocket library that others wrote."""

from collections.abc import Callable
from typing import Any

import pytest
import trio
import websockets.sync.client
from trio.testing import MockClock
from websockets.exceptions import ConnectionClosed

from games.mastermind import GAME as MASTERMIND
from gameserver.http.listener import HttpProtocol
from protocols.mastermind import PROTOCOL
from tests.http.support import Browser
from tests.support.games import catalogue
from tests.support.mastermind_client import ACCEPT, BROKEN, NEW_GAME, error
from tests.support.serving import Running, serving

DEADLINE_S = 20

Connection = websockets.sync.client.ClientConnection


def connect(port: int, path: str = "/echo") -> Connection:
    """As the original's own test client does it, with its origin."""
    return websockets.sync.client.connect(
        f"ws://127.0.0.1:{port}{path}", origin=websockets.typing.Origin("http://localhost/"), compression=None
    )


async def against(client: Callable[[int], None], **setup: Any) -> None:
    async with serving(protocol=HttpProtocol([PROTOCOL]), games=catalogue(MASTERMIND), **setup) as running:
        await in_thread(client, running)


async def in_thread(client: Callable[[int], None], running: Running) -> None:
    with trio.fail_after(DEADLINE_S):
        await trio.to_thread.run_sync(client, running.port, abandon_on_cancel=True)


def ask(connection: Connection, message: str | bytes) -> str:
    connection.send(message)
    answer = connection.recv(DEADLINE_S)
    assert isinstance(answer, str), "answers are text"
    assert answer == answer.strip(), "a frame has no line end"
    return answer


@pytest.mark.parametrize("path", ["/echo", "/original/echo"])
async def test_a_message_that_is_too_long_is_answered_before_the_connection_closes(path: str) -> None:
    def client(port: int) -> None:
        with connect(port, path) as connection:
            connection.send(NEW_GAME)
            connection.send("0|" + " " * 16_383)
            assert connection.recv(DEADLINE_S) == ACCEPT
            told = connection.recv(DEADLINE_S)
            assert told == '6|{"Message":"A message has at most 16384 bytes","ErrorType":0}'
            with pytest.raises(ConnectionClosed) as closed:
                connection.recv(DEADLINE_S)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1009

    await against(client)


async def test_the_words_of_the_original_have_a_path_of_their_own() -> None:
    def client(port: int) -> None:
        with connect(port, "/original/echo") as connection:
            assert [ask(connection, line) for line in ("hello", "", NEW_GAME)] == [BROKEN, BROKEN, ACCEPT]

    await against(client)


async def test_a_stop_of_the_server() -> None:
    async with serving(protocol=HttpProtocol([PROTOCOL]), games=catalogue(MASTERMIND)) as running:

        def client(port: int) -> None:
            with connect(port) as connection:
                assert ask(connection, NEW_GAME) == ACCEPT
                trio.from_thread.run_sync(running.server.request_stop)
                words = "The server is stopping; connect again and ask for a new game when it is back"
                assert connection.recv(DEADLINE_S) == error(words, 3)
                with pytest.raises(ConnectionClosed) as closed:
                    connection.recv(DEADLINE_S)
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 1001

        await in_thread(client, running)


async def test_a_browser_is_told_how_to_come_in(autojump_clock: MockClock) -> None:
    async with serving(protocol=HttpProtocol([PROTOCOL]), games=catalogue(MASTERMIND)) as running:
        browser = await Browser.connect(running)
        answer = await browser.get("/echo")
        assert answer.status == 426
        assert "ws://HOST:PORT/echo" in answer.text
