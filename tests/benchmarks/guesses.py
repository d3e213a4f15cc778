"""Guesses a second by the Mastermind protocol, over raw TCP and over WebSocket, and the server's CPU for each."""

import random
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen
from websockets.frames import Frame, Opcode

from tests.benchmarks.generator import Loop, Tally, connected, loop, now_s
from tests.benchmarks.load import SETUP_TIMEOUT_S, medians
from tests.benchmarks.measuring import measured
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.players import ECHO_LINE, READ_BYTES
from tests.benchmarks.processes import ECHO, BenchmarkError, Running, gameserver, running
from tests.benchmarks.report import Figures, Row
from tests.benchmarks.transports import HANDSHAKE

NEW_GAME = b'0|{"NbrColors":6,"MaxTries":12,"CodeLength":4}'
DIFFERENT_GUESSES = 500
ANSWERED, OVER = b"2|", b"3|"


@frozen
class Way:
    """How a message travels."""

    name: str
    listener: str
    opening: bytes
    """The opening, sent and answered once before the messages."""
    written: Callable[[bytes], bytes]
    header_bytes: int
    """The bytes before the message in an answer."""


WAYS = (
    Way("raw TCP", "mastermind", b"", lambda message: message + b"\n", 0),
    Way("WebSocket", "http", HANDSHAKE, lambda message: Frame(Opcode.TEXT, message).serialize(mask=True), 2),
)
BARE = Way("echo", "", b"", lambda _message: ECHO_LINE, 0)


class Guesser:
    """A connection that guesses at random, game after game, each time as soon as it is answered."""

    def __init__(self, sock: socket.socket, way: Way, guesses: Sequence[bytes], tally: Tally) -> None:
        self.sock = sock
        self._way, self._guesses, self._tally = way, guesses, tally
        self._new_game = way.written(NEW_GAME)
        self._next = random.randrange(len(guesses))
        self._is_guess = False
        self._sent_s = 0.0

    def begin(self) -> None:
        """Ask for a game."""
        self._say(self._new_game, is_guess=False)

    def on_readable(self) -> None:
        """Hear the answer, which is short and comes whole; guess on."""
        data = self.sock.recv(READ_BYTES)
        if not data:
            raise BenchmarkError("the server closed a connection")
        if self._is_guess:
            self._tally.moves += 1
            self._tally.latencies_s.append(now_s() - self._sent_s)
        kind = data[self._way.header_bytes : self._way.header_bytes + 2]
        if kind == OVER:
            self.begin()
            return
        if self._is_guess and kind != ANSWERED and self._way is not BARE:
            raise BenchmarkError(f"a guess was answered by {data!r}")
        self._next = (self._next + 1) % len(self._guesses)
        self._say(self._guesses[self._next], is_guess=True)

    def _say(self, message: bytes, *, is_guess: bool) -> None:
        self._is_guess = is_guess
        self._sent_s = now_s()
        self.sock.send(message)


def measure(plan: Plan) -> list[Row]:
    """Each way with each number of connections, the bare echo beside it."""
    return [row for count in plan.guessers for row in _rows(plan, count)]


def _rows(plan: Plan, count: int) -> list[Row]:
    """In turns, so that a noisy moment hits all of them; the median of the rounds."""
    rounds: dict[str, list[Figures]] = {way.name: [] for way in (*WAYS, BARE)}
    for number in range(plan.rounds):
        everything = (*WAYS, BARE)
        for way in everything if number % 2 == 0 else reversed(everything):
            with TemporaryDirectory() as name:
                directory = Path(name)
                subject = ECHO
                if way is not BARE:
                    subject = gameserver(directory, protocol=way.listener)
                with running(subject, directory, plan.cores) as process:
                    note(f"guesses: {way.name}, {count}, round {number + 1} (process {process.popen.pid})")
                    rounds[way.name].append(_round(process, way, plan, count))
    connections = "1 connection" if count == 1 else f"{count} connections"
    echo = medians(rounds[BARE.name])
    return [Row("guesses", f"{way.name}, {connections}", medians(rounds[way.name]), echo, rounds) for way in WAYS]


def _round(process: Running, way: Way, plan: Plan, count: int) -> Figures:
    tally = Tally()
    with loop() as working:
        _gather(process, way, count, working, tally)
        return measured(process, working, tally, "guess", "guesses", warmup_s=plan.warmup_s, seconds=plan.seconds)


def _gather(process: Running, way: Way, count: int, working: Loop, tally: Tally) -> None:
    """Everybody connected, and at play."""
    codes = ([random.randrange(6) for _ in range(4)] for _ in range(DIFFERENT_GUESSES))
    guesses = [way.written(b'1|{"Guess":[%d,%d,%d,%d]}' % tuple(code)) for code in codes]
    for _ in range(count):
        sock = connected(process.port)
        if way.opening:
            sock.settimeout(SETUP_TIMEOUT_S)
            sock.sendall(way.opening)
            sock.recv(READ_BYTES)
        sock.setblocking(False)
        guesser = Guesser(sock, way, guesses, tally)
        working.add(sock, guesser.on_readable)
        guesser.begin()
