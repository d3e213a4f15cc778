"""Whose turn it is, among those who ask for more than can be done at once.

Whoever asks one thing and waits for the answer, as a player does, is served when it is read and never comes here. A
client that sends a heap of commands has the first ones taken, and the rest wait for their turns. So do the requests of
many browsers, and everything else that floods.

Each kind has a `Share` of the event loop: it is worked at for a slice of time, after which everybody else is served and
the share rests. Within it keys have their turns in a circle, and the turns of one key are in order. With addresses for
keys, a flood costs its neighbours a fixed time however many take part, and a player with one connection gets as much as
a player with a hundred. `shares` has the lengths of all slices and rests, with the reasons.

`CommitGate` is under all of them. The thread that commits needs the interpreter's lock a dozen times, and would wait
for the rest of a slice each time. So what is not urgent waits while a commit runs.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

import trio

from gameserver.flow_control.shares import SHARES, Slice
from gameserver.flow_control.timers import Timer

HOLD_S = 0.05
"""Seconds that the gate is closed at the most; commits that take longer are few."""


class CommitGate:
    """Closed while a commit runs."""

    __slots__ = ("_opens",)

    def __init__(self) -> None:
        self._opens: trio.Event | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Have the others wait meanwhile."""
        self._opens = opens = trio.Event()
        try:
            yield
        finally:
            self._opens = None
            opens.set()

    async def passed(self) -> None:
        """Wait until the gate is open, for `HOLD_S` at the most; at once, without a checkpoint, if it is."""
        if self._opens is not None:
            with trio.move_on_after(HOLD_S):
                await self._opens.wait()


class Cooldown:
    """Rests after each slice of work, where the gaps within the slice were shorter than the rest."""

    __slots__ = ("_counted_s", "_slice", "_taken_s", "over_s")

    def __init__(self, lengths: Slice) -> None:
        self._slice = lengths
        self._taken_s = self._counted_s = 0.0
        self.over_s = 0.0
        """The time at which the last rest is over."""

    def count(self, taken_s: float, now_s: float) -> None:
        """Count what was taken until now. `now_s` is on the clock of the rests."""
        if now_s - taken_s - self._counted_s > self._slice.rest_s:
            self._taken_s = 0.0
        self._counted_s = now_s
        self._taken_s += taken_s
        if self._taken_s >= self._slice.slice_s:
            self._taken_s = 0.0
            self.over_s = now_s + self._slice.rest_s


class Share:
    """All that wait for a turn at one kind of work. Callbacks are synchronous, quick, and guard against exceptions."""

    def __init__(self, lengths: Slice, commit_gate: CommitGate, now_s: Callable[[], float]) -> None:
        self._slice = lengths
        self._cooldown = Cooldown(lengths)
        self._commit_gate = commit_gate
        self._now_s = now_s
        self._waiting: OrderedDict[Hashable, deque[tuple[Timer, float]]] = OrderedDict()
        self._wake = trio.Event()
        self._begun_s = 0.0
        """Seconds that it will take what the turns of this round have only begun."""

    def ask(self, key: Hashable, callback: Callable[[], None], takes_s: float = 0.0) -> Timer:
        """Call back when it is this key's turn, and within it this caller's; the turn can be cancelled.

        `takes_s`: what the call begins will take about so long, and counts as if the call had taken it.
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
        """Count what this turn has begun, where only the turn shows that it begins something."""
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
        """Give turns until the slice is used up; at least one, so that it goes on whatever that takes.

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
