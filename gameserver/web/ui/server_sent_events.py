"""Server-sent events: a response that stays open, for pages that follow changes.

        async def board(request: Request) -> Response:
            async def changes() -> AsyncGenerator[ServerSentEvent, None]:
                lobby = lobby_of(request)
                ...
                while True:
                    for event in await lobby.hear():
                        yield ServerSentEvent(as_json(event), name="move")
            return EventStream(changes())

The generator is closed when the viewer goes or the server stops, so its `finally` runs then. A plain
`StreamingResponse` leaves that to the garbage collector.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gameserver.values import value
from gameserver.web.ui.shared_compression import CODING, DeflateStream, PlainStream, SharedMessage, takes_coding


@value
class ServerSentEvent:
    """One event. An empty `data` makes a comment, which keeps proxies from closing a quiet stream."""

    data: str = ""
    name: str = ""
    """The event type that the page listens for; empty for `message`."""
    id: str = ""
    """The id that the browser sends as `Last-Event-ID` when it reconnects."""

    def encode(self) -> bytes:
        """The event as bytes. Line ends in fields other than the data become blanks."""
        if not self.data:
            return b": still here\n\n"
        fields = [
            f"{key}: {' '.join(text.splitlines())}" for key, text in (("event", self.name), ("id", self.id)) if text
        ]
        fields += [f"data: {line}" for line in self.data.splitlines()]
        return ("\n".join(fields) + "\n\n").encode()


@value
class SharedEvent:
    """An event for many viewers, whose data was encoded and compressed once."""

    name: str
    id: str
    """The id for this viewer."""
    data: SharedMessage
    """The `data` field, with the empty line behind it."""


class EventStream(Response):
    """A response that sends events as they come, no faster than the viewer reads.

    `compresses` is for pages without secrets: the length of compressed data betrays a secret to a viewer who chooses
    text beside it.
    """

    media_type = "text/event-stream"

    def __init__(
        self, events: AsyncGenerator[ServerSentEvent | SharedEvent, None], *, compresses: bool = False
    ) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._events = events
        self._compresses = compresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until there are no more."""
        if self._compresses:
            self.headers["Vary"] = "Accept-Encoding"
        stream = PlainStream()
        if self._compresses and takes_coding(HTTPConnection(scope)):
            self.headers["Content-Encoding"] = CODING
            stream = DeflateStream()
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        last = b""
        if scope["method"] != "HEAD":
            begun = stream.begin()
            async with aclosing(self._events) as events:
                async for event in events:
                    await send({"type": "http.response.body", "body": begun + _put(event, stream), "more_body": True})
                    begun = b""
            last = begun + stream.end()
        await send({"type": "http.response.body", "body": last})


def _put(event: ServerSentEvent | SharedEvent, stream: PlainStream) -> bytes:
    if isinstance(event, ServerSentEvent):
        return stream.own(event.encode())
    return stream.own(f"event: {event.name}\nid: {event.id}\n".encode()) + stream.shared(event.data)
