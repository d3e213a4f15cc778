"""From an HTTP request to an open WebSocket: the handshake, and the origins that may do it."""

import logging
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit

from attrs import evolve
from websockets.datastructures import Headers
from websockets.exceptions import InvalidHeader
from websockets.http11 import Request as Opening
from websockets.protocol import State
from websockets.server import ServerProtocol

from gameserver.endpoints import ANY_ORIGIN, SAME_ORIGIN, Handshake, WebSocketEndpoint
from gameserver.http.h11_connection import Request
from gameserver.http.host_context import HostContext
from gameserver.http.websocket_adapter import WebSocketAdapter
from gameserver.protocol import Adapter, NotAdmitted, Peer, WireProtocol
from gameserver.values import value

VERSION = b"13"

_quiet = logging.getLogger("gameserver.websockets")
_quiet.setLevel(logging.CRITICAL + 1)  # the connection's own log tells who came and went


@value
class Mount:
    """A WebSocket endpoint and the protocol it belongs to."""

    protocol: WireProtocol
    endpoint: WebSocketEndpoint


class NotUpgraded(Exception):
    """The WebSocket is refused, with a status, a sentence and headers of an HTTP response."""

    def __init__(self, status: int, why: str, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
        super().__init__(why)
        self.status = status
        self.why = why
        self.headers = tuple(headers)


def asks_for_websocket(request: Request) -> bool:
    """True if the request wants to go on as a WebSocket, however wrongly it asks."""
    return request.version == "1.1" and b"websocket" in request.tokens(b"upgrade")


def how_to_connect(path: str) -> str:
    """The answer to a client that comes to a WebSocket's path with something else."""
    return f"{path} speaks WebSocket, version 13: connect to ws://HOST:PORT{path} with a WebSocket client"


def upgrade(
    request: Request, mount: Mount, peer: Peer, context: HostContext, ping_every_s: float
) -> tuple[bytes, WebSocketAdapter]:
    """The response that opens the WebSocket, and the adapter for what follows. Raises `NotUpgraded`.

    `peer.connected_ms` is the time of the upgrade.
    """
    _check(request, mount.endpoint)
    message_bytes_max = mount.endpoint.message_bytes_max or context.line_bytes_max
    # It is open from the beginning: it looks the request over, and its own reader of requests has nothing to read.
    socket = ServerProtocol(state=State.OPEN, max_size=message_bytes_max, logger=_quiet)
    response = socket.accept(_opening(request))
    if socket.handshake_exc is not None:
        why = f"The WebSocket handshake is wrong: {_reasons(socket.handshake_exc)}"
        raise NotUpgraded(HTTPStatus.BAD_REQUEST, why)
    inner = _inner(mount, evolve(peer, handshake=_handshake(request)), context)
    adapter = WebSocketAdapter(
        inner,
        socket,
        mount.endpoint.framing,
        ping_every_ms=round(ping_every_s * 1000),
        heard_ms=peer.connected_ms,
        login_due_ms=peer.connected_ms + round(context.login_timeout_s * 1000),
        login_timeout_s=context.login_timeout_s,
    )
    del response.headers["Date"]  # it is made anew for each response, of a clock of its own
    response.headers["Date"] = context.http_date().decode("ascii")
    return response.serialize(), adapter


def _inner(mount: Mount, peer: Peer, context: HostContext) -> Adapter:
    """The adapter of the protocol that the messages are for."""
    protocol = mount.protocol
    try:
        adapter = protocol.adapter(peer, context.guest(protocol, mount.endpoint.profile))
    except NotAdmitted as refused:
        raise NotUpgraded(refused.status, refused.why) from refused
    return context.recorded(adapter, peer, protocol)


def _check(request: Request, endpoint: WebSocketEndpoint) -> None:
    """Checks what `websockets` answers otherwise than the RFC has it, or does not check."""
    if request.method != "GET":
        why = f"A WebSocket is opened by GET, not by {request.method}: {how_to_connect(endpoint.path)}"
        raise NotUpgraded(HTTPStatus.METHOD_NOT_ALLOWED, why, ((b"allow", b"GET"),))
    if request.header(b"sec-websocket-version") != VERSION:
        headers = ((b"sec-websocket-version", VERSION), (b"upgrade", b"websocket"))
        raise NotUpgraded(HTTPStatus.UPGRADE_REQUIRED, how_to_connect(endpoint.path), headers)
    origin = request.header(b"origin")
    if origin is not None and not _may_connect(origin.decode("latin-1"), request, endpoint.origins):
        why = f"Pages of {origin.decode('latin-1')} may not connect to {endpoint.path}"
        raise NotUpgraded(HTTPStatus.FORBIDDEN, why)


def _may_connect(origin: str, request: Request, origins: Sequence[str]) -> bool:
    """True if a page of this origin may connect."""
    if ANY_ORIGIN in origins or origin in origins:
        return True
    host = request.header(b"host")
    return SAME_ORIGIN in origins and host is not None and _is_same_host(origin, host.decode("latin-1"))


_DEFAULT_PORTS = {"http": 80, "https": 443}


def _is_same_host(origin: str, host: str) -> bool:
    """True if host and port of an origin are those of a `Host` header; a browser leaves the scheme's own port out."""
    try:
        page, asked = urlsplit(origin), urlsplit(f"//{host}")
        ports = page.port, asked.port
    except ValueError:  # a port that is none, or half an IPv6 address
        return False
    default = _DEFAULT_PORTS.get(page.scheme)
    if default is None or not page.hostname:
        return False
    return page.hostname == asked.hostname and len({port or default for port in ports}) == 1


def _opening(request: Request) -> Opening:
    """The request as `websockets` has it. It takes no control characters in headers, which h11 lets pass."""
    try:
        headers = Headers((name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers)
    except InvalidHeader as invalid:
        why = f"The WebSocket handshake is wrong: a control character in the {invalid.name} header"
        raise NotUpgraded(HTTPStatus.BAD_REQUEST, why) from invalid
    return Opening(request.target.decode("latin-1"), headers)


def _handshake(request: Request) -> Handshake:
    return Handshake(
        path=request.path,
        query=dict(parse_qsl(request.query.decode("ascii", "replace"), keep_blank_values=True)),
        headers={name.decode("latin-1"): value.decode("latin-1") for name, value in request.headers},
    )


def _reasons(error: BaseException) -> str:
    """An error and what caused it."""
    return f"{error}; {_reasons(error.__cause__)}" if error.__cause__ is not None else str(error)
