"""One connection's side of the text protocol: it joins the parts.

`handlers` turns a line into a command and the lobby's answer into a line; `rendering` turns events into
lines.
"""

from gameserver.protocol import Refusal
from protocols.line_adapter import SEAT_UPDATES, LineAdapter
from protocols.line_reader import LineEnds, LineReader
from protocols.strategic import handlers, rendering
from protocols.strategic.session import StrategicSession

TOO_LONG = b"ERR Payload too large\r\n"


class StrategicAdapter(LineAdapter[StrategicSession]):
    """Lines of text in, OK, ERR and SVR lines out."""

    LINES = rendering.LINES
    SILENT = rendering.SILENT
    STEPS = rendering.STEPS
    UPDATES = SEAT_UPDATES
    read_line = staticmethod(handlers.read_line)
    answered = staticmethod(handlers.answered)

    def __init__(self, session: StrategicSession, line_bytes_max: int) -> None:
        super().__init__(session, LineReader(line_bytes_max, ends=LineEnds.ANY, telnet=True, too_long=TOO_LONG))

    def greeting(self) -> bytes:
        """The banner. Nothing else is said before the peer has spoken."""
        return self.session.profile.greeting

    def farewell(self, refusal: Refusal) -> bytes:
        """One last ERR."""
        return rendering.err(refusal.why)
