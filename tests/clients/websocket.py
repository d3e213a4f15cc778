"""The client's side of HTTP and of WebSockets, sans-io: requests, responses, frames."""

from collections.abc import Iterator
from random import Random

from attrs import Factory, define, field
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from tests.clients import Refused

_HEAD_END = b"\r\n\r\n"
_URI = parse_uri("ws://server/")


def request(method: str, path: str, body: bytes = b"", headers: tuple[str, ...] = ()) -> bytes:
    """A request, with a body in JSON if it has one."""
    lines = [f"{method} {path} HTTP/1.1", "Host: server", *headers]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def handshake(path: str = "/echo", **headers: str) -> bytes:
    """The request that opens a WebSocket; headers can be changed, or left out by an empty value."""
    fields = {
        "Host": "test",
        "Upgrade": "websocket",
        "Connection": "keep-alive, Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    } | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items() if value)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


@define
class Responses:
    """Responses with a length, out of a stream of bytes."""

    _unread: bytearray = field(factory=bytearray)

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """The status and body of each response that is complete with these bytes."""
        self._unread += data
        while (end := self._unread.find(_HEAD_END)) >= 0:
            status, fields = _head(bytes(self._unread[:end]))
            if b"content-length" not in fields:
                raise Refused(f"a response has no length: {bytes(self._unread[:end])!r}")
            start = end + len(_HEAD_END)
            length = int(fields[b"content-length"])
            if len(self._unread) < start + length:
                return
            body = bytes(self._unread[start : start + length])
            del self._unread[: start + length]
            yield status, body


@define
class Frames:
    """A WebSocket that was asked for: its messages, once it is open."""

    _chance: Random = Factory(lambda: Random(0))
    status: int | None = None
    """The response to the handshake."""
    refusal: bytes = b""
    """The body of that response, if it opens no WebSocket."""
    _unread: bytearray = field(factory=bytearray)
    _protocol: ClientProtocol = field(factory=lambda: ClientProtocol(_URI, state=State.OPEN, max_size=None))

    @property
    def is_open(self) -> bool:
        """True if messages may be sent."""
        return self.status == 101

    @property
    def close_code(self) -> int | None:
        """The code of the server's close frame; None before one has come."""
        return None if self._protocol.close_rcvd is None else self._protocol.close_rcvd.code

    @property
    def is_unfinished(self) -> bool:
        """True if a part of something has come."""
        return bool(self._unread or self._protocol.reader.buffer)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The content of each message that is complete with these bytes."""
        if self.status is None:
            self._unread += data
            end = self._unread.find(_HEAD_END)
            if end < 0:
                return
            status, _ = _head(bytes(self._unread[:end]))
            if status != 101:
                self.status, self.refusal = next(Responses().feed(bytes(self._unread)), (None, b""))
                return
            self.status, data = status, bytes(self._unread[end + len(_HEAD_END) :])
            self._unread.clear()
        if not self.is_open:
            return
        self._protocol.receive_data(data)
        for frame in self._protocol.events_received():
            assert isinstance(frame, Frame)
            if frame.opcode in {Opcode.TEXT, Opcode.BINARY, Opcode.CONT}:
                if not frame.fin:
                    raise Refused(f"the server sends fragments: {frame}")
                yield bytes(frame.data)
        if self._protocol.parser_exc is not None:
            raise Refused(f"frames are not well formed: {self._protocol.parser_exc!r}")

    def message(self, content: bytes) -> bytes:
        """A message, in one frame or in two."""
        cut = self._chance.randint(1, len(content) - 1) if len(content) > 1 and self._chance.random() < 0.1 else 0
        if not cut:
            return self._frame(Opcode.TEXT, content)
        return self._frame(Opcode.TEXT, content[:cut], is_last=False) + self._frame(Opcode.CONT, content[cut:])

    def goodbye(self) -> bytes:
        """A close frame."""
        return self._frame(Opcode.CLOSE, b"\x03\xe8")

    def _frame(self, opcode: Opcode, content: bytes, *, is_last: bool = True) -> bytes:
        mask = self._chance.randbytes(4)
        length = len(content)
        size = bytes([0x80 | length]) if length < 126 else b"\xfe" + length.to_bytes(2, "big")
        masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(content))
        return bytes([opcode | (0x80 if is_last else 0)]) + size + mask + masked


def _head(head: bytes) -> tuple[int, dict[bytes, bytes]]:
    """The status and the headers, by their names in lower case."""
    status, *lines = head.split(b"\r\n")
    version, code, *_ = status.split(b" ")
    if version != b"HTTP/1.1" or not code.isdigit():
        raise Refused(f"this is not the head of a response: {head!r}")
    named = (line.partition(b":") for line in lines)
    return int(code), {name.lower(): value.strip() for name, _, value in named}
