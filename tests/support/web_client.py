"""A client of the protocol `web`: its messages by hand, and on a real socket."""

import base64
import hashlib
import json
from collections import deque
from typing import Any, Self

import trio
from attrs import Factory, define, field
from websockets.client import ClientProtocol
from websockets.datastructures import Headers
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.uri import parse_uri

PATH = "/play/socket"


def line(**message: Any) -> bytes:
    """A message as the adapter reads it."""
    return json.dumps(message).encode() + b"\n"


def key_of(name: str) -> str:
    """A key that looks like one of the server's, always the same for a name."""
    return base64.urlsafe_b64encode(hashlib.sha256(name.encode()).digest()[:16]).decode().rstrip("=")


class Refused(Exception):
    """The WebSocket was not opened; has the status and the text of the response."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.status = response.status_code
        self.text = (response.body or b"").decode()


class Closed(Exception):
    """The server has closed the WebSocket, with this code."""


@define(eq=False)
class WebClient:
    """A WebSocket to the server. `heard` has every byte that came."""

    stream: trio.SocketStream
    protocol: ClientProtocol
    heard: bytearray = Factory(bytearray)
    key: str = ""
    name: str = ""
    _messages: deque[dict[str, Any]] = field(factory=deque)

    @classmethod
    async def connect(cls, port: int, *, origin: str | None = None, host: str = "") -> Self:
        """Open the WebSocket; the greeting is heard."""
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        protocol = ClientProtocol(parse_uri(f"ws://127.0.0.1:{port}{PATH}"), max_size=None)
        opening = protocol.connect()
        if origin is not None:
            opening.headers["Origin"] = origin
        if host:
            opening.headers = Headers([(n, host if n == "Host" else v) for n, v in opening.headers.raw_items()])
        protocol.send_request(opening)
        client = cls(stream, protocol)
        try:
            await client._flush()
            assert (await client.message())["tell"] == "hello"
        except BaseException:
            stream.socket.close()
            raise
        return client

    async def log_in(self, name: str, **more: Any) -> dict[str, Any]:
        """Come in; the welcome."""
        welcome = await self.ask(do="login", name=name, **more)
        self.name, self.key = welcome.get("name", ""), welcome.get("key", "")
        return welcome

    async def send(self, **message: Any) -> None:
        """Send a message."""
        self.protocol.send_text(json.dumps(message).encode())
        await self._flush()

    async def ask(self, **message: Any) -> dict[str, Any]:
        """Send a message; its answer. What is told before that stays to be read."""
        await self.send(id="asked", **message)
        before = []
        while (told := await self.message()).get("id") != "asked":
            before.append(told)
        self._messages.extendleft(reversed(before))
        return told

    async def message(self) -> dict[str, Any]:
        """The next message."""
        while not self._messages:
            data = await self.stream.receive_some()
            self.heard += data
            self.protocol.receive_data(data) if data else self.protocol.receive_eof()
            for event in self.protocol.events_received():
                if isinstance(event, Response) and self.protocol.handshake_exc is not None:
                    raise Refused(event)
                if isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                    self._messages.append(json.loads(event.data))
            if not self._messages and (not data or self.protocol.close_rcvd is not None):
                raise Closed(self.protocol.close_rcvd and self.protocol.close_rcvd.code)
        return self._messages.popleft()

    async def until(self, tell: str) -> list[dict[str, Any]]:
        """The messages up to the first that tells this."""
        messages = [await self.message()]
        while messages[-1]["tell"] != tell:
            messages.append(await self.message())
        return messages

    async def told(self, tell: str) -> dict[str, Any]:
        """The next message that tells this; those before it are passed over."""
        return (await self.until(tell))[-1]

    def close(self) -> None:
        """End the connection without a word, as a browser whose page is reloaded."""
        self.stream.socket.close()

    async def _flush(self) -> None:
        for data in self.protocol.data_to_send():
            if data:
                await self.stream.send_all(data)
