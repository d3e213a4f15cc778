"""Bots of the text protocol that play whole tournaments at random, and note when they were at play."""

import random
import re
import socket
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import Factory, define

from games.reversi import START as REVERSI_START
from games.tic_tac_toe import Position as TicTacToePosition
from gameserver.game import State
from tests.benchmarks.generator import Loop, connected, now_s
from tests.benchmarks.processes import BenchmarkError, Running

READ_BYTES = 65_536
LOGIN_TIMEOUT_S = 60.0
STARTS: Mapping[str, State[int]] = {"Tic-tac-toe": TicTacToePosition(), "Reversi": REVERSI_START}
"""The games whose moves are numbers, as the bots choose among the legal ones."""
_MOVE = re.compile(rb'MOVE: "(\d+)"')


@define
class Course:
    """The times at which something happened to any bot, in seconds and in order."""

    moves_s: list[float] = Factory(list)
    """A move was heard."""
    results_s: list[float] = Factory(list)
    """A bot heard the result of its match: twice for each match."""
    played_s: float = 0.0
    """The time that all bots together spent in matches."""


class TournamentBot:
    """A client that plays at random and takes `pause_s` for a move, in the mean; with `seeks` it seeks every match."""

    def __init__(
        self, name: str, sock: socket.socket, game: str, course: Course, working: Loop, *, pause_s: float, seeks: bool
    ) -> None:
        self.results = 0
        self.is_in = False
        self._name, self._sock, self._game, self._seeks = name, sock, game, seeks
        self._course, self._working, self._pause_s = course, working, pause_s
        self._chance = random.Random(name)
        self._position: State[Any] = STARTS[game]
        self._begun_s: float | None = None
        self._unfinished = b""
        sock.sendall(f"login {name}\n".encode())

    def seek(self) -> None:
        """Look for a game."""
        self._sock.sendall(f"subscribe {self._game}\n".encode())

    def on_readable(self) -> None:
        """React to whatever lines have come."""
        data = self._sock.recv(READ_BYTES)
        if not data or b"ERR" in data:
            raise BenchmarkError(f"{self._name} was told: {data.decode(errors='replace') or 'nothing, and left'}")
        *lines, self._unfinished = (self._unfinished + data).split(b"\n")
        for line in lines:
            self._on_line(line)

    def _on_line(self, line: bytes) -> None:
        if line.startswith(b"SVR GAME YOURTURN"):
            if self._pause_s:
                self._working.later(self._chance.uniform(0.5, 1.5) * self._pause_s, self._move)
            else:
                self._move()
        elif line.startswith(b"SVR GAME MOVE"):
            self._hear_move(line)
        elif line.startswith(b"SVR GAME MATCH"):
            self._position = STARTS[self._game]
            self._begun_s = now_s()
        elif line.startswith((b"SVR GAME WIN", b"SVR GAME LOSS", b"SVR GAME DRAW")):
            self._hear_result()
        elif line.startswith(b"OK"):
            self.is_in = True

    def _move(self) -> None:
        if self._begun_s is not None:
            seat = self._position.turn.seats[0]
            self._sock.sendall(b"move %d\n" % self._chance.choice(self._position.legal_moves(seat)))

    def _hear_move(self, line: bytes) -> None:
        found = _MOVE.search(line)
        assert found is not None, line
        self._course.moves_s.append(now_s())
        self._position = self._position.play(self._position.turn.seats[0], int(found[1]))

    def _hear_result(self) -> None:
        assert self._begun_s is not None, "a match has a beginning"
        at_s = now_s()
        self._course.results_s.append(at_s)
        self._course.played_s += at_s - self._begun_s
        self._begun_s = None
        self.results += 1
        if self._seeks:
            self.seek()


def gathered_bots(
    process: Running,
    count: int,
    working: Loop,
    course: Course,
    *,
    game: str = "Tic-tac-toe",
    pause_s: float = 0.0,
    seeks: bool = False,
) -> Sequence[TournamentBot]:
    """Bots that are logged in."""
    bots = []
    for number in range(count):
        sock = connected(process.port)
        bot = TournamentBot(f"bot{number:03}", sock, game, course, working, pause_s=pause_s, seeks=seeks)
        working.add(sock, bot.on_readable)
        bots.append(bot)
    working.run_until(lambda: all(bot.is_in for bot in bots), LOGIN_TIMEOUT_S, "not everybody is logged in")
    return bots


def all_have_played(bots: Sequence[TournamentBot], games: int) -> Callable[[], bool]:
    """A test for whether so many games are over, and both players of each have heard of it."""
    return lambda: sum(bot.results for bot in bots) >= 2 * games
