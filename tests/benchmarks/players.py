"""The load generator: clients that come in pairs and make one move after the other, without thinking.

One process, one epoll, non-blocking sockets, no framework. It has to be faster than what it measures. Where it is
not, its own share of a core, printed beside every row, says so: near 100 % the rate and the latency are the
generator's, and only the server's CPU per move means anything.

Matches are random legal play, drawn beforehand. Both players of a pair follow the same list of matches, so neither
needs a board.
"""

import gc
import heapq
import random
import re
import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import Any

from attrs import Factory, define

from games import connect_four_3d, tic_tac_toe
from gameserver.game import Game
from tests.benchmarks.processes import BenchmarkError

READY_MAX = 1024
READ_BYTES = 65_536
SCRIPTS = 97
SUBSCRIBE = b"subscribe Tic-tac-toe\n"
ECHO_LINE = b"0123456789 " * 5 + b"12345678\n"
ENTER_ROOM = b'{"action":"connect","name":"p%05d"}\n{"action":"join","room number":%d}\n{"action":"start"}\n'
RESTART = b'{"action":"restart"}\n'
_MATCH = re.compile(rb'MATCH \{PLAYERTOMOVE: "([^"]*)", GAMETYPE: "[^"]*", OPPONENT: "([^"]*)"\}')
_GIVEN_UP = (b'"winner":"you","winning move":null', b'"winner":"opponent","winning move":null')
"""Ends of games that were not played to the end."""

now_s = time.perf_counter


@define
class Tally:
    """The totals of all clients of a run so far."""

    moves: int = 0
    latencies_s: list[float] = Factory(list)

    def reset(self) -> None:
        """Begin to count."""
        self.moves = 0
        self.latencies_s.clear()


class Loop:
    """Calls whoever has something to read, and whoever wanted to be called later."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._readers: dict[int, Callable[[], None]] = {}
        self._sockets: list[socket.socket] = []
        self._later: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()

    def add(self, sock: socket.socket, on_readable: Callable[[], None]) -> None:
        """Watch a socket, and close it at the end."""
        self._sockets.append(sock)
        self._readers[sock.fileno()] = on_readable
        self._epoll.register(sock.fileno(), select.EPOLLIN)

    def later(self, delay_s: float, call: Callable[[], None]) -> None:
        """Call back after this time."""
        heapq.heappush(self._later, (now_s() + delay_s, next(self._order), call))

    def run_for(self, seconds: float) -> None:
        """Work for this long."""
        end_s = now_s() + seconds
        while (left_s := end_s - now_s()) > 0:
            self._turn(left_s)

    def run_until(self, done: Callable[[], bool], timeout_s: float, what: str) -> None:
        """Work until something is true. Raises `BenchmarkError` if it never is."""
        end_s = now_s() + timeout_s
        while not done():
            if now_s() > end_s:
                raise BenchmarkError(f"after {timeout_s:g} s: {what}")
            self._turn(0.1)

    def close(self) -> None:
        """Close every socket."""
        self._epoll.close()
        for sock in self._sockets:
            sock.close()

    def _turn(self, timeout_s: float) -> None:
        later, readers = self._later, self._readers
        if later:
            timeout_s = min(timeout_s, max(0.0, later[0][0] - now_s()))
        for number, _ in self._epoll.poll(timeout_s, READY_MAX):
            readers[number]()
        while later and later[0][0] <= now_s():
            heapq.heappop(later)[2]()


@contextmanager
def loop() -> Iterator[Loop]:
    """A loop that is not interrupted by the collector of garbage, because it makes none."""
    made = Loop()
    gc.collect()
    gc.disable()
    try:
        yield made
    finally:
        made.close()
        gc.enable()


def connected(port: int) -> socket.socket:
    """A connection that does not block."""
    sock = socket.create_connection(("127.0.0.1", port))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setblocking(False)
    return sock


@cache
def scripts(game: Game[Any]) -> tuple[tuple[Any, ...], ...]:
    """Matches to play, move by move; the same in every run."""
    chance = random.Random(1)
    return tuple(_random_match(game, chance) for _ in range(SCRIPTS))


def _random_match(game: Game[Any], chance: random.Random) -> tuple[Any, ...]:
    state, moves = game.start(game.options_type()), []
    while state.turn.seats:
        seat = state.turn.seats[0]
        moves.append(chance.choice(state.legal_moves(seat)))
        state = state.play(seat, moves[-1])
    return tuple(moves)


@cache
def _lines(game: Game[Any], form: bytes, script: int, first: int) -> tuple[bytes, ...]:
    """The moves that one player sends in a match: every second move, from the first or the second on."""
    return tuple(form % game.write_move(move).encode() for move in scripts(game)[script][first::2])


class Pace:
    """The pause of a client before a move: none, or about this long, so that moves spread evenly."""

    def __init__(self, loop: Loop, pause_s: float) -> None:
        self._loop, self._pause_s = loop, pause_s
        self._chance = random.Random(2)

    def move(self, client: "Client") -> None:
        """Have the client move, now or after its pause."""
        if self._pause_s:
            self._loop.later(self._chance.uniform(0.5, 1.5) * self._pause_s, client.move)
        else:
            client.move()


class Client:
    """Half of a pair."""

    def __init__(self, name: str, sock: socket.socket, tally: Tally, pace: Pace) -> None:
        self.name = name.encode()
        self.sock = sock
        self.sent_s = now_s()
        self.opponent: Client | None = None
        self.matches = 0
        """Matches that have begun."""
        self.tally, self.pace = tally, pace
        self.moves: Iterator[bytes] = iter(())
        self._unfinished = b""
        self.recv, self.send = sock.recv, sock.send

    def move(self) -> None:
        """Send the next move of the script."""
        line = next(self.moves)
        self.tally.moves += 1
        self.sent_s = now_s()
        self.send(line)

    def answer(self) -> None:
        """Note how long the opponent's move took, and move."""
        assert self.opponent is not None
        self.tally.latencies_s.append(now_s() - self.opponent.sent_s)
        self.pace.move(self)

    def received(self) -> bytes:
        """The bytes that have come. Raises `BenchmarkError` at their end."""
        data = self.recv(READ_BYTES)
        if not data:
            raise BenchmarkError(f"the server closed the connection of {self.name.decode()}")
        return data

    def lines(self) -> bytes:
        """The whole lines that have come."""
        data = self.received()
        if self._unfinished or data[-1] != 10:
            lines, newline, self._unfinished = (self._unfinished + data).rpartition(b"\n")
            data = lines + newline
        return data

    def fail(self, data: bytes) -> None:
        """Raise `BenchmarkError`: the match does not go as it should."""
        raise BenchmarkError(f"{self.name.decode()} was told: {data.decode(errors='replace')}")


class Player(Client):
    """A client of the text protocol.

    Two meet by `subscribe`, and stay together for ever: each subscribes again as soon as its first move of a match is
    answered. That counts when the match is over, so the decision that ends a match pairs the two again at once, and
    nobody else is ever in the queue, if nobody moves before all have an opponent (`is_paired`).
    """

    def __init__(
        self, name: str, sock: socket.socket, tally: Tally, pace: Pace, everybody: dict[bytes, "Player"]
    ) -> None:
        super().__init__(name, sock, tally, pace)
        self._begins, self._subscribed, self._everybody = False, True, everybody
        everybody[self.name] = self
        self.send(b"login %s\n%s" % (self.name, SUBSCRIBE))

    @property
    def is_paired(self) -> bool:
        """True if word of the first match has come, of which nothing has been read yet."""
        try:
            return b"MATCH" in self.recv(READ_BYTES, socket.MSG_PEEK)
        except BlockingIOError:
            return False

    def on_readable(self) -> None:
        """React to whatever lines have come."""
        data = self.lines()
        if b"ERR" in data or (b"SCORE" in data and b'COMMENT: ""' not in data):
            self.fail(data)
        if b"MATCH" in data:
            self._begin(data)
        elif not self._subscribed and data.startswith(b"OK"):
            self._subscribed = True
            self.send(SUBSCRIBE)
        if b"YOURTURN" in data:
            if self._begins:
                self._begins = False
                self.pace.move(self)
            else:
                self.answer()

    def _begin(self, data: bytes) -> None:
        found = _MATCH.search(data)
        assert found is not None, data
        self._begins = found[1] == self.name
        self.moves = iter(_lines(tic_tac_toe.GAME, b"move %s\n", self.matches % SCRIPTS, int(not self._begins)))
        self.matches += 1
        self._subscribed = False
        self.opponent = self._everybody[found[2]]


class Roommate(Client):
    """A client of the 3D Connect Four protocol, in a room with one other.

    Both ask for a restart as soon as a game is over, so a pair stays in its room for ever. Who begins is told by the
    first `make move` of a game.
    """

    def __init__(self, number: int, sock: socket.socket, tally: Tally, pace: Pace) -> None:
        super().__init__(f"p{number:05}", sock, tally, pace)
        self.at_play = False
        self._begins: bool | None = None
        self._had_turn = False
        self.send(ENTER_ROOM % (number, number // 2))

    def on_readable(self) -> None:
        """React to whatever lines have come."""
        data = self.lines()
        if b'"error"' in data or any(given_up in data for given_up in _GIVEN_UP):
            self.fail(data)
        if b'"started"' in data:
            self.at_play, self._begins, self._had_turn = True, None, False
        if self._begins is None and b'"opponent moved"' in data:
            self._begins = False
        if b'"make move"' in data:
            self._take_turn()
        elif b'"game over"' in data:
            self.matches += 1
            self.send(RESTART)

    def _take_turn(self) -> None:
        if self._begins is None:
            self._begins = True
        if not self._had_turn:
            self._had_turn = True
            form, script = b'{"action":"move","move":"%s"}\n', self.matches % SCRIPTS
            self.moves = iter(_lines(connect_four_3d.GAME, form, script, int(not self._begins)))
            if self._begins:
                self.pace.move(self)
                return
        self.answer()


class Echoed(Client):
    """A client of the echo: when its line is back it is its partner's turn, if it has one yet."""

    def __init__(self, sock: socket.socket, tally: Tally, pace: Pace) -> None:
        super().__init__("a client of the echo", sock, tally, pace)
        self._missing = 0

    def on_readable(self) -> None:
        """Count the bytes that are back."""
        self._missing -= len(self.received())
        if self._missing == 0:
            self.tally.latencies_s.append(now_s() - self.sent_s)
            if self.opponent is not None:
                self.pace.move(self.opponent)

    def move(self) -> None:
        """Send a line."""
        self._missing = len(ECHO_LINE)
        self.tally.moves += 1
        self.sent_s = now_s()
        self.send(ECHO_LINE)
