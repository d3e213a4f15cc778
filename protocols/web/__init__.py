"""The protocol of players in a browser: JSON messages over a WebSocket, for any program that likes them.

handlers   The messages of a client, the stages at which they are taken, and their answers
rendering  events into messages
schema     The messages of a client
session    The state of one connection

The page for its users is `guide.md`.

An adapter joins the parts: `handlers` turns a message into a command and the lobby's answer into a message; `rendering`
turns events into messages.
"""

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import ClassVar

from gameserver.endpoints import SAME_ORIGIN
from gameserver.protocol import (
    Adapter,
    Context,
    Endpoint,
    EntryMode,
    Peer,
    Refusal,
    RefusalKind,
    WebSocketEndpoint,
    WireProtocol,
)
from protocols.lines import LineAdapter, LineReader, MessagePace
from protocols.web import handlers, rendering
from protocols.web.session import UPDATES, WebSession

__all__ = ["PROTOCOL", "WebProtocol"]

VERSION = 1
"""The version of the protocol. New keys and new messages do not change it."""
_ELSEWHERE = "elsewhere"

PATH = "/play/socket"


class _WebAdapter(LineAdapter[WebSession]):
    """JSON objects in and out, one a message."""

    LINES = rendering.LINES
    SILENT = rendering.SILENT
    UPDATES = UPDATES
    read_line = staticmethod(handlers.read_line)
    answered = staticmethod(handlers.answered)

    def __init__(self, session: WebSession, line_bytes_max: int) -> None:
        why = f"a message has at most {line_bytes_max} bytes"
        too_long = rendering.written(tell="error", do="", code=handlers.BAD_MESSAGE, why=why)
        super().__init__(session, LineReader(line_bytes_max, skip_bom=True, too_long=too_long))

    def greeting(self) -> bytes:
        """The time of the server, and the version of the protocol."""
        return rendering.written(tell="hello", server_ms=self.session.peer.connected_ms, version=VERSION)

    def farewell(self, refusal: Refusal) -> bytes:
        """The reason, and its kind, by which a page knows whether to come back by itself."""
        # A page that comes back by itself would take the seat away from the newer one again.
        is_elsewhere = self.session.is_elsewhere and refusal.kind is RefusalKind.DISMISSED
        kind = _ELSEWHERE if is_elsewhere else refusal.kind.name.lower()
        return rendering.written(tell="goodbye", why=refusal.why, kind=kind)


class WebProtocol(WireProtocol):
    """The protocol of browsers itself. It has no port of its own: it lives on the HTTP listener."""

    name = "web"
    title = "JSON over a WebSocket, as browsers play"
    default_port = None
    scenarios = "protocols.web.scenarios"
    guide = files(__name__).joinpath("guide.md").read_text("utf-8")
    secrets = (
        # To the next quote that no backslash escapes, or to the end of a line that was cut.
        re.compile(rb'"secret"\s*:\s*"((?:[^"\\\r\n]|\\.|\\\Z)*)'),
        re.compile(rb'"key"\s*:\s*"((?:[^"\\\r\n]|\\.|\\\Z)*)'),
    )
    mishaps: ClassVar[Mapping[str, re.Pattern[bytes]]] = {
        "A request or a move was refused.": re.compile(rb'"tell":"(?:error|refused)"'),
    }
    try_it = "websocat ws://{host}:{port}" + PATH

    def joining(self, game: str, entry: EntryMode, rooms_game: str) -> str:
        """Tells what a person in a browser does to take part in a tournament: types a name, and stays on the page."""
        match entry:
            case EntryMode.SUBSCRIBED:
                return f"Type your name on the page `/play`, and look for an opponent at {game}."
            case EntryMode.ROSTER:
                return "Type your name, as it is on the list, on the page `/play`, and stay there."
            case EntryMode.LOGGED_IN:
                return "Type your name on the page `/play` and stay there: matches begin by themselves."

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """Makes the adapter of a browser's new connection."""
        session = WebSession(peer, context, MessagePace())
        return _WebAdapter(session, context.line_bytes_max)

    def endpoints(self) -> Sequence[Endpoint]:
        """Names the WebSocket path of browsers. Of all pages, the server's own alone may connect."""
        # `http.hosts` says which names are the server's own: by DNS rebinding a foreign page could have its own name
        # point here.
        return (WebSocketEndpoint(PATH, origins=(SAME_ORIGIN,)),)


PROTOCOL = WebProtocol()
