"""An adapter around another one, which passes everything on. Its heirs look at what goes through."""

from collections.abc import Sequence

from attrs import define

from gameserver.protocol import Adapter, Answer, Command, Event, Output, Query, Refusal, Reply, Work


@define(eq=False)
class PassingAdapter(Adapter):
    """`inner`, as it is."""

    inner: Adapter

    @property
    def due_ms(self) -> int | None:
        """Passes to the adapter inside."""
        return self.inner.due_ms

    def tick(self, now_ms: int) -> None:
        """Passes to the adapter inside."""
        self.inner.tick(now_ms)

    def greeting(self) -> bytes:
        """Passes to the adapter inside."""
        return self.inner.greeting()

    def receive(self, data: bytes, at_ms: int) -> None:
        """Passes to the adapter inside."""
        self.inner.receive(data, at_ms)

    def receive_eof(self) -> None:
        """Passes to the adapter inside."""
        self.inner.receive_eof()

    def next(self) -> Command | Query | Reply | Work | None:
        """Passes to the adapter inside."""
        return self.inner.next()

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """Passes to the adapter inside."""
        return self.inner.render(answer, events)

    def farewell(self, refusal: Refusal) -> bytes:
        """Passes to the adapter inside."""
        return self.inner.farewell(refusal)

    def ping(self) -> bytes:
        """Passes to the adapter inside."""
        return self.inner.ping()

    @property
    def words_for_overlong(self) -> bytes:
        """Passes to the adapter inside."""
        return self.inner.words_for_overlong

    @property
    def pending_bytes(self) -> int:
        """Passes to the adapter inside."""
        return self.inner.pending_bytes

    @property
    def is_waiting(self) -> bool:
        """Passes to the adapter inside."""
        return self.inner.is_waiting

    @property
    def discarded(self) -> int:
        """Passes to the adapter inside."""
        return self.inner.discarded

    @property
    def is_passing(self) -> bool:
        """Passes to the adapter inside."""
        return self.inner.is_passing

    @property
    def identified(self) -> bool:
        """Passes to the adapter inside."""
        return self.inner.identified

    @property
    def is_established(self) -> bool:
        """Passes to the adapter inside."""
        return self.inner.is_established

    @property
    def finished(self) -> bool:
        """Passes to the adapter inside."""
        return self.inner.finished
