"""The one alarm of the server: it tells the core when something is due, and never too early.

A match says when its next thing is due (`Match.due_ms`, margin included). Before the alarm submits
`TimeUp`, everything that has arrived is read, as of the due time, and whatever the late seat's
connection has still in the works is waited for: a move that was sent in time counts, however busy
the server is. A connection that keeps itself busy for ever cannot hold its own time up: after
`PATIENCE_MS` it is late all the same.

The heap holds one entry for each match, at or before its due time. A match that moved on is put
back at its new time when its old entry comes up, so a move costs one comparison here.
"""

import heapq
from typing import Protocol

import trio

from gameserver.runtime.clock import HEARTBEAT_MS

PATIENCE_MS = 2_000


class Watched(Protocol):
    """What the alarm asks of the server."""

    def due_ms(self, match: int) -> int | None:
        """When the match's next thing is due; None if nothing is, or the match is over."""

    def is_quiet(self, match: int) -> bool:
        """Whether nothing from those who are late is unread, unparsed or in flight."""

    def read_pass(self, stamp_ms: int) -> None:
        """Read everything that has arrived, as of this time."""

    def time_up(self, match: int) -> None:
        """Submit the time-out."""


class Clock(Protocol):
    """The server's clock, which has to know whether it is looked at in time."""

    watched: bool

    def now_ms(self) -> int:
        """Look at the clock."""


class Alarm:
    """Watches the deadlines of all matches."""

    def __init__(self, clock: Clock, watched: Watched) -> None:
        self._clock = clock
        self._watched = watched
        self._heap: list[tuple[int, int]] = []
        self._entries: dict[int, int] = {}
        self._wake = trio.Event()

    def watch(self, match: int, due_ms: int | None) -> None:
        """Take notice of a match's next due time."""
        if due_ms is None:
            return
        entry = self._entries.get(match)
        if entry is None or due_ms < entry:
            self._entries[match] = due_ms
            heapq.heappush(self._heap, (due_ms, match))
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
        late: list[tuple[int, int]] = []
        while self._heap and self._heap[0][0] <= now_ms:
            entry_ms, match = heapq.heappop(self._heap)
            if self._entries.get(match) != entry_ms:
                continue
            del self._entries[match]
            due_ms = self._watched.due_ms(match)
            if due_ms is not None and due_ms <= now_ms:
                late.append((due_ms, match))
            else:
                self.watch(match, due_ms)
        if late:
            self._watched.read_pass(late[0][0])
        for due_ms, match in late:
            if self._watched.is_quiet(match) or now_ms - due_ms > PATIENCE_MS:
                self._watched.time_up(match)
            self.watch(match, now_ms + HEARTBEAT_MS)
