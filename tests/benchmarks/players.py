"""Clients that come in pairs and make one move after the other, without thinking.

Two players of the text protocol meet by `subscribe`, and stay together for ever: each subscribes
again as soon as its first move of a match is answered. That counts when the match is over, so the
decision that ends a match pairs the two again at once, and nobody else is ever in the queue, if
nobody moves before all have an opponent (`is_paired`).

Matches are random legal play, so nearly eight moves, drawn beforehand. Both players follow
the same list of matches, so neither needs a board.
"""

import random
import re
import socket
from collections.abc import Iterator
from functools import cache
from typing import Protocol

from games.tic_tac_toe import Position
from tests.benchmarks.generator import Loop, Tally, now_s
from tests.benchmarks.processes import BenchmarkError

SCRIPTS = 97
READ_BYTES = 65_536
SUBSCRIBE = b"subscribe Tic-tac-toe\n"
ECHO_LINE = b"0123456789 " * 5 + b"12345678\n"
_MATCH = re.compile(rb'MATCH \{PLAYERTOMOVE: "([^"]*)", GAMETYPE: "[^"]*", OPPONENT: "([^"]*)"\}')


class Mover(Protocol):
    """Half of a pair."""

    sent_s: float
    """When it moved last."""

    def move(self) -> None:
        """Make a move."""


class Pace:
    """How long a client waits before a move: nothing, or about this long, so that moves spread evenly."""

    def __init__(self, loop: Loop, pause_s: float) -> None:
        self._loop, self._pause_s = loop, pause_s
        self._chance = random.Random(2)

    def move(self, client: Mover) -> None:
        """Have the client move, now or after its pause."""
        if self._pause_s:
            self._loop.later(self._chance.uniform(0.5, 1.5) * self._pause_s, client.move)
        else:
            client.move()


@cache
def scripts() -> tuple[tuple[int, ...], ...]:
    """Matches to play, cell by cell; the same in every run."""
    chance = random.Random(1)
    return tuple(_random_match(chance) for _ in range(SCRIPTS))


def _random_match(chance: random.Random) -> tuple[int, ...]:
    position, cells = Position(), []
    while position.turn.seats:
        seat = position.turn.seats[0]
        cells.append(chance.choice(position.legal_moves(seat)))
        position = position.play(seat, cells[-1])
    return tuple(cells)


@cache
def _lines(script: int, first: int) -> tuple[bytes, ...]:
    """The moves that one player sends in a match: every second move, from the first or the second on."""
    return tuple(b"move %d\n" % cell for cell in scripts()[script][first::2])


class Player:
    """One client of the text protocol."""

    def __init__(
        self, name: str, sock: socket.socket, tally: Tally, pace: Pace, everybody: dict[bytes, "Player"]
    ) -> None:
        self.name = name.encode()
        self.sent_s = now_s()
        self.opponent: Player | None = None
        self._tally, self._pace, self._everybody = tally, pace, everybody
        self._matches = 0
        self._moves: Iterator[bytes] = iter(())
        self._begins = False
        self._subscribed = True
        self._unfinished = b""
        self.sock = sock
        self._recv, self._send = sock.recv, sock.send
        everybody[self.name] = self
        self._send(b"login %s\n%s" % (self.name, SUBSCRIBE))

    @property
    def is_paired(self) -> bool:
        """Whether word of the first match has come, of which nothing has been read yet."""
        try:
            return b"MATCH" in self.sock.recv(READ_BYTES, socket.MSG_PEEK)
        except BlockingIOError:
            return False

    def on_readable(self) -> None:
        """React to whatever lines have come."""
        data = self._recv(READ_BYTES)
        if not data:
            raise BenchmarkError(f"the server closed the connection of {self.name.decode()}")
        if self._unfinished or data[-1] != 10:
            lines, newline, self._unfinished = (self._unfinished + data).rpartition(b"\n")
            data = lines + newline
        if b"ERR" in data or (b"SCORE" in data and b'COMMENT: ""' not in data):
            raise BenchmarkError(f"{self.name.decode()} was told: {data.decode(errors='replace')}")
        if b"MATCH" in data:
            self._begin(data)
        elif not self._subscribed and data.startswith(b"OK"):
            self._subscribed = True
            self._send(SUBSCRIBE)
        if b"YOURTURN" in data:
            self._take_turn()

    def move(self) -> None:
        """Send the next move of the script."""
        line = next(self._moves)
        self._tally.moves += 1
        self.sent_s = now_s()
        self._send(line)

    def _begin(self, data: bytes) -> None:
        found = _MATCH.search(data)
        assert found is not None, data
        self._begins = found[1] == self.name
        self._moves = iter(_lines(self._matches % SCRIPTS, 0 if self._begins else 1))
        self._matches += 1
        self._subscribed = False
        self.opponent = self._everybody[found[2]]

    def _take_turn(self) -> None:
        if self._begins:
            self._begins = False
        else:
            assert self.opponent is not None
            self._tally.latencies_s.append(now_s() - self.opponent.sent_s)
        self._pace.move(self)


class Echoed:
    """One client of the echo: when its line is back it is its partner's turn, if it has one yet."""

    def __init__(self, sock: socket.socket, tally: Tally, pace: Pace) -> None:
        self.sent_s = now_s()
        self.opponent: Echoed | None = None
        self._tally, self._pace = tally, pace
        self._missing = 0
        self.sock = sock
        self._recv, self._send = sock.recv, sock.send

    def on_readable(self) -> None:
        """Count the bytes that are back."""
        data = self._recv(READ_BYTES)
        if not data:
            raise BenchmarkError("the echo closed a connection")
        self._missing -= len(data)
        if self._missing == 0:
            self._tally.latencies_s.append(now_s() - self.sent_s)
            if self.opponent is not None:
                self._pace.move(self.opponent)

    def move(self) -> None:
        """Send a line."""
        self._missing = len(ECHO_LINE)
        self._tally.moves += 1
        self.sent_s = now_s()
        self._send(ECHO_LINE)
