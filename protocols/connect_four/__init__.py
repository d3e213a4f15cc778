"""3D Connect Four over newline JSON, as the tournament server of 2016 spoke it.

handlers   The actions of a client, the stages at which they are taken, and their answers
profiles   The dialects, and every error in their words
rendering  events into messages
schema     The messages, one class each, and the way from lines to messages and back
session    The state of one connection

The page for its users is `guide.md`.

An adapter joins the parts: `handlers` turns a line into a command and the lobby's answer into a line; `rendering` turns
events into lines. Three things are not passed on, each because a client would take it for the answer to something else:

* a move out of turn, or for a game that is over, is dropped, as by the original (`handlers`);
* a player whom the server had just put back into the lobby has the answer already, and gets no refusal
  (`handlers`);
* a player who leaves a running game is told of the lobby, not of having lost (`rendering`).
"""

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import ClassVar

from gameserver.protocol import Adapter, Context, EntryMode, Peer, Refusal, WireProtocol
from protocols.connect_four import handlers, rendering
from protocols.connect_four.profiles import PROFILES
from protocols.connect_four.schema import Error, Reason, write
from protocols.connect_four.session import UPDATES, ConnectFourOptions, ConnectFourSession
from protocols.lines import LineAdapter, LineReader

__all__ = ["PROTOCOL", "ConnectFourProtocol"]


class _ConnectFourAdapter(LineAdapter[ConnectFourSession]):
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
        # .NET's writers and some editors begin with a byte order mark.
        super().__init__(session, LineReader(line_bytes_max, skip_bom=True, too_long=too_long))

    def farewell(self, refusal: Refusal) -> bytes:
        """One last error. Its reason is the only one in the document that ends a connection."""
        return write(Error(Reason.LOBBY_ENTRY_DENIED, message=refusal.why))

    @property
    def discarded(self) -> int:
        """The number of lines that were no JSON objects."""
        return self.session.discarded


class ConnectFourProtocol(WireProtocol):
    """The protocol of 3D Connect Four itself: its name, port, profiles and secrets."""

    name = "connect-four"
    title = "3D Connect Four over newline JSON"
    # The port of the original server, 0.5.2.1 and 0.5.3.
    default_port = 9090
    profiles = tuple(PROFILES)
    options_type = ConnectFourOptions
    scenarios = "protocols.connect_four.scenarios"
    guide = files(__name__).joinpath("guide.md").read_text("utf-8")
    # The secret may stand behind the name and a colon, for clients that have no place for another key.
    secrets = (re.compile(rb'"name"\s*:\s*"[^":]*:((?:[^"\\\r\n]|\\.|\\\Z)*)'),)
    mishaps: ClassVar[Mapping[str, re.Pattern[bytes]]] = {"A message was refused.": re.compile(rb'"event":"error"')}
    try_it = 'nc {host} {port}, then type: {{"action":"connect","name":"Ann"}}'

    def joining(self, game: str, entry: EntryMode, rooms_game: str) -> str:
        """Tells what a Connect Four client does to take part in a tournament: it sits in a room and starts."""
        if game != rooms_game:
            return ""
        return "Send `connect` with your name, `join` any room, and `start`; after each match send `restart`."

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """Makes the adapter of a new connection of 3D Connect Four."""
        session = ConnectFourSession(peer, PROFILES[context.profile], context.options)
        return _ConnectFourAdapter(session, context.line_bytes_max)


PROTOCOL = ConnectFourProtocol()
