"""What an adapter's bytes are in WebSocket messages, and back."""

from websockets.frames import Frame, Opcode

from gameserver.endpoints import Framing


def to_bytes(message: bytes, framing: Framing) -> bytes:
    """The bytes that an adapter reads for a message."""
    if framing is Framing.STREAM:
        return message
    return b" ".join(message.splitlines()) + b"\n"


def to_frames(data: bytes, framing: Framing) -> bytes:
    """What an adapter says, as text frames: a message for each line, or one for all.

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
