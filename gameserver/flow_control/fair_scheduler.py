"""Whose turn it is, among connections that have sent more than was answered so far.

Whoever asks one thing and waits for the answer, as a player does, is served when it is read and never
comes here. Who sends a heap of commands at once has the first ones taken; the rest wait for their
turn. Turns are taken in rounds of a few milliseconds, after each of which everybody else is served,
addresses in turn and within an address connections in turn. So a flood costs its neighbours a fixed
time, however many take part, and somebody with one connection as much as somebody with a hundred.

A round is short because what it asks for has to be decided and answered before the next move of a
player is, which takes about twice as long again. There is none while a commit runs: the thread that
commits needs the interpreter's lock a dozen times, and would wait for the rest of a round each time. And
there is a rest after so many turns as make a round, so that a flood does not use up the processor: the
system lets a process wait that has done so, and with it everybody whom it serves.

`CommitGate` is the gate of the commits: whatever is not urgent waits there while one runs, because doing it then makes
everybody wait for the commit longer.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

import trio

from gameserver.flow_control.timers import Timer

HOLD_S = 0.05
"""For how long at the most; commits that take longer are few."""


class CommitGate:
    """Entered by whoever is in a hurry, and waited for by whoever is not."""

    __slots__ = ("_goes_on",)

    def __init__(self) -> None:
        self._goes_on: trio.Event | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Have the others wait meanwhile."""
        self._goes_on = goes_on = trio.Event()
        try:
            yield
        finally:
            self._goes_on = None
            goes_on.set()

    async def over(self) -> None:
        """Wait until nobody is in a hurry, for `HOLD_S` at the most; at once, without a checkpoint, if nobody is."""
        if self._goes_on is not None:
            with trio.move_on_after(HOLD_S):
                await self._goes_on.wait()


ROUND_S = 0.0005
REST_S = 0.003


class FairScheduler:
    """All that wait for a turn. Callbacks are synchronous, quick, and guard themselves against exceptions."""

    def __init__(self, commit_gate: CommitGate) -> None:
        self._waiting: OrderedDict[str, deque[Timer]] = OrderedDict()
        self._wake = trio.Event()
        self._commit_gate = commit_gate
        self._taken_s = 0.0
        """How long turns took since there was a rest."""
        self._to_come_s = 0.0
        """How long it will take what the turns of this round have only begun."""

    def ask(self, address: str, callback: Callable[[], None]) -> Timer:
        """Call back when it is this address's turn, and within it this caller's; the turn can be cancelled."""
        turn = Timer(callback)
        self._waiting.setdefault(address, deque()).append(turn)
        self._wake.set()
        return turn

    def begin(self, takes_s: float) -> None:
        """Count what a turn has begun, a task that will take about so long, as if the turn had taken that itself."""
        self._to_come_s += takes_s

    async def run(self) -> None:
        """Give turns, for ever."""
        while True:
            if not self._waiting:
                self._wake = trio.Event()
                await self._wake.wait()
            await self._commit_gate.over()
            began_s = perf_counter()
            self.give_round()
            self._taken_s += perf_counter() - began_s + self._to_come_s
            if self._taken_s < ROUND_S:
                await trio.lowlevel.checkpoint()
            else:
                self._taken_s = 0.0
                await trio.sleep(REST_S)

    def give_round(self) -> None:
        """Give turns until the time of a round is up; at least one, so that it goes on whatever that takes."""
        end_s = perf_counter() + ROUND_S
        self._to_come_s = 0.0
        while self._waiting:
            address, queue = self._waiting.popitem(last=False)
            turn = queue.popleft()
            if queue:
                self._waiting[address] = queue
            turn.fire()
            if perf_counter() + self._to_come_s >= end_s:
                return
