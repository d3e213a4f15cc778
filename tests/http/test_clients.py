"""Clients that others wrote, in threads of their own: what they expect is what they get."""

import http.client
import json
from collections.abc import Callable
from typing import Any

import pytest
import trio
import websockets.sync.client
from websockets.exceptions import ConnectionClosedError, ConnectionClosedOK

from gameserver.flow_control.limits import Limits
from gameserver.http.host_context import HttpOptions
from gameserver.http.listener import HttpProtocol
from tests.support.echo import EchoProtocol
from tests.support.serving import Running, serving

DEADLINE_S = 20


async def against(client: Callable[[int], None], **setup: Any) -> None:
    """Run a client that blocks against a server."""
    async with serving(protocol=HttpProtocol([EchoProtocol()]), **setup) as running:
        await in_thread(client, running)


async def in_thread(client: Callable[[int], None], running: Running) -> None:
    with trio.fail_after(DEADLINE_S):
        await trio.to_thread.run_sync(client, running.port, abandon_on_cancel=True)


def connect(port: int, path: str = "/echo", **options: Any) -> websockets.sync.client.ClientConnection:
    return websockets.sync.client.connect(f"ws://127.0.0.1:{port}{path}", **options)


async def test_http_client() -> None:
    def client(port: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
        connection.request("GET", "/health")
        assert connection.getresponse().read() == b"Healthy"
        sock = connection.sock
        connection.request("POST", "/api/echo", iter([b"in ", b"chunks"]), {"Expect": "nothing"}, encode_chunked=True)
        assert connection.getresponse().read() == b"in chunks"
        connection.request("HEAD", "/api/large?bytes=1000000")
        response = connection.getresponse()
        assert (response.headers["content-length"], response.read()) == ("1000000", b"")
        connection.request("GET", "/api/large?bytes=5000000")
        assert len(connection.getresponse().read()) == 5_000_000
        connection.request("GET", "/api/games")
        assert json.load(connection.getresponse()) == ["Reversi", "Tic-tac-toe"]
        assert connection.sock is sock, "one connection did it all"
        connection.request("POST", "/api/echo", b"x" * 1_000_000)
        assert connection.getresponse().status == 413

    # Six megabytes of answers would be paid for with 18 s of waiting: the rate limiter has tests of its own.
    await against(client, limits=Limits(commands_per_s=100_000))


async def test_messages_of_every_kind() -> None:
    def client(port: int) -> None:
        with connect(port, origin="http://anywhere") as websocket:
            websocket.send("hello")
            assert websocket.recv() == "hello"
            websocket.send(b"binary")
            assert websocket.recv() == "binary"
            websocket.send(iter(["a ", "frag", "mented", " line"]))
            assert websocket.recv() == "a fragmented line"
            assert websocket.ping().wait(DEADLINE_S)
            websocket.send("games")
            assert websocket.recv() == "Reversi,Tic-tac-toe"
            websocket.send("big 500000")
            assert len(websocket.recv()) == 500_000
            for number in range(1_000):
                websocket.send(str(number))
            assert [websocket.recv() for _ in range(1_000)] == [str(number) for number in range(1_000)]
            websocket.close(1000, "thanks")
            assert (websocket.protocol.close_code, websocket.protocol.close_reason) == (1000, "thanks")

    await against(client)


async def test_how_it_ends() -> None:
    def client(port: int) -> None:
        for sent, code, kind in (("bye", 1000, ConnectionClosedOK), ("fault", 1011, ConnectionClosedError)):
            with connect(port) as websocket:
                websocket.send(sent)
                assert isinstance(websocket.recv(), str), "a last word"
                with pytest.raises(kind):
                    websocket.recv()
                assert websocket.protocol.close_code == code

    await against(client)


async def test_pings_come_from_the_server() -> None:
    def client(port: int) -> None:
        with connect(port) as websocket:
            frames = []
            take = websocket.protocol.recv_frame
            websocket.protocol.recv_frame = lambda frame: (frames.append(frame.opcode.name), take(frame))
            with pytest.raises(TimeoutError):
                websocket.recv(timeout=1.5)
            assert frames == ["PING"]

    await against(client, options=HttpOptions(ping_every_s=1))
