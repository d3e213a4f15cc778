"""A third party's protocol with bugs: the text protocol, but at a word of the client's a part of it fails.

`bug PART` has PART fail from then on, for this connection: `receive`, `next`, `render`, `pending_bytes`,
`is_waiting`, `identified`, `discarded`, `due_ms` or `tick`.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from gameserver.protocol import (
    Adapter,
    Answer,
    Command,
    Context,
    Event,
    Output,
    Peer,
    Query,
    Refusal,
    Reply,
    WireProtocol,
    Work,
)
from protocols.strategic import PROTOCOL as STRATEGIC


class BuggyAdapter(Adapter):
    """As inside, until a part is to fail."""

    def __init__(self, inner: Adapter) -> None:
        self.inner = inner
        self.failing = ""

    def _may_fail(self, part: str) -> None:
        if part == self.failing:
            message = f"planted in {part}"
            raise ZeroDivisionError(message)

    def greeting(self) -> bytes:
        return self.inner.greeting()

    def receive(self, data: bytes, at_ms: int) -> None:
        self._may_fail("receive")
        for line in data.splitlines():
            if line.startswith(b"bug "):
                self.failing = line.split()[1].decode()
                self._may_fail("receive")
        self.inner.receive(b"".join(line for line in data.splitlines(True) if not line.startswith(b"bug ")), at_ms)

    def receive_eof(self) -> None:
        self.inner.receive_eof()

    def next(self) -> Command | Query | Reply | Work | None:
        self._may_fail("next")
        return self.inner.next()

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        self._may_fail("render")
        return self.inner.render(answer, events)

    def farewell(self, refusal: Refusal) -> bytes:
        return self.inner.farewell(refusal)

    def tick(self, now_ms: int) -> None:
        self._may_fail("tick")
        self.inner.tick(now_ms)

    @property
    def due_ms(self) -> int | None:
        self._may_fail("due_ms")
        return 0 if self.failing == "tick" else self.inner.due_ms

    @property
    def is_waiting(self) -> bool:
        self._may_fail("is_waiting")
        return self.inner.is_waiting

    @property
    def discarded(self) -> int:
        self._may_fail("discarded")
        return self.inner.discarded

    @property
    def pending_bytes(self) -> int:
        self._may_fail("pending_bytes")
        return self.inner.pending_bytes

    @property
    def identified(self) -> bool:
        self._may_fail("identified")
        return self.inner.identified

    @property
    def finished(self) -> bool:
        return self.inner.finished


class BuggyProtocol(WireProtocol):
    """The protocol as such."""

    name: ClassVar[str] = "buggy"
    title: ClassVar[str] = "The text protocol, with bugs"
    default_port: ClassVar[int | None] = 7999
    options_type: ClassVar[type] = STRATEGIC.options_type

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        return BuggyAdapter(STRATEGIC.adapter(peer, context))


PROTOCOL: Any = BuggyProtocol()
