"""Records: bytes in, the JSON texts out that end in 0x1E.

Which records come out depends on the bytes alone and never on how they were cut: clients put
several into one message, and a message may end in the middle of one. So a record over the limit is
refused after the records before it were handed out, not when its bytes arrive.
"""

from collections import deque

SEPARATOR = b"\x1e"
"""Ends every record. JSON writes it as an escape, so it is in no record."""


class RecordTooLong(Exception):
    """There is no reading on."""


class Records:
    """The records of one connection, in order, without their ends."""

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
        """Take what was read. What follows a record over the limit is thrown away."""
        if self._is_too_long:
            return
        *finished, begun = data.split(SEPARATOR)
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
        """The next record; None where there is none. Raises `RecordTooLong` instead of one over the limit."""
        if self._finished:
            record = self._finished.popleft()
            self.pending_bytes -= len(record) + 1
            return record
        if self._is_too_long:
            raise RecordTooLong(f"The maximum message size of {self._record_bytes_max} bytes was exceeded.")
        return None

    def _break_off(self) -> None:
        self._is_too_long = True
        self._unfinished.clear()
