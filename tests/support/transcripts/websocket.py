"""A connection of a transcript that speaks in WebSocket messages."""

from attrs import define, field
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from tests.support.transcripts.client import TranscriptClient, told_alike
from tests.support.transcripts.text import to_text

SWITCHED = b"HTTP/1.1 101 "


def frames(message: bytes, opcode: Opcode, *, fragmented: bool = False) -> bytes:
    """A client's message: one frame, or one for each byte."""
    if not fragmented:
        return Frame(opcode, message).serialize(mask=True)
    pieces = [message[at : at + 1] for at in range(len(message))] or [b""]
    return b"".join(
        Frame(opcode if number == 0 else Opcode.CONT, piece, fin=number == len(pieces) - 1).serialize(mask=True)
        for number, piece in enumerate(pieces)
    )


def _new_reader() -> ClientProtocol:
    return ClientProtocol(parse_uri("ws://test/"), state=State.OPEN)


@define
class TranscriptWebSocketClient(TranscriptClient):
    """Every text message of the server is a line; a line end in one shows, and so does an end without a close frame."""

    opcode: Opcode = Opcode.TEXT
    _reader: ClientProtocol = field(factory=_new_reader)
    _is_open: bool = False

    def hear(self, data: bytes) -> None:
        """Take bytes of the server: the response to the handshake, then frames."""
        if not self._is_open:
            head, end, data = (self.rest + data).partition(b"\r\n\r\n")
            self.rest = b"" if end else head
            if not end:
                return
            self._is_open = head.startswith(SWITCHED)
            if not self._is_open:
                self.heard.append(f"S>{self.who} {to_text(head)}")
                return
        self._reader.receive_data(data)
        for event in self._reader.events_received():
            assert isinstance(event, Frame)
            if event.opcode is Opcode.TEXT:
                self.hear_message(bytes(event.data))
        assert self._reader.parser_exc is None, self._reader.parser_exc

    def hear_message(self, data: bytes) -> None:
        """Take a message of the server."""
        text = to_text(told_alike(data))
        self.heard.append(f"S>{self.who} {text}" if text else f"S>{self.who}")

    def hear_end(self, end: str) -> None:
        """The connection is over; before that there has to be a close frame."""
        if self._reader.close_rcvd is None:
            self.heard.append(f"S says no goodbye to {self.who}")
        self.heard.append(f"S {end} {self.who}")

    def hear_unfinished(self) -> None:
        """Note half a frame."""
        if self.rest or self._reader.reader.buffer:
            self.heard.append(f"S>{self.who} half a frame")

    def goodbye(self) -> bytes:
        """A close frame, as a client sends it that goes in good order."""
        return Frame(Opcode.CLOSE, b"\x03\xe8").serialize(mask=True)
