"""Server-sent events: a response that goes on, for pages that show what happens.

        async def board(request: Request) -> Response:
            async def changes() -> AsyncGenerator[ServerSentEvent, None]:
                lobby = lobby_of(request)
                ...
                while True:
                    for event in await lobby.hear():
                        yield ServerSentEvent(as_json(event), name="move")
            return EventStream(changes())

The generator is closed when the viewer goes or the server stops: its `finally` runs then, which a
plain `StreamingResponse` leaves to the garbage collector.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from attrs import frozen
from starlette.responses import Response
from starlette.types import Receive, Scope, Send


@frozen
class ServerSentEvent:
    """One event. An empty `data` makes a comment, which keeps proxies from closing a quiet stream."""

    data: str = ""
    name: str = ""
    """The type that the page listens to; empty for `message`."""
    id: str = ""
    """What the browser sends as `Last-Event-ID` when it comes back."""

    def encode(self) -> bytes:
        """As it goes over the wire; line ends in fields other than the data become blanks."""
        if not self.data:
            return b": still here\n\n"
        fields = [
            f"{key}: {' '.join(text.splitlines())}" for key, text in (("event", self.name), ("id", self.id)) if text
        ]
        fields += [f"data: {line}" for line in self.data.splitlines()]
        return ("\n".join(fields) + "\n\n").encode()


class EventStream(Response):
    """A response of events as they come, made no faster than the viewer reads."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[ServerSentEvent | bytes, None]) -> None:
        """Events; those that many viewers are sent may come encoded, so that it is done once for all."""
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the events end."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        if scope["method"] != "HEAD":
            async with aclosing(self._events) as events:
                async for event in events:
                    body = event if isinstance(event, bytes) else event.encode()
                    await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
