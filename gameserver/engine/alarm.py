"""The one alarm of the server: it tells the core when something is due, and never too early.

A match or a table says when its next thing is due (`due_ms`, margin included). Before the alarm
submits that its time is up, everything that has arrived is read, from those who are late as of the
time that they had, and whatever their connections have still in the works is waited for: a move that
was sent in time counts, however busy the server is. So does one that has arrived by the first look and
waits unread behind other commands of its player. The time-out holds for the connections that were found
quiet. A player who comes back by another one before it is decided is looked at again, at the next
heartbeat: login and move may have been read together. A player who keeps a connection busy, or comes
back again and again, cannot hold the time up: after `PATIENCE_MS` it is late all the same.

What others sent is stamped with the time at hand: as of somebody else's deadline it could have come
before their own turn began, and not count.

The heap holds one entry for each row, at or before its due time. A match that moved on is put back
at its new time when its old entry comes up, so a move costs one comparison here.
"""

import heapq
from collections.abc import Sequence
from typing import Protocol

import trio

from gameserver.core.state.lobby import Timed
from gameserver.engine.clock import HEARTBEAT_MS

PATIENCE_MS = 2_000


class AlarmPorts(Protocol):
    """What the alarm asks of the server."""

    def due_ms(self, timed: Timed) -> int | None:
        """The time at which the next thing is due there; None if nothing is, or it is over."""

    def is_quiet(self, timed: Timed) -> bool:
        """True if nothing from those who are late is unread, unparsed or in flight."""

    def read_pass(self, late: Sequence[tuple[int, Timed]]) -> None:
        """Read everything that has arrived, of those who are late as of the time that was theirs."""

    def time_up(self, timed: Timed, *, is_final: bool) -> None:
        """Submit the time-out: for the connections that are quiet now or, if it is final, for any."""


class AlarmClock(Protocol):
    """The server's clock, which has to know whether it is looked at in time."""

    watched: bool

    def now_ms(self) -> int:
        """Look at the clock."""


class Alarm:
    """Watches the deadlines of all matches."""

    def __init__(self, clock: AlarmClock, watched: AlarmPorts) -> None:
        self._clock = clock
        self._watched = watched
        self._heap: list[tuple[int, Timed]] = []
        self._entries: dict[Timed, int] = {}
        self._wake = trio.Event()

    def watch(self, timed: Timed, due_ms: int | None) -> None:
        """Take notice of when a match's or table's next thing is due."""
        if due_ms is None:
            return
        entry = self._entries.get(timed)
        if entry is None or due_ms < entry:
            self._entries[timed] = due_ms
            heapq.heappush(self._heap, (due_ms, timed))
            self._clock.watched = True
            self._wake.set()

    async def run(self) -> None:
        """Keep watch, for ever. Looks at the clock at every heartbeat while anything is due some day."""
        while True:
            if not self._heap:
                self._clock.watched = False
                self._wake = trio.Event()
                await self._wake.wait()
            self._look()
            await trio.sleep(HEARTBEAT_MS / 1000)

    def _look(self) -> None:
        now_ms = self._clock.now_ms()
        late: list[tuple[int, Timed]] = []
        while self._heap and self._heap[0][0] <= now_ms:
            entry_ms, timed = heapq.heappop(self._heap)
            if self._entries.get(timed) != entry_ms:
                continue
            del self._entries[timed]
            due_ms = self._watched.due_ms(timed)
            if due_ms is not None and due_ms <= now_ms:
                late.append((due_ms, timed))
            else:
                self.watch(timed, due_ms)
        if late:
            self._watched.read_pass(late)
        for due_ms, timed in late:
            is_final = now_ms - due_ms > PATIENCE_MS
            if is_final or self._watched.is_quiet(timed):
                self._watched.time_up(timed, is_final=is_final)
            self.watch(timed, now_ms + HEARTBEAT_MS)
