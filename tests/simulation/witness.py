"""Looks at what goes through an adapter: what the server meant by it, and a bug that is planted there.

The text of a protocol does not say which match is meant, or when a turn ends. The events do, so they are noted here
for the invariants; clients never see these notes.
"""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import trio
from attrs import define, field

from gameserver.protocol import (
    Accepted,
    Answer,
    Command,
    Displaced,
    Enter,
    Event,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MatchPaired,
    MatchShown,
    MovePlayed,
    Output,
    Play,
    Query,
    Refusal,
    Reply,
    TurnStarted,
    Work,
)
from gameserver.wire_log.recording_adapter import PassingAdapter
from tests.simulation.violation import Violation
from tests.simulation.wire import Arrival, MatchTold, TurnTold, Wire

if TYPE_CHECKING:
    from tests.simulation.power import Machine

TOLD_AT_ITS_BEGINNING = ("strategic", "connect-four")
"""The protocols whose players hear of a match when it begins, and not that it waits for somebody."""
KEPT = (Enter, Play)
"""Commands that cannot be accepted without a row."""
FOLLOWING = (MovePlayed, GameEnded, MatchEnded, MatchOpened)
"""Events that follow from a row, and are no answer to a question."""
ITEMS_MAX = 10_000
"""Items that one adapter may give at one moment; more would never end, as turns take no virtual time."""
BUGS = ("receive", "next", "render")
"""The parts of an adapter that can be made to fail."""


class PlantedBug(Exception):
    """An exception that stands for a bug of an adapter."""


@define(eq=False)
class Witness(PassingAdapter):
    """An adapter of the server's, observed."""

    _machine: "Machine"
    _wire: Wire
    _protocol: str
    planted: str = ""
    """The part of the adapter that fails when it is asked next; empty for none."""
    _asked: deque[Command | Query] = field(factory=deque)
    """Questions of the peer that are not answered."""
    _accepted: Counter[type] = field(factory=Counter)
    _put_bytes: int = 0
    _items: int = 0
    _given_s: float = 0.0
    _held: deque[tuple[int, int]] = field(factory=deque)
    """Bytes from which on nothing may be sent before which time."""

    def greeting(self) -> bytes:
        return self._put(self.inner.greeting())

    def receive(self, data: bytes, at_ms: int) -> None:
        reads = self._wire.reads
        if reads:  # else the bytes came with the request for this protocol
            reads[-1] = Arrival(reads[-1].end, reads[-1].real_ms, at_ms)
        with self._last_words():
            self._may_fail("receive")
            self.inner.receive(data, at_ms)

    def next(self) -> Command | Query | Reply | Work | None:
        now_s = trio.current_time()
        self._items = self._items + 1 if now_s == self._given_s else 0
        self._given_s = now_s
        if self._items > ITEMS_MAX:
            raise Violation("an adapter comes to an end", f"{self._items} items at one moment")
        with self._last_words():
            self._may_fail("next")
            item = self.inner.next()
        if isinstance(item, Reply):
            self._put(item.data)
        elif item is not None and not isinstance(item, Work):
            self._asked.append(item)
        return item

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        with self._machine.world.watching():
            self._machine.world.telling(self._machine)
            self._check_durable(answer, events)
            self._note(events)
            self._machine.world.fairness.heard(events)
        with self._last_words():
            self._may_fail("render")
            outputs = self.inner.render(answer, events)
        for output in outputs:
            if output.release_ms > self._machine.axis_ms:
                self._held.append((self._put_bytes, output.release_ms))
            self._put(output.data)
        return outputs

    def farewell(self, refusal: Refusal) -> bytes:
        self._held.clear()  # the end of a connection lets everything out
        return self.inner.farewell(refusal)

    def sent(self, total_bytes: int) -> int:
        """Give the milliseconds by which some of these bytes in all were sent too early."""
        early_ms = 0
        if self.inner.finished or self._wire.listener == "http":
            return 0  # the end of a connection lets everything out, and frames have bytes of their own
        while self._held and self._held[0][0] < total_bytes:
            early_ms = max(early_ms, self._held.popleft()[1] - self._machine.axis_ms)
        return early_ms

    @contextmanager
    def _last_words(self) -> Iterator[None]:
        """Let everything out if this raises: that ends the connection."""
        try:
            yield
        except Exception:
            self._held.clear()
            raise

    def _check_durable(self, answer: Answer | None, events: Sequence[Event]) -> None:
        """Check that whatever is told is on the disk at this moment."""
        machine = self._machine
        asked = self._asked.popleft() if answer is not None and self._asked else None
        if isinstance(asked, KEPT) and isinstance(answer, Accepted):
            self._accepted[type(asked)] += 1
            if self._accepted[type(asked)] > machine.kept[self._wire.session, type(asked)]:
                raise Violation("durable before told", f"{asked} is accepted and not on the disk")
        meant = machine.meant[self._wire.session]
        for event in events:
            if isinstance(event, FOLLOWING):
                while meant and meant[0] != event:
                    meant.popleft()
                if not meant:
                    raise Violation("durable before told", f"{event} follows from no row on the disk")

    def _put(self, data: bytes) -> bytes:
        self._put_bytes += len(data)
        return data

    def _may_fail(self, part: str) -> None:
        if self.planted == part:
            self.planted = ""
            self._machine.world.count(f"bug in {part}")
            raise PlantedBug(part)

    def _note(self, events: Sequence[Event]) -> None:
        machine, wire = self._machine, self._wire
        world = machine.world
        for event in events:
            if isinstance(event, MatchShown) and event.ready is not None and self._protocol in TOLD_AT_ITS_BEGINNING:
                continue
            if isinstance(event, MatchOpened | MatchShown | MatchPaired):
                world.auditor.seated(machine, event.match, event.seat)
                shown = event.moves if isinstance(event, MatchShown) else ()
                moves = sum(move.seat is not None for move in shown)
                wire.matches_told.append(MatchTold(event.match, world.real_ms, moves, event.players, event.seat))
            elif isinstance(event, Displaced):
                wire.is_displaced = True
            elif isinstance(event, TurnStarted):
                allowed_ms = None if event.deadline_ms is None else event.deadline_ms - machine.axis_ms
                told = TurnTold(event.match, event.turn, world.real_ms, allowed_ms, event.deadline_ms, event.banks_ms)
                wire.turns_told.append(told)
