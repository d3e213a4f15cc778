"""A client of GammonX's hub, on a server in the test's own process and under the test's clock."""

from typing import Any

import trio
from websockets.client import ClientProtocol
from websockets.frames import Frame
from websockets.protocol import State
from websockets.uri import parse_uri

from tests.http.support import handshake
from tests.support.serving import Running
from tests.support.signalr_client import HANDSHAKE, call, records


class HubClient:
    """A connection to the hub, on trio, so that it can live in virtual time."""

    def __init__(self, stream: trio.SocketStream, match_id: str) -> None:
        self.stream, self.match_id = stream, match_id
        self.protocol = ClientProtocol(parse_uri("ws://test/matchhub"), state=State.OPEN)

    @classmethod
    async def connect(
        cls, running: Running, player: str, match_id: str, *, token: str = "", stream: trio.SocketStream | None = None
    ) -> "HubClient":
        """Open a WebSocket, by a connection that there is or a new one, and join."""
        stream = (await running.connect()).stream if stream is None else stream
        await stream.send_all(handshake(f"/matchhub?token={token}" if token else "/matchhub"))
        buffer = b""
        while b"\r\n\r\n" not in buffer:
            buffer += await stream.receive_some()
        hub = cls(stream, match_id)
        hub.protocol.receive_data(buffer.partition(b"\r\n\r\n")[2])
        await hub.send(HANDSHAKE)
        await hub.invoke("JoinMatch", match_id, player)
        return hub

    async def send(self, data: bytes) -> None:
        self.protocol.send_text(data)
        await self.stream.send_all(b"".join(self.protocol.data_to_send()))

    async def invoke(self, method: str, *arguments: str) -> None:
        await self.send(call(method, *arguments))

    async def until(self, *events: str) -> Any:
        """The payload of the next event of one of these names."""
        while True:
            for frame in self.protocol.events_received():
                if isinstance(frame, Frame) and frame.opcode == 1:
                    for record in records(bytes(frame.data)):
                        if record.get("target") in events:
                            return record["arguments"][0]["payload"]
            self.protocol.receive_data(await self.stream.receive_some())
