"""One connection's side of the protocol: it joins the parts.

`handlers` turns a line into a command and the lobby's answer into a line; `rendering` turns events into
lines. Three things are not passed on, each because a client would take it for the answer to something else:

* a move out of turn, or for a game that is over, is dropped, as by the original (`handlers`);
* a player whom the server had just put back into the lobby has the answer already, and gets no refusal
  (`handlers`);
* a player who leaves a running game is told of the lobby, not of having lost (`rendering`).
"""

from gameserver.protocol import Refusal
from protocols.connect_four import handlers, rendering
from protocols.connect_four.schema import Error, Reason, write
from protocols.connect_four.session import UPDATES, ConnectFourSession
from protocols.line_adapter import LineAdapter
from protocols.line_reader import LineReader


class ConnectFourAdapter(LineAdapter[ConnectFourSession]):
    """Actions in, events out, a JSON object a line."""

    LINES = rendering.LINES
    SILENT = rendering.SILENT
    STEPS = rendering.STEPS
    UPDATES = UPDATES
    read_line = staticmethod(handlers.read_line)
    answered = staticmethod(handlers.answered)

    def __init__(self, session: ConnectFourSession, line_bytes_max: int) -> None:
        why = f"a line has at most {line_bytes_max} bytes; end each object with a line feed"
        too_long = session.profile.error(Reason.MISSING_KEYS, why)
        super().__init__(session, LineReader(line_bytes_max, skip_bom=True, too_long=too_long))

    def farewell(self, refusal: Refusal) -> bytes:
        """One last error. Its reason is the only one in the document that ends a connection."""
        return write(Error(Reason.LOBBY_ENTRY_DENIED, message=refusal.why))

    @property
    def discarded(self) -> int:
        """The number of lines that were no JSON objects."""
        return self.session.discarded
