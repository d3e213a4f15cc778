"""Framing: bytes in, lines out.

Which lines come out depends on the bytes alone and never on how they were cut. So a line over the
limit is refused after the lines before it were handed out, not when its bytes arrive.
"""

from codecs import BOM_UTF8
from collections import deque
from enum import Enum, auto

from gameserver.protocol import BrokenInput
from protocols.telnet import IAC, TelnetFilter

_CR = 0x0D
"""A number, like `IAC`: searched for as `bytes`, it costs a `TypeError` that CPython raises and drops inside."""


class LineEnds(Enum):
    """The ends that a line may have."""

    LF = auto()
    """LF, with the CR before it if there is one. An empty line is a line."""
    ANY = auto()
    """LF, CRLF, a lone CR, or telnet's CR NUL. Empty lines are dropped: the LF of a CRLF ends one."""


class LineReader:
    """The lines of one connection, in order, without their ends.

    `telnet` takes telnet's commands out of the bytes. `skip_bom` drops a UTF-8 byte order mark at the
    very beginning, which some editors and .NET's writers put there. `too_long` are the last words to
    a peer whose line exceeds `max_bytes`.
    """

    def __init__(
        self,
        max_bytes: int,
        *,
        ends: LineEnds = LineEnds.LF,
        telnet: bool = False,
        skip_bom: bool = False,
        too_long: bytes = b"",
    ) -> None:
        self._max_bytes = max_bytes
        self._ends_at_cr = ends is LineEnds.ANY
        self._end_bytes = 0 if self._ends_at_cr else 1
        self._telnet = TelnetFilter(max_bytes) if telnet else None
        self._may_have_bom = skip_bom
        self.too_long = too_long
        self._after_cr = False
        self._unfinished = bytearray()
        self._finished: deque[bytes] = deque()
        self.is_broken = False
        """True once a line, or a telnet negotiation, grew too long; what comes after it is not read."""
        self.pending_bytes = 0
        """Bytes of the lines that `take` has not handed out; where empty lines are lines, with one for each end."""

    def __bool__(self) -> bool:
        """True if `take` has something to say: a line, or that one is too long."""
        return bool(self._finished) or self.is_broken

    def __len__(self) -> int:
        """The number of lines that `take` can hand out."""
        return len(self._finished)

    def feed(self, data: bytes) -> int:
        """Takes what was read, and tells how many lines that finished. What follows one over the limit is dropped."""
        if self.is_broken:
            return 0
        telnet, ends_at_cr = self._telnet, self._ends_at_cr
        # Most of what is read is whole lines of plain text, which need none of these steps.
        if self._may_have_bom or (telnet is not None and (IAC in data or not telnet.is_in_text)):
            data = self._text_of(data)
        if ends_at_cr and (self._after_cr or _CR in data):
            data = self._with_lf(data)
        *finished, begun = data.split(b"\n")
        if finished and self._unfinished:
            finished[0] = bytes(self._unfinished) + finished[0]
            self._unfinished.clear()
        kept = 0
        for ended in finished:
            line = ended if ends_at_cr else ended.removesuffix(b"\r")
            size = len(line)
            if size > self._max_bytes:
                self._break_off()
                return kept
            if size or not ends_at_cr:
                self._finished.append(line)
                self.pending_bytes += size + self._end_bytes
                kept += 1
        if begun:
            self._begin(begun)
        if telnet is not None and telnet.is_too_long:
            self._break_off()
        return kept

    def end(self) -> int:
        """Takes what is unfinished for a line, because no more will come. Tells how many lines that finished."""
        if not self._unfinished:
            return 0
        line = bytes(self._unfinished).removesuffix(b"\r")
        self._unfinished.clear()
        self._finished.append(line)
        self.pending_bytes += len(line) + self._end_bytes
        return 1

    def take(self) -> bytes | None:
        """Hands out the next line; None where there is none. Raises `BrokenInput` instead of a line over the limit."""
        if self._finished:
            line = self._finished.popleft()
            self.pending_bytes -= len(line) + self._end_bytes
            return line
        if self.is_broken:
            raise BrokenInput(f"a line of more than {self._max_bytes} bytes", self.too_long)
        return None

    def _text_of(self, data: bytes) -> bytes:
        """Drops telnet's commands and the byte order mark, whose bytes may come one by one."""
        if self._telnet is not None:
            data = self._telnet.text_of(data)
        if not self._may_have_bom:
            return data
        data = bytes(self._unfinished) + data
        self._unfinished.clear()
        if len(data) < len(BOM_UTF8) and BOM_UTF8.startswith(data):
            return data
        self._may_have_bom = False
        return data.removeprefix(BOM_UTF8)

    def _with_lf(self, data: bytes) -> bytes:
        """Writes every line end as LF. The second byte of a CR NUL may come in the next piece."""
        if not data:
            return data
        if self._after_cr and data[0] == 0:
            data = data[1:]
        self._after_cr = data.endswith(b"\r")
        # The LF of a CRLF may stay: it ends an empty line, and those are dropped.
        return data.replace(b"\r\0", b"\n").replace(b"\r", b"\n")

    def _begin(self, begun: bytes) -> None:
        """Keeps the beginning of a line, unless it is too long already. A CR at the end may be half of the line's."""
        self._unfinished += begun
        if len(self._unfinished) - begun.endswith(b"\r") > self._max_bytes:
            self._break_off()

    def _break_off(self) -> None:
        self.is_broken = True
        self._unfinished.clear()
