"""A hub behind the HTTP listener: negotiation, upgrades, limits."""

from collections.abc import Callable
from typing import Any

import pytest
import trio
import websockets.sync.client
from websockets.exceptions import ConnectionClosed, InvalidStatus

from gameserver.http.listener import HttpProtocol
from tests.http.support import Browser
from tests.support.chat import ChatProtocol
from tests.support.serving import Running, serving
from tests.support.signalr_client import HANDSHAKE, PING, call, records

DEADLINE_S = 20


def hub() -> HttpProtocol:
    return HttpProtocol([ChatProtocol()])


async def negotiate(running: Running, query: str = "?negotiateVersion=1", *headers: str) -> Any:
    browser = await Browser.connect(running)
    return await browser.post(f"/chat/negotiate{query}", b"", *headers)


async def in_thread(client: Callable[..., None], *args: Any) -> None:
    with trio.fail_after(DEADLINE_S):
        await trio.to_thread.run_sync(client, *args, abandon_on_cancel=True)


def connect(port: int, query: str = "", **options: Any) -> websockets.sync.client.ClientConnection:
    return websockets.sync.client.connect(f"ws://127.0.0.1:{port}/chat{query}", **options)


async def test_negotiation() -> None:
    async with serving(protocol=hub()) as running:
        told = await negotiate(running, "?matchId=1&negotiateVersion=1")
        assert told.status == 200
        assert told.headers["content-type"] == "application/json"
        assert list(told.json) == ["negotiateVersion", "connectionId", "connectionToken", "availableTransports"]
        assert told.json["negotiateVersion"] == 1
        assert told.json["availableTransports"] == [{"transport": "WebSockets", "transferFormats": ["Text", "Binary"]}]
        ids = [told.json["connectionId"], told.json["connectionToken"]]
        assert [len(value) for value in ids] == [22, 22]
        assert ids[0] != ids[1]
        for query in ("", "?negotiateVersion=0"):
            told = await negotiate(running, query)
            assert list(told.json) == ["negotiateVersion", "connectionId", "availableTransports"]
            assert told.json["negotiateVersion"] == 0
        assert (await negotiate(running, "?negotiateVersion=7")).json["negotiateVersion"] == 1
        told = await negotiate(running, "?negotiateVersion=x")
        assert (told.status, told.json) == (200, {"error": "The client requested a non-integer protocol version."})
        browser = await Browser.connect(running)
        assert (await browser.get("/chat/negotiate")).status == 405


async def test_a_page_of_another_origin_may_negotiate() -> None:
    async with serving(protocol=hub()) as running:
        browser = await Browser.connect(running)
        wanted = "x-requested-with,x-signalr-user-agent,authorization,content-type"
        request = [
            "OPTIONS /chat/negotiate?negotiateVersion=1 HTTP/1.1",
            "Host: test",
            "Origin: http://page:3000",
            "Access-Control-Request-Method: POST",
            f"Access-Control-Request-Headers: {wanted}",
        ]
        await browser.send(("\r\n".join(request) + "\r\n\r\n").encode())
        preflight = await browser.answer("OPTIONS")
        assert preflight.status == 200
        assert preflight.headers["access-control-allow-origin"] == "http://page:3000"
        assert preflight.headers["access-control-allow-credentials"] == "true"
        assert "POST" in preflight.headers["access-control-allow-methods"]
        assert set(wanted.split(",")) <= set(preflight.headers["access-control-allow-headers"].lower().split(","))
        told = await negotiate(running, "", "Origin: http://page:3000", "Cookie: a=b")
        assert told.headers["access-control-allow-origin"] == "http://page:3000"
        assert told.headers["access-control-allow-credentials"] == "true"


async def test_which_ids_open_a_websocket() -> None:
    def client(port: int, token: str) -> None:
        with connect(port, f"?x=1&id={token}") as websocket:
            websocket.send(HANDSHAKE.decode())
            assert websocket.recv() == "{}\x1e"
            for status, wrong in ((409, token), (404, "unknown")):
                with pytest.raises(InvalidStatus) as refused:
                    connect(port, f"?id={wrong}")
                assert refused.value.response.status_code == status
                assert b"id" in refused.value.response.body.lower()
        with connect(port) as websocket:
            websocket.send(HANDSHAKE)
            assert websocket.recv() == "{}\x1e", "binary messages are read like text"

    async with serving(protocol=hub()) as running:
        told = await negotiate(running)
        await in_thread(client, running.port, told.json["connectionToken"])


async def test_records_in_messages() -> None:
    """Several in one, one in several, and a message far longer than a record may be."""

    def client(port: int) -> None:
        with connect(port) as websocket:
            websocket.send((HANDSHAKE + PING + call("Version", id="0")[:10]).decode())
            websocket.send(call("Version", id="0")[10:].decode())
            assert websocket.recv() == "{}\x1e"
            assert records(websocket.recv().encode()) == [{"type": 3, "invocationId": "0", "result": "1.0"}]
            websocket.send(b"".join(call("Move", "m" * 50, n, n, id=str(n)) for n in range(1_500)).decode())
            told: list[Any] = []
            while len(told) < 3_000:
                told += records(websocket.recv().encode())
            assert [record.get("invocationId") for record in told[1::2]] == [str(n) for n in range(1_500)]
            assert all(record["type"] == 1 for record in told[::2])
            websocket.send("nonsense\x1e")
            assert records(websocket.recv().encode())[0]["type"] == 7
            with pytest.raises(ConnectionClosed):
                websocket.recv()
            assert websocket.protocol.close_code == 1008

    async with serving(protocol=hub()) as running:
        await in_thread(client, running.port)


async def test_a_mistake_of_the_hub_ends_its_own_connection_only() -> None:
    def client(port: int) -> None:
        with connect(port) as broken, connect(port) as other:
            broken.send((HANDSHAKE + call("Crash", id="0")).decode())
            told = b""
            while b'"type":7' not in told:
                told += broken.recv().encode()
            assert [record.get("type") for record in records(told)] == [None, 3, 7]
            assert records(told)[2]["allowReconnect"] is True
            with pytest.raises(ConnectionClosed):
                broken.recv()
            assert broken.protocol.close_code == 1011
            other.send((HANDSHAKE + call("Version", id="0")).decode())
            assert other.recv() == "{}\x1e"
            assert "1.0" in other.recv()

    async with serving(protocol=hub()) as running:
        await in_thread(client, running.port)
