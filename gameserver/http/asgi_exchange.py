"""One HTTP request on its way through an ASGI application, and the application's way to the lobby.

The application runs in a task; the connection is synchronous. Between them is one slot: what the
application sends or asks lies there until the connection takes it, which it does at once unless
the peer does not read or a command is under way. So a response is made no faster than it is read,
however large it is, and a handler's commands obey the same rules as everybody's.

The application is cancelled when the connection ends. What it raises is logged and becomes a 500;
where the response has begun already, the connection is cut, so that nobody takes half a page for
a whole one.
"""

from collections.abc import Callable, MutableMapping, Sequence
from http import HTTPStatus
from typing import Any

import structlog
import trio
from attrs import define, field

from gameserver.endpoints import LOBBY_KEY, AsgiApp, LobbyReply
from gameserver.http.h11_connection import H11Connection, Request
from gameserver.protocol import Answer, Command, Event, Query
from gameserver.read_model.lobby_view import ReadModel

CHUNK_BYTES = 32_768
"""Bytes of a response that are handed over at once: fewer than make a connection wait for its peer."""
UNHEARD_EVENTS_MAX = 1_000
"""The most events that may wait for a handler that does not `hear` them."""

log = structlog.get_logger()


class ExchangeBroken(Exception):
    """The application broke the rules of ASGI, or failed, in the middle of a response."""


@define(eq=False)
class Exchange:
    """`run` is the application's task; `take`, `tell` and `hang_up` are the connection's side. It is a `Lobby` too."""

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
        """The next thing to send or to ask."""
        taken, self._slot = self._slot, None
        if taken is not None:
            self._taken.set()
        return taken

    def tell(self, answer: Answer | None, events: Sequence[Event]) -> None:
        """Bring what the lobby said."""
        if answer is not None:
            self._told = LobbyReply(answer, tuple(events))
            self._answered.set()
        elif len(self._unheard) + len(events) <= UNHEARD_EVENTS_MAX:
            self._unheard += events
            self._spoken.set()
        else:
            self.is_broken = True
            log.warning("a handler heard nothing for too long", path=self._request.raw_path, events=len(self._unheard))

    @property
    def is_answered(self) -> bool:
        """True if the whole response has been given out, though the application may still be busy."""
        return self._is_complete and self._slot is None

    def hang_up(self) -> None:
        """The peer will send no more."""
        self._gone.set()

    def cut_off(self) -> None:
        """The connection ends, with an answer of its own where one is due: the application has nothing more to say."""
        self._is_cut = True
        self._gone.set()

    async def run(self, wake: Callable[[], None]) -> None:
        """Answer the request."""
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
        """Carry out a command or query and wait for its outcome."""
        async with self._asking:
            self._answered = trio.Event()
            await self._offer(asked)
            await self._answered.wait()
            assert self._told is not None, "the answer is set before the event"
            return self._told

    async def hear(self) -> tuple[Event, ...]:
        """Wait for events that nobody asked for."""
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
            raise ExchangeBroken(broken)

    async def _send_body(self, body: bytes, *, is_last: bool) -> None:
        assert self._head is not None, "checked by the caller"
        data = self._messages.begin_response(*self._head) if self._messages.can_respond else b""
        for start in range(0, len(body), CHUNK_BYTES):
            await self._offer(data + self._messages.send_body(body[start : start + CHUNK_BYTES]))
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
            raise ExchangeBroken(message)

    async def _fail(self) -> None:
        why = "The server made a mistake with this request; nothing is known to be wrong with yours"
        if self._is_complete or self._is_cut:
            return
        if self._messages.can_respond:
            await self._offer(self._messages.refuse(HTTPStatus.INTERNAL_SERVER_ERROR, why))
        else:
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
            "root_path": "",
            "headers": list(request.headers),
            "client": (self.address, 0),
            "server": None,
            LOBBY_KEY: self,
        }
