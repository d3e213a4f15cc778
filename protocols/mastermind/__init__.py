"""Mastermind in `Type|JSON` messages: a line each over TCP, a frame each over WebSocket.

handlers   The messages of a client, the stages at which they are taken, and their answers
profiles   The dialects
rendering  events into messages
schema     The messages of the protocol, as its document has them
session    The state of one connection

The page for its users is `guide.md`.

The server speaks only when it is spoken to, and once: every message has exactly one answer. An event without a question
(the server voids a match) is not sent; the next message meets the state that it led to.
"""

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import ClassVar

from gameserver.protocol import (
    Adapter,
    Answer,
    Context,
    Endpoint,
    EntryMode,
    Event,
    Output,
    Peer,
    Refusal,
    WebSocketEndpoint,
    WireProtocol,
)
from protocols.lines import LineAdapter, LineReader
from protocols.mastermind import handlers, rendering
from protocols.mastermind.profiles import NO_ACTIVE_GAME, PROFILES, farewell
from protocols.mastermind.schema import Error, ErrorType, write
from protocols.mastermind.session import UPDATES, MastermindSession

__all__ = ["PROTOCOL", "MastermindProtocol"]


class MastermindAdapter(LineAdapter[MastermindSession]):
    """The adapter of the Mastermind protocol: messages in, one answer to each out."""

    LINES = rendering.LINES
    SILENT = rendering.SILENT
    UPDATES = UPDATES
    read_line = staticmethod(handlers.read_line)
    answered = staticmethod(handlers.answered)

    def __init__(self, session: MastermindSession, line_bytes_max: int) -> None:
        too_long = write(Error(f"A message has at most {line_bytes_max} bytes", ErrorType.PARSE))
        super().__init__(session, LineReader(line_bytes_max, skip_bom=True, too_long=too_long))

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """Says the one answer to a Mastermind message: its refusal, or the last message of the events."""
        session, asked = self.session, None
        if answer is not None:
            asked, self.asked = self.asked, None
        refused = b"" if asked is None or answer is None else self.answered(session, asked, answer)
        told = b""
        for event in events:
            told = self._told(event) or told
        # Nothing is said unasked, and an Enter is only half of a NewGame: its answer is the challenge's.
        if asked is None or session.follow_up is not None:
            return ()
        # A game that the house ended meanwhile has no line of its own: the request for it is answered by this error.
        return (Output(refused or told or write(NO_ACTIVE_GAME)),)

    def farewell(self, refusal: Refusal) -> bytes:
        """Writes one last Error of the Mastermind protocol."""
        return write(farewell(refusal))

    @property
    def identified(self) -> bool:
        """True if the peer has shown that it speaks the Mastermind protocol: there is no login."""
        return self.session.has_spoken

    @property
    def is_established(self) -> bool:
        """True if a game is on at this connection of the Mastermind protocol."""
        return self.session.running is not None

    def _told(self, event: Event) -> bytes:
        kind = type(event)
        if kind in UPDATES:
            UPDATES[kind](self.session, event)
        return rendering.LINES[kind](event, self.session) if kind in rendering.LINES else b""


class MastermindProtocol(WireProtocol):
    """The Mastermind protocol itself: its name, port and profiles."""

    name = "mastermind"
    title = "Mastermind in Type|JSON"
    # Beside the 8080 of the original, which had WebSockets alone: lines over TCP are this server's own.
    default_port = 8081
    profiles = tuple(PROFILES)
    scenarios = "protocols.mastermind.scenarios"
    plays_house = True
    guide = files(__name__).joinpath("guide.md").read_text("utf-8")
    mishaps: ClassVar[Mapping[str, re.Pattern[bytes]]] = {"A message was refused.": re.compile(rb"(?m)^6\|")}
    try_it = 'nc {host} {port}, then type: 0|{{"NbrColors":6,"MaxTries":12,"CodeLength":4}}'

    def joining(self, game: str, entry: EntryMode, rooms_game: str) -> str:
        """Tells that a client of this protocol, which plays the house alone, cannot take part in a tournament."""
        if game != handlers.GAME:
            return ""
        return "For practice only: these clients play the house, and cannot take part in a tournament."

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """Makes the adapter of a new connection of the Mastermind protocol."""
        session = MastermindSession(peer, PROFILES[context.profile])
        return MastermindAdapter(session, context.line_bytes_max)

    def endpoints(self) -> Sequence[Endpoint]:
        """Names the WebSocket path of the original Mastermind server, and the same path in its words."""
        # The original's path (server/server.go).
        return (WebSocketEndpoint("/echo"), WebSocketEndpoint("/original/echo", profile="original"))


PROTOCOL = MastermindProtocol()
