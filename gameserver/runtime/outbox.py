"""What a connection has to send: bytes that may go now, and bytes that must wait for their time.

Order holds whatever the times: what comes behind output that waits, waits with it.
"""

from collections import deque


class Outbox:
    """The way out of one connection. `ready` is what may be sent; the sender deletes what it sent."""

    __slots__ = ("_held", "held_bytes", "ready")

    def __init__(self) -> None:
        self.ready = bytearray()
        # Seldom is anything held back, and an empty deque takes more than half a kilobyte of each connection.
        self._held: deque[tuple[int, bytes]] | None = None
        self.held_bytes = 0
        """How much must wait for its time, or behind what does."""

    @property
    def bytes_waiting(self) -> int:
        """How much is in here, ready or not."""
        return len(self.ready) + self.held_bytes

    def put(self, data: bytes, release_ms: int, now_ms: int) -> int:
        """Queue bytes; returns in how many milliseconds `release` should be called, 0 if that is seen to."""
        if not self._held and release_ms <= now_ms:
            self.ready += data
            return 0
        first = not self._held
        if self._held is None:
            self._held = deque()
        self._held.append((release_ms, data))
        self.held_bytes += len(data)
        return release_ms - now_ms if first else 0

    def release(self, now_ms: int) -> int:
        """Make ready whose time has come; returns in how many milliseconds to call again, 0 for never."""
        while self._held and self._held[0][0] <= now_ms:
            data = self._held.popleft()[1]
            self.held_bytes -= len(data)
            self.ready += data
        if self._held:
            return max(1, self._held[0][0] - now_ms)
        self._held = None
        return 0

    def release_all(self) -> None:
        """Make everything ready."""
        while self._held:
            self.ready += self._held.popleft()[1]
        self._held, self.held_bytes = None, 0

    def clear(self) -> None:
        """Forget everything."""
        self.ready.clear()
        self._held, self.held_bytes = None, 0
