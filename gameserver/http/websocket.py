"""WebSocket: its handshake, and a protocol's adapter spoken to in messages instead of over a socket of its own.

The state machine is `websockets`' own (its Sans-I/O layer): masks, lengths, control frames, close
codes. This adds what it leaves to its users: fragments are joined, text is checked to be UTF-8, and
the messages are handed to the adapter inside. Everything the runtime does for an adapter it does
for that one: one command in flight, backlog, rate, outbox, stalls, goodbye.

Close codes: 1000 when the player is through, 1001 when the server stops, 1002, 1007 and 1009 for
broken frames, text that is no UTF-8 and messages over `line_bytes_max`, 1008 for what the protocol
inside cannot read on from and for a login that does not come, 1011 for a mistake of the server,
1013 when it is full. 1003 is never sent: binary messages are read like text ones, as the servers
did whose clients come here; answers are text.

No compression: messages here are shorter than a deflate window's bookkeeping, which costs 300 KB
of memory for each connection and makes a small frame large on purpose possible. Clients do without
when it is not offered.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import parse_qsl, urlsplit

from attrs import define, evolve, field
from websockets.datastructures import Headers
from websockets.exceptions import InvalidHeader, PayloadTooBig
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request as Opening
from websockets.protocol import State
from websockets.server import ServerProtocol

from gameserver.endpoints import ANY_ORIGIN, SAME_ORIGIN, Framing, Handshake, WebSocketEndpoint
from gameserver.http.h11_connection import Request
from gameserver.http.host_context import HostContext
from gameserver.protocol import (
    Adapter,
    Answer,
    BrokenInput,
    Command,
    Event,
    NotAdmitted,
    Output,
    Peer,
    Query,
    Refusal,
    RefusalKind,
    Reply,
    WireProtocol,
    Work,
)
from gameserver.values import value

# Frames that lead to nothing and count together as one thing asked. A read of 8 KB may hold a thousand fragments:
# looked at all at once, those of a hundred peers kept everybody else waiting for five seconds; one at a time, a message
# in a frame for each byte would need a turn for each.
FRAMES_AT_ONCE = 32
# Empty fragments that one message may have: they cost us time, and no limit of size ever ends them. Judgement.
_EMPTY_FRAGMENTS_MAX = 1_000
# Bytes that fit into a close frame beside the code: 125 (RFC 6455, 5.5) without the code's two.
_REASON_BYTES_MAX = 123
# Bytes of the length where it is not in the second byte (RFC 6455, 5.2).
_EXTENDED_BYTES = {126: 2, 127: 8}
# Bytes of the masking key, which every frame of a client has (RFC 6455, 5.3).
_MASK_BYTES = 4
# The only version of the protocol (RFC 6455, 4.1).
_VERSION = b"13"
# A browser leaves the port of the scheme out of `Origin` (RFC 6454, 6.2).
_DEFAULT_PORTS = {"http": 80, "https": 443}

_CLOSE_CODES = {
    RefusalKind.STOPPING: CloseCode.GOING_AWAY,
    RefusalKind.FULL: CloseCode.TRY_AGAIN_LATER,
    RefusalKind.LATE: CloseCode.POLICY_VIOLATION,
    RefusalKind.FAULT: CloseCode.INTERNAL_ERROR,
    RefusalKind.DISMISSED: CloseCode.POLICY_VIOLATION,
}
# In place of the server's own words, which speak of logins and saved matches: not every protocol has them.
_CLOSE_REASONS = {
    RefusalKind.STOPPING: "The server is stopping; connect again when it is back",
    RefusalKind.LATE: "Nothing that counts came in time; connect again when you are ready",
}

_quiet = logging.getLogger("gameserver.websockets")
_quiet.setLevel(logging.CRITICAL + 1)  # the connection's own log tells who came and went

_T = TypeVar("_T")


@define(eq=False)
class WebSocketAdapter(Adapter):
    """The adapter of an open WebSocket, around the adapter `inner`. Times are on the server's axis, in milliseconds.

    Frames are taken a few at a time, in turns with everybody else: a read may bring a thousand that say nothing, pings
    or fragments of a byte each, and to look at all of them at once would keep the others waiting.

    A ping goes out after a silence, for the proxies and routers in between. Nobody is cut for not answering it: a bot
    that thinks for a minute in its only thread answers no ping, and the kernel knows better than we whether the peer is
    there (`transport.liveness`).
    """

    inner: Adapter
    _socket: ServerProtocol
    _framing: Framing
    _ping_every_ms: int
    """0 for no pings."""
    _heard_ms: int
    _login_due_ms: int | None
    """The time by which the peer has to log in to the inner protocol."""
    _login_timeout_s: float
    _control: deque[bytes] = field(factory=deque, init=False)
    """Pongs and pings to be sent."""
    _last_frame: bytes | None = field(default=None, init=False)
    """Our close frame, kept until everything that came before has been answered."""
    _breach: str | None = field(default=None, init=False)
    """The peer's breach of the protocol, if there was one."""
    _unread: bytearray = field(factory=bytearray, init=False)
    """Bytes that have come and were not looked at yet."""
    _unread_ms: int = field(default=0, init=False)
    _frame_left: int = field(default=0, init=False)
    """Bytes of the next frame that were not looked at yet, come or not; 0 until its header is whole."""
    _is_ended: bool = field(default=False, init=False)
    """True if nothing follows what is unread."""
    _fragments: bytearray | None = field(default=None, init=False)
    _empty_fragments: int = field(default=0, init=False)
    """Empty fragments of the message under way."""
    _is_text: bool = field(default=True, init=False)
    _is_inner_ended: bool = field(default=False, init=False)
    _is_closed: bool = field(default=False, init=False)
    """True if our close frame is out: nothing may follow it."""

    def greeting(self) -> bytes:
        """The greeting of the protocol inside the WebSocket."""
        return _to_frames(self.inner.greeting(), self._framing)

    def receive(self, data: bytes, at_ms: int) -> None:
        """Take bytes of WebSocket frames, for `next` to look at."""
        self._heard_ms = at_ms
        if self._socket.state is State.OPEN:
            # A frame came when its end did, but one that waits to be looked at is not made late by what follows it.
            self._unread_ms = self._unread_ms if self._at_hand else at_ms
            self._unread += data
            self._measure_frame()

    def receive_eof(self) -> None:
        """Take the end of a WebSocket's input: the connection is lost, or ends after the close frames."""
        self._is_ended = True
        if not self._at_hand:
            self._end()

    def next(self) -> Command | Query | Reply | Work | None:
        """The next thing to send or ask: control frames, what the adapter inside has, and at last the close frame."""
        item = self._ready()
        for _ in range(FRAMES_AT_ONCE):
            if item is not None or not self._at_hand or self._is_closed:
                return item
            self._read_frame()
            if self._is_ended and not self._at_hand:
                self._end()
            item = self._ready()
        # An empty reply asks the connection for another turn.
        return Reply(b"") if item is None and self._at_hand else item

    def _ready(self) -> Command | Query | Reply | Work | None:
        if self._control:
            return Reply(self._control.popleft())
        if self._is_closed:
            return None
        item = self._in_frames(self.inner.next)
        if isinstance(item, Reply):
            return Reply(_to_frames(item.data, self._framing))
        if item is not None:
            return item
        if self._breach is not None:
            # The page of Mastermind promises its Error for a message that is too long, before the close frame.
            is_overlong = isinstance(self._socket.parser_exc, PayloadTooBig)
            words = _to_frames(self.inner.words_for_overlong, self._framing) if is_overlong else b""
            last = self._last_words(CloseCode.PROTOCOL_ERROR, self._breach)
            raise BrokenInput(f"WebSocket: {self._breach}", words + last)
        if self.inner.finished:
            return Reply(self._last_words(CloseCode.NORMAL_CLOSURE, ""))
        return None

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """Render answers and events by the adapter inside, in WebSocket messages."""
        outputs = self.inner.render(answer, events)
        if self._is_closed:
            return ()
        return [Output(_to_frames(output.data, self._framing), output.release_ms) for output in outputs]

    def farewell(self, refusal: Refusal) -> bytes:
        """The last words of the protocol inside, then the WebSocket's close frame."""
        if self._is_closed:
            return b""
        words = _to_frames(self.inner.farewell(refusal), self._framing)
        return words + self._last_words(_CLOSE_CODES[refusal.kind], _CLOSE_REASONS.get(refusal.kind, refusal.why))

    def tick(self, now_ms: int) -> None:
        """Ping a silent peer of a WebSocket; end one that does not log in."""
        if self._login_due_ms is not None and now_ms >= self._login_due_ms:
            self._login_due_ms = None
            if not self.inner.identified:
                why = f"No login within {self._login_timeout_s:g} seconds; connect again when you are ready"
                raise BrokenInput(why, self.farewell(Refusal(why, RefusalKind.LATE)))
        if self._ping_every_ms and now_ms >= self._heard_ms + self._ping_every_ms:
            self._heard_ms = now_ms
            if self._socket.state is State.OPEN:
                self._socket.send_ping(b"")
                self._collect()
        inner_due_ms = self.inner.due_ms
        if inner_due_ms is not None and now_ms >= inner_due_ms:
            self._in_frames(lambda: self.inner.tick(now_ms))

    def ping(self) -> bytes:
        """A WebSocket ping, which browsers and libraries answer before their program sees it."""
        if self._socket.state is State.OPEN:
            self._socket.send_ping(b"")
            self._collect()
        frames, self._control = b"".join(self._control), deque()
        return frames

    @property
    def due_ms(self) -> int | None:
        """The time of a WebSocket's next ping, of its login, or of what the adapter inside does by the clock."""
        due_ms = self._heard_ms + self._ping_every_ms if self._ping_every_ms else None
        for other_ms in (self._login_due_ms, self.inner.due_ms):
            if other_ms is not None and (due_ms is None or other_ms < due_ms):
                due_ms = other_ms
        return due_ms

    @property
    def pending_bytes(self) -> int:
        """Bytes of a WebSocket that wait for the adapter inside, and control frames that wait to be sent."""
        waiting = self.inner.pending_bytes + (len(self._unread) if self._frame_left else 0)
        return waiting + sum(map(len, self._control)) if self._control else waiting

    @property
    def identified(self) -> bool:
        """True: a WebSocket's time for the login runs from the upgrade, and `tick` looks after it."""
        return True

    @property
    def is_established(self) -> bool:
        """True if the protocol inside the WebSocket says so."""
        return self.inner.is_established

    @property
    def finished(self) -> bool:
        """True if the WebSocket's close frame is out."""
        return self._is_closed

    @property
    def _at_hand(self) -> int:
        """Bytes of the unread ones that belong to the next frame; none before its header is whole."""
        return min(self._frame_left, len(self._unread))

    def _measure_frame(self) -> None:
        """Note how long the next frame is, once its header is whole."""
        if not self._frame_left:
            self._frame_left = _frame_bytes(self._unread)

    def _read_frame(self) -> None:
        """Look at the next frame, or as much of it as is there; a whole message goes to the adapter inside."""
        count = self._at_hand
        data = bytes(self._unread[:count])
        del self._unread[:count]
        self._frame_left -= count
        self._socket.receive_data(data)
        for frame in self._socket.events_received():
            if isinstance(frame, Frame) and self._breach is None:
                self._take(frame, self._unread_ms)
        self._collect()
        if self._socket.state is State.OPEN:
            self._measure_frame()
        else:
            self._unread.clear()  # nothing counts after a close frame, the peer's or ours

    def _end(self) -> None:
        if self._socket.state is State.OPEN:
            self._socket.receive_eof()
            self._socket.data_to_send()
        self._end_inner()

    def _take(self, frame: Frame, at_ms: int) -> None:
        """Join fragments; hand whole messages on."""
        if frame.opcode is Opcode.CLOSE:
            self._end_inner()
        elif frame.opcode in {Opcode.TEXT, Opcode.BINARY}:
            self._is_text = frame.opcode is Opcode.TEXT
            if frame.fin:
                self._take_message(bytes(frame.data), at_ms)
            else:
                self._fragments, self._empty_fragments = bytearray(frame.data), int(not frame.data)
        elif frame.opcode is Opcode.CONT:
            assert self._fragments is not None, "websockets refuses a continuation of nothing"
            self._fragments += frame.data
            self._empty_fragments += not (frame.data or frame.fin)
            if self._empty_fragments > _EMPTY_FRAGMENTS_MAX:
                why = f"a message has more than {_EMPTY_FRAGMENTS_MAX} empty fragments"
                self._socket.fail(CloseCode.POLICY_VIOLATION, why)
                self._breach = why
            elif frame.fin:
                message, self._fragments = bytes(self._fragments), None
                self._take_message(message, at_ms)

    def _take_message(self, message: bytes, at_ms: int) -> None:
        # RFC 6455, 8.1. Only whole messages are judged: a fragment may end within a letter.
        if self._is_text and not _is_utf8(message):
            self._socket.fail(CloseCode.INVALID_DATA, "a text message must be UTF-8")
            self._breach = "a text message is not UTF-8"
            return
        self._in_frames(lambda: self.inner.receive(_to_bytes(message, self._framing), at_ms))

    def _collect(self) -> None:
        """Sort what the state machine wants to send: control frames now, the close frame at the end."""
        writes = list(filter(None, self._socket.data_to_send()))
        if self._socket.close_sent is not None and self._last_frame is None and writes:
            self._last_frame = writes.pop()  # the state machine writes nothing behind it
        if writes:
            self._control.append(b"".join(writes))
        if self._socket.parser_exc is not None and self._breach is None:
            self._breach = str(self._socket.parser_exc)

    def _last_words(self, code: CloseCode, reason: str) -> bytes:
        """The close frame: the state machine's, if it has made one, else one of ours."""
        self._is_closed = True
        self._unread.clear()
        if self._socket.state is State.OPEN:
            self._socket.send_close(code, _shortened(reason))
            self._collect()
        return self._last_frame or b""

    def _in_frames(self, work: Callable[[], _T]) -> _T:
        """Run the adapter inside; what it cannot read on from ends the WebSocket, in its own words."""
        try:
            return work()
        except BrokenInput as broken:
            words = _to_frames(broken.last_words, self._framing)
            raise BrokenInput(broken.why, words + self._last_words(CloseCode.POLICY_VIOLATION, broken.why)) from broken

    def _end_inner(self) -> None:
        if not self._is_inner_ended:
            self._is_inner_ended = True
            self.inner.receive_eof()


@value
class Mount:
    """A WebSocket endpoint, and the protocol whose adapter is inside."""

    protocol: WireProtocol
    endpoint: WebSocketEndpoint


class NotUpgraded(Exception):
    """A WebSocket handshake is refused, with the status, a sentence and headers of an HTTP response."""

    def __init__(self, status: int, why: str, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
        super().__init__(why)
        self.status = status
        self.why = why
        self.headers = tuple(headers)


def asks_for_websocket(request: Request) -> bool:
    """True if an HTTP request asks for a WebSocket, however wrongly."""
    # RFC 6455, 4.2.1. In HTTP/1.0 an `Upgrade` means nothing (RFC 9110, 7.8).
    return request.version == "1.1" and b"websocket" in request.tokens(b"upgrade")


def how_to_connect(path: str) -> str:
    """Tells a client that comes to a WebSocket's path with something else how to connect."""
    return f"{path} speaks WebSocket, version 13: connect to ws://HOST:PORT{path} with a WebSocket client"


def upgrade(
    request: Request, mount: Mount, peer: Peer, context: HostContext, ping_every_s: float
) -> tuple[bytes, WebSocketAdapter]:
    """Opens a WebSocket: the response to its handshake, and the adapter for what follows. Raises `NotUpgraded`.

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
    """Make the adapter of the protocol that the messages are for."""
    protocol = mount.protocol
    try:
        adapter = protocol.adapter(peer, context.guest(protocol, mount.endpoint.profile))
    except NotAdmitted as refused:
        raise NotUpgraded(refused.status, refused.why) from refused
    return context.recorded(adapter, peer, protocol)


def _check(request: Request, endpoint: WebSocketEndpoint) -> None:
    """Check what `websockets` does not check, or answers otherwise than RFC 6455 asks."""
    if request.method != "GET":
        why = f"A WebSocket is opened by GET, not by {request.method}: {how_to_connect(endpoint.path)}"
        raise NotUpgraded(HTTPStatus.METHOD_NOT_ALLOWED, why, ((b"allow", b"GET"),))
    if request.header(b"sec-websocket-version") != _VERSION:
        headers = ((b"sec-websocket-version", _VERSION), (b"upgrade", b"websocket"))
        raise NotUpgraded(HTTPStatus.UPGRADE_REQUIRED, how_to_connect(endpoint.path), headers)
    origin = request.header(b"origin")
    if origin is not None and not _may_connect(origin.decode("latin-1"), request, endpoint.origins):
        why = f"Pages of {origin.decode('latin-1')} may not connect to {endpoint.path}"
        raise NotUpgraded(HTTPStatus.FORBIDDEN, why)


def _may_connect(origin: str, request: Request, origins: Sequence[str]) -> bool:
    if ANY_ORIGIN in origins or origin in origins:
        return True
    host = request.header(b"host")
    return SAME_ORIGIN in origins and host is not None and _is_same_host(origin, host.decode("latin-1"))


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
    return f"{error}; {_reasons(error.__cause__)}" if error.__cause__ is not None else str(error)


def _to_bytes(message: bytes, framing: Framing) -> bytes:
    """The bytes that an adapter reads for a WebSocket message."""
    if framing is Framing.STREAM:
        return message
    return b" ".join(message.splitlines()) + b"\n"


def _to_frames(data: bytes, framing: Framing) -> bytes:
    """An adapter's output as text frames: a message for each line, or one for all.

    They are made without asking the connection's state machine, which would refuse them once the
    peer has sent its close frame: what was asked before that is still answered.
    """
    if framing is Framing.STREAM:
        return _framed(data) if data else b""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return b"".join([_framed(line.removesuffix(b"\r")) for line in lines])


def _framed(message: bytes) -> bytes:
    return Frame(Opcode.TEXT, message).serialize(mask=False)


def _frame_bytes(data: bytes | bytearray) -> int:
    """The length of the frame that begins here, header included (RFC 6455, 5.2); 0 if the header is not whole."""
    if len(data) < 2:
        return 0
    length, header_bytes = data[1] & 0x7F, 2
    if length in _EXTENDED_BYTES:
        header_bytes += _EXTENDED_BYTES[length]
        length = int.from_bytes(data[2:header_bytes])
    header_bytes += _MASK_BYTES if data[1] & 0x80 else 0
    return header_bytes + length if len(data) >= header_bytes else 0


def _is_utf8(message: bytes) -> bool:
    try:
        message.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _shortened(reason: str) -> str:
    """The part of a reason that a close frame takes, without half a character."""
    return reason.encode("utf-8")[:_REASON_BYTES_MAX].decode("utf-8", "ignore")
