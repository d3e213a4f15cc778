"""One direction of a connection as a function of time: bytes in, bytes out later, in other pieces.

Nothing here waits or looks at a clock. The relay feeds what it has read, asks when something is due, and sends each
piece that it takes by a call of its own. Whatever the faults, the bytes that come out are those that went in, in
their order.

The cuts of `split` depend on the seed and the position in the stream alone, not on how the kernel happened to hand
the bytes over: the same seed cuts the same conversation in the same places. A piece that follows a cut is held back
until a while after the one before it was taken. Otherwise the kernel, or a receiver that reads seldom, would put the
two together again.
"""

from collections import deque
from random import Random

from attrs import define, field

from gameserver.proxy.faults import Faults, Split
from gameserver.values import value

# By judgement: more than a receiver takes to read what has come.
SPLIT_GAP_US = {Split.RANDOM: 2_000, Split.EVERY_BYTE: 1_000}
"""Microseconds between two pieces of what was sent at once. Every byte alone has less: lists of players have 5,000."""
_SPLIT_BYTES_MAX = 24
"""Bytes of the longest piece of a random split: shorter than the shortest line that tells a turn."""
_SLOW_STEPS_S = 20
"""Pieces in a second of a slow read."""
# By judgement, of the order of a kernel's socket buffer.
ROOM_BYTES = 262_144
"""Bytes that wait before the sender has to."""
_SLOW_ROOM_S = 0.25
"""Seconds' worth of bytes that wait before the sender of a slow reader has to."""


@value
class Piece:
    """A piece that leaves a lane: bytes to be sent by one call."""

    data: bytes
    came_us: int
    """The time at which the first of them was read."""
    is_cut: bool = False
    """True if the bytes that were read with them are sent later."""
    joined: int = 0
    """The number of reads that were joined to the first one here."""


@define
class _Waiting:
    """Bytes that wait until they are due."""

    due_us: int
    came_us: int
    data: bytes
    joined: int = 0


@define(eq=False)
class Lane:
    """A lane: the bytes on their way through the proxy in one direction.

    `faults` may be changed at any time, for what comes from then on.
    """

    faults: Faults
    _chance: Random
    waiting_bytes: int = field(default=0, init=False)
    _cut_chance: Random = field(init=False)
    _waiting: deque[_Waiting] = field(factory=deque, init=False)
    _open_until_us: int = field(default=-1, init=False)
    """Until then what comes is joined to what waits last."""
    _not_before_us: int = field(default=0, init=False)
    """The end of the pause after the last piece."""
    _until_cut: int = field(default=0, init=False)
    """Bytes of the stream up to the next cut."""
    _end_us: int | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        # A source of its own: jitter draws once for each read, and reads depend on the kernel.
        self._cut_chance = Random(self._chance.getrandbits(64))  # noqa: S311 - faults, not secrets

    @property
    def is_full(self) -> bool:
        """True if the sender has to wait, because the lane is full."""
        rate = self.faults.slow_read_bytes_s
        room = ROOM_BYTES if rate is None else max(1, min(ROOM_BYTES, int(rate * _SLOW_ROOM_S)))
        return self.waiting_bytes >= room

    @property
    def is_ended(self) -> bool:
        """True if nothing more can be fed to the lane."""
        return self._end_us is not None

    def feed(self, data: bytes, now_us: int) -> None:
        """Put bytes that were read now into the lane."""
        assert self._end_us is None, "nothing comes after the end"
        if not data:
            return
        self.waiting_bytes += len(data)
        if now_us < self._open_until_us and self._waiting:
            self._waiting[-1].data += data
            self._waiting[-1].joined += 1
            return
        self._open_until_us = now_us + self.faults.coalesce_us
        self._waiting.append(_Waiting(self._due_us(self._open_until_us), now_us, data))

    def end(self, now_us: int) -> None:
        """Note that nothing more will come into the lane. The end travels as the bytes do."""
        if self._end_us is None:
            self._end_us = self._due_us(now_us)

    def due(self) -> int | None:
        """The time at which a piece can be taken from the lane, or its end has arrived; None while nothing waits."""
        if self._waiting:
            return max(self._waiting[0].due_us, self._not_before_us)
        return self._end_us

    def is_over(self, now_us: int) -> bool:
        """True once everything has been taken from the lane, and its end has arrived."""
        return self._end_us is not None and not self._waiting and now_us >= self._end_us

    def take(self, now_us: int) -> list[Piece]:
        """Take every piece that is due from the lane, each for a send of its own.

        Pieces of a cut are due one at a time.
        """
        taken = []
        while self._waiting and max(self._waiting[0].due_us, self._not_before_us) <= now_us:
            piece = self._next_piece()
            self.waiting_bytes -= len(piece.data)
            self._not_before_us = max(self._not_before_us, now_us + self._pause_us(piece))
            taken.append(piece)
        return taken

    def _due_us(self, from_us: int) -> int:
        """When what leaves now is to arrive. It never overtakes what left earlier, as it waits behind that."""
        jitter_us = self.faults.jitter_us
        late_us = self.faults.delay_us + (self._chance.randint(-jitter_us, jitter_us) if jitter_us else 0)
        return from_us + max(0, late_us)

    def _next_piece(self) -> Piece:
        first = self._waiting[0]
        length = self._piece_bytes(len(first.data))
        self._until_cut -= length
        if length == len(first.data):
            self._waiting.popleft()
            return Piece(first.data, first.came_us, joined=first.joined)
        piece = Piece(first.data[:length], first.came_us, is_cut=True, joined=first.joined)
        first.data, first.joined = first.data[length:], 0
        return piece

    def _piece_bytes(self, there: int) -> int:
        rate = self.faults.slow_read_bytes_s
        most = there if rate is None else min(there, max(1, rate // _SLOW_STEPS_S))
        if self.faults.split is Split.EVERY_BYTE:
            return 1
        if self.faults.split is Split.RANDOM:
            if self._until_cut <= 0:
                self._until_cut = self._cut_chance.randint(1, _SPLIT_BYTES_MAX)
            most = min(most, self._until_cut)
        return most

    def _pause_us(self, piece: Piece) -> int:
        rate = self.faults.slow_read_bytes_s
        slow_us = 0 if rate is None else -(-len(piece.data) * 1_000_000 // rate)
        is_split = piece.is_cut or self.faults.split is Split.EVERY_BYTE
        return max(slow_us, SPLIT_GAP_US.get(self.faults.split, 0) if is_split else 0)
