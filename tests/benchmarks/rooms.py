"""Clients of the 3D Connect Four protocol that sit in pairs, each pair in a room of its own.

Both ask for a restart as soon as a game is over, so a pair stays in its room for ever. Games are random
legal play, drawn beforehand, and both players follow the same list of them; who begins is told by the
first `make move` of a game.
"""

import random
import socket
from collections.abc import Iterator
from functools import cache

from games.connect_four_3d import GAME
from tests.benchmarks.generator import Tally, now_s
from tests.benchmarks.players import READ_BYTES, SCRIPTS, Pace
from tests.benchmarks.processes import BenchmarkError

ENTER = b'{"action":"connect","name":"p%05d"}\n{"action":"join","room number":%d}\n{"action":"start"}\n'
RESTART = b'{"action":"restart"}\n'
_GIVEN_UP = (b'"winner":"you","winning move":null', b'"winner":"opponent","winning move":null')
"""Ends of games that were not played to the end."""


@cache
def scripts() -> tuple[tuple[str, ...], ...]:
    """Games to play, column by column; the same in every run."""
    chance = random.Random(1)
    return tuple(_random_game(chance) for _ in range(SCRIPTS))


def _random_game(chance: random.Random) -> tuple[str, ...]:
    position, columns = GAME.start(GAME.options_type()), []
    while position.turn.seats:
        seat = position.turn.seats[0]
        column = chance.choice(position.legal_moves(seat))
        columns.append(GAME.write_move(column))
        position = position.play(seat, column)
    return tuple(columns)


@cache
def _lines(script: int, first: int) -> tuple[bytes, ...]:
    """The moves that one player sends in a game: every second move, from the first or the second on."""
    return tuple(b'{"action":"move","move":"%s"}\n' % column.encode() for column in scripts()[script][first::2])


class Roommate:
    """One client, and half of the pair in its room."""

    def __init__(self, number: int, sock: socket.socket, tally: Tally, pace: Pace) -> None:
        self.sent_s = now_s()
        self.opponent: Roommate | None = None
        self.at_play = False
        self._name = f"p{number:05}"
        self._tally, self._pace = tally, pace
        self._games = 0
        self._moves: Iterator[bytes] = iter(())
        self._begins: bool | None = None
        self._had_turn = False
        self._unfinished = b""
        self.sock = sock
        self._recv, self._send = sock.recv, sock.send
        self._send(ENTER % (number, number // 2))

    def on_readable(self) -> None:
        """React to whatever lines have come."""
        data = self._recv(READ_BYTES)
        if not data:
            raise BenchmarkError(f"the server closed the connection of {self._name}")
        if self._unfinished or data[-1] != 10:
            lines, newline, self._unfinished = (self._unfinished + data).rpartition(b"\n")
            data = lines + newline
        if b'"error"' in data or any(given_up in data for given_up in _GIVEN_UP):
            raise BenchmarkError(f"{self._name} was told: {data.decode(errors='replace')}")
        if b'"started"' in data:
            self.at_play, self._begins, self._had_turn = True, None, False
        if self._begins is None and b'"opponent moved"' in data:
            self._begins = False
        if b'"make move"' in data:
            self._take_turn()
        elif b'"game over"' in data:
            self._games += 1
            self._send(RESTART)

    def move(self) -> None:
        """Send the next move of the script."""
        line = next(self._moves)
        self._tally.moves += 1
        self.sent_s = now_s()
        self._send(line)

    def _take_turn(self) -> None:
        if self._begins is None:
            self._begins = True
        if not self._had_turn:
            self._had_turn = True
            self._moves = iter(_lines(self._games % SCRIPTS, 0 if self._begins else 1))
            if self._begins:
                self._pace.move(self)
                return
        assert self.opponent is not None
        self._tally.latencies_s.append(now_s() - self.opponent.sent_s)
        self._pace.move(self)
