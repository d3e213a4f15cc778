"""Bytes of a conversation as the units that people speak of: lines, WebSocket messages, requests and responses of HTTP.

A `Conversation` reads both directions, because a connection that begins with HTTP changes in both when the server
answers 101. It reads passively: the `raw` bytes of all units together are the bytes that went in. Bytes that are none
of these, such as TLS, pass as they come.
"""

import re
from collections.abc import Callable, Mapping
from enum import Enum
from typing import ClassVar

from attrs import define, field
from websockets.frames import Frame, Opcode
from websockets.utils import apply_mask

from gameserver.proxy.faults import Direction
from gameserver.values import value

_UNIT_BYTES_MAX = 4_000_000
"""Bytes of an unfinished unit; with more the connection is taken for one without units."""
_FIRST_LINE = {
    Direction.TO_SERVER: re.compile(rb"[A-Z]+ \S+ HTTP/1\.\d\r?\n"),
    Direction.TO_CLIENT: re.compile(rb"HTTP/1\.\d \d{3}"),
}
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(rb"(?im)^content-length:\s*(\d+)\s*$")
_CHUNKED = re.compile(rb"(?im)^transfer-encoding:.*\bchunked\s*$")
_UPGRADE = re.compile(rb"(?im)^upgrade:\s*websocket\s*$")
_NO_BODY = re.compile(rb"HTTP/1\.\d (?:1\d\d|204|304)")
_EXTENSIONS = re.compile(rb"(?im)^sec-websocket-extensions:.*\r?\n")
# The first byte of a TLS record that holds a ClientHello (RFC 8446, 5.1).
_TLS_HANDSHAKE = 0x16
# Opcodes from 8 on are close, ping and pong (RFC 6455, 5.2).
_CONTROL_BIT = 0x8


class UnitForm(Enum):
    """The form of a unit of a conversation: a line, a message, a part of HTTP, bytes."""

    LINE = "line"
    MESSAGE = "message"
    CONTROL = "control frame"
    HEAD = "head of a request or response"
    BODY = "body of a request or response"
    BYTES = "bytes"


@value
class Unit:
    """A unit of a conversation as it was sent, and its content: a line with its end, or a text of a message or body."""

    form: UnitForm
    raw: bytes
    content: bytes
    opcode: Opcode = Opcode.TEXT


class _State(Enum):
    START = "nothing has come"
    LINES = "lines"
    HEAD = "a request or response begins"
    BODY = "in a body"
    CHUNK = "in a body of chunks"
    UPGRADING = "the server has not answered yet"
    FRAMES = "WebSocket"
    OPAQUE = "neither"


def without_extensions(head: bytes) -> bytes:
    """A request's head that offers no compression of WebSocket messages, which no reader of units could undo."""
    return _EXTENSIONS.sub(b"", head)


@define(eq=False)
class _Side:
    """One direction: the bytes that make no unit yet, and what they are part of."""

    direction: Direction
    state: _State = _State.START
    buffer: bytearray = field(factory=bytearray)
    body_left: int = 0
    line_end: bytes = b"\n"
    fragments: list[Unit] = field(factory=list)
    """Frames of the message under way."""
    is_compressed: bool = False

    def taken(self, form: UnitForm, length: int) -> Unit:
        """Cut a unit off the front of the buffer."""
        raw = bytes(self.buffer[:length])
        del self.buffer[:length]
        return Unit(form, raw, raw)


class Conversation:
    """The reader of a conversation's units, in both directions of a connection."""

    def __init__(self) -> None:
        self._sides = {direction: _Side(direction) for direction in Direction}

    def read(self, direction: Direction, data: bytes) -> list[Unit]:
        """Read the units of a conversation that are whole with these bytes."""
        side = self._sides[direction]
        side.buffer += data
        units = []
        while side.buffer:
            state = side.state
            unit = self._STEPS[state](self, side)
            if unit is not None:
                units.append(unit)
            elif side.state is state:
                break
        if len(side.buffer) > _UNIT_BYTES_MAX:
            side.state = _State.OPAQUE
            units.append(side.taken(UnitForm.BYTES, len(side.buffer)))
        return units

    def rest(self, direction: Direction) -> bytes:
        """Take the bytes that make no whole unit: no more come, or nobody wants to wait."""
        side = self._sides[direction]
        raw = b"".join(fragment.raw for fragment in side.fragments) + bytes(side.buffer)
        side.fragments.clear()
        side.buffer.clear()
        return raw

    def unfinished(self, direction: Direction) -> bytes:
        """The beginning of a unit that is a line whose end has not come; empty where no lines are spoken."""
        side = self._sides[direction]
        return bytes(side.buffer) if side.state in {_State.START, _State.LINES} else b""

    def has_rest(self, direction: Direction) -> bool:
        """True if bytes have come that make no whole unit of the conversation yet."""
        side = self._sides[direction]
        return bool(side.buffer or side.fragments)

    @property
    def has_units(self) -> bool:
        """True if the units of this conversation are lines or messages, as far as can be told, not HTTP or TLS."""
        states = {side.state for side in self._sides.values()}
        return _State.FRAMES in states or states <= {_State.START, _State.LINES}

    def framed(self, direction: Direction, content: bytes) -> bytes:
        """A line or a message of this content as a unit, as this direction of the conversation sends them now."""
        side = self._sides[direction]
        if side.state is _State.FRAMES:
            return framed(content, direction)
        return content if content.endswith(b"\n") else content + side.line_end

    def _start(self, side: _Side) -> Unit | None:
        if side.buffer[0] == _TLS_HANDSHAKE:
            side.state = _State.OPAQUE
        elif b"\n" in side.buffer:
            side.state = _State.HEAD if _FIRST_LINE[side.direction].match(side.buffer) else _State.LINES
        return None

    def _line(self, side: _Side) -> Unit | None:
        end = side.buffer.find(b"\n") + 1
        if not end:
            return None
        unit = side.taken(UnitForm.LINE, end)
        side.line_end = b"\r\n" if unit.raw.endswith(b"\r\n") else b"\n"
        return unit

    def _head(self, side: _Side) -> Unit | None:
        end = _HEAD_END.search(side.buffer)
        if end is None:
            return None
        unit = side.taken(UnitForm.HEAD, end.end())
        length = _LENGTH.search(unit.raw)
        is_request = side.direction is Direction.TO_SERVER
        side.body_left = int(length[1]) if length else 0
        if is_request and _UPGRADE.search(unit.raw):
            side.state = _State.UPGRADING
        # The status code stands behind `HTTP/1.1 `. From here on both directions speak in frames.
        elif not is_request and unit.raw[9:12] == b"101":
            side.state = _State.FRAMES
        elif _NO_BODY.match(unit.raw) or (length and not side.body_left):
            side.state = _State.HEAD
        elif _CHUNKED.search(unit.raw):
            side.state = _State.CHUNK
        elif length:
            side.state = _State.BODY
        else:
            # A response without a length ends with its stream (RFC 9112, 6.3).
            side.state = _State.HEAD if is_request else _State.OPAQUE
        return unit

    def _body(self, side: _Side) -> Unit | None:
        if len(side.buffer) < side.body_left:
            return None
        side.state = _State.HEAD
        return side.taken(UnitForm.BODY, side.body_left)

    def _chunk(self, side: _Side) -> Unit | None:
        begin = side.buffer.find(b"\r\n") + 2
        size = re.match(rb"[0-9A-Fa-f]+", side.buffer)
        if size is None:
            side.state = _State.OPAQUE
            return None
        length = int(size[0], 16)
        if begin == 1 or len(side.buffer) < begin + length + 2:
            return None
        side.state = _State.CHUNK if length else _State.HEAD
        unit = side.taken(UnitForm.BODY, begin + length + 2)
        return Unit(UnitForm.BODY, unit.raw, unit.raw[begin : begin + length])

    def _upgrading(self, side: _Side) -> Unit | None:
        is_upgraded = self._sides[side.direction.other].state is _State.FRAMES
        side.state = _State.FRAMES if is_upgraded else _State.HEAD
        return None

    def _frame(self, side: _Side) -> Unit | None:
        """A control frame, or a whole message with all its frames."""
        frame = _first_frame(side.buffer)
        while frame is not None:
            length, payload, opcode = frame
            # FIN and RSV1, which marks a compressed message in its first frame only (RFC 7692, 6).
            is_last, is_compressed = bool(side.buffer[0] & 0x80), bool(side.buffer[0] & 0x40)
            raw = side.taken(UnitForm.BYTES, length).raw
            # Control frames may stand between the fragments of a message (RFC 6455, 5.4).
            if opcode & _CONTROL_BIT:
                return Unit(UnitForm.CONTROL, raw, payload, opcode)
            side.is_compressed = is_compressed or (side.is_compressed and bool(side.fragments))
            side.fragments.append(Unit(UnitForm.MESSAGE, raw, payload, opcode))
            if is_last:
                form = UnitForm.BYTES if side.is_compressed else UnitForm.MESSAGE
                parts, side.fragments = side.fragments, []
                whole = b"".join(part.content for part in parts)
                return Unit(form, b"".join(part.raw for part in parts), whole, parts[0].opcode)
            frame = _first_frame(side.buffer)
        return None

    def _opaque(self, side: _Side) -> Unit | None:
        return side.taken(UnitForm.BYTES, len(side.buffer))

    _STEPS: ClassVar[Mapping[_State, Callable[["Conversation", _Side], Unit | None]]] = {
        _State.START: _start,
        _State.LINES: _line,
        _State.HEAD: _head,
        _State.BODY: _body,
        _State.CHUNK: _chunk,
        _State.UPGRADING: _upgrading,
        _State.FRAMES: _frame,
        _State.OPAQUE: _opaque,
    }


def framed(payload: bytes, direction: Direction, opcode: Opcode = Opcode.TEXT) -> bytes:
    """Makes a WebSocket message one unit of a conversation's bytes, a frame; what goes to a server is masked."""
    return Frame(opcode, payload).serialize(mask=direction is Direction.TO_SERVER)


def _first_frame(buffer: bytearray) -> tuple[int, bytes, Opcode] | None:
    """The length of the first frame with its header, its payload and its opcode; None until all of it is there."""
    if len(buffer) < 2:
        return None
    is_masked, length = bool(buffer[1] & 0x80), buffer[1] & 0x7F
    begin = 2
    # 126 and 127 announce a length in two or eight more bytes (RFC 6455, 5.2).
    if length >= 126:
        begin = 4 if length == 126 else 10
        length = int.from_bytes(buffer[2:begin], "big")
    mask = bytes(buffer[begin : begin + 4])
    begin += 4 * is_masked
    if len(buffer) < begin + length:
        return None
    payload = bytes(buffer[begin : begin + length])
    code = buffer[0] & 0x0F
    opcode = Opcode(code) if code in set(Opcode) else Opcode.BINARY
    return begin + length, apply_mask(payload, mask) if is_masked and payload else payload, opcode
