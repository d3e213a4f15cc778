"""The parts that clients by hand share: what is sent goes to the adapter alone, and the test plays the lobby."""

import json
from collections.abc import Callable
from typing import Any, ClassVar

from attrs import define, field

from gameserver.protocol import (
    Accepted,
    Adapter,
    Answer,
    BrokenInput,
    Command,
    Context,
    Event,
    Output,
    Peer,
    Query,
    Reply,
    WireProtocol,
    Work,
)

Item = Command | Query | Reply | Work | None


class ClientByHand:
    """One connection of a profile. A protocol's client says what bytes mean (`heard_in`)."""

    protocol: ClassVar[WireProtocol]
    games: ClassVar[tuple[str, ...]]
    line_end: ClassVar[bytes] = b"\n"
    heard_in: ClassVar[Callable[[bytes], Any]]
    """The messages that the client reads in bytes; a static method."""

    def __init__(self, profile: str = "document", line_bytes_max: int = 16_384, **options: Any) -> None:
        context = Context(profile, self.protocol.options_type(**options), self.games, line_bytes_max)
        self.adapter: Any = self.protocol.adapter(Peer(7, "10.0.0.1"), context)

    def send(self, line: Any, at_ms: int = 0) -> Item:
        """Send a line, or an object as one, at a time and hand back what it asks for."""
        text = line if isinstance(line, str) else json.dumps(line)
        self.adapter.receive(text.encode() + self.line_end, at_ms)
        item: Item = self.adapter.next()
        return item

    def told(self, line: Any, at_ms: int = 0) -> Any:
        """Send a line that needs no lobby; the answer to it."""
        reply = self.send(line, at_ms)
        assert isinstance(reply, Reply), reply
        return self.heard_in(reply.data)

    def asks(self, line: Any, *events: Event, answer: Answer | None = None) -> Any:
        """Send a line that goes to the lobby; what the lobby's answer and events sound like."""
        command = self.send(line)
        assert command is not None
        assert not isinstance(command, Reply), command
        return self.hears(*events, answer=Accepted() if answer is None else answer)

    def hears(self, *events: Event, answer: Answer | None = None) -> Any:
        """The bytes for the lobby's answer and events."""
        return self.heard_in(b"".join(output.data for output in self.outputs(*events, answer=answer)))

    def outputs(self, *events: Event, answer: Answer | None = None) -> list[Output]:
        return list(self.adapter.render(answer, events))


@define(eq=False)
class MemoryConnection:
    """A connection without a network: what came out of its adapter, and why it ended, if it has."""

    adapter: Adapter = field(init=False)
    said: bytearray = field(factory=bytearray, init=False)
    ended: str | None = field(default=None, init=False)

    def hear(self, data: bytes, at_ms: int = 0) -> bytes:
        """Bytes come in; gives what is said to them."""
        before = len(self.said)
        self.attempt(lambda: self.adapter.receive(data, at_ms))
        self.pump()
        return bytes(self.said[before:])

    def hear_eof(self) -> None:
        self.attempt(self.adapter.receive_eof)
        self.pump()

    def pump(self) -> bytes:
        """Take what the adapter has until it waits for something; gives what is said."""
        before = len(self.said)
        self.attempt(self._pump)
        return bytes(self.said[before:])

    def _pump(self) -> None:
        while self.ended is None and self.may_ask:
            item = self.adapter.next()
            if isinstance(item, Reply):
                self.say(item)
            elif item is not None:
                self.take(item)
            else:
                self.ended = "finished" if self.adapter.finished else None
                return

    @property
    def may_ask(self) -> bool:
        """True if the adapter is asked for what comes next."""
        return True

    def say(self, reply: Reply) -> None:
        """Put out a reply, after which another adapter may have the connection."""
        self.said += reply.data
        self.adapter = reply.then or self.adapter

    def take(self, item: Command | Query | Work) -> None:
        """Carry out what the adapter asks for."""
        raise NotImplementedError

    def attempt(self, step: Callable[[], object]) -> None:
        """Do a step of an open connection; broken input ends it, with its last words."""
        if self.ended is not None:
            return
        try:
            step()
        except BrokenInput as broken:
            self.said += broken.last_words
            self.ended = broken.why
