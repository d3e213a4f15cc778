"""A protocol whose code fails: it ends its own connection, and no other."""

from collections.abc import Sequence
from typing import Any

import pytest
from trio.testing import MockClock

from gameserver.protocol import Adapter, Answer, BrokenInput, Context, Event, Output, Peer, Refusal, Reply, WireProtocol
from tests.support.drivers import DRIVERS
from tests.support.serving import LineClient, serving


class HostileAdapter(Adapter):
    """Fails where the peer tells it to."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def greeting(self) -> bytes:
        return b"hello\r\n"

    def receive(self, data: bytes, at_ms: int) -> None:
        self.asked += data.decode().split()
        if "receive" in self.asked:
            raise ZeroDivisionError

    def receive_eof(self) -> None:
        raise ZeroDivisionError

    def next(self) -> Any:
        word = self.asked.pop(0) if self.asked else None
        if word == "next":
            raise ZeroDivisionError
        if word == "broken":
            raise BrokenInput("not understood", b"what?\r\n")
        return None if word is None else Reply(f"{word}\r\n".encode())

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        raise ZeroDivisionError

    def farewell(self, refusal: Refusal) -> bytes:
        return f"sorry: {refusal.why}\r\n".encode()

    pending_bytes = 0
    identified = True
    finished = False


class HostileProtocol(WireProtocol):
    name = "hostile"
    title = "Hostile"
    default_port = 1
    fails_at_accept = False

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        if self.fails_at_accept:
            self.fails_at_accept = False
            raise ZeroDivisionError
        return HostileAdapter()


@DRIVERS
@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("receive", "sorry: The server made a mistake with this connection; please connect again"),
        ("next", "sorry: The server made a mistake with this connection; please connect again"),
        ("broken", "what?"),
    ],
)
async def test_exception_of_an_adapter_ends_only_its_connection(
    autojump_clock: MockClock, reactor: type, said: str, heard: str
) -> None:
    async with serving(protocol=HostileProtocol(), reactor=reactor) as running:
        victim, other = await running.connect(), await running.connect()
        await victim.send(said)
        assert await victim.rest() == ["hello", heard]
        await other.send("word")
        assert await other.lines(2) == ["hello", "word"]


async def test_a_protocol_that_cannot_make_an_adapter_loses_that_connection(autojump_clock: MockClock) -> None:
    protocol = HostileProtocol()
    protocol.fails_at_accept = True
    async with serving(protocol=protocol) as running:
        first = await running.connect()
        assert await first.rest() == []
        second: LineClient = await running.connect()
        assert await second.line() == "hello"
