"""What a protocol offers over HTTP, beside or instead of sockets of its own.

`WireProtocol.endpoints` names them, and the one HTTP listener serves them all:

* A `WebSocketEndpoint` carries the protocol's own `Adapter`. The adapter is handed the content of
  messages as if it had come over a socket, and what it says goes out in text messages. Limits,
  time-outs, login and goodbye are the same as over TCP.
* An `HttpEndpoint` is an ASGI application (ours are Starlette's) under a path. A handler asks the
  lobby as an adapter does, with commands and queries, and makes a response of the answer and the
  events that come back:

        async def list_games(request: Request) -> JSONResponse:
            lobby = lobby_of(request)
            told = await lobby.ask(ListGames(lobby.session))
            return JSONResponse([event.games for event in told.events if isinstance(event, GamesListed)])

  Answers and events are immutable, and are given out when what they tell is in the journal: a page
  made of them shows nothing that a crash could take back. There is no other way to the lobby, and
  handlers keep no state of it.

The session is that of the HTTP connection, and a request leaves nothing behind in it: a handler
whose request enters a player (`Enter`) lets the player leave (`Leave`) before it responds. A
handler is cancelled when its peer hangs up or the server stops, so anything that must happen has
to be part of one command.
"""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from enum import Enum
from typing import Any, Protocol

from attrs import Attribute, field, frozen

from gameserver.core.messages.commands import Command, Query
from gameserver.core.messages.events import Answer, Event

AsgiApp = Callable[
    [MutableMapping[str, Any], Callable[[], Awaitable[Any]], Callable[[MutableMapping[str, Any]], Awaitable[None]]],
    Awaitable[None],
]
"""An application as the ASGI specification 3.0 has it."""

ANY_ORIGIN = "*"


class Framing(Enum):
    """How an adapter's bytes and a WebSocket's messages correspond."""

    LINES = "lines"
    """A message is a line: its end is added to what comes in and taken off what goes out. Line ends
    inside a message become blanks, so that one message is never read as two."""
    STREAM = "stream"
    """Messages are pieces of a stream, as they are; the protocol brings its own separators."""


@frozen
class Handshake:
    """The HTTP request that opened a WebSocket."""

    path: str
    query: Mapping[str, str]
    """The last value of each parameter."""
    headers: Mapping[str, str]
    """By name in lower case."""


def _is_path(_instance: object, _attribute: "Attribute[str]", path: str) -> None:
    if not path.startswith("/") or (path != "/" and path.endswith("/")) or not path.isascii():
        message = f"a path begins with a slash, ends without one and is ASCII, not {path!r}"
        raise ValueError(message)


class NotAdmitted(Exception):
    """Raised by `WireProtocol.adapter` where a WebSocket is not to be opened: the status of the response, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


@frozen
class WebSocketEndpoint:
    """A path on which the protocol's adapter is spoken to in WebSocket messages."""

    path: str = field(validator=_is_path)
    profile: str = ""
    """One of the protocol's profiles; empty for the first."""
    framing: Framing = Framing.LINES
    origins: tuple[str, ...] = (ANY_ORIGIN,)
    """From which pages a browser may connect, as `https://host:port`; programs that name none always may.
    Anybody may by default: nothing here trusts a browser's cookies, so a foreign page gains nothing."""
    message_bytes_max: int | None = None
    """The length that a message may have; None for what a connection may keep unfinished (`limits.line_bytes_max`)."""


@frozen
class LazyApp:
    """How to make an application, for one that imports much: the server listens before it is made."""

    make: Callable[[], AsgiApp]


@frozen
class HttpEndpoint:
    """An ASGI application that answers under a path; the longest path that fits wins."""

    path: str = field(validator=_is_path)
    app: AsgiApp | LazyApp
    origins: tuple[str, ...] = ()
    """The pages (`https://host:port`, or `*`) whose scripts may call it from a browser: its CORS policy."""
    credentials: bool = False
    """True if those scripts may send cookies; SignalR's client asks for it even where there are none."""


Endpoint = WebSocketEndpoint | HttpEndpoint


@frozen
class LobbyReply:
    """What came back for a command or query: accepted or rejected, and the events for this session."""

    answer: Answer
    events: tuple[Event, ...]


class LobbyClient(Protocol):
    """The lobby as a handler sees it."""

    @property
    def session(self) -> int:
        """The session that commands and queries are to name."""

    @property
    def address(self) -> str:
        """The peer's host, as `Enter` wants it."""

    @property
    def asked_ms(self) -> int:
        """The time at which the request was read, on the server's axis of time."""

    @property
    def new_id(self) -> Callable[[], str]:
        """`Context.new_id`."""

    async def ask(self, asked: Command | Query) -> LobbyReply:
        """Carry out a command or query and wait until its outcome is in the journal. One at a time."""

    async def hear(self) -> tuple[Event, ...]:
        """Wait for events that nobody asked for, such as those of a match that is watched."""


class HasScope(Protocol):
    """A request as ASGI applications have it, such as Starlette's."""

    @property
    def scope(self) -> MutableMapping[str, Any]:
        """What the listener tells of the request."""


LOBBY_KEY = "gameserver.lobby"


def lobby_of(request: HasScope) -> LobbyClient:
    """The lobby, for a handler that is given a Starlette request."""
    lobby: LobbyClient = request.scope[LOBBY_KEY]
    return lobby
