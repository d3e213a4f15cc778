"""Gives turns to clients that ask for more than can be done at once.

A client that asks one thing and waits for the answer, as a player does, is served when its bytes are read and never
comes here. A client that sends many commands at once has the first ones taken, and the rest wait for their turns. So do
the requests of many browsers, and everything else that floods.

Each kind has a `Share` of the event loop: it is worked at for a slice of time, after which everybody else is served and
the share rests. Within a share, keys have their turns round robin, and the turns of one key are in order. With
addresses for keys, a flood costs its neighbours a fixed time however many take part, and a player with one connection
gets as much as a player with a hundred. `Timers` calls at a later time, for code without a task of its own.

All shares pass the `CommitGate`. The thread that commits needs the interpreter's lock a dozen times, and would wait for
the rest of a slice each time. So work that is not urgent waits while a commit runs.

`SHARES` is the table of slices: how much of the event loop each kind of work may take at a time. One thread serves
everybody, so work that can come in floods is done for `slice_s` in a row and then rests for `rest_s`. The moves of
others are decided in the rest. Two reasons for the lengths hold everywhere:

* A slice is added to the next move's answer, so most are half a millisecond. The commands of a slice have to be decided
  and answered as well, which takes about twice as long again.
* A flood must not use up the processor. The system lets a process wait that has done so, 6 to 20 ms on a busy machine,
  and every player with it.

The figures were measured with clients that flood the server beside others that play. A comment beside each line names
its user: most are a `FairScheduler.share`.
"""

import heapq
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count

import trio

from gameserver.values import value


@value
class Slice:
    """The length of a share's slice: seconds of work in a row, and the seconds of rest that follow.

    The first piece of work may take longer.
    """

    slice_s: float
    rest_s: float = 0.0


SHARES: Mapping[str, Slice] = {
    # CommandQueue. All moves that wait, as far as 20 ms go: the first of a batch waits for the last. There is no rest,
    # because a commit follows.
    "batch": Slice(0.02),
    # CommandQueue, within a batch and behind its moves. A new match takes 0.3 to 0.4 ms. After three of them most
    # moves beside a flood are in batches without any. They stay in the batch, because they share its commit.
    "match requests": Slice(0.001, 0.002),
    # CommandQueue, between two batches. Without a rest, lists of players kept the sequencer at work for 99.7 % of the
    # time; now answers take a fifth, some thousands a second. The lobby has to be still, so the sequencer answers.
    "queries": Slice(0.0005, 0.002),
    # Share by address: commands of connections that sent several at once, requests, and handshakes of addresses that
    # connect too fast. Slices of 2 ms asked for 100 queries, whose answers took 3 ms before the next move was decided.
    "connections": Slice(0.0005, 0.003),
    # Share by address: input of connections that sent more than is read at once. A hundred lines without an end were
    # read all of the time, in passes of 4 ms and more.
    "backlogs": Slice(0.0005, 0.003),
    # Share: pages that begin. One at a time, because a page takes a millisecond or two: a hundred that were made in one
    # turn of the loop blocked all players for 2.3 s.
    "looks": Slice(0.002, 0.003),
    # Share by topic: viewers of pages that have changed. Four at a time, each of which is written up to 60 KB.
    "viewers": Slice(0.002, 0.005),
    # SharedPage, which rests for as many times as long as its page took: the lobby's takes 13 ms with 20 boards, in
    # pieces. It cannot rest after each piece, or a lone viewer would wait for all of the rests.
    "pages": Slice(0.001, 0.01),
    # `accept_forever`, which rests only where one of them came too fast: a class that connects all at once need not
    # wait. With 10 ms of rest, players with a secret waited behind a flood in the kernel's queue; 4 ms let in 1,000 a
    # second.
    "newcomers": Slice(0.001, 0.004),
    # Snapshotter, between two batches: 1,000 matches take fifty slices. Only the sequencer may look at the lobby.
    "snapshots": Slice(0.001),
}
REQUEST_S = 0.0005
"""Seconds that an HTTP request takes at the least: to be read, brought to its route, and answered."""
HANDSHAKE_S = 0.001
"""Seconds that a TLS handshake takes of the processor."""
LOOK_S = 0.002
"""Seconds that it takes to make most pages."""
VIEWER_S = 0.0006
"""Seconds that it takes to bring a viewer up to date; 0.4 to 0.5 ms with 500 viewers of the lobby."""
MATCH_REQUESTS_PART = 0.25
"""The part of the time taken by a batch's moves that match requests may take, if that is more than their slice: they
waited for those moves too."""
HOLD_S = 0.05
"""Seconds that the gate is closed at most; commits that take longer are rare."""


class Timer:
    """A timer of the event loop: one pending call, which `cancel()` drops."""

    __slots__ = ("_callback",)

    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """Cancel a timer's call. Its place in the heap stays until its time; it holds nothing alive."""
        self._callback = None

    def fire(self) -> bool:
        """Make a timer's call, once; False if it was made or cancelled before."""
        callback, self._callback = self._callback, None
        if callback is None:
            return False
        callback()
        return True


class Timers:
    """All timers of the server's event loop.

    Callbacks are synchronous, quick, and guard themselves against exceptions.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Timer]] = []
        self._order = count()
        self._earlier = trio.Event()

    def after(self, delay_s: float, callback: Callable[[], None]) -> Timer:
        """Set a timer: call back after so many seconds."""
        timer = Timer(callback)
        at_s = trio.current_time() + delay_s
        if not self._heap or at_s < self._heap[0][0]:
            self._earlier.set()
        # The count keeps timers of the same time in order, and apart: timers cannot be compared.
        heapq.heappush(self._heap, (at_s, next(self._order), timer))
        return timer

    async def run(self) -> None:
        """Serve the timers of the event loop, for ever."""
        while True:
            self._earlier = trio.Event()
            with trio.move_on_at(self._heap[0][0] if self._heap else float("inf")):
                await self._earlier.wait()
            for timer in self._due():
                timer.fire()

    def _due(self) -> list[Timer]:
        """The timers whose time has come; a timer that they start is left for the next round."""
        now_s = trio.current_time()
        due = []
        while self._heap and self._heap[0][0] <= now_s:
            due.append(heapq.heappop(self._heap)[2])
        return due


class CommitGate:
    """The gate before the scheduler's turns that is closed while a commit runs."""

    __slots__ = ("_opens", "is_closed")

    def __init__(self) -> None:
        self._opens = trio.Event()
        self.is_closed = False

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep the gate of the scheduler's turns closed inside the block, for a commit."""
        self._opens = opens = trio.Event()
        self.is_closed = True
        try:
            yield
        finally:
            self.is_closed = False
            opens.set()

    async def passed(self) -> None:
        """Wait until no commit closes the gate, for `HOLD_S` at most; an open gate is passed without a checkpoint."""
        # Looked at first: a checkpoint would let other tasks run before every single turn.
        if self.is_closed:
            with trio.move_on_after(HOLD_S):
                await self._opens.wait()


class Cooldown:
    """The rests of a share of the event loop, after each slice of work whose gaps were shorter than the rest."""

    __slots__ = ("_counted_s", "_slice", "_taken_s", "over_s")

    def __init__(self, lengths: Slice) -> None:
        self._slice = lengths
        self._taken_s = self._counted_s = 0.0
        self.over_s = 0.0
        """The time at which the last rest is over."""

    def count(self, taken_s: float, now_s: float) -> None:
        """Count the work of a share's slice done until now. `now_s` is on the clock of the rests."""
        # A gap as long as the rest counts as one: the slice begins anew.
        if now_s - taken_s - self._counted_s > self._slice.rest_s:
            self._taken_s = 0.0
        self._counted_s = now_s
        self._taken_s += taken_s
        if self._taken_s >= self._slice.slice_s:
            self._taken_s = 0.0
            self.over_s = now_s + self._slice.rest_s


class Share:
    """A share of the event loop: the queue for turns at one kind of work.

    Callbacks are synchronous, quick, and guard against exceptions.
    """

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
        """Ask a share for a turn: call back when the key's turn comes, callers of one key in order.

        The turn can be cancelled.

        `takes_s`: seconds of the work that the call begins, about; they count as if the call itself had taken them.
        """
        turn = Timer(callback)
        self._waiting.setdefault(key, deque()).append((turn, takes_s))
        self._wake.set()
        return turn

    async def turn(self, key: Hashable, takes_s: float = 0.0) -> None:
        """Wait for a turn in a share of the event loop, after which the caller works for about `takes_s`."""
        has_come = trio.Event()
        turn = self.ask(key, has_come.set, takes_s)
        try:
            await has_come.wait()
        finally:
            # Else a task that was cancelled would still use its turn up.
            turn.cancel()

    def begin(self, takes_s: float) -> None:
        """Count work that this turn has begun, for callers that learn of it only within the turn."""
        self._begun_s += takes_s

    async def run(self) -> None:
        """Give turns in one share of the event loop, for ever."""
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
        """Give turns until the share's slice is used up; at least one, so the queue moves on however long a turn takes.

        Returns the seconds that they take.
        """
        began_s = self._now_s()
        self._begun_s = taken_s = 0.0
        while self._waiting:
            # Round robin: the key goes to the end again below, if it has more turns to wait for.
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
    """The fair scheduler: all shares of the event loop.

    `now_s` is trio's clock, on which work is measured too: in virtual time it takes none.
    """

    def __init__(self, now_s: Callable[[], float]) -> None:
        self.commit_gate = CommitGate()
        self._now_s = now_s
        self._shares: dict[str, Share] = {}

    def share(self, name: str) -> Share:
        """The fair scheduler's share of this name, with its lengths in `SHARES`; to be asked for before `run`."""
        if name not in self._shares:
            self._shares[name] = Share(SHARES[name], self.commit_gate, self._now_s)
        return self._shares[name]

    async def run(self) -> None:
        """Run the fair scheduler: give turns in every share, for ever."""
        async with trio.open_nursery() as nursery:
            for share in self._shares.values():
                nursery.start_soon(share.run)
