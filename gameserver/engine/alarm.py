"""The only alarm of the server: it submits time-outs to the core, never too early.

A timed row, such as a match or a room, has the time at which its next thing is due (`due_ms`, margin included). Before
the alarm submits the time-out, it has everything read that has arrived. Input of the late players is stamped with their
deadline, and the alarm waits for whatever their connections still have in the works. So a move that was sent in time
counts, however busy the server is. The time-out applies to the connections that were found quiet. A player who comes
back by another connection before the time-out is decided is checked again at the next heartbeat: login and move may
have been read together. A player who keeps a connection busy, or comes back again and again, cannot delay the time-out
for longer than `PATIENCE_MS`.

Input of other players is stamped with the present time. Stamped with another player's deadline, it could lie before
their own turn began, and would not count.

The heap holds one entry for each row, at or before its due time. A match that moved on is put back at its new time when
its old entry comes up, so a move costs one comparison.
"""

import heapq
from collections.abc import Sequence
from typing import Protocol

import trio

from gameserver.core.lobby import Timed
from gameserver.engine.clock import HEARTBEAT_MS

PATIENCE_MS = 2_000


class AlarmPorts(Protocol):
    """The part of the server that the alarm calls."""

    def due_ms(self, timed: Timed) -> int | None:
        """The time at which the row's next thing is due; None if nothing is, or the row is gone."""

    def is_quiet(self, timed: Timed) -> bool:
        """True if nothing from the late players is unread, unparsed or in flight."""

    def read_pass(self, late: Sequence[tuple[int, Timed]]) -> None:
        """Read everything that has arrived; input of late players is stamped with their deadline."""

    def time_up(self, timed: Timed, *, is_final: bool) -> None:
        """Submit the time-out: for the connections that are quiet now or, if it is final, for any."""


class AlarmClock(Protocol):
    """The server's clock, which has to know if it is looked at regularly."""

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
        """Note the time at which a row's next thing is due."""
        if due_ms is None:
            return
        entry = self._entries.get(timed)
        if entry is None or due_ms < entry:
            self._entries[timed] = due_ms
            heapq.heappush(self._heap, (due_ms, timed))
            self._clock.watched = True
            self._wake.set()

    async def run(self) -> None:
        """Watch, for ever. Looks at the clock at every heartbeat while any row has a due time."""
        while True:
            if not self._heap:
                self._clock.watched = False
                self._wake = trio.Event()
                await self._wake.wait()
            self._look()
            await trio.sleep(HEARTBEAT_MS / 1000)

    def look_if_due(self, now_ms: int) -> None:
        """Look now, if the time of any row is up; called before anything is read that is to be stamped `now_ms`.

        Input may have waited for a commit or behind other commands. Without this look, a move that had come in time
        would be late if it was read after its deadline and before the next heartbeat.
        """
        if self._heap and self._heap[0][0] <= now_ms:
            self._look()

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
