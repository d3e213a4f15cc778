"""A client of GammonX's hub, on a server in the test's own process and under the test's clock."""

from collections import deque
from typing import Any

import trio

from tests.clients.gammonx import HANDSHAKE, GammonXClient
from tests.clients.websocket import Frames, handshake
from tests.support.serving import Running


class HubClient:
    """A connection to the hub, on trio, so that it can live in virtual time."""

    def __init__(self, stream: trio.SocketStream, match_id: str) -> None:
        self.stream, self.match_id = stream, match_id
        self._frames, self._heard = Frames(), deque[Any]()
        self.client = GammonXClient()

    @classmethod
    async def connect(
        cls, running: Running, player: str, match_id: str, *, token: str = "", stream: trio.SocketStream | None = None
    ) -> "HubClient":
        """Open a WebSocket, by a connection that there is or a new one, and join."""
        stream = (await running.connect()).stream if stream is None else stream
        await stream.send_all(handshake(f"/matchhub?token={token}" if token else "/matchhub"))
        hub = cls(stream, match_id)
        while not hub._frames.is_open:
            await hub._listen()
        await hub.send(HANDSHAKE)
        await hub.invoke("JoinMatch", match_id, player)
        return hub

    async def send(self, data: bytes) -> None:
        await self.stream.send_all(self._frames.message(data))

    async def invoke(self, method: str, *arguments: str) -> None:
        await self.send(self.client.call(method, *arguments))

    async def until(self, *events: str) -> Any:
        """The payload of the next event of one of these names."""
        while True:
            while self._heard:
                name, payload = self._heard.popleft()
                if name in events:
                    return payload
            await self._listen()

    async def _listen(self) -> None:
        for message in self._frames.feed(bytes(await self.stream.receive_some())):
            self._heard += self.client.receive(message)
