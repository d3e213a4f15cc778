"""The send queue: the output of a connection, bytes for a socket that may not take them, under two limits.

`put` never blocks. Bytes are collected and sent by `flush`, at once if the kernel takes them; the rest waits for the
socket to become writable. A connection with more than `outbox_bytes_max`, or without progress for `send_timeout_s`, is
given up. Progress is whatever the peer takes, even if only out of the kernel's buffer. Output that must not go out yet
keeps everything behind it waiting, so the order holds whatever the times.
"""

import socket
from collections import deque
from collections.abc import Callable

from attrs import define, field

from gameserver.flow_control.fair_scheduler import Timer, Timers
from gameserver.flow_control.limits import Limits
from gameserver.transport.tcp_info import untaken_bytes

# Bytes that may wait to be sent before no more commands are taken from the peer. A match's last messages to one player
# are some kilobytes, so only a peer that does not read gets there. Judgement.
_CHOKED_BYTES = 65_536
# Checks, within `send_timeout_s`, that a peer takes anything, before it is given up.
_LOOKS = 4


class SendBuffer:
    """The buffer of a send queue, a FIFO of bytes. `ready` is what may be sent; the sender deletes what it has sent.

    Separate from `SendQueue`, because it knows no socket and no timer: the simulator in the tests sends from it too.
    """

    __slots__ = ("_held", "held_bytes", "ready")

    def __init__(self) -> None:
        self.ready = bytearray()
        # Made on first use: output is seldom held back, and an empty deque takes over half a kilobyte in each
        # connection.
        self._held: deque[tuple[int, bytes]] | None = None
        self.held_bytes = 0
        """Bytes that wait for their time, or behind others that do."""

    @property
    def bytes_waiting(self) -> int:
        """Bytes in the send buffer, ready or not."""
        return len(self.ready) + self.held_bytes

    def put(self, data: bytes, release_ms: int, now_ms: int) -> int:
        """Put bytes into the send buffer; returns the milliseconds after which to call `release`, 0 for never."""
        if not self._held and release_ms <= now_ms:
            self.ready += data
            return 0
        # Also what could go at once, if anything before it is held: the order of what a client is told never changes.
        first = not self._held  # those behind need no call of their own: each release tells when the next is due
        if self._held is None:
            self._held = deque()
        self._held.append((release_ms, data))
        self.held_bytes += len(data)
        return release_ms - now_ms if first else 0

    def release(self, now_ms: int) -> int:
        """Make the held output ready that has reached its time; returns the milliseconds until the next, 0 for none."""
        while self._held and self._held[0][0] <= now_ms:
            data = self._held.popleft()[1]
            self.held_bytes -= len(data)
            self.ready += data
        if self._held:
            return max(1, self._held[0][0] - now_ms)
        self._held = None
        return 0

    def release_all(self) -> None:
        """Make all held output of the send buffer ready, whatever its time."""
        while self._held:
            self.ready += self._held.popleft()[1]
        self._held, self.held_bytes = None, 0

    def clear(self) -> None:
        """Empty the send buffer, because nobody reads it any more."""
        self.ready.clear()
        self._held, self.held_bytes = None, 0


@define(eq=False)
class SendQueue:
    """The send queue of one connection, with bounds of size and time.

    `give_up` is called with the reason to end the connection, `released` when held bytes may go.
    """

    _sock: socket.socket
    _limits: Limits
    _timers: Timers
    _now_ms: Callable[[], int]
    _give_up: Callable[[str], None]
    _released: Callable[[], None]
    _buffer: SendBuffer = field(factory=SendBuffer, init=False)
    _progress_timer: Timer | None = field(default=None, init=False)
    _untaken: int | None = field(default=None, init=False)
    """Bytes that the kernel held for the peer at the last check."""
    _looks_left: int = field(default=0, init=False)
    ready: bytearray = field(init=False)
    """Bytes that wait only for room in the kernel."""

    @ready.default
    def _ready_of_the_buffer(self) -> bytearray:
        return self._buffer.ready

    @property
    def is_empty(self) -> bool:
        """True if nothing waits in the send queue, held back or ready."""
        return self._buffer.bytes_waiting == 0

    @property
    def is_backpressured(self) -> bool:
        """True if so much waits in the send queue that the peer seems not to read its answers."""
        return len(self.ready) > _CHOKED_BYTES

    def put(self, data: bytes, release_ms: int) -> None:
        """Put bytes into the send queue behind all others, not to be sent before `release_ms`."""
        buffer = self._buffer
        # The short way, for nearly all output: no call, and no look at the clock.
        if release_ms or buffer.held_bytes:
            wait_ms = buffer.put(data, release_ms, self._now_ms() if release_ms else 0)
            if wait_ms > 0:
                self._timers.after(wait_ms / 1000, self._release)
        else:
            buffer.ready += data
        waiting = len(buffer.ready) + buffer.held_bytes
        if waiting > self._limits.outbox_bytes_max:
            self._give_up(f"{waiting} bytes wait for a peer that does not read")

    def flush(self) -> bool:
        """Send as much of the send queue as the kernel takes now; True if that ended the backpressure."""
        ready = self.ready
        if not ready:
            return False
        was_backpressured = len(ready) > _CHOKED_BYTES
        try:
            sent = self._sock.send(ready)
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError as error:
            self._give_up(f"connection lost: {error.strerror or error}")
            return False
        del ready[:sent]
        # The kernel nearly always takes all, and then nothing has to be watched.
        if ready or self._progress_timer is not None:
            self._watch_progress(progress=sent > 0)
        return was_backpressured and not self.is_backpressured

    def release_all(self) -> None:
        """Make everything in the send queue ready, whatever its time, because the connection ends."""
        self._buffer.release_all()

    def clear(self) -> None:
        """Empty the send queue and stop watching the peer, because the connection is closed."""
        self._buffer.clear()
        if self._progress_timer is not None:
            self._progress_timer.cancel()

    def _release(self) -> None:
        wait_ms = self._buffer.release(self._now_ms())
        if wait_ms > 0:
            self._timers.after(wait_ms / 1000, self._release)
        self._released()

    def _watch_progress(self, *, progress: bool) -> None:
        """Give a peer that takes nothing until `send_timeout_s`, or one check more."""
        waiting = bool(self.ready)
        if self._progress_timer is not None and (progress or not waiting):
            self._progress_timer.cancel()
            self._progress_timer = None
        if waiting and self._progress_timer is None:
            self._untaken = untaken_bytes(self._sock)
            self._looks_left = _LOOKS
            self._look_later()

    def _look_later(self) -> None:
        self._progress_timer = self._timers.after(self._limits.send_timeout_s / _LOOKS, self._look)

    def _look(self) -> None:
        # A slow peer that reads may leave the socket unwritable for minutes, as `tcp_info` explains.
        before, self._untaken = self._untaken, untaken_bytes(self._sock)
        took = before is not None and self._untaken is not None and self._untaken < before
        self._looks_left = _LOOKS if took else self._looks_left - 1
        if self._looks_left:
            self._look_later()
        else:
            self._give_up(f"the peer took no byte for {self._limits.send_timeout_s:g} s")
