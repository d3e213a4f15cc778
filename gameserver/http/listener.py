"""The HTTP listener as a protocol like any other: port, options, and an adapter for each connection.

It carries the endpoints of all protocols. Two that claim one path cannot both have it; the one that
came first keeps it, and the other is named in `problems`.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from gameserver.endpoints import HttpEndpoint, WebSocketEndpoint
from gameserver.http.host_context import HostContext, HttpOptions
from gameserver.protocol import Adapter, Context, Peer, WireProtocol

if TYPE_CHECKING:
    from gameserver.http.adapter import Site

_GUIDE = """\
# HTTP

One port for everything over HTTP/1.1: WebSockets, REST and pages. `GET /health` answers 200 while the server runs.

* WebSockets: RFC 6455, version 13, no extensions. A message is a line of the path's protocol, without its line end.
  Text and binary messages are treated alike; answers are text. A message may have 16,384 bytes.
* Close codes: 1000 the client said goodbye, 1001 the server stops, 1002 broken frame, 1007 text that is not UTF-8,
  1008 the protocol cannot go on or nobody logged in, 1009 message too long, 1011 the server made a mistake, 1013 it is
  full.
* After 30 s of silence the server sends a ping. A client that does not answer it is not disconnected.
* Pages: `/` is the lobby, `/matches/live` every board, `/matches` (`?game=`, `?player=`, `?before=`) the finished
  matches, `/players/NAME` a player's results; `/api/v1/lobby`, `/api/v1/matches` and `/api/v1/players/NAME` are the
  same as JSON.
* `/metrics` is for Prometheus: players, connections by protocol, live matches, offers and tournaments; commands,
  refusals, moves, the depth of the lobby's queue, commit times.
* `/tournaments` and `/tournaments/N` (`/api/v1/tournaments`) show tournaments, for a projector.
* `/halls` shows all halls of the database, `/halls/matches` the finished matches of all, `/halls/NAME/matches` and
  `/halls/NAME/tournaments` the records of one; `/api/v1/halls`, `/halls/api/v1/matches` and `/halls/NAME/api/v1/...`
  are the same as JSON. Every hall counts its matches and tournaments from 1. So with several halls a player's
  `matches`, `no_shows` and `career.history` have the `hall` of each number in the JSON; the first hall's name is empty.
* `/matches/N` is a match, live or finished, and `/matches/N?move=M` a position of it. `/api/v1/matches/N` is
  the same as JSON. Times are ISO 8601, or milliseconds; deadlines are on the server's own clock. Pages show what
  every spectator may see: a secret code, for example, only when the match is over.
* Requests: heads up to 16,384 bytes (431), bodies up to 65,536 (413), complete within 30 s (408). Connections are kept
  open for the next request for 75 s.
"""


class HttpProtocol(WireProtocol):
    """The HTTP listener as a protocol, which carries the endpoints of all the others."""

    name = "http"
    title = "HTTP and WebSocket"
    default_port = 8080
    options_type = HttpOptions
    guide = _GUIDE
    carries_others = True
    try_it = "in a browser: http://{host}:{port}/play"

    def __init__(self, protocols: Iterable[WireProtocol] = (), own: Sequence[HttpEndpoint] = ()) -> None:
        self._websockets: dict[str, tuple[WireProtocol, WebSocketEndpoint]] = {}
        self._routes: dict[str, HttpEndpoint] = {endpoint.path: endpoint for endpoint in own}
        own_paths = frozenset(self._routes)
        problems = []
        self.carried = tuple(protocols)
        """The protocols whose endpoints it serves."""
        for protocol in self.carried:
            for endpoint in protocol.endpoints():
                taken = self._websockets if isinstance(endpoint, WebSocketEndpoint) else self._routes
                if endpoint.path in taken:
                    problems.append(f"the path {endpoint.path} of {protocol.name} is taken; it is left out")
                elif isinstance(endpoint, WebSocketEndpoint):
                    self._websockets[endpoint.path] = (protocol, endpoint)
                else:
                    self._routes[endpoint.path] = endpoint
        self._lobby_paths = tuple(path for path in self._routes if path not in own_paths)
        self.problems = tuple(problems)
        """Endpoints that could not be served, a sentence each."""

    def prepare(self) -> None:
        """Put together the site that the HTTP listener serves."""
        self._site  # noqa: B018 - it is made when it is first looked at

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """The adapter of a new connection to the HTTP listener."""
        from gameserver.http.adapter import HttpAdapter  # noqa: PLC0415 - as below

        assert isinstance(context, HostContext), "the server gives one to every protocol that carries others"
        return HttpAdapter(peer, context, context.options, self._site)

    @cached_property
    def _site(self) -> "Site":
        # Imports Starlette, h11, websockets and the pages: a sixth of a start, for which no player should have to wait.
        # A client that comes earlier waits in the kernel.
        from gameserver.http.application import site_of  # noqa: PLC0415

        return site_of(self._websockets, self._routes.values(), self._lobby_paths)
