"""An adapter that notes in the wire log what goes through it, and the base of adapters around another one."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from attrs import define

from gameserver.protocol import (
    Adapter,
    Answer,
    BrokenInput,
    Command,
    Event,
    Output,
    Peer,
    Query,
    Refusal,
    Reply,
    WireProtocol,
    Work,
)
from gameserver.wire_log.files import WireLog
from gameserver.wire_log.redaction import Redactor


@define(eq=False)
class PassingAdapter(Adapter):
    """An adapter around another one, to which it passes everything. Its heirs look at what goes through."""

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


T = TypeVar("T")


@define(eq=False)
class RecordingAdapter(PassingAdapter):
    """`inner`, with its bytes noted: what is read when it is read, what is said when it is handed on."""

    _log: WireLog
    _session: int
    _protocol: str
    _heard: Redactor
    _said: Redactor
    _is_over: bool = False

    @classmethod
    def around(cls, inner: Adapter, peer: Peer, protocol: WireProtocol, log: WireLog) -> "RecordingAdapter":
        """The adapter of a connection that is to be logged."""
        heard, said = Redactor(protocol.secrets), Redactor(protocol.secrets)
        return cls(inner, log, peer.session, protocol.name, heard, said)

    def tick(self, now_ms: int) -> None:
        """Passes to the adapter inside."""
        self._noted(partial(self.inner.tick, now_ms))

    def greeting(self) -> bytes:
        """Passes to the adapter inside."""
        return self._say(self.inner.greeting())

    def receive(self, data: bytes, at_ms: int) -> None:
        """Note the bytes, and hand them in."""
        self._log.note(self._session, self._protocol, "<", self._heard.masked(data))
        self._noted(partial(self.inner.receive, data, at_ms))

    def receive_eof(self) -> None:
        """Passes to the adapter inside."""
        self._log.note(self._session, self._protocol, "<", b"(end)")
        self._noted(self.inner.receive_eof)

    def next(self) -> Command | Query | Reply | Work | None:
        """Passes to the adapter inside, and notes a reply."""
        item = self._noted(self.inner.next)
        if isinstance(item, Reply):
            self._say(item.data)
        return item

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """Passes to the adapter inside, and notes its output, also if that is held back for a moment."""
        outputs = self.inner.render(answer, events)
        for output in outputs:
            self._say(output.data)
        return outputs

    def farewell(self, refusal: Refusal) -> bytes:
        """Passes to the adapter inside. Only the first is noted: a stop tells every connection twice."""
        words = self.inner.farewell(refusal)
        if not self._is_over:
            self._is_over = True
            self._say(words)
        return words

    def ping(self) -> bytes:
        """Passes to the adapter inside."""
        return self._say(self.inner.ping())

    @property
    def words_for_overlong(self) -> bytes:
        """Passes to the adapter inside."""
        return self._say(self.inner.words_for_overlong)

    def _noted(self, step: Callable[[], T]) -> T:
        """Do a step of the adapter inside, and note the last words of one that ends the connection."""
        try:
            return step()
        except BrokenInput as broken:
            self._say(broken.last_words)
            raise

    def _say(self, data: bytes) -> bytes:
        self._log.note(self._session, self._protocol, ">", self._said.masked(data))
        return data
