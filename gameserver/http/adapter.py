"""The adapter of the HTTP listener: requests first, and a WebSocket's messages after an upgrade."""

from collections.abc import Sequence

from gameserver.http.options import HttpOptions
from gameserver.http.request_stream import Requests, Site, Switched
from gameserver.http.websocket_adapter import WebSocketAdapter
from gameserver.protocol import Adapter, Answer, Command, Context, Event, Output, Peer, Query, Refusal, Reply, Work


class HttpAdapter(Adapter):
    """One connection of the HTTP listener."""

    def __init__(self, peer: Peer, context: Context, options: HttpOptions, site: Site) -> None:
        self._requests = Requests(peer, context, options, site)
        self._now: Requests | WebSocketAdapter = self._requests
        self._read_ms = peer.connected_ms

    def greeting(self) -> bytes:
        """Nothing: HTTP's clients speak first."""
        return b""

    def receive(self, data: bytes, at_ms: int) -> None:
        """Take bytes."""
        self._read_ms = at_ms
        self._now.receive(data, at_ms)

    def receive_eof(self) -> None:
        """The peer has closed its side."""
        self._now.receive_eof()

    def next(self) -> Command | Query | Reply | Work | None:
        """The next thing to do; an upgrade is answered here and changes who is asked from then on."""
        item = self._now.next()
        return self._switch(item) if isinstance(item, Switched) else item

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """Messages for a WebSocket; a request's answer goes to its handler."""
        if isinstance(self._now, WebSocketAdapter):
            return self._now.render(answer, events)
        self._requests.tell(answer, events)
        return ()

    def farewell(self, refusal: Refusal) -> bytes:
        """An HTTP response, or a close frame."""
        return self._now.farewell(refusal)

    def ping(self) -> bytes:
        """A ping frame, of a WebSocket."""
        return self._now.ping() if isinstance(self._now, WebSocketAdapter) else b""

    @property
    def due_ms(self) -> int | None:
        """When a time limit or a ping is due."""
        return self._now.due_ms

    def tick(self, now_ms: int) -> None:
        """Look at the time limits."""
        self._now.tick(now_ms)

    @property
    def pending_bytes(self) -> int:
        """What waits its turn."""
        return self._now.pending_bytes

    @property
    def identified(self) -> bool:
        """True: requests and WebSockets have time limits of their own."""
        return True

    @property
    def is_established(self) -> bool:
        """True if a request is being answered, as by a page that follows a match, or what the WebSocket says."""
        return self._now.is_established

    @property
    def is_passing(self) -> bool:
        """Whether it is about requests, and no WebSocket."""
        return self._now is self._requests

    @property
    def finished(self) -> bool:
        """Whether the last response, or the close frame, is out."""
        return self._now.finished

    def _switch(self, to: Switched) -> Reply:
        self._now = to.adapter
        opening = to.response + to.adapter.greeting()
        if to.unread:
            to.adapter.receive(to.unread, self._read_ms)
        return Reply(opening)
