"""HTTP/1.1 on one connection, through h11: bytes to requests, responses to bytes.

h11 knows the protocol; this adds our limits, gathers each request's body, and says in one place what
a refusal looks like. A request that breaks a rule raises `BadRequest` with the status to answer;
nothing after it can be trusted, so the connection ends with that answer.

h11 reads two old spellings of a head, and has no option to refuse them: lines that end in a bare LF, which RFC 9112
allows in section 2.2, and folded headers, which it joins by a blank, as section 5.2 allows. A request could be smuggled
by them only past a proxy that takes a bare LF for a part of a value and forwards it, which RFC 9110 forbids in 5.5.
"""

import re
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote_to_bytes

import h11
from attrs import define, field

from gameserver.http.host_context import HttpOptions
from gameserver.values import value

# The pattern that tells HTTP from other protocols of lines; h11 looks at the rest.
_REQUEST_LINE = re.compile(rb".* HTTP/[0-9.]+\r?")
_TOO_LARGE = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
# The first bytes of every TLS connection: a handshake record of version 3.x (RFC 8446, 5.1).
_TLS_HELLO = b"\x16\x03"


@value
class Request:
    """A whole HTTP request as h11 has read it, its body included. Names of headers are in lower case."""

    method: str
    target: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    version: str
    body: bytes

    @property
    def raw_path(self) -> bytes:
        """The path of an HTTP request as it came, without the query.

        Without the host, too, which stands before it in requests to a proxy (RFC 9112, 3.2.2: a server must accept it).
        """
        target = self.target.partition(b"?")[0]
        scheme, separator, rest = target.partition(b"://")
        if separator and scheme.lower() in {b"http", b"https"}:
            return b"/" + rest.partition(b"/")[2]
        return target

    @property
    def path(self) -> str:
        """The path of an HTTP request, percent-decoded."""
        return unquote_to_bytes(self.raw_path).decode("utf-8", "replace")

    @property
    def query(self) -> bytes:
        """The query of an HTTP request, without its question mark."""
        return self.target.partition(b"?")[2]

    def header(self, name: bytes) -> bytes | None:
        """The value of an HTTP header; None unless it comes exactly once."""
        values = [value for key, value in self.headers if key == name]
        return values[0] if len(values) == 1 else None

    def tokens(self, name: bytes) -> set[bytes]:
        """The words of an HTTP header that is a list, in lower case."""
        found = b",".join(value for key, value in self.headers if key == name)
        return {word.strip().lower() for word in found.split(b",")}


class BadRequest(Exception):
    """A broken HTTP request, after which the connection cannot go on."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


@define(eq=False)
class H11Connection:
    """HTTP/1.1 of one connection, by h11. `http_date` gives the value of the Date header."""

    _options: HttpOptions
    _http_date: Callable[[], bytes]
    _h11: h11.Connection = field(init=False)
    _head: h11.Request | None = field(default=None, init=False)
    _body: bytearray = field(factory=bytearray, init=False)
    _without_body: bool = field(default=False, init=False)
    is_ambiguous: bool = field(default=False, init=False)
    """True if a request said in two ways how long it is: the connection ends with its answer."""
    _has_new_line: bool = field(default=False, init=False)
    """True if a line has ended since `_check_protocol` last looked."""
    _is_tls: bool = field(default=False, init=False)

    @_h11.default
    def _new_h11(self) -> h11.Connection:
        return h11.Connection(h11.SERVER, max_incomplete_event_size=self._options.head_bytes_max)

    @property
    def is_over(self) -> bool:
        """True if no further request is expected, because either side said so or has ended."""
        return self._h11.our_state in {h11.MUST_CLOSE, h11.CLOSED, h11.ERROR} or self._h11.their_state is h11.CLOSED

    @property
    def can_respond(self) -> bool:
        """True if a response can begin now."""
        return self._h11.our_state in {h11.IDLE, h11.SEND_RESPONSE}

    @property
    def has_begun(self) -> bool:
        """True if a request has begun that is not whole yet."""
        return self._head is not None or bool(self._h11.trailing_data[0])

    @property
    def unread_bytes(self) -> int:
        """Bytes that h11 has not looked at yet."""
        return len(self._h11.trailing_data[0])

    def receive(self, data: bytes) -> None:
        """Give h11 the bytes that came; `b""` is the end."""
        self._has_new_line = self._has_new_line or b"\n" in data
        self._is_tls = self._is_tls or (data.startswith(_TLS_HELLO) and not self.has_begun)
        self._h11.receive_data(data)

    def next_request(self) -> Request | None:
        """Reads the next whole request; None if there is none yet. Raises `BadRequest`."""
        while True:
            event = self._next_event()
            if isinstance(event, h11.Request):
                self._head = event
                self._check_head(event)
            elif isinstance(event, h11.Data):
                self._body += event.data
                self._check_size(len(self._body))
            elif isinstance(event, h11.EndOfMessage):
                return self._whole()
            else:
                self._check_protocol()
                return None

    def continue_request(self) -> bytes:
        """Writes `100 Continue`, if the peer waits for it before it sends the body of its request."""
        if self._h11.our_state is not h11.SEND_RESPONSE or not self._h11.they_are_waiting_for_100_continue:
            return b""
        # RFC 9110, 10.1.1. Sent only now, when the head has passed: a body that is too long is refused before it comes.
        return self._sent(h11.InformationalResponse(status_code=100, headers=[]))

    def begin_response(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
        """Writes the head of a response. Raises `h11.LocalProtocolError` if its headers make no sense."""
        own = [(name.lower(), value) for name, value in headers]
        if not any(name == b"date" for name, _ in own):
            own.append((b"date", self._http_date()))
        # RFC 9112, 6.1: a server closes after a request with both Content-Length and Transfer-Encoding.
        if self.is_ambiguous and not any(name == b"connection" for name, _ in own):
            own.append((b"connection", b"close"))
        # RFC 9112, 6.3: these end with their head, whatever length it announces.
        self._without_body = status in {204, 304} or (self._head is not None and self._head.method == b"HEAD")
        return self._sent(h11.Response(status_code=status, headers=own, reason=_reason(status)))

    def send_body(self, data: bytes) -> bytes:
        """Writes some of a response's body; nothing where the response has none."""
        return b"" if self._without_body or not data else self._sent(h11.Data(data=data))

    def end_response(self) -> bytes:
        """Writes the end of a response; h11 can then read the next request, where both sides can go on."""
        data = self._sent(h11.EndOfMessage())
        if self._h11.our_state is h11.DONE and self._h11.their_state is h11.DONE:
            self._head = None
            self._h11.start_next_cycle()
        return data

    def refuse(self, status: int, why: str, headers: Iterable[tuple[bytes, bytes]] = ()) -> bytes:
        """Writes a whole response in one sentence, after which the connection ends; nothing once one began."""
        if not self.can_respond:
            return b""
        text = f"{why}\n".encode()
        own = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", b"%d" % len(text)),
            (b"connection", b"close"),
            *headers,
        ]
        return self.begin_response(status, own) + self.send_body(text) + self._sent(h11.EndOfMessage())

    def take_unread(self) -> bytes:
        """Takes the bytes that came behind the request that switches to another protocol."""
        return bytes(self._h11.trailing_data[0])

    def _next_event(self) -> Any:
        if self._h11.their_state in {h11.CLOSED, h11.MUST_CLOSE} and not self._h11.trailing_data[0]:
            return None
        before = None if self._head is not None else self.unread_bytes
        try:
            event = self._h11.next_event()
        except h11.RemoteProtocolError as error:
            if error.error_status_hint == _TOO_LARGE:
                raise self._too_large() from error
            # The fault that h11 names is repeated, but not the bytes in which it found it.
            found = str(error).partition("bytearray(")[0].rstrip(" :")
            why = f"This is no HTTP request that can be answered: {found}"
            if self._is_tls:
                why = "This port speaks HTTP without TLS; write http:// or ws:// instead of https:// or wss://"
            raise BadRequest(error.error_status_hint, why) from error
        # h11 holds the limit only against a head that is not whole yet: one that came in one read could be of any
        # length.
        if before is not None and isinstance(event, h11.Request):
            head_bytes = before - self.unread_bytes
            if head_bytes > self._options.head_bytes_max:
                raise self._too_large()
        return event

    def _too_large(self) -> BadRequest:
        why = f"The first line and headers of a request may have {self._options.head_bytes_max} bytes"
        return BadRequest(_TOO_LARGE, why)

    def _check_protocol(self) -> None:
        """Refuse a peer that speaks another protocol as soon as a line is there.

        h11 waits for the end of a head: a raw Mastermind client on 8080, the port of the original, would hear nothing
        for 30 seconds.
        """
        if self._head is not None or not self._has_new_line:
            return
        self._has_new_line = False
        line, end, _ = self._h11.trailing_data[0].partition(b"\n")
        if end and not _REQUEST_LINE.fullmatch(line):
            why = "This port speaks HTTP and WebSocket; a protocol of lines has a port of its own"
            raise BadRequest(HTTPStatus.BAD_REQUEST, why)

    def _check_head(self, head: h11.Request) -> None:
        """Refuse versions other than HTTP/1, and a body that is announced as too long, before it is sent."""
        if not head.http_version.startswith(b"1."):
            raise BadRequest(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "This server speaks HTTP/1.1")
        for name, text in head.headers:
            if name == b"content-length":
                self._check_size(int(text))
        # RFC 9112 6.1: a proxy before us may have read another length, and take what follows for another request.
        self.is_ambiguous = {b"content-length", b"transfer-encoding"} <= {name for name, _ in head.headers}

    def _check_size(self, size: int) -> None:
        if size > self._options.body_bytes_max:
            why = f"The body of a request may have {self._options.body_bytes_max} bytes"
            raise BadRequest(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, why)

    def _whole(self) -> Request:
        head, body = self._head, bytes(self._body)
        assert head is not None, "h11 ends no message that it did not begin"
        self._body.clear()
        return Request(
            head.method.decode("ascii"),
            head.target,
            tuple(head.headers),
            head.http_version.decode("ascii"),
            body,
        )

    def _sent(self, event: h11.Event) -> bytes:
        return self._h11.send(event) or b""


def _reason(status: int) -> bytes:
    try:  # an application may send a status that the standard library has no phrase for
        return HTTPStatus(status).phrase.encode("ascii")
    except ValueError:
        return b""
