"""A strict client of the protocol `web` on a real socket."""

from collections import deque
from typing import Any, Self

import trio
from attrs import Factory, define, field

from tests.clients.web import PATH, WebClient
from tests.clients.websocket import Frames, handshake


class NotOpened(Exception):
    """The WebSocket was not opened; has the status and the text of the response."""

    def __init__(self, frames: Frames) -> None:
        super().__init__(frames.status)
        self.status = frames.status
        self.text = frames.refusal.decode()


class Closed(Exception):
    """The server has closed the WebSocket, with this code."""


@define(eq=False)
class WebPlayer:
    """A WebSocket to the server. `heard` has every byte that came."""

    stream: trio.SocketStream
    heard: bytearray = Factory(bytearray)
    client: WebClient = Factory(WebClient)
    _frames: Frames = Factory(Frames)
    _messages: deque[dict[str, Any]] = field(factory=deque)

    @classmethod
    async def connect(cls, port: int, *, origin: str | None = None, host: str = "") -> Self:
        """Open the WebSocket; the greeting is heard."""
        player = cls(await trio.open_tcp_stream("127.0.0.1", port))
        # A header without a value is left out, and one of a blank is empty.
        headers = {"Host": host or f"127.0.0.1:{port}", "Origin": "" if origin is None else origin or " "}
        try:
            await player.stream.send_all(handshake(PATH, **headers))
            await player.message()
        except BaseException:
            player.close()
            raise
        return player

    @property
    def name(self) -> str:
        """The name under which it came in."""
        return self.client.name

    @property
    def key(self) -> str:
        """The key of its welcome."""
        return self.client.key

    async def log_in(self, name: str, **more: Any) -> dict[str, Any]:
        """Come in; the welcome."""
        return await self.ask(do="login", name=name, **more)

    async def send(self, **message: Any) -> None:
        """Send a message."""
        await self.stream.send_all(self._frames.message(self.client.say(**message)))

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
            self._messages += map(self.client.hear, self._frames.feed(bytes(data)))
            if self._frames.status not in {None, 101}:
                raise NotOpened(self._frames)
            if not self._messages and (not data or self._frames.close_code is not None):
                raise Closed(self._frames.close_code)
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
