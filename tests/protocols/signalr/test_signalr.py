"""A hub behind the HTTP listener: negotiation, upgrades, limits."""

from collections.abc import Callable
from typing import Any

import pytest
import trio
import websockets.sync.client
from websockets.exceptions import InvalidStatus

from gameserver.http.listener import HttpProtocol
from tests.http.support import Browser
from tests.support.chat import ChatProtocol
from tests.support.serving import Running, serving
from tests.support.signalr_client import HANDSHAKE

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
