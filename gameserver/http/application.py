"""The application behind the HTTP listener: the routes of every protocol, `/health`, CORS, and the 404.

Starlette, because routes, CORS, static files, forms and error pages are known ground, and the people
who write pages and REST know it. Applications that are mounted have no life cycle of their own:
lifespan events are not sent. Handlers are `async def`: Starlette runs a plain function in a thread.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Match, Mount, Route
from starlette.types import ASGIApp, Scope

from gameserver.endpoints import ANY_ORIGIN, LOBBY_KEY, AsgiApp, HttpEndpoint, LazyApp, WebSocketEndpoint
from gameserver.http import websocket
from gameserver.http.adapter import Site
from gameserver.http.websocket import how_to_connect
from gameserver.protocol import WireProtocol
from gameserver.read_model.read_model import ReadModel

# Starlette would fail over a longer number in an address: Python reads none of more than 4300 digits
# (`sys.int_info.default_max_str_digits`).
_ENDLESS_NUMBER = re.compile("[0-9]{4000}")
# The text of `/health` while another server may lead; `docs/haproxy.cfg` looks for "waiting".
WAITING = "Running, but waiting for the database"


def application(endpoints: Iterable[HttpEndpoint], websocket_paths: Sequence[str] = ()) -> AsgiApp:
    """Makes one application of all HTTP endpoints, of which the longest path that fits a request wins."""
    ordered = _longest_first(endpoints)
    routes: list[BaseRoute] = [Route("/health", _health)]
    routes += [Route(path, _websocket_only, methods=["GET"]) for path in websocket_paths]
    routes += [_Under("" if endpoint.path == "/" else endpoint.path, _with_cors(endpoint)) for endpoint in ordered]
    paths = ["/health", *(f"{path} (WebSocket)" for path in websocket_paths), *(found.path for found in ordered)]

    async def not_found(request: Request, _error: Exception) -> Response:
        text = f"There is nothing at {request.url.path}; here is {', '.join(sorted(paths))}\n"
        return PlainTextResponse(text, HTTPStatus.NOT_FOUND)

    app = Starlette(routes=routes, exception_handlers={HTTPStatus.NOT_FOUND: not_found})
    app.router.redirect_slashes = False
    return cast("AsgiApp", app)


class _Under(Mount):
    """Starlette's Mount, which also takes the path itself, without a slash behind it, for the application's `/`."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Tell if a request is for this mounted application, and what changes in its scope."""
        if _ENDLESS_NUMBER.search(scope["path"]):
            return Match.NONE, {}
        if scope["path"] != self.path:
            return super().matches(scope)
        match, child = super().matches({**scope, "path": f"{self.path}/"})
        return match, {**child, "path": f"{self.path}/"}


async def _health(request: Request) -> Response:
    """For monitors: the server runs and takes requests.

    The status is 200 also while the database is away: players who are here lose nothing by staying, as long as no other
    server leads. Only the text differs, by which a proxy in front of several servers knows the one that leads.
    """
    read_model: ReadModel | None = request.scope[LOBBY_KEY].read_model
    is_certain = read_model is None or read_model.metrics.is_certain()
    return PlainTextResponse("Healthy" if is_certain else WAITING)


async def _websocket_only(request: Request) -> Response:
    raise HTTPException(
        HTTPStatus.UPGRADE_REQUIRED,
        how_to_connect(request.url.path) + "\n",
        headers={"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"},
    )


def _with_cors(endpoint: HttpEndpoint) -> ASGIApp:
    app = cast("ASGIApp", endpoint.app.make() if isinstance(endpoint.app, LazyApp) else endpoint.app)
    if not endpoint.origins:
        return app
    anybody = ANY_ORIGIN in endpoint.origins
    # A browser that sends cookies takes no `*` for an answer; the pattern makes the answer its own origin.
    by_pattern = ".*" if anybody and endpoint.credentials else None
    return CORSMiddleware(
        app,
        allow_origins=() if by_pattern else endpoint.origins,
        allow_origin_regex=by_pattern,
        allow_methods=("*",),
        allow_headers=("*",),
        allow_credentials=endpoint.credentials,
    )


def _longest_first(endpoints: Iterable[HttpEndpoint]) -> tuple[HttpEndpoint, ...]:
    return tuple(sorted(endpoints, key=lambda endpoint: len(endpoint.path), reverse=True))


def site_of(
    websockets: Mapping[str, tuple[WireProtocol, WebSocketEndpoint]],
    routes: Iterable[HttpEndpoint],
    lobby_paths: Iterable[str] = (),
) -> Site:
    """The site of an HTTP listener: one application of all routes; `lobby_paths` are those of protocols."""
    mounts = {path: websocket.Mount(protocol, endpoint) for path, (protocol, endpoint) in websockets.items()}
    ordered = _longest_first(routes)
    return Site(mounts, application(ordered, list(websockets)), tuple(lobby_paths), ordered)
