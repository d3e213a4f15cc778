"""Measures the cost of a message over raw TCP, in WebSocket frames and as an HTTP request, on the same runtime."""

import socket
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen
from websockets.frames import Frame, Opcode

from tests.benchmarks.generator import Loop, Tally, connected, loop, now_s
from tests.benchmarks.load import SETUP_TIMEOUT_S, medians
from tests.benchmarks.measuring import measured
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.players import ECHO_LINE, READ_BYTES
from tests.benchmarks.processes import ECHO, HERE, BenchmarkError, Running, Subject, running
from tests.benchmarks.report import Figures, Row

HANDSHAKE = (
    b"GET /echo HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"


@frozen
class Transport:
    """A way to say one thing and hear it back."""

    name: str
    subject: Subject
    message: bytes
    hello: bytes = b""
    """The opening, sent and answered once before the messages."""


def _subject(kind: str, hello: bytes) -> Subject:
    command = (sys.executable, "-m", "tests.benchmarks.transport_server", "{port}", kind)
    return Subject(kind, command, hello)


TRANSPORTS = (
    Transport("raw TCP", _subject("tcp", b"hello\n"), ECHO_LINE),
    Transport(
        "WebSocket",
        _subject("http", HEALTH),
        Frame(Opcode.TEXT, ECHO_LINE.removesuffix(b"\n")).serialize(mask=True),
        HANDSHAKE,
    ),
    Transport("GET /health", _subject("http", HEALTH), HEALTH),
)
BARE = Transport("echo", ECHO, ECHO_LINE)


class Speaker:
    """A connection that says its message again as soon as the answer is complete."""

    def __init__(self, sock: socket.socket, transport: Transport, answer_bytes: int, tally: Tally) -> None:
        self.sock = sock
        self._message, self._answer_bytes, self._tally = transport.message, answer_bytes, tally
        self._missing = 0
        self._sent_s = 0.0

    def speak(self) -> None:
        """Say the message."""
        self._missing = self._answer_bytes
        self._tally.moves += 1
        self._sent_s = now_s()
        self.sock.send(self._message)

    def on_readable(self) -> None:
        """Count what is back."""
        data = self.sock.recv(READ_BYTES)
        if not data:
            raise BenchmarkError("the server closed a connection")
        self._missing -= len(data)
        if self._missing == 0:
            self._tally.latencies_s.append(now_s() - self._sent_s)
            self.speak()


def measure(plan: Plan) -> list[Row]:
    """Each transport with the bare echo beside it, in turns; the median of the rounds."""
    rounds: dict[str, list[Figures]] = {transport.name: [] for transport in (*TRANSPORTS, BARE)}
    for number in range(plan.rounds):
        everything = (*TRANSPORTS, BARE)
        for transport in everything if number % 2 == 0 else reversed(everything):
            with TemporaryDirectory() as directory:
                working_directory = HERE.parents[1] if transport is not BARE else Path(directory)
                with running(transport.subject, Path(directory), plan.cores, working_directory) as process:
                    note(f"{transport.name}, round {number + 1} (process {process.popen.pid})")
                    rounds[transport.name].append(_round(process, transport, plan))
    echo = rounds[BARE.name]
    return [
        Row("transports", transport.name, medians(rounds[transport.name]), medians(echo), rounds)
        for transport in TRANSPORTS
    ]


def _round(process: Running, transport: Transport, plan: Plan) -> Figures:
    tally = Tally()
    with loop() as working:
        answer_bytes = _gathered(process, transport, plan.speakers, working, tally)
        figures = measured(process, working, tally, "message", "messages", warmup_s=plan.warmup_s, seconds=plan.seconds)
    return figures | {"bytes/message": len(transport.message) + answer_bytes}


def _gathered(process: Running, transport: Transport, count: int, working: Loop, tally: Tally) -> int:
    """Everybody connected, and speaking; the size of an answer."""
    answer_bytes = 0
    for _ in range(count):
        sock = connected(process.port)
        sock.settimeout(SETUP_TIMEOUT_S)
        if transport.hello:
            sock.sendall(transport.hello)
            sock.recv(READ_BYTES)
        sock.sendall(transport.message)
        answer_bytes = len(sock.recv(READ_BYTES))
        sock.setblocking(False)
        speaker = Speaker(sock, transport, answer_bytes, tally)
        working.add(sock, speaker.on_readable)
        speaker.speak()
    return answer_bytes
