"""What an HTTP listener serves, put together: WebSockets by their paths, and all routes as one application."""

from collections.abc import Iterable, Mapping

from gameserver.endpoints import HttpEndpoint, WebSocketEndpoint
from gameserver.http.application import application
from gameserver.http.date import HttpDate
from gameserver.http.requests import Site
from gameserver.http.upgrade import Mount
from gameserver.protocol import WireProtocol


def site_of(
    websockets: Mapping[str, tuple[WireProtocol, WebSocketEndpoint]],
    routes: Iterable[HttpEndpoint],
    lobby_paths: Iterable[str] = (),
) -> Site:
    """The site of these endpoints; `lobby_paths` are those of protocols."""
    mounts = {path: Mount(protocol, endpoint) for path, (protocol, endpoint) in websockets.items()}
    return Site(mounts, application(routes, list(websockets)), HttpDate(), tuple(lobby_paths))
