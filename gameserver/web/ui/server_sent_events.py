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

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gameserver.values import value


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


class EventStream(Response):
    """A response that sends events as they come, no faster than the viewer reads."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[ServerSentEvent | bytes, None]) -> None:
        """Take events. An event for many viewers may come encoded, so that encoding is done once."""
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until there are no more."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        if scope["method"] != "HEAD":
            async with aclosing(self._events) as events:
                async for event in events:
                    body = event if isinstance(event, bytes) else event.encode()
                    await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
