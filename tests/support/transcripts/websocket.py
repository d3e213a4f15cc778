"""A connection of a transcript that speaks in WebSocket messages."""

from attrs import Factory, define
from websockets.frames import Frame, Opcode

from tests.clients.websocket import Frames
from tests.support.transcripts.client import TranscriptClient, told_alike
from tests.support.transcripts.text import to_text


def frames(message: bytes, opcode: Opcode, *, fragmented: bool = False) -> bytes:
    """A client's message: one frame, or one for each byte."""
    if not fragmented:
        return Frame(opcode, message).serialize(mask=True)
    pieces = [message[at : at + 1] for at in range(len(message))] or [b""]
    return b"".join(
        Frame(opcode if number == 0 else Opcode.CONT, piece, fin=number == len(pieces) - 1).serialize(mask=True)
        for number, piece in enumerate(pieces)
    )


@define
class TranscriptWebSocketClient(TranscriptClient):
    """Every message of the server is a line; a line end in one shows, and so does an end without a close frame."""

    _frames: Frames = Factory(Frames)

    def hear(self, data: bytes) -> None:
        """Take bytes of the server: the response to the handshake, then frames."""
        for message in self._frames.feed(data):
            self.hear_message(message)
        assert self._frames.status in {None, 101}, self._frames.status

    def hear_message(self, data: bytes) -> None:
        """Take a message of the server."""
        text = to_text(told_alike(data))
        self.heard.append(f"S>{self.who} {text}" if text else f"S>{self.who}")

    def hear_end(self, end: str) -> None:
        """The connection is over; before that there has to be a close frame."""
        if self._frames.close_code is None:
            self.heard.append(f"S says no goodbye to {self.who}")
        self.heard.append(f"S {end} {self.who}")

    def hear_unfinished(self) -> None:
        """Note half a frame."""
        if self._frames.is_unfinished:
            self.heard.append(f"S>{self.who} half a frame")

    def goodbye(self) -> bytes:
        """A close frame, as a client sends it that goes in good order."""
        return self._frames.goodbye()
