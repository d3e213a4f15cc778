"""Whose turn it is, among connections that have sent more than was answered so far.

Whoever asks one thing and waits for the answer, as a player does, is served when it is read and never
comes here. Who sends a heap of commands at once has the first ones taken; the rest wait for their
turn. Turns are taken in rounds of a few milliseconds, after each of which everybody else is served,
addresses in turn and within an address connections in turn. So a flood costs its neighbours a fixed
time, however many take part, and somebody with one connection as much as somebody with a hundred.
"""

from collections import OrderedDict, deque
from collections.abc import Callable
from time import perf_counter

import trio

from gameserver.runtime.timers import Timer

ROUND_S = 0.002


class Turns:
    """All that wait for a turn. Callbacks are synchronous, quick, and guard themselves against exceptions."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[Timer]] = OrderedDict()
        self._wake = trio.Event()

    def ask(self, address: str, callback: Callable[[], None]) -> Timer:
        """Call back when it is this address's turn, and within it this caller's; the turn can be cancelled."""
        turn = Timer(callback)
        self._waiting.setdefault(address, deque()).append(turn)
        self._wake.set()
        return turn

    async def run(self) -> None:
        """Give turns, for ever."""
        while True:
            if not self._waiting:
                self._wake = trio.Event()
                await self._wake.wait()
            self.give_round()
            await trio.lowlevel.checkpoint()

    def give_round(self) -> None:
        """Give turns until the time of a round is up; at least one, so that it goes on whatever that takes."""
        end_s = perf_counter() + ROUND_S
        while self._waiting:
            address, queue = self._waiting.popitem(last=False)
            turn = queue.popleft()
            if queue:
                self._waiting[address] = queue
            turn.fire()
            if perf_counter() >= end_s:
                return
