"""Gives turns to clients that ask for more than can be done at once.

A client that asks one thing and waits for the answer, as a player does, is served when its bytes are read and never
comes here. A client that sends many commands at once has the first ones taken, and the rest wait for their turns. So do
the requests of many browsers, and everything else that floods.

Each kind has a `Share` of the event loop: it is worked at for a slice of time, after which everybody else is served and
the share rests. Within a share, keys have their turns round robin, and the turns of one key are in order. With
addresses for keys, a flood costs its neighbours a fixed time however many take part, and a player with one connection
gets as much as a player with a hundred. `shares` has the lengths of all slices and rests, with the reasons.

All shares pass the `CommitGate`. The thread that commits needs the interpreter's lock a dozen times, and would wait for
the rest of a slice each time. So work that is not urgent waits while a commit runs.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

import trio

from gameserver.flow_control.shares import SHARES, Slice
from gameserver.flow_control.timers import Timer

HOLD_S = 0.05
"""Seconds that the gate is closed at most; commits that take longer are rare."""


class CommitGate:
    """A gate that is closed while a commit runs."""

    __slots__ = ("_opens", "is_closed")

    def __init__(self) -> None:
        self._opens = trio.Event()
        self.is_closed = False

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep the gate closed inside the block."""
        self._opens = opens = trio.Event()
        self.is_closed = True
        try:
            yield
        finally:
            self.is_closed = False
            opens.set()

    async def passed(self) -> None:
        """Wait until the gate is open, for `HOLD_S` at most; an open gate is passed at once, without a checkpoint."""
        if self.is_closed:
            with trio.move_on_after(HOLD_S):
                await self._opens.wait()


class Cooldown:
    """Rests after each slice of work whose gaps were shorter than the rest."""

    __slots__ = ("_counted_s", "_slice", "_taken_s", "over_s")

    def __init__(self, lengths: Slice) -> None:
        self._slice = lengths
        self._taken_s = self._counted_s = 0.0
        self.over_s = 0.0
        """The time at which the last rest is over."""

    def count(self, taken_s: float, now_s: float) -> None:
        """Count the work done until now. `now_s` is on the clock of the rests."""
        if now_s - taken_s - self._counted_s > self._slice.rest_s:
            self._taken_s = 0.0
        self._counted_s = now_s
        self._taken_s += taken_s
        if self._taken_s >= self._slice.slice_s:
            self._taken_s = 0.0
            self.over_s = now_s + self._slice.rest_s


class Share:
    """The queue for turns at one kind of work. Callbacks are synchronous, quick, and guard against exceptions."""

    def __init__(self, lengths: Slice, commit_gate: CommitGate, now_s: Callable[[], float]) -> None:
        self._slice = lengths
        self._cooldown = Cooldown(lengths)
        self._commit_gate = commit_gate
        self._now_s = now_s
        self._waiting: OrderedDict[Hashable, deque[tuple[Timer, float]]] = OrderedDict()
        self._wake = trio.Event()
        self._begun_s = 0.0
        """Seconds of work that the turns of this round have begun but not done."""

    def ask(self, key: Hashable, callback: Callable[[], None], takes_s: float = 0.0) -> Timer:
        """Call back when the key's turn comes, callers of one key in order; the turn can be cancelled.

        `takes_s`: seconds of the work that the call begins, about; they count as if the call itself had taken them.
        """
        turn = Timer(callback)
        self._waiting.setdefault(key, deque()).append((turn, takes_s))
        self._wake.set()
        return turn

    async def turn(self, key: Hashable, takes_s: float = 0.0) -> None:
        """Wait for a turn, after which the caller works for about `takes_s`."""
        has_come = trio.Event()
        turn = self.ask(key, has_come.set, takes_s)
        try:
            await has_come.wait()
        finally:
            turn.cancel()

    def begin(self, takes_s: float) -> None:
        """Count work that this turn has begun, for callers that know only within the turn."""
        self._begun_s += takes_s

    async def run(self) -> None:
        """Give turns, for ever."""
        while True:
            if not self._waiting:
                self._wake = trio.Event()
                await self._wake.wait()
            await self._commit_gate.passed()
            taken_s = self.give_round()
            now_s = self._now_s()
            self._cooldown.count(taken_s, now_s)
            await trio.sleep(max(0.0, self._cooldown.over_s - now_s))

    def give_round(self) -> float:
        """Give turns until the slice is used up; at least one, so that the queue moves on however long a turn takes.

        Returns the seconds that they take.
        """
        began_s = self._now_s()
        self._begun_s = taken_s = 0.0
        while self._waiting:
            key, queue = self._waiting.popitem(last=False)
            turn, takes_s = queue.popleft()
            if queue:
                self._waiting[key] = queue
            if turn.fire():
                self._begun_s += takes_s
            taken_s = self._now_s() - began_s + self._begun_s
            if taken_s >= self._slice.slice_s:
                break
        return taken_s


class FairScheduler:
    """The shares of a server. `now_s` is trio's clock, on which work is measured too: in virtual time it takes none."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self.commit_gate = CommitGate()
        self._now_s = now_s
        self._shares: dict[str, Share] = {}

    def share(self, name: str) -> Share:
        """The share of this name, with its lengths in `SHARES`; to be asked for before `run`."""
        if name not in self._shares:
            self._shares[name] = Share(SHARES[name], self.commit_gate, self._now_s)
        return self._shares[name]

    async def run(self) -> None:
        """Give turns in every share, for ever."""
        async with trio.open_nursery() as nursery:
            for share in self._shares.values():
                nursery.start_soon(share.run)
