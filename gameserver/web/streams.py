"""The stream behind a page: events with what has changed, as long as somebody looks.

An event's id is `EPOCH-VERSION-NOW`: which start of the server, up to which version of the lobby, and
the server's clock. A browser whose connection broke sends the last one back, and gets what it missed.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable

import trio
from attrs import define, field
from starlette.requests import Request

from gameserver.http.event_stream import EventStream, ServerSentEvent
from gameserver.public.gallery import Gallery, Select, Showing, gallery_of
from gameserver.web.regions import LivePages, Regions

_DIGITS_MAX = 15
QUIET_S = 15.0
"""After how much silence a comment is sent, so that nothing between here and the viewer takes the stream for dead."""


@define
class Watched:
    """What a stream shows: `regions` are made of the lobby; `is_over` tells that no more will come."""

    topic: Hashable
    select: Select
    make: Callable[[Gallery, Showing], Awaitable[tuple[Callable[[], Regions], bool]]]
    pause_s: float = 0.0
    """How long a page that is dear to make is shown before it is made anew."""


@define
class Streams:
    """All streams of one application. `epoch` tells one start of the server from another."""

    epoch: str
    _pages: LivePages = field(factory=LivePages)

    async def begin(self, gallery: Gallery, watched: Watched, showing: Showing) -> str:
        """The id of a page as it is rendered now: from where its stream is to go on."""
        render, _ = await watched.make(gallery, showing)
        self._pages.up_to_date(watched.topic, showing.version, render, trio.current_time())
        return f"{self.epoch}-{showing.version}-{gallery.now_ms()}"

    def open(self, request: Request, watched: Watched) -> EventStream:
        """The response to a page's script."""
        mark = request.headers.get("last-event-id") or request.query_params.get("after", "")
        return EventStream(self._events(gallery_of(request), watched, self._version_in(mark)))

    def _version_in(self, mark: str) -> int:
        epoch, _, rest = mark.partition("-")
        version = rest.partition("-")[0]
        is_number = version.isascii() and version.isdigit() and len(version) <= _DIGITS_MAX
        return int(version) if epoch == self.epoch and is_number else -1

    async def _events(
        self, gallery: Gallery, watched: Watched, after: int
    ) -> AsyncGenerator[ServerSentEvent | bytes, None]:
        seen = -1
        yield ServerSentEvent()
        while True:
            showing = None
            with trio.move_on_after(QUIET_S):
                showing = await gallery.change(watched.topic, watched.select, seen)
            if showing is None:
                yield ServerSentEvent()
                continue
            render, is_over = await watched.make(gallery, showing)
            page = self._pages.up_to_date(watched.topic, showing.version, render, trio.current_time(), watched.pause_s)
            seen = page.version
            message = page.message(after)
            if message is not None:
                after = page.version
                yield f"event: change\nid: {self.epoch}-{after}-{gallery.now_ms()}\n".encode() + message
            if is_over:
                yield ServerSentEvent("over", "over")
                return
            await trio.sleep(watched.pause_s)
