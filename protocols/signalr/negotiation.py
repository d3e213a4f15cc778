"""Negotiation: `POST {hub}/negotiate` gives out ids, and a WebSocket that names one is the connection it is for.

    version 0  {"negotiateVersion":0,"connectionId":"...","availableTransports":[...]}   the id opens the WebSocket
    version 1  ... "connectionId":"...","connectionToken":"..."                           the token does, and is secret

Only WebSockets are offered. An unknown id is answered 404, one in use 409. A client that names
none (`skipNegotiation`) gets a connection too. Ids wait a minute for their connection and
are lost with the process; clients then negotiate again. A flood of negotiations evicts the
oldest waiting ids and does not fill the memory: ids of a client that connects at once go last.
"""

from collections.abc import Callable
from http import HTTPStatus
from weakref import WeakValueDictionary

from attrs import define, field, frozen

from gameserver.protocol import Handshake, NotAdmitted

_VERSION_MAX = 1

NewId = Callable[[], str]


@frozen(eq=False)
class ConnectionToken:
    """A token that SignalR's negotiation gave out. A connection holds it for as long as it lasts."""

    connection_id: str
    key: str
    waits_until_ms: int


class BadVersion(ValueError):
    """A SignalR client asks for a version of negotiation that there is not; the text is what it is told."""


def version_of(text: str | None) -> int:
    """Picks the version of SignalR's negotiation to answer a `negotiateVersion` with. Raises `BadVersion`."""
    # Python's clients send no version.
    if text is None:
        return 0
    try:
        asked = int(text)
    except ValueError as error:
        raise BadVersion("The client requested a non-integer protocol version.") from error
    if asked < 0:
        raise BadVersion(f"The client requested version '{asked}', but the server does not support this version.")
    # A higher one is answered by the highest there is, as by ASP.NET Core.
    return min(asked, _VERSION_MAX)


@define(eq=False)
class Negotiations:
    """The connection ids that a SignalR hub gave out. Times are on the server's axis, in milliseconds."""

    ids_max: int = 10_000
    """The most ids that may wait for their connections."""
    # By judgement: the JavaScript client opens its WebSocket at once.
    wait_ms: int = 60_000
    _waiting: dict[str, ConnectionToken] = field(factory=dict, init=False)
    """Tickets by key, oldest first."""
    _in_use: WeakValueDictionary[str, ConnectionToken] = field(factory=WeakValueDictionary, init=False)
    """Tickets in use, by key. An entry lasts while its ticket is referenced: no call reports the connection's end."""

    def open(self, version: int, now_ms: int, new_id: NewId) -> ConnectionToken:
        """Gives out the ids of a SignalR connection that is to come."""
        self._forget(now_ms)
        connection_id = new_id()
        ticket = ConnectionToken(connection_id, new_id() if version else connection_id, now_ms + self.wait_ms)
        self._waiting[ticket.key] = ticket
        return ticket

    def admit(self, handshake: Handshake | None, now_ms: int, new_id: NewId) -> ConnectionToken:
        """Takes the ids that a SignalR WebSocket names, or makes new ones. Raises `NotAdmitted`."""
        key = "" if handshake is None else handshake.query.get("id", "")
        # `skipNegotiation` of the JavaScript client.
        if not key:
            connection_id = new_id()
            return ConnectionToken(connection_id, connection_id, now_ms)
        if key in self._in_use:
            raise NotAdmitted(HTTPStatus.CONFLICT, "There is a connection with that id; negotiate for another one")
        ticket = self._waiting.pop(key, None)
        if ticket is None or ticket.waits_until_ms < now_ms:
            raise NotAdmitted(HTTPStatus.NOT_FOUND, "No Connection with that ID; negotiate, or connect without an id")
        self._in_use[key] = ticket
        return ticket

    def _forget(self, now_ms: int) -> None:
        """Let the ids go that waited too long, and the oldest where there are too many."""
        while self._waiting:
            oldest = next(iter(self._waiting.values()))
            if oldest.waits_until_ms >= now_ms and len(self._waiting) < self.ids_max:
                return
            del self._waiting[oldest.key]
