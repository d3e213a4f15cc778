"""Framing: bytes in, lines out, whatever pieces the bytes come in.

A line ends with LF, CRLF, a lone CR, or telnet's CR NUL; empty lines are nobody's business and are
dropped. What a telnet client negotiates in between is swallowed. Which lines come out depends on
the bytes alone and never on how they were cut, so a line over the limit is refused after the lines
before it were handed out, not when its bytes arrive.
"""

from collections import deque

from gameserver.protocol import BrokenInput

TOO_LONG = b"ERR Payload too large\r\n"
BEGINS_COMMAND = b"\xff"

_IAC, _SB, _SE = 0xFF, 0xFA, 0xF0
_COMMANDS_FROM = 0xF0
_OPTION_COMMANDS = range(0xFB, 0xFF)
"""WILL, WONT, DO and DONT: an option follows. What is neither these nor SB stands alone."""

_TEXT, _COMMAND, _OPTION, _NEGOTIATION, _NEGOTIATION_COMMAND = range(5)

_TRANSITIONS = (
    bytes(_COMMAND if byte == _IAC else _TEXT for byte in range(256)),
    bytes(_NEGOTIATION if byte == _SB else _OPTION if byte in _OPTION_COMMANDS else _TEXT for byte in range(256)),
    bytes(_TEXT for _ in range(256)),
    bytes(_NEGOTIATION_COMMAND if byte == _IAC else _NEGOTIATION for byte in range(256)),
    bytes(_TEXT if byte == _SE else _NEGOTIATION for byte in range(256)),
)
"""Where each byte leads in telnet's own language: `_TRANSITIONS[at][byte]`."""


class _TelnetFilter:
    """Takes telnet commands out of the bytes; all others pass through.

    An escaped 255 passes as the byte it stands for, and one that begins no telnet command passes with
    what follows it: no UTF-8 text contains it, so the line is refused as any other broken text. What
    is negotiated between SB and SE has the limit of a line, because it is input without an end in
    sight as much as a line is.
    """

    def __init__(self, negotiated_bytes_max: int) -> None:
        self.at = _TEXT
        """Where the bytes so far have led: to text, or into a command."""
        self._negotiated_bytes_max = negotiated_bytes_max
        self._negotiated_bytes = 0

    @property
    def too_long(self) -> bool:
        return self._negotiated_bytes > self._negotiated_bytes_max

    def passed(self, data: bytes) -> bytes:
        at, negotiated_bytes = self.at, self._negotiated_bytes
        text = bytearray()
        for byte in data:
            before, at = at, _TRANSITIONS[at][byte]
            if at >= _NEGOTIATION:
                negotiated_bytes += 1
                if negotiated_bytes > self._negotiated_bytes_max:
                    break
            else:
                negotiated_bytes = 0
                if before == _COMMAND and byte < _COMMANDS_FROM:
                    text += bytes((_IAC, byte))
                elif before == at == _TEXT or (before == _COMMAND and byte == _IAC):
                    text.append(byte)
        self.at, self._negotiated_bytes = at, negotiated_bytes
        return bytes(text)


class Lines:
    """The lines of one connection, in order, without their ends."""

    def __init__(self, line_bytes_max: int) -> None:
        self._line_bytes_max = line_bytes_max
        self._telnet = _TelnetFilter(line_bytes_max)
        self._after_cr = False
        self._unfinished = bytearray()
        self._finished: deque[bytes] = deque()
        self.is_broken = False
        """Whether a line, or a negotiation, grew too long; what comes after it is not read."""
        self.pending_bytes = 0
        """Bytes of the finished lines that `take` has not handed out."""

    def __bool__(self) -> bool:
        """Whether `take` has something to say: a line, or that there is no reading on."""
        return bool(self._finished) or self.is_broken

    def __len__(self) -> int:
        """How many lines `take` can hand out."""
        return len(self._finished)

    def feed(self, data: bytes) -> int:
        """Take what was read, and tell how many lines that finished. What follows one over the limit is thrown away."""
        if self.is_broken:
            return 0
        # Most of what is read is plain text, which needs neither of these.
        telnet = self._telnet
        if telnet.at != _TEXT or BEGINS_COMMAND in data:
            data = telnet.passed(data)
        if self._after_cr or b"\r" in data:
            data = self._without_cr(data)
        *finished, begun = data.split(b"\n")
        if finished and self._unfinished:
            finished[0] = bytes(self._unfinished) + finished[0]
            self._unfinished.clear()
        kept = 0
        for line in finished:
            if len(line) > self._line_bytes_max:
                self._break_off()
                return kept
            if line:
                self._finished.append(line)
                self.pending_bytes += len(line)
                kept += 1
        if begun:
            self._unfinished += begun
        if len(self._unfinished) > self._line_bytes_max or (telnet.at != _TEXT and telnet.too_long):
            self._break_off()
        return kept

    def end(self) -> int:
        """No more will come: what is unfinished counts as a line. Tells how many there are now in addition."""
        line = bytes(self._unfinished)
        self._unfinished.clear()
        if line:
            self._finished.append(line)
            self.pending_bytes += len(line)
        return 1 if line else 0

    def take(self) -> bytes | None:
        """The next line; None where there is none. Raises `BrokenInput` instead of a line over the limit."""
        if self._finished:
            line = self._finished.popleft()
            self.pending_bytes -= len(line)
            return line
        if self.is_broken:
            raise BrokenInput(f"a line of more than {self._line_bytes_max} bytes", TOO_LONG)
        return None

    def _without_cr(self, data: bytes) -> bytes:
        """The data with every kind of line end as LF. The second byte of a pair may come in the next piece."""
        if not data:
            return data
        if self._after_cr and data[0] == 0:
            data = data[1:]
        self._after_cr = data.endswith(b"\r")
        # The LF of a CRLF may stay: it ends an empty line, and those are dropped.
        return data.replace(b"\r\0", b"\n").replace(b"\r", b"\n")

    def _break_off(self) -> None:
        self.is_broken = True
        self._unfinished.clear()
