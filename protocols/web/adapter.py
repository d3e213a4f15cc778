"""One connection's side of the protocol: it joins the parts.

`handlers` turns a message into a command and the lobby's answer into a message; `rendering` turns events into messages.
"""

from gameserver.protocol import Refusal, RefusalKind
from protocols.line_adapter import LineAdapter
from protocols.line_reader import LineReader
from protocols.web import handlers, refusals, rendering
from protocols.web.session import UPDATES, WebSession

VERSION = 1
"""The version of the protocol. New keys and new messages do not change it."""
ELSEWHERE = "elsewhere"


class WebAdapter(LineAdapter[WebSession]):
    """JSON objects in and out, one a message."""

    LINES = rendering.LINES
    SILENT = rendering.SILENT
    UPDATES = UPDATES
    read_line = staticmethod(handlers.read_line)
    answered = staticmethod(handlers.answered)

    def __init__(self, session: WebSession, line_bytes_max: int) -> None:
        why = f"a message has at most {line_bytes_max} bytes"
        too_long = rendering.written(tell="error", do="", code=refusals.BAD_MESSAGE, why=why)
        super().__init__(session, LineReader(line_bytes_max, skip_bom=True, too_long=too_long))

    def greeting(self) -> bytes:
        """The time of the server, and the version of the protocol."""
        return rendering.written(tell="hello", server_ms=self.session.peer.connected_ms, version=VERSION)

    def farewell(self, refusal: Refusal) -> bytes:
        """The reason, and its kind, by which a page knows whether to come back by itself."""
        is_elsewhere = self.session.is_elsewhere and refusal.kind is RefusalKind.DISMISSED
        kind = ELSEWHERE if is_elsewhere else refusal.kind.name.lower()
        return rendering.written(tell="goodbye", why=refusal.why, kind=kind)
