"""The HTTP adapter of a connection: requests in, one at a time, through the application, responses out.

    reading   bytes gather to a request, within the limits of size and time
    serving   an `Exchange` runs the request through the routes; what comes behind it waits
    over      the last response is out

A request for a WebSocket on a path that has one ends this: with the response that says so, the connection goes on
with a `WebSocketAdapter` instead.
"""

from collections.abc import Callable, MutableMapping, Sequence
from http import HTTPStatus
from typing import Any, NoReturn

import structlog
import trio
from attrs import define, evolve, field

from gameserver.endpoints import ANY_ORIGIN, LOBBY_KEY, SAME_ORIGIN, AsgiApp, HttpEndpoint, LobbyReply
from gameserver.http.h11_connection import BadRequest, H11Connection, Request
from gameserver.http.host_context import HostContext, HttpOptions
from gameserver.http.websocket import Mount, NotUpgraded, asks_for_websocket, upgrade
from gameserver.protocol import (
    Adapter,
    Answer,
    BrokenInput,
    Command,
    Event,
    Output,
    Peer,
    Query,
    Refusal,
    RefusalKind,
    Reply,
    Work,
)
from gameserver.read_model.read_model import ReadModel
from gameserver.values import value

log = structlog.get_logger()

# Bytes of a response that are handed over at once: half of what makes a connection wait for its peer
# (`transport/send_queue.py`), so that a large page is made no faster than it is read.
_CHUNK_BYTES = 32_768
# The most events that may wait for a handler that does not `hear` them. Judgement: no handler of ours has so many.
_UNHEARD_EVENTS_MAX = 1_000

log = structlog.get_logger()
_STATUS = {
    RefusalKind.STOPPING: HTTPStatus.SERVICE_UNAVAILABLE,
    RefusalKind.FULL: HTTPStatus.SERVICE_UNAVAILABLE,
    RefusalKind.LATE: HTTPStatus.REQUEST_TIMEOUT,
    RefusalKind.FAULT: HTTPStatus.INTERNAL_SERVER_ERROR,
    RefusalKind.DISMISSED: HTTPStatus.FORBIDDEN,
}

# The methods that are safe (RFC 9110, 9.2.1), but for TRACE, which nothing here answers.
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# In place of the server's own words, which speak of logins and saved matches: a request has neither.
_FAREWELLS = {RefusalKind.STOPPING: "The server is stopping; ask again when it is back"}


@value
class Site:
    """The site that an HTTP listener serves: WebSockets by their path, and an application for everything else."""

    websockets: dict[str, Mount]
    app: AsgiApp
    lobby_paths: tuple[str, ...] = ()
    """The paths below which protocols ask the lobby for their players."""
    endpoints: tuple[HttpEndpoint, ...] = ()
    """The endpoints of the application, the longest path first; without those that look at host names themselves."""

    def is_for_own_names(self, request: Request) -> bool:
        """True if a request could change something that pages of other origins must not.

        Programs come under any name, such as that of a service in a container network: they send no `Origin`. Browsers
        send it with each handshake and each change (Fetch standard).
        """
        path, has_origin = request.path, request.header(b"origin") is not None
        mount = self.websockets.get(path)
        if mount is not None:
            # Also a plain GET: a browser does not tell its page why a handshake was refused, so the page asks again.
            is_program = asks_for_websocket(request) and not has_origin
            return not is_program and SAME_ORIGIN in mount.endpoint.origins and ANY_ORIGIN not in mount.endpoint.origins
        if request.method in SAFE_METHODS or not has_origin:
            return False
        found = next((one for one in self.endpoints if f"{path}/".startswith(f"{one.path.rstrip('/')}/")), None)
        return found is not None and ANY_ORIGIN not in found.origins

    def may_prove(self, request: Request) -> bool:
        """True if a request may prove who its peer is, by a secret or a ticket."""
        path = request.path
        is_asked_of_lobby = any(path == own or path.startswith(f"{own}/") for own in self.lobby_paths)
        return is_asked_of_lobby or request.header(b"authorization") is not None


@define(eq=False)
class HttpAdapter(Adapter):
    """The adapter of one connection to the HTTP listener."""

    _peer: Peer
    _context: HostContext
    _options: HttpOptions
    _site: Site
    _messages: H11Connection = field(init=False)
    _exchange: "Exchange | None" = field(default=None, init=False)
    _read_ms: int = field(init=False)
    """The time at which the last bytes came, or the connection began."""
    _begun_ms: int | None = field(init=False)
    """The time at which the request that is not whole yet began; the first one with the connection."""
    _is_ended: bool = field(default=False, init=False)
    """True if the peer has closed its side."""
    _is_over: bool = field(default=False, init=False)
    _was_asked: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        self._messages = H11Connection(self._options, self._context.http_date)
        self._read_ms = self._begun_ms = self._peer.connected_ms

    def greeting(self) -> bytes:
        """Empty: clients of HTTP speak first."""
        return b""

    def receive(self, data: bytes, at_ms: int) -> None:
        """Take bytes of HTTP requests."""
        self._read_ms = at_ms
        if self._begun_ms is None:
            self._begun_ms = at_ms
        self._messages.receive(data)

    def receive_eof(self) -> None:
        """Take the end of an HTTP connection's input: the peer has asked all it wants to ask, or is gone."""
        self._is_ended = True
        self._messages.receive(b"")
        if self._exchange is not None:
            self._exchange.hang_up()

    def next(self) -> Command | Query | Reply | Work | None:
        """The next thing that the HTTP exchange under way wants to send or ask, or the next request."""
        if self._exchange is not None:
            return self._serve(self._exchange)
        if self._is_over:
            return None
        try:
            # One at a time: a pipelined request waits in h11 until the response before it is out (RFC 9112, 9.3.2).
            request = self._messages.next_request()
            if request is not None:
                return self._begin(request)
        except BadRequest as bad:
            self._break_off(bad.status, bad.why)
        except NotUpgraded as refused:
            self._is_over = True
            return Reply(self._messages.refuse(refused.status, refused.why, refused.headers))
        self._is_over = self._messages.is_over
        proceed = self._messages.continue_request()
        return Reply(proceed) if proceed else None

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """Bring what the lobby said to the HTTP request that asked; its handler makes a response of it."""
        if self._exchange is not None:
            self._exchange.tell(answer, events)
        return ()

    def farewell(self, refusal: Refusal) -> bytes:
        """The last HTTP response, for a peer that waits for one or is not let in; else nothing."""
        is_asked = self._exchange is not None and not self._exchange.is_answered
        is_new = refusal.kind is RefusalKind.FULL and not self._was_asked
        waits = is_asked or self._messages.has_begun or is_new
        why = _FAREWELLS.get(refusal.kind, refusal.why)
        if self._exchange is not None:
            self._exchange.cut_off()  # else its handler would begin a second response to the same request
        return self._messages.refuse(_STATUS[refusal.kind], why) if waits else b""

    def tick(self, now_ms: int) -> None:
        """End an HTTP connection that takes too long: over a request, before the next one, or without its peer."""
        if now_ms < self.due_ms:
            return
        if self._exchange is not None:
            if self._is_ended:
                raise BrokenInput("the peer had gone and the response was not ready in time")
            self._read_ms = now_ms
        elif self._messages.has_begun:
            seconds = self._options.request_timeout_s
            self._break_off(HTTPStatus.REQUEST_TIMEOUT, f"The request was not complete in {seconds:g} seconds")
        else:
            self._is_over = True

    @property
    def due_ms(self) -> int:
        """The time at which the HTTP connection has waited long enough."""
        if self._exchange is None and self._begun_ms is None:
            return self._read_ms + round(self._options.keep_alive_s * 1000)
        since_ms = self._read_ms if self._exchange is not None or self._begun_ms is None else self._begun_ms
        return since_ms + round(self._options.request_timeout_s * 1000)

    @property
    def pending_bytes(self) -> int:
        """Bytes that came behind the HTTP request that is being served."""
        return self._messages.unread_bytes if self._exchange is not None else 0

    @property
    def identified(self) -> bool:
        """True: HTTP requests have time limits of their own, and no login."""
        return True

    @property
    def is_passing(self) -> bool:
        """True: the end of an HTTP connection is not worth a line of the log."""
        return True

    @property
    def is_established(self) -> bool:
        """True if an HTTP request is being answered, as by a page that follows a match."""
        return self._exchange is not None

    @property
    def finished(self) -> bool:
        """True if the last HTTP response is out."""
        return self._is_over and self._exchange is None

    def _begin(self, request: Request) -> Reply | Work:
        self._begun_ms = None
        if self._site.is_for_own_names(request):
            self._check_host(request)
        mount = self._site.websockets.get(request.path)
        if mount is not None and asks_for_websocket(request):
            return self._upgrade(request, mount)
        self._was_asked = True
        peer, app = self._peer, self._site.app
        self._exchange = Exchange(
            session=peer.session,
            address=peer.address,
            request=request,
            messages=self._messages,
            app=app,
            asked_ms=self._read_ms,
            new_id=self._context.new_id,
            read_model=self._context.read_model,
            scheme="https" if peer.is_encrypted else "http",
        )
        if self._is_ended:
            self._exchange.hang_up()
        return Work(self._exchange.run, self._site.may_prove(request))

    def _check_host(self, request: Request) -> None:
        host = (request.header(b"host") or b"").decode("latin-1")
        why = self._context.own_names.refusal(host, self._options.hosts, "http.hosts")
        if why:
            raise NotUpgraded(HTTPStatus.MISDIRECTED_REQUEST, why)

    def _upgrade(self, request: Request, mount: Mount) -> Reply:
        # RFC 9112, 11.2: what a proxy before us takes for a body would be read here as frames.
        if self._messages.is_ambiguous:
            raise NotUpgraded(HTTPStatus.BAD_REQUEST, "A WebSocket handshake has no body; send no length of one")
        peer = evolve(self._peer, connected_ms=self._read_ms)
        response, adapter = upgrade(request, mount, peer, self._context, self._options.ping_every_s)
        opening = response + adapter.greeting()
        # A client has to wait for the response (RFC 6455, 4.1). What was sent too early is read all the same.
        unread = self._messages.take_unread()
        if unread:
            adapter.receive(unread, self._read_ms)
        if self._is_ended:
            adapter.receive_eof()
        return Reply(opening, adapter)

    def _serve(self, exchange: "Exchange") -> Command | Query | Reply | Work | None:
        item = exchange.take()
        if isinstance(item, bytes):
            return Reply(item)
        if item is not None:
            return item
        if exchange.is_broken:
            raise BrokenInput("a response could not be completed")
        if not exchange.is_over:
            return None
        self._exchange = None
        self._is_over = self._messages.is_over
        # Nobody looked at the request behind this one, so its time runs from the last bytes that came.
        if self._messages.unread_bytes:
            self._begun_ms = self._read_ms
        return self.next()

    def _break_off(self, status: int, why: str) -> NoReturn:
        raise BrokenInput(why, self._messages.refuse(status, why))


class _ExchangeBroken(Exception):
    """The application broke the rules of ASGI, or failed, in the middle of a response."""


@define(eq=False)
class Exchange:
    """One request on its way through an ASGI application, and the application's way to the lobby: it is a `Lobby` too.

    The application runs in a task (`run`); the connection is synchronous (`take`, `tell`, `hang_up`). Between them is
    one slot: what the application sends or asks lies there until the connection takes it, which it does at once unless
    the peer does not read or a command is under way. So a response is made no faster than it is read, however large it
    is, and a handler's commands obey the same rules as everybody's.

    The application is cancelled when the connection ends. What it raises is logged and becomes a 500; where the
    response has begun already, the connection is cut, so that nobody takes half a page for a whole one.
    """

    session: int
    address: str
    _request: Request
    _messages: H11Connection
    _app: AsgiApp
    asked_ms: int
    new_id: Callable[[], str]
    read_model: ReadModel | None = None
    _scheme: str = "http"
    is_over: bool = field(default=False, init=False)
    is_broken: bool = field(default=False, init=False)
    _slot: bytes | Command | Query | None = field(default=None, init=False)
    _taken: trio.Event = field(factory=trio.Event, init=False)
    _sending: trio.Lock = field(factory=trio.Lock, init=False)
    _asking: trio.Lock = field(factory=trio.Lock, init=False)
    _told: LobbyReply | None = field(default=None, init=False)
    _answered: trio.Event = field(factory=trio.Event, init=False)
    _unheard: list[Event] = field(factory=list, init=False)
    _spoken: trio.Event = field(factory=trio.Event, init=False)
    _gone: trio.Event = field(factory=trio.Event, init=False)
    _was_read: bool = field(default=False, init=False)
    _head: tuple[int, Sequence[tuple[bytes, bytes]]] | None = field(default=None, init=False)
    _is_complete: bool = field(default=False, init=False)
    _is_cut: bool = field(default=False, init=False)
    """True if the connection has answered in the application's place."""
    _wake: Callable[[], None] = field(default=lambda: None, init=False)

    def take(self) -> bytes | Command | Query | None:
        """Take what the application wants to send or to ask next."""
        taken, self._slot = self._slot, None
        if taken is not None:
            self._taken.set()
        return taken

    def tell(self, answer: Answer | None, events: Sequence[Event]) -> None:
        """Bring the application what the lobby said: the answer, or events that nobody asked for."""
        if answer is not None:
            self._told = LobbyReply(answer, tuple(events))
            self._answered.set()
        elif len(self._unheard) + len(events) <= _UNHEARD_EVENTS_MAX:
            self._unheard += events
            self._spoken.set()
        else:
            # A handler that never hears them would keep them for as long as its peer stays.
            self.is_broken = True
            log.warning("a handler heard nothing for too long", path=self._request.raw_path, events=len(self._unheard))

    @property
    def is_answered(self) -> bool:
        """True if the whole response has been given out, though the application may still be busy."""
        return self._is_complete and self._slot is None

    def hang_up(self) -> None:
        """Tell the application that its peer will send no more."""
        self._gone.set()

    def cut_off(self) -> None:
        """Silence the application: the connection ends, with an answer of its own where one is due."""
        self._is_cut = True
        self._gone.set()

    async def run(self, wake: Callable[[], None]) -> None:
        """Run the application for this request; log what it raises."""
        self._wake = wake
        scope = self._scope()
        try:
            await self._app(scope, self._receive, self._send)
            self._check_complete()
        except Exception:
            log.exception("route failed", method=self._request.method, path=scope["path"])
            await self._fail()
        finally:
            self.is_over = True
        log.debug(
            "request",
            method=self._request.method,
            path=scope["path"],
            status=int(self._head[0]) if self._head else None,
        )

    async def ask(self, asked: Command | Query) -> LobbyReply:
        """Ask the lobby a command or query, and wait for its outcome."""
        async with self._asking:  # one command in flight, also where a handler has several tasks
            self._answered = trio.Event()
            await self._offer(asked)
            await self._answered.wait()
            assert self._told is not None, "the answer is set before the event"
            return self._told

    async def hear(self) -> tuple[Event, ...]:
        """Wait for events of the lobby that no handler asked for."""
        while not self._unheard:
            self._spoken = trio.Event()
            await self._spoken.wait()
        heard = tuple(self._unheard)
        self._unheard.clear()
        return heard

    async def _receive(self) -> MutableMapping[str, Any]:
        if not self._was_read:
            self._was_read = True
            return {"type": "http.request", "body": self._request.body, "more_body": False}
        # Starlette waits here while it responds, to notice a peer that hangs up.
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        if self._is_cut:
            await trio.sleep_forever()  # it is cancelled with the connection, which is closing
        kind = message["type"]
        if kind == "http.response.start" and self._head is None:
            self._head = (
                message["status"],
                [(bytes(name), bytes(value)) for name, value in message.get("headers", ())],
            )
        elif kind == "http.response.body" and self._head is not None and not self._is_complete:
            await self._send_body(bytes(message.get("body", b"")), is_last=not message.get("more_body", False))
        else:
            broken = f"{kind} is not what comes next in a response"
            raise _ExchangeBroken(broken)

    async def _send_body(self, body: bytes, *, is_last: bool) -> None:
        assert self._head is not None, "checked by the caller"
        # With the first piece of the body, not at `http.response.start`: most responses are then one write.
        data = self._messages.begin_response(*self._head) if self._messages.can_respond else b""
        for start in range(0, len(body), _CHUNK_BYTES):
            await self._offer(data + self._messages.send_body(body[start : start + _CHUNK_BYTES]))
            data = b""
        if is_last:
            data += self._messages.end_response()
            self._is_complete = True
            self._gone.set()
        await self._offer(data)

    async def _offer(self, item: bytes | Command | Query) -> None:
        """Put something into the slot, and wait until it has been taken."""
        async with self._sending:
            self._taken = trio.Event()
            self._slot = item
            self._wake()
            await self._taken.wait()

    def _check_complete(self) -> None:
        if not (self._is_complete or self._is_cut):
            message = "the application returned before its response was complete"
            raise _ExchangeBroken(message)

    async def _fail(self) -> None:
        why = "The server made a mistake with this request; nothing is known to be wrong with yours"
        if self._is_complete or self._is_cut:
            return
        if self._messages.can_respond:
            await self._offer(self._messages.refuse(HTTPStatus.INTERNAL_SERVER_ERROR, why))
        else:
            # Cutting the connection shows the peer that the response is not whole.
            self.is_broken = True

    def _scope(self) -> MutableMapping[str, Any]:
        request = self._request
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": request.version,
            "method": request.method,
            "scheme": self._scheme,
            "path": request.path,
            "raw_path": request.raw_path,
            "query_string": request.query,
            "root_path": "",  # Starlette's Mount fills it in
            "headers": list(request.headers),
            "client": (self.address, 0),
            "server": None,
            LOBBY_KEY: self,
        }
