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
        return self.inner.due_ms

    def tick(self, now_ms: int) -> None:
        self.inner.tick(now_ms)

    def greeting(self) -> bytes:
        return self.inner.greeting()

    def receive(self, data: bytes, at_ms: int) -> None:
        self.inner.receive(data, at_ms)

    def receive_eof(self) -> None:
        self.inner.receive_eof()

    def next(self) -> Command | Query | Reply | Work | None:
        return self.inner.next()

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        return self.inner.render(answer, events)

    def farewell(self, refusal: Refusal) -> bytes:
        return self.inner.farewell(refusal)

    def ping(self) -> bytes:
        return self.inner.ping()

    @property
    def words_for_overlong(self) -> bytes:
        return self.inner.words_for_overlong

    @property
    def pending_bytes(self) -> int:
        return self.inner.pending_bytes

    @property
    def is_waiting(self) -> bool:
        return self.inner.is_waiting

    @property
    def discarded(self) -> int:
        return self.inner.discarded

    @property
    def is_passing(self) -> bool:
        return self.inner.is_passing

    @property
    def identified(self) -> bool:
        return self.inner.identified

    @property
    def is_established(self) -> bool:
        return self.inner.is_established

    @property
    def finished(self) -> bool:
        return self.inner.finished


T = TypeVar("T")


@define(eq=False)
class RecordingAdapter(PassingAdapter):
    """An adapter around another one that records its bytes: input when it is read, output when it is handed on."""

    _log: WireLog
    _session: int
    _protocol: str
    _heard: Redactor
    _said: Redactor
    _is_over: bool = False

    @classmethod
    def around(cls, inner: Adapter, peer: Peer, protocol: WireProtocol, log: WireLog) -> "RecordingAdapter":
        """The recording adapter around that of a connection that is to be logged."""
        # One for each direction: the welcome of `web` has the player's key, which takes a seat back.
        heard, said = Redactor(protocol.secrets), Redactor(protocol.secrets)
        return cls(inner, log, peer.session, protocol.name, heard, said)

    def tick(self, now_ms: int) -> None:
        self._noted(partial(self.inner.tick, now_ms))

    def greeting(self) -> bytes:
        return self._say(self.inner.greeting())

    def receive(self, data: bytes, at_ms: int) -> None:
        """Record the bytes that come, and pass them to the adapter inside."""
        # Before the adapter sees them: bytes that it fails at are those that a student asks about.
        self._log.note(self._session, self._protocol, "<", self._heard.masked(data))
        self._noted(partial(self.inner.receive, data, at_ms))

    def receive_eof(self) -> None:
        self._log.note(self._session, self._protocol, "<", b"(end)")
        self._noted(self.inner.receive_eof)

    def next(self) -> Command | Query | Reply | Work | None:
        """Pass to the adapter inside, and record a reply."""
        item = self._noted(self.inner.next)
        if isinstance(item, Reply):
            self._say(item.data)
        return item

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """Pass to the adapter inside, and record its output, also if that is held back for a moment."""
        outputs = self.inner.render(answer, events)
        for output in outputs:
            self._say(output.data)
        return outputs

    def farewell(self, refusal: Refusal) -> bytes:
        """Pass to the adapter inside, and record its words. Only the first are: a stop tells every connection twice."""
        words = self.inner.farewell(refusal)
        if not self._is_over:
            self._is_over = True
            self._say(words)
        return words

    def ping(self) -> bytes:
        return self._say(self.inner.ping())

    @property
    def words_for_overlong(self) -> bytes:
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
