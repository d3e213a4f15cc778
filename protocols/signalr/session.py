"""The part that a hub's author writes: one `HubSession` for each connection, and what it may do.

The author sees calls, commands, events and hub events, and none of SignalR:

    class ChatSession(HubSession):
        def invoke(self, call):
            return _METHODS[type(call)](self, call)

        def heard(self, events):
            for event in events:
                if isinstance(event, Said):
                    self.client.send("said", {"by": event.sender, "text": event.text})

    def _join(session, call):                        # a method that asks the lobby
        told = yield Enter(session.peer.session, call.name, "chat", session.peer.address, (Capability.CHAT,))
        if isinstance(told.answer, Rejected):
            session.client.send("error", {"code": told.answer.code})

    def _version(session, call):                     # a method that does not: what it returns is the result
        return "1.0"

A method that needs the lobby is a generator: it yields commands and queries, one after the other, as
many as it needs, and is sent what came back for each (`LobbyReply`). What it returns is its result. The
completion is written when it has returned, so everything it sent comes before. One method runs at a
time, and the next call waits, whatever a client sends at once.

Events reach the session by `heard`, whether a command of this client brought them about or somebody
else's; those of a command are `heard` before its method goes on, which therefore finds the session's
state as it is then. An event with a `release_ms` is sent with it: what is sent after it, the completion
included, waits behind it.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from typing import Any

from cattrs import Converter

from gameserver.protocol import Command, Event, Handshake, LobbyReply, Query
from gameserver.values import value
from protocols.signalr import messages
from protocols.signalr.outgoing import Speech

Steps = Generator[Command | Query, LobbyReply, Any]
"""A method at work: it yields what it asks the lobby, and returns its result."""


class HubError(Exception):
    """Raised by a method: the client's call fails with this sentence. What was sent before stays sent."""


@value
class Client:
    """The client of one connection, for its session: who it is, and what is said to it."""

    connection_id: str
    """The id that negotiation gave out; made up where there was none."""
    handshake: Handshake | None
    """The request that opened the WebSocket, with query and headers."""
    _speech: Speech
    _converter: Converter

    def send(self, target: str, *arguments: Any, release_ms: int = 0) -> None:
        """Call the client's handlers of this name. Arguments are whatever the hub's converter takes apart."""
        plain = [self._converter.unstructure(argument) for argument in arguments]
        self._speech.say(messages.event(target, plain), release_ms)

    def close(self, error: str | None = None, *, allow_reconnect: bool = False) -> None:
        """End the connection, as soon as the call under way is complete."""
        self._speech.end(messages.close(error, allow_reconnect=allow_reconnect))

    @property
    def access_token(self) -> str | None:
        """The bearer token: of the header, as programs send it, or of the query, as browsers do."""
        if self.handshake is None:
            return None
        scheme, _, token = self.handshake.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and token.strip():
            return token.strip()
        return self.handshake.query.get("access_token") or None


class HubSession(ABC):
    """One connection's side of a hub."""

    @property
    @abstractmethod
    def identified(self) -> bool:
        """True once the peer has told who it is; one that does not is closed after a time."""

    def connected(self) -> Steps | None:
        """Do what is to be done at the start, as in `heard`: the client hears from here on."""
        return None

    @abstractmethod
    def invoke(self, call: Any) -> Steps | Any:
        """Carry out a call, an instance of one of the hub's methods: the steps, or the result itself.

        May raise `HubError`, and so may the steps.
        """

    @abstractmethod
    def heard(self, events: Sequence[Event]) -> Steps | None:
        """Keep what follows from events, and tell the client.

        The returned steps ask the lobby what follows from the events without a call;
        they run before the next call, when the one under way is through.
        """

    @property
    def due_ms(self) -> int | None:
        """The time of the next `tick` on the server's axis; None for never."""
        return None

    def tick(self, now_ms: int) -> Steps | None:
        """Do what is due, as in `heard`. It leaves `due_ms` later than `now_ms`, or None."""
        return None
