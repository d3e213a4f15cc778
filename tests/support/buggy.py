"""A third party's protocol with bugs: the text protocol, but at a word of the client's a part of it fails.

`bug PART` has PART fail from then on, for this connection: `receive`, `next`, `render`, `pending_bytes`,
`is_waiting`, `identified`, `discarded`, `due_ms` or `tick`.
"""

from typing import Any, ClassVar

from gameserver.protocol import Adapter, Context, Peer, WireProtocol
from protocols.strategic import PROTOCOL as STRATEGIC


class _Delegating:
    """As the adapter inside, until a part is to fail."""

    def __init__(self, inner: Adapter) -> None:
        self.inner = inner
        self.failing = ""

    def may_fail(self, part: str) -> None:
        if part == self.failing:
            message = f"planted in {part}"
            raise ZeroDivisionError(message)

    def receive(self, data: bytes, at_ms: int) -> None:
        self.may_fail("receive")
        for line in data.splitlines():
            if line.startswith(b"bug "):
                self.failing = line.split()[1].decode()
                self.may_fail("receive")
        self.inner.receive(b"".join(line for line in data.splitlines(True) if not line.startswith(b"bug ")), at_ms)

    @property
    def due_ms(self) -> int | None:
        self.may_fail("due_ms")
        return 0 if self.failing == "tick" else self.inner.due_ms


def _method(part: str) -> Any:
    def call(self: Any, *arguments: Any) -> Any:
        self.may_fail(part)
        return getattr(self.inner, part)(*arguments)

    return call


def _attribute(part: str) -> Any:
    def get(self: Any) -> Any:
        self.may_fail(part)
        return getattr(self.inner, part)

    return property(get)


METHODS = ("greeting", "receive_eof", "next", "render", "farewell", "tick")
ATTRIBUTES = ("is_waiting", "discarded", "pending_bytes", "identified", "finished")
BuggyAdapter: Any = type(
    "BuggyAdapter",
    (_Delegating, Adapter),
    {part: _method(part) for part in METHODS} | {part: _attribute(part) for part in ATTRIBUTES},
)


class BuggyProtocol(WireProtocol):
    """The protocol as such."""

    name: ClassVar[str] = "buggy"
    title: ClassVar[str] = "The text protocol, with bugs"
    default_port: ClassVar[int | None] = 7999
    options_type: ClassVar[type] = STRATEGIC.options_type

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        adapter: Adapter = BuggyAdapter(STRATEGIC.adapter(peer, context))
        return adapter


PROTOCOL: Any = BuggyProtocol()
