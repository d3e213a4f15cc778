"""Framing: bytes in, lines out, for protocols whose lines end in LF.

The CR of a CRLF is dropped, so is a UTF-8 byte order mark at the very beginning, which some editors
and .NET's writers put there. Everything else is part of the line; what an empty line means is for
the protocol to say. Which lines come out depends on the bytes alone and never on how they were cut,
so a line over the limit is refused after the lines before it were handed out, not when its bytes
arrive.
"""

from codecs import BOM_UTF8
from collections import deque

from gameserver.protocol import BrokenInput


class Lines:
    """The lines of one connection, in order, without their ends."""

    def __init__(self, line_bytes_max: int, too_long: bytes) -> None:
        """`too_long` are the last words to a peer whose line exceeds the limit."""
        self._line_bytes_max = line_bytes_max
        self._last_words = too_long
        self._at_start = True
        self._unfinished = bytearray()
        self._finished: deque[bytes] = deque()
        self._too_long = False
        self.pending_bytes = 0
        """Bytes of the lines that `take` has not handed out, with one for each end: empty ones count too."""

    def __bool__(self) -> bool:
        """Whether `take` has something to say: a line, or that there is no reading on."""
        return bool(self._finished) or self._too_long

    def __len__(self) -> int:
        """How many lines `take` can hand out."""
        return len(self._finished)

    def feed(self, data: bytes) -> None:
        """Take what was read. What follows a line over the limit is thrown away."""
        if self._too_long:
            return
        if self._at_start:
            data = self._without_mark(data)
        *finished, begun = data.split(b"\n")
        if finished:
            finished[0] = bytes(self._unfinished) + finished[0]
            self._unfinished.clear()
        for line in finished:
            if not self._keep(line):
                return
        self._unfinished += begun
        if len(self._unfinished) - self._unfinished.endswith(b"\r") > self._line_bytes_max:
            self._break_off()

    def end(self) -> None:
        """No more will come: what is unfinished counts as a line."""
        if self._unfinished:
            self._keep(bytes(self._unfinished))
            self._unfinished.clear()

    def take(self) -> bytes | None:
        """The next line; None where there is none. Raises `BrokenInput` instead of a line over the limit."""
        if self._finished:
            line = self._finished.popleft()
            self.pending_bytes -= len(line) + 1
            return line
        if self._too_long:
            raise BrokenInput(f"a line of more than {self._line_bytes_max} bytes", self._last_words)
        return None

    def _without_mark(self, data: bytes) -> bytes:
        """The data without the byte order mark, whose bytes may come one by one."""
        data = bytes(self._unfinished) + data
        self._unfinished.clear()
        if len(data) < len(BOM_UTF8) and BOM_UTF8.startswith(data):
            return data
        self._at_start = False
        return data.removeprefix(BOM_UTF8)

    def _keep(self, line: bytes) -> bool:
        line = line.removesuffix(b"\r")
        if len(line) > self._line_bytes_max:
            self._break_off()
            return False
        self._finished.append(line)
        self.pending_bytes += len(line) + 1
        return True

    def _break_off(self) -> None:
        self._too_long = True
        self._unfinished.clear()
