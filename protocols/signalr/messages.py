"""The messages of SignalR's JSON protocol, one class for each that means something, and their way from and to records.

To be held against the "SignalR Hub Protocol" document of ASP.NET Core: a message is told by its number, "type". First
what a client sends, then what the server says.

Of a client's message, members and numbers that nobody knows are ignored: later versions of the clients send more than
older ones did. `CancelInvocation` (5), stream items (2) and completions (3) belong to streams and to results of
clients, which no hub here asks for, and are ignored too. What is no message at all ends the connection, as it does
there.

A record is a JSON text that ends in 0x1E. Which records come out depends on the bytes alone and never on how they were
cut: clients put several into one message, and a message may end in the middle of one. So a record over the limit is
refused after the records before it were handed out, not when its bytes arrive.
"""

from collections import deque
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import orjson

from gameserver.values import value

_SEPARATOR = b"\x1e"
"""Ends every record. JSON writes it as an escape, so it is in no record."""

_PROTOCOL_NAME = "json"

_VERSIONS = (0, 1, 2)
"""1 is everybody's, 2 asks for stateful reconnects besides, 0 is what the Python client `signalrcore` sends."""


class BadMessage(ValueError):
    """A record is no message of SignalR's, or too long; the text says why, as ASP.NET Core does."""


class Records:
    """The SignalR records of one connection, in order, without their ends."""

    def __init__(self, record_bytes_max: int) -> None:
        self._record_bytes_max = record_bytes_max
        self._unfinished = bytearray()
        self._finished: deque[bytes] = deque()
        self._is_too_long = False
        self.pending_bytes = 0
        """Bytes of the records that `take` has not handed out, with one for each end."""

    def __bool__(self) -> bool:
        """True if `take` has something to say: a record, or that nothing more can be read."""
        return bool(self._finished) or self._is_too_long

    def feed(self, data: bytes) -> None:
        """Cuts bytes into SignalR records. What follows a record over the limit is thrown away."""
        if self._is_too_long:
            return
        *finished, begun = data.split(_SEPARATOR)
        if finished:
            finished[0] = bytes(self._unfinished) + finished[0]
            self._unfinished.clear()
        for record in finished:
            if len(record) > self._record_bytes_max:
                self._break_off()
                return
            self._finished.append(record)
            self.pending_bytes += len(record) + 1
        self._unfinished += begun
        if len(self._unfinished) > self._record_bytes_max:
            self._break_off()

    def take(self) -> bytes | None:
        """Hands out the next SignalR record; None where there is none. Raises `BadMessage` for one over the limit."""
        if self._finished:
            record = self._finished.popleft()
            self.pending_bytes -= len(record) + 1
            return record
        if self._is_too_long:
            raise BadMessage(f"The maximum message size of {self._record_bytes_max} bytes was exceeded.")
        return None

    def _break_off(self) -> None:
        self._is_too_long = True
        self._unfinished.clear()


class _Type(IntEnum):
    """The number of a SignalR message."""

    INVOCATION = 1
    COMPLETION = 3
    STREAM_INVOCATION = 4
    PING = 6
    CLOSE = 7


@value
class Invocation:
    """A SignalR call of a hub method."""

    target: str
    arguments: tuple[Any, ...]
    invocation_id: str | None = None
    """None where the client waits for no completion."""
    is_stream: bool = False
    """True if the client wants a stream for an answer."""


@value
class Ping:
    """The SignalR message that the client is there."""


@value
class _Close:
    """The SignalR message that the client leaves."""


Message = Invocation | Ping | _Close


def handshake_fault(record: bytes) -> str | None:
    """Checks a SignalR handshake: gives the error of one that asks for what there is not. Raises `BadMessage`."""
    request = _object(record)
    name = _text(request, "protocol")
    version = _integer(request, "version")
    if name != _PROTOCOL_NAME:
        return f"The protocol '{name}' is not supported."
    if version not in _VERSIONS:
        return f"The server does not support version {version} of the '{name}' protocol."
    return None


def read_message(record: bytes) -> Message | None:
    """Reads a SignalR message of a client; None for one that is to be ignored. Raises `BadMessage`."""
    found = _object(record)
    number = _integer(found, "type")
    # A stream is read, to be refused with a completion: without one its client would wait.
    if number in {_Type.INVOCATION, _Type.STREAM_INVOCATION}:
        return _invocation(found, is_stream=number == _Type.STREAM_INVOCATION)
    if number == _Type.PING:
        return Ping()
    # Unknown numbers are passed over, as ASP.NET Core does.
    return _Close() if number == _Type.CLOSE else None


def _invocation(found: dict[str, Any], *, is_stream: bool) -> Invocation:
    target = _text(found, "target")
    arguments = found.get("arguments")
    if not isinstance(arguments, list):
        raise BadMessage("Missing required property 'arguments'.")
    # `send()` of the JavaScript client leaves it out: no completion then, even of an error.
    invocation_id = None if found.get("invocationId") is None and not is_stream else _text(found, "invocationId")
    return Invocation(target, tuple(arguments), invocation_id, is_stream)


def _object(record: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(record)
    except orjson.JSONDecodeError as error:
        raise BadMessage(f"Error reading JSON: {error}.") from error
    if not isinstance(found, dict):
        raise BadMessage("Unexpected JSON Token Type. Expected a JSON Object.")
    return found


def _text(found: dict[str, Any], name: str) -> str:
    if not found.get(name):
        raise BadMessage(f"Missing required property '{name}'.")
    text = found[name]
    if not isinstance(text, str):
        raise BadMessage(f"Expected '{name}' to be of type String.")
    return text


def _integer(found: dict[str, Any], name: str) -> int:
    if name not in found:
        raise BadMessage(f"Missing required property '{name}'.")
    number = found[name]
    # Not `isinstance`: true is an int to Python.
    if type(number) is not int:
        raise BadMessage(f"Expected '{name}' to be of type Number.")
    return number


def _written(message: dict[str, Any]) -> bytes:
    return orjson.dumps(message) + _SEPARATOR


HANDSHAKE_ACCEPTED = _written({})
PING = _written({"type": _Type.PING})


def handshake_refused(error: str) -> bytes:
    """Writes the SignalR answer to a handshake that cannot be."""
    return _written({"error": error})


def event(target: str, arguments: Sequence[Any]) -> bytes:
    """Writes a SignalR call of the client's handlers; `arguments` are plain JSON values."""
    return _written({"type": _Type.INVOCATION, "target": target, "arguments": arguments})


def completion(invocation_id: str, result: Any) -> bytes:
    """Writes SignalR's completion of a method; None is the result of one that has none, null as there."""
    return _written({"type": _Type.COMPLETION, "invocationId": invocation_id, "result": result})


def failure(invocation_id: str, error: str) -> bytes:
    """Writes SignalR's completion of a method that could not be carried out."""
    return _written({"type": _Type.COMPLETION, "invocationId": invocation_id, "error": error})


def close(error: str | None = None, *, allow_reconnect: bool = False) -> bytes:
    """Writes the SignalR close message. A client with automatic reconnect comes back only where it may."""
    message: dict[str, Any] = {"type": _Type.CLOSE}
    if error:
        message["error"] = error
    if allow_reconnect:
        message["allowReconnect"] = True
    return _written(message)
