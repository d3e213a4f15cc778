"""The HTTP adapter without a runtime, and requests over sockets."""

import json
import zlib
from collections.abc import Sequence
from typing import Any

import h11
import trio
from attrs import Factory, define
from websockets.client import ClientProtocol
from websockets.frames import Frame
from websockets.protocol import State
from websockets.uri import parse_uri

from gameserver.http.adapter import HttpAdapter
from gameserver.http.host_context import HostContext, HttpOptions
from gameserver.http.listener import HttpProtocol
from gameserver.protocol import Accepted, GamesListed, ListGames, Peer, Work
from tests.clients.websocket import handshake
from tests.support.by_hand import MemoryConnection
from tests.support.echo import EchoProtocol
from tests.support.serving import Running, serving

GAMES = ("Reversi", "Tic-tac-toe")


@define(eq=False)
class Line(MemoryConnection):
    """A connection in memory: everything that comes out of its adapter, and what was asked."""

    nursery: trio.Nursery | None = None
    options: HttpOptions = Factory(HttpOptions)
    line_bytes_max: int = 1_000
    echo: EchoProtocol = Factory(EchoProtocol)
    asked: list[Any] = Factory(list)

    def __attrs_post_init__(self) -> None:
        site = HttpProtocol([self.echo])._site
        context = HostContext(
            "document",
            self.options,
            GAMES,
            self.line_bytes_max,
            login_timeout_s=300.0,
            http_date=lambda: b"Thu, 01 Jan 1970 00:00:00 GMT",
        )
        self.adapter = HttpAdapter(Peer(7, "10.0.0.1", 0), context, self.options, site)

    def tick(self, now_ms: int) -> None:
        self.attempt(lambda: self.adapter.tick(now_ms))
        self.pump()

    def take(self, item: Any) -> None:
        """Begin work, or answer a question at once."""
        if isinstance(item, Work):
            assert self.nursery is not None
            self.nursery.start_soon(self._work, item)
            return
        self.asked.append(item)
        events = [GamesListed(GAMES)] if isinstance(item, ListGames) else []
        for output in self.adapter.render(Accepted(), events):
            self.said += output.data

    async def _work(self, work: Work) -> None:
        await work.run(self.pump)
        self.pump()


def opened(**options: Any) -> Line:
    """A line that has become a WebSocket; what the handshake said is forgotten."""
    line = Line(**options)
    line.hear(handshake())
    assert line.said.startswith(b"HTTP/1.1 101 Switching Protocols\r\n"), line.said
    line.said.clear()
    return line


def frames_in(data: bytes) -> list[Frame]:
    """The frames that a client reads in these bytes; they must be whole and right."""
    client = ClientProtocol(parse_uri("ws://test/echo"), state=State.OPEN)
    client.receive_data(bytes(data))
    frames = [event for event in client.events_received() if isinstance(event, Frame)]
    assert client.parser_exc is None, client.parser_exc
    assert not client.reader.buffer, "half a frame"
    return frames


def texts_in(data: bytes) -> list[str]:
    return [bytes(frame.data).decode() for frame in frames_in(data) if frame.opcode == 1]


@define
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        is_packed = self.headers.get("content-encoding") == "deflate"
        return (zlib.decompress(self.body) if is_packed else self.body).decode()

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def mark(self) -> str:
        """The mark up to which a page has heard, where its stream goes on."""
        return self.text.partition('data-mark="')[2].partition('"')[0]


@define
class Browser:
    """An HTTP client on one connection, which says exactly what it is told to."""

    stream: trio.SocketStream
    _h11: h11.Connection = Factory(lambda: h11.Connection(h11.CLIENT))

    @classmethod
    async def connect(cls, running: Running, port: int = 0) -> "Browser":
        client = await running.connect(port)
        return cls(client.stream)

    async def send(self, data: bytes) -> None:
        await self.stream.send_all(data)

    async def answers(self, *methods: str) -> list[Answer]:
        return [await self.answer(method) for method in methods]

    async def answer(self, method: str = "GET") -> Answer:
        """The next response, as one to a request of this method."""
        self.expect(method)
        return await self.read()

    def expect(self, method: str = "GET") -> None:
        """Take what comes next for a response to a request of this method."""
        if self._h11.our_state is h11.DONE:
            self._h11.start_next_cycle()
        self._h11.send(h11.Request(method=method, target="/", headers=[("host", "test")]))
        self._h11.send(h11.EndOfMessage())

    async def read(self) -> Answer:
        """The response that is expected."""
        head = await self.event()
        while isinstance(head, h11.InformationalResponse):
            head = await self.event()
        assert isinstance(head, h11.Response), head
        body = b""
        while not isinstance(event := await self.event(), h11.EndOfMessage):
            body += event.data
        headers = {name.decode(): value.decode() for name, value in head.headers}
        return Answer(head.status_code, headers, body)

    async def get(self, path: str, headers: Sequence[str] = (), host: str = "test") -> Answer:
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}", *headers]
        await self.send(("\r\n".join(lines) + "\r\n\r\n").encode())
        return await self.answer()

    async def post(self, path: str, body: bytes, *headers: str, host: str = "test") -> Answer:
        lines = [f"POST {path} HTTP/1.1", f"Host: {host}", f"Content-Length: {len(body)}", *headers]
        await self.send(("\r\n".join(lines) + "\r\n\r\n").encode() + body)
        return await self.answer("POST")

    async def rest(self) -> bytes:
        """Everything up to the end of the connection."""
        data = self._h11.trailing_data[0]
        while received := await self.stream.receive_some():
            data += received
        return bytes(data)

    async def event(self) -> Any:
        while (event := self._h11.next_event()) is h11.NEED_DATA:
            self._h11.receive_data(await self.stream.receive_some())
        return event


ECHO_OPTIONS = HttpOptions(
    head_bytes_max=2_000, body_bytes_max=5_000, request_timeout_s=20, keep_alive_s=60, ping_every_s=30
)


def serving_http(**setup: Any) -> Any:
    protocol = HttpProtocol([EchoProtocol()])
    return serving(protocol=protocol, options=setup.pop("options", ECHO_OPTIONS), **setup)


async def raw(running: Running, request: bytes) -> bytes:
    """Everything that comes back up to the end of the connection."""
    browser = await Browser.connect(running)
    await browser.send(request)
    return await browser.rest()
