"""The server's own runtime with a protocol that only says lines back: what a transport costs, and nothing else.

Run as a script with a port and `tcp` or `http`; the latter serves WebSockets at `/echo` and requests.
"""

import sys
from collections.abc import Sequence
from typing import ClassVar

import trio

from gameserver.flow_control.limits import Limits
from gameserver.http.listener import HttpProtocol
from gameserver.journal.memory import MemoryJournal
from gameserver.logs import configure
from gameserver.protocol import (
    Adapter,
    Answer,
    Context,
    Endpoint,
    Event,
    Output,
    Peer,
    Refusal,
    Reply,
    WebSocketEndpoint,
    WireProtocol,
)
from gameserver.server.server import Listening, Server, Setup
from gameserver.transport.listener import Address, open_listeners


class BareEcho(Adapter):
    """As many lines as came at once go back at once."""

    identified = True
    finished = False

    def __init__(self) -> None:
        self._lines, self._rest = b"", b""

    def greeting(self) -> bytes:
        return b""

    def receive(self, data: bytes, at_ms: int) -> None:
        lines, newline, self._rest = (self._rest + data).rpartition(b"\n")
        self._lines += lines + newline

    def receive_eof(self) -> None:
        self.finished = True

    def next(self) -> Reply | None:
        lines, self._lines = self._lines, b""
        return Reply(lines) if lines else None

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        return ()

    def farewell(self, refusal: Refusal) -> bytes:
        return b""

    @property
    def pending_bytes(self) -> int:
        return len(self._lines)


class BareEchoProtocol(WireProtocol):
    name: ClassVar[str] = "echo"
    title: ClassVar[str] = "Echo"
    default_port: ClassVar[int | None] = 7

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        return BareEcho()

    def endpoints(self) -> Sequence[Endpoint]:
        return (WebSocketEndpoint("/echo"),)


async def serve(port: int, transport: str) -> None:
    """Serve until the process is ended."""
    echo = BareEchoProtocol()
    protocol: WireProtocol = HttpProtocol([echo]) if transport == "http" else echo
    sockets = tuple(open_listeners(Address("127.0.0.1", port)))
    listening = Listening(protocol, sockets, protocol.profiles[0], protocol.options_type())
    limits = Limits(connections_max=20_000, connections_per_address_max=20_000, commands_per_s=1_000_000.0)
    await Server(Setup({}, (listening,), limits=limits), MemoryJournal()).run()


if __name__ == "__main__":
    configure("warning", as_json=False)
    trio.run(serve, int(sys.argv[1]), sys.argv[2])
