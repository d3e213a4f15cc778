"""The strict clients of GammonX's hub and of the protocol `web`, on sockets of trio, which may live in virtual time."""

from collections import deque
from typing import Any, Self

import trio

from tests.clients.gammonx import HANDSHAKE, GammonXClient
from tests.clients.web import PATH, WebClient
from tests.clients.websocket import Frames, handshake
from tests.support.serving import Running


class NotOpened(Exception):
    """The WebSocket was not opened; has the status and the text of the response."""

    def __init__(self, frames: Frames) -> None:
        super().__init__(frames.status)
        self.status = frames.status
        self.text = frames.refusal.decode()


class Closed(Exception):
    """The server has closed the WebSocket, with this code."""


class WebSocket:
    """A WebSocket to the server. `heard` has every byte that came."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream, self.heard = stream, bytearray()
        self._frames, self._unread = Frames(), deque[bytes]()

    @classmethod
    async def connect(cls, stream: trio.SocketStream, path: str, **headers: str) -> Self:
        """Ask for a WebSocket by a connection that is open."""
        await stream.send_all(handshake(path, **headers))
        return cls(stream)

    async def opened(self) -> None:
        """Wait until messages may be sent."""
        while not self._frames.is_open:
            await self._receive()

    async def send(self, data: bytes) -> None:
        await self.stream.send_all(self._frames.message(data))

    async def message(self) -> bytes:
        """Wait for the next message. Raises `NotOpened` or `Closed` if there is none."""
        while not self._unread:
            await self._receive()
        return self._unread.popleft()

    async def _receive(self) -> None:
        data = bytes(await self.stream.receive_some())
        self.heard += data
        self._unread += self._frames.feed(data)
        if self._frames.status not in {None, 101}:
            raise NotOpened(self._frames)
        if not self._unread and (not data or self._frames.close_code is not None):
            raise Closed(self._frames.close_code)


class HubClient:
    """A player at GammonX's hub."""

    def __init__(self, socket: WebSocket, match_id: str) -> None:
        self.stream, self.match_id, self._socket = socket.stream, match_id, socket
        self._client, self._heard = GammonXClient(), deque[Any]()

    @classmethod
    async def connect(
        cls, running: Running, player: str, match_id: str, *, token: str = "", stream: trio.SocketStream | None = None
    ) -> Self:
        """Open a WebSocket, by a connection that there is or a new one, and join."""
        stream = (await running.connect()).stream if stream is None else stream
        socket = await WebSocket.connect(stream, f"/matchhub?token={token}" if token else "/matchhub")
        await socket.opened()
        hub = cls(socket, match_id)
        await hub.send(HANDSHAKE)
        await hub.invoke("JoinMatch", match_id, player)
        return hub

    async def send(self, data: bytes) -> None:
        await self._socket.send(data)

    async def invoke(self, method: str, *arguments: str) -> None:
        await self.send(self._client.call(method, *arguments))

    async def until(self, *events: str) -> Any:
        """Wait for the next event of one of these names; gives its payload."""
        while True:
            while self._heard:
                name, payload = self._heard.popleft()
                if name in events:
                    return payload
            self._heard += self._client.receive(await self._socket.message())


class WebPlayer:
    """A player of the protocol `web`."""

    def __init__(self, socket: WebSocket) -> None:
        self.stream, self.client = socket.stream, WebClient()
        self._socket, self._unread = socket, deque[dict[str, Any]]()

    @classmethod
    async def connect(cls, port: int, *, origin: str | None = None, host: str = "") -> Self:
        """Open the WebSocket; the greeting is heard."""
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        # A header without a value is left out, and one of a blank is empty.
        headers = {"Host": host or f"127.0.0.1:{port}", "Origin": "" if origin is None else origin or " "}
        try:
            player = cls(await WebSocket.connect(stream, PATH, **headers))
            await player.message()
        except BaseException:
            stream.socket.close()
            raise
        return player

    @property
    def heard(self) -> bytearray:
        """Every byte that came."""
        return self._socket.heard

    @property
    def name(self) -> str:
        """The name under which it came in."""
        return self.client.name

    @property
    def key(self) -> str:
        """The key of its welcome."""
        return self.client.key

    async def log_in(self, name: str, **more: Any) -> dict[str, Any]:
        """Come in; gives the welcome."""
        return await self.ask(do="login", name=name, **more)

    async def send(self, **message: Any) -> None:
        await self._socket.send(self.client.say(**message))

    async def ask(self, **message: Any) -> dict[str, Any]:
        """Send a message, and give its answer. What is told before that stays to be read."""
        await self.send(id="asked", **message)
        before = []
        while (told := await self.message()).get("id") != "asked":
            before.append(told)
        self._unread.extendleft(reversed(before))
        return told

    async def message(self) -> dict[str, Any]:
        """Give the next message."""
        return self._unread.popleft() if self._unread else self.client.hear(await self._socket.message())

    async def until(self, tell: str) -> list[dict[str, Any]]:
        """Give the messages up to the first that tells this."""
        messages = [await self.message()]
        while messages[-1]["tell"] != tell:
            messages.append(await self.message())
        return messages

    async def told(self, tell: str) -> dict[str, Any]:
        """Give the next message that tells this; those before it are passed over."""
        return (await self.until(tell))[-1]

    def close(self) -> None:
        """End the connection without a word, as a browser whose page is reloaded."""
        self.stream.socket.close()
