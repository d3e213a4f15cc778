"""Server time: one axis of milliseconds that runs only while we serve.

Deadlines and budgets are points on this axis, so anything that keeps the server from serving must not move it: a
stalled loop, a slow commit, a suspended process. Two rules ensure that.

* While deadlines are watched, the alarm looks at the clock every `HEARTBEAT_MS`, and between two looks the axis
  advances by at most `STALL_MS`: a longer gap is a stall, and the excess is charged to nobody. While there is no
  deadline the clock need not be looked at, and a gap is just quiet time.
* While a commit runs the axis advances by at most `STALL_MS` in all, because no player can be told anything until the
  commit is done.

The allowance itself is covered by the margin after every deadline (`late_margin_ms`).

Rejected: subtracting measured stalls from each turn afterwards. Every deadline would need to know every stall, and a
restart would have to remember them.

`Stalls` keeps the points of the axis at which the server stood still, and for how long. It is evidence for the records,
never a rule: it tells how long the server stood still during a turn.

`Alarm` is the only alarm of the server: it submits time-outs to the core, never too early. A timed row, such as a match
or a room, has the time at which its next thing is due (`due_ms`, margin included). Before the alarm submits the
time-out, it has everything read that has arrived. Input of the late players is stamped with their deadline, and the
alarm waits for whatever their connections still have in the works. So a move that was sent in time counts, however busy
the server is. The time-out applies to the connections that were found quiet. A player who comes back by another
connection before the time-out is decided is checked again at the next heartbeat: login and move may have been read
together. A player who keeps a connection busy, or comes back again and again, cannot delay the time-out for longer than
`PATIENCE_MS`.

Input of other players is stamped with the present time. Stamped with another player's deadline, it could lie before
their own turn began, and would not count.

The heap holds one entry for each row, at or before its due time. A match that moved on is put back at its new time when
its old entry comes up, so a move costs one comparison.
"""

import heapq
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import trio

from gameserver.core.lobby import Timed

# Judgement: two heartbeats. A loop that is late by one has not stood still.
STALL_MS = 100

# Judgement: well below the margin of 250 ms after each deadline.
HEARTBEAT_MS = 50

# Judgement: only a peer that means to takes this long over the rest of its input.
PATIENCE_MS = 2_000

# More than one in every second of an hour.
KEPT_MAX = 4_096
"""Stalls that are remembered, the latest ones."""


class ServerClock:
    """The server's axis of time. `monotonic` gives seconds, such as `trio.current_time`; it goes on at `start_ms`."""

    def __init__(self, monotonic: Callable[[], float], start_ms: int = 0) -> None:
        self._monotonic = monotonic
        self._seen_s = monotonic()
        self._axis_ms = float(start_ms)
        self._hold_left_ms: float | None = None
        self.watched = False
        """True while there are deadlines, and the alarm looks at every heartbeat."""
        self.stalls = Stalls()
        """The stalls so far."""

    @property
    def stalled_ms(self) -> float:
        """Milliseconds in which the server's clock stood still, charged to nobody, in all."""
        return self.stalls.total_ms

    def now_ms(self) -> int:
        """Looks at the server's clock: a point on its axis, in milliseconds."""
        seen_s = self._monotonic()
        passed_ms = (seen_s - self._seen_s) * 1000
        self._seen_s = seen_s
        # Unwatched, nobody looks for minutes: that is quiet time, and the axis has to catch up with it.
        step_ms = STALL_MS if passed_ms > STALL_MS and self.watched else passed_ms
        if self._hold_left_ms is not None:
            # Held, the allowance is for the whole of it, however often somebody looks meanwhile.
            step_ms = min(step_ms, self._hold_left_ms)
            self._hold_left_ms -= step_ms
        self._axis_ms += step_ms
        if passed_ms > step_ms:
            self.stalls.note(round(self._axis_ms), passed_ms - step_ms)
        return round(self._axis_ms)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lets the server's clock advance by no more than the allowance while this lasts, such as during a commit."""
        self.now_ms()
        self._hold_left_ms = STALL_MS
        try:
            yield
        finally:
            self.now_ms()
            self._hold_left_ms = None


class Stalls:
    """The stalls of the server's clock since its start."""

    def __init__(self) -> None:
        self._at_ms: list[int] = []
        self._total_ms: list[float] = []
        self._forgotten_ms = 0.0

    @property
    def total_ms(self) -> float:
        """Milliseconds of all stalls of the server's clock together."""
        return self._total_ms[-1] if self._total_ms else self._forgotten_ms

    def note(self, at_ms: int, lost_ms: float) -> None:
        """Notes a stall of the server's clock: so much time was lost at this point of its axis."""
        total_ms = self.total_ms + lost_ms
        # The axis stands still in a stall, so several looks may find the same point.
        if self._at_ms and self._at_ms[-1] == at_ms:
            self._total_ms[-1] = total_ms
            return
        self._at_ms.append(at_ms)
        self._total_ms.append(total_ms)
        if len(self._at_ms) > KEPT_MAX:
            self._forgotten_ms = self._total_ms[KEPT_MAX // 2 - 1]
            # Half at once: to delete the first of a list each time would move all others.
            del self._at_ms[: KEPT_MAX // 2], self._total_ms[: KEPT_MAX // 2]

    def between(self, from_ms: int, to_ms: int) -> int:
        """Milliseconds that the server's clock stood still after the first point of its axis, up to the second."""
        return round(self._until(to_ms) - self._until(from_ms))

    def _until(self, at_ms: int) -> float:
        """Milliseconds of all stalls up to this point, as far as they are remembered."""
        index = bisect_right(self._at_ms, at_ms)
        return self._total_ms[index - 1] if index else self._forgotten_ms


class AlarmServices(Protocol):
    """The part of the server that the alarm calls."""

    def due_ms(self, timed: Timed) -> int | None:
        """The time at which the next thing of a row with a deadline is due; None if nothing is, or it is gone."""

    def is_quiet(self, timed: Timed) -> bool:
        """True if nothing from the players whose deadline has passed is unread, unparsed or in flight."""

    def read_pass(self, late: Sequence[tuple[int, Timed]]) -> None:
        """Reads everything that has arrived, before the alarm submits a time-out.

        Input of late players is stamped with their deadline.
        """

    def time_up(self, timed: Timed, *, is_final: bool) -> None:
        """Submits the alarm's time-out: for the connections that are quiet now or, if it is final, for any."""


class Alarm:
    """Watches the deadlines of all matches, rooms, tickets, challenges and tournaments."""

    def __init__(self, clock: ServerClock, watched: AlarmServices) -> None:
        self._clock = clock
        self._watched = watched
        self._heap: list[tuple[int, Timed]] = []
        self._entries: dict[Timed, int] = {}
        self._wake = trio.Event()

    def watch(self, timed: Timed, due_ms: int | None) -> None:
        """Sets the alarm for a row: notes the time at which its next thing is due."""
        if due_ms is None:
            return
        entry = self._entries.get(timed)
        if entry is None or due_ms < entry:
            self._entries[timed] = due_ms
            heapq.heappush(self._heap, (due_ms, timed))
            self._clock.watched = True
            self._wake.set()

    async def run(self) -> None:
        """Watches the deadlines for ever: looks at the server's clock at every heartbeat while any row has one."""
        while True:
            if not self._heap:
                # No deadline: the axis may catch up with quiet time.
                self._clock.watched = False
                self._wake = trio.Event()
                await self._wake.wait()
            self._look()
            await trio.sleep(HEARTBEAT_MS / 1000)

    def look_if_due(self, now_ms: int) -> None:
        """Looks for deadlines that have passed now, before anything is read that is to be stamped `now_ms`.

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
            # A stale entry: the row was put back at an earlier time since.
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
            # The command waits in the queue like any other; if it was refused, the row is looked at again.
            self.watch(timed, now_ms + HEARTBEAT_MS)
