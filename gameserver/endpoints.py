"""HTTP endpoints of a protocol, beside or instead of its own sockets.

`WireProtocol.endpoints` names them, and the one HTTP listener serves them all:

* A `WebSocketEndpoint` carries the protocol's own `Adapter`. The adapter receives the content of
  messages as if it had come over a socket, and its output goes out in text messages. Limits,
  time-outs, login and goodbye are the same as over TCP.
* An `HttpEndpoint` is an ASGI application (ours are Starlette's) under a path. A handler asks the
  lobby as an adapter does, with commands and queries, and makes a response of the answer and the
  events that come back:

        async def list_games(request: Request) -> JSONResponse:
            lobby = lobby_of(request)
            told = await lobby.ask(ListGames(lobby.session))
            return JSONResponse([event.games for event in told.events if isinstance(event, GamesListed)])

  Answers and events are immutable, and a handler gets them only once they are in the journal. So a page
  made of them shows nothing that a crash could take back. A handler has no other way to the lobby, and
  keeps no lobby state.

The session is that of the HTTP connection, and a request leaves nothing behind in it: a handler
whose request enters a player (`Enter`) lets the player leave (`Leave`) before it responds. A
handler is cancelled when its peer hangs up or the server stops, so anything that must happen has
to be part of one command.
"""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from enum import Enum
from typing import Any, Protocol

from attrs import Attribute, field

from gameserver.core.commands import Command, Query
from gameserver.core.events import Answer, Event
from gameserver.values import value

AsgiApp = Callable[
    [MutableMapping[str, Any], Callable[[], Awaitable[Any]], Callable[[MutableMapping[str, Any]], Awaitable[None]]],
    Awaitable[None],
]
"""An application as ASGI 3.0 specifies it."""

ANY_ORIGIN = "*"
SAME_ORIGIN = "same-origin"
"""The page's host and port are those that it connects to: the pages of this server, under whatever name it is reached.

The `Origin` header is compared with `Host`, but for its scheme, which the server does not know behind a proxy that ends
TLS."""


class Framing(Enum):
    """The correspondence between a protocol adapter's bytes and a WebSocket's messages."""

    LINES = "lines"
    """A message is a line: its end is added to what comes in and taken off what goes out. Line ends
    inside a message become blanks, so that one message is never read as two."""
    STREAM = "stream"
    """Messages are pieces of a stream, unchanged. The protocol has its own separators."""


@value
class Handshake:
    """The HTTP request that opened a protocol's WebSocket."""

    path: str
    query: Mapping[str, str]
    """The last value of each parameter."""
    headers: Mapping[str, str]
    """The headers by name in lower case."""


def _is_path(_instance: object, _attribute: "Attribute[str]", path: str) -> None:
    if not path.startswith("/") or (path != "/" and path.endswith("/")) or not path.isascii():
        message = f"a path begins with a slash, ends without one and is ASCII, not {path!r}"
        raise ValueError(message)


class NotAdmitted(Exception):
    """Raised by `WireProtocol.adapter` to refuse a WebSocket. It has the status of the response, and the reason."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


@value
class WebSocketEndpoint:
    """A path at which clients reach the protocol's adapter by WebSocket messages."""

    path: str = field(validator=_is_path)
    profile: str = ""
    """One of the protocol's profiles; empty for the first."""
    framing: Framing = Framing.LINES
    origins: tuple[str, ...] = (ANY_ORIGIN,)
    """Origins whose pages may connect, as `https://host:port`, or `SAME_ORIGIN`, which holds under the
    server's own names alone (`http.hosts`). A program without an `Origin` always may. Any origin may by default: no
    endpoint trusts a browser's cookies, so a foreign page gains nothing."""
    message_bytes_max: int | None = None
    """The most bytes of a message; None for the limit of unfinished input (`limits.line_bytes_max`)."""


@value
class LazyApp:
    """A function that makes an endpoint's application, for one that imports much, once the server listens."""

    make: Callable[[], AsgiApp]


@value
class HttpEndpoint:
    """A protocol's ASGI application that answers under a path; the longest path that fits wins."""

    path: str = field(validator=_is_path)
    app: AsgiApp | LazyApp
    origins: tuple[str, ...] = ()
    """The pages (`https://host:port`, or `*`) whose scripts may call it from a browser: its CORS policy."""
    credentials: bool = False
    """True if those scripts may send cookies. SignalR's client requires it even without any cookies."""


Endpoint = WebSocketEndpoint | HttpEndpoint


@value
class LobbyReply:
    """The outcome of an endpoint's command or query: the answer, and the events for this session."""

    answer: Answer
    events: tuple[Event, ...]


class LobbyClient(Protocol):
    """The lobby as the handler of an HTTP endpoint sees it."""

    @property
    def session(self) -> int:
        """The session number for an endpoint's commands and queries."""

    @property
    def address(self) -> str:
        """The host of an endpoint's peer, for `Enter`."""

    @property
    def asked_ms(self) -> int:
        """The time at which an endpoint's request was read, on the server's axis of time."""

    @property
    def new_id(self) -> Callable[[], str]:
        """Makes ids for an endpoint: `Context.new_id`."""

    async def ask(self, asked: Command | Query) -> LobbyReply:
        """Carries out an endpoint's command or query, until its outcome is in the journal. Call it once at a time."""

    async def hear(self) -> tuple[Event, ...]:
        """Waits for unsolicited events of an endpoint's session, such as those of a watched match."""


class HasScope(Protocol):
    """An endpoint's request as ASGI applications have it, such as Starlette's."""

    @property
    def scope(self) -> MutableMapping[str, Any]:
        """The ASGI scope of an endpoint's request."""


LOBBY_KEY = "gameserver.lobby"


def lobby_of(request: HasScope) -> LobbyClient:
    """Gives the lobby to the handler of a protocol's HTTP endpoint, for a Starlette request."""
    lobby: LobbyClient = request.scope[LOBBY_KEY]
    return lobby
