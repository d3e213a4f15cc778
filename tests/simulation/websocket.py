"""A client's side of HTTP and of WebSockets, as far as simulated clients need it: requests, responses, frames."""

from collections.abc import Iterator
from random import Random

from attrs import define, field
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from tests.simulation.violation import Violation

_HEAD_END = b"\r\n\r\n"
_URI = parse_uri("ws://server/")


def request(method: str, path: str, body: bytes = b"", headers: tuple[str, ...] = ()) -> bytes:
    """A request, with a body in JSON if it has one."""
    lines = [f"{method} {path} HTTP/1.1", "Host: server", *headers]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def handshake(path: str) -> bytes:
    """The request that opens a WebSocket."""
    lines = [
        f"GET {path} HTTP/1.1",
        "Host: server",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
    ]
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
                raise Violation("responses are well formed", repr(bytes(self._unread[:end])))
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

    _chance: Random
    status: int | None = None
    """What the handshake was answered."""
    _head: bytearray = field(factory=bytearray)
    _protocol: ClientProtocol = field(factory=lambda: ClientProtocol(_URI, state=State.OPEN, max_size=None))

    @property
    def is_open(self) -> bool:
        """Whether messages may be sent."""
        return self.status == 101

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The content of each message that is complete with these bytes."""
        if self.status is None:
            self._head += data
            end = self._head.find(_HEAD_END)
            if end < 0:
                return
            self.status, _ = _head(bytes(self._head[:end]))
            data = bytes(self._head[end + len(_HEAD_END) :])
        if not self.is_open:
            return
        self._protocol.receive_data(data)
        for frame in self._protocol.events_received():
            assert isinstance(frame, Frame)
            if frame.opcode in {Opcode.TEXT, Opcode.BINARY, Opcode.CONT}:
                if not frame.fin:
                    raise Violation("frames are well formed", f"the server sends fragments: {frame}")
                yield bytes(frame.data)
        if self._protocol.parser_exc is not None:
            raise Violation("frames are well formed", repr(self._protocol.parser_exc))

    def message(self, content: bytes) -> bytes:
        """A message, in one frame or in two."""
        cut = self._chance.randint(1, len(content) - 1) if len(content) > 1 and self._chance.random() < 0.1 else 0
        if not cut:
            return self._frame(Opcode.TEXT, content, is_last=True)
        first = self._frame(Opcode.TEXT, content[:cut], is_last=False)
        return first + self._frame(Opcode.CONT, content[cut:], is_last=True)

    def goodbye(self) -> bytes:
        """A close frame."""
        return self._frame(Opcode.CLOSE, b"\x03\xe8", is_last=True)

    def _frame(self, opcode: Opcode, content: bytes, *, is_last: bool) -> bytes:
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
        raise Violation("responses are well formed", repr(head))
    named = (line.partition(b":") for line in lines)
    return int(code), {name.lower(): value.strip() for name, _, value in named}
