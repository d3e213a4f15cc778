"""Players of Tic-tac-toe who come back to the same address when they have lost their server, and when they did so.

Each plays at random, at a human pace, with whoever comes next. When the connection ends it connects and logs in again
at once; if it is shown its match, it makes the move that it is asked for without a pause.
"""

import random
import socket
from contextlib import suppress
from functools import partial

from attrs import Factory, define, field

from games.tic_tac_toe import GAME as TIC_TAC_TOE
from tests.benchmarks.generator import Loop, connected, now_s
from tests.benchmarks.processes import BenchmarkError
from tests.clients.strategic import Answered, Ended, Heard, LastWords, Opened, StrategicClient, Turn

READ_BYTES = 65_536
RETRY_S = 0.1
RULES = {TIC_TAC_TOE.name: TIC_TAC_TOE}


@define
class Comeback:
    """What the players of a run have seen since the fault."""

    fault_s: float = 0.0
    logins_s: list[float] = Factory(list)
    """Seconds from the fault to each login after it."""
    moves_s: list[float] = Factory(list)
    """Seconds from the fault to each move that was accepted after it."""
    away: set[bytes] = Factory(set)
    """Players who have not logged in since the fault, or have lost that connection, too."""
    stuck: set[frozenset[bytes]] = Factory(set)
    """Matches that have not gone on yet, by their players."""
    matches_s: list[float] = Factory(list)
    """Seconds from the fault until each match went on, or was found to be over."""
    attempts: int = 0
    """Connections that were made after the fault."""

    def begin(self, matches: set[frozenset[bytes]], players: set[bytes]) -> None:
        """A fault happens now, to these matches and players."""
        self.fault_s = now_s()
        self.stuck, self.away = matches, players

    def note_login(self, player: bytes) -> None:
        """A login was accepted."""
        if self.fault_s:
            self.logins_s.append(now_s() - self.fault_s)
            self.away.discard(player)

    def note_loss(self, player: bytes) -> None:
        """A connection is lost after the fault."""
        self.away.add(player)

    def note_move(self, match: frozenset[bytes]) -> None:
        """A move was accepted of a player who is back."""
        self.moves_s.append(now_s() - self.fault_s)
        self.note_match(match)

    def note_match(self, match: frozenset[bytes]) -> None:
        """A match goes on, or is over."""
        if match in self.stuck:
            self.stuck.remove(match)
            self.matches_s.append(now_s() - self.fault_s)


@define(eq=False)
class ReturningPlayer:
    """One player."""

    name: bytes
    port: int
    working: Loop
    comeback: Comeback
    pause_s: float
    chance: random.Random = field(init=False)
    match: frozenset[bytes] | None = field(default=None, init=False)
    """The two players of the match at hand, or of the one that was at hand when the connection ended."""
    _is_in: bool = field(default=False, init=False)
    """True if this connection has been told all that follows a login."""
    _is_back: bool = field(default=False, init=False)
    """True if it has logged in since the fault. A move of before may be answered later than it."""
    _client: StrategicClient = field(factory=StrategicClient, init=False)
    _sock: socket.socket = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.chance = random.Random(self.name)

    def connect(self) -> None:
        """Connect, and log in."""
        if self.comeback.fault_s:
            self.comeback.attempts += 1
        self._is_in = False
        self._client = StrategicClient(RULES.get)
        self._sock = connected(self.port)
        self.working.add(self._sock, self.on_readable)
        self._say(f"login {self.name.decode()}", "get gamelist")

    def on_readable(self) -> None:
        """React to what has come, or to the end of the connection."""
        try:
            data = self._sock.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._sock.close()
            if not self.comeback.fault_s:
                raise BenchmarkError(f"{self.name.decode()} lost its connection before there was a fault")
            self.comeback.note_loss(self.name)
            self.working.later(0.0 if self._client.is_greeted else RETRY_S, self.connect)
            return
        for heard in self._client.receive(data):
            self._hear(heard)

    def _hear(self, heard: Heard) -> None:
        match heard:
            case Answered(ok=True, command=command):
                self._answered(command)
            case Opened(opponent=opponent):
                self.match = frozenset((self.name, opponent.encode()))
            case Turn():
                pause_s = self.chance.uniform(0.5, 1.5) * self.pause_s if self._is_in else 0.0
                self.working.later(pause_s, partial(self._move, self._client))
            case Ended():
                self._end_match()
                self._say("subscribe Tic-tac-toe")
            case Answered() | LastWords():
                raise BenchmarkError(f"{self.name.decode()} was told {heard}")

    def _answered(self, command: str) -> None:
        if command.startswith("login"):
            self._is_back = self.comeback.fault_s > 0
            self.comeback.note_login(self.name)
        elif command.startswith("move"):
            if self._is_back and self.match is not None:
                self.comeback.note_move(self.match)
        elif command == "get gamelist":
            self._is_in = True
            if self._client.match is None:
                self._end_match()
                self._say("subscribe Tic-tac-toe")

    def _end_match(self) -> None:
        if self.match is not None:
            self.comeback.note_match(self.match)
        self.match = None

    def _move(self, client: StrategicClient) -> None:
        seen = client.match
        if client is self._client and seen is not None and seen.state is not None:
            self._say(f"move {self.chance.choice(seen.state.legal_moves(seen.own_seat))}")

    def _say(self, *commands: str) -> None:
        data = self._client.say(*commands)
        with suppress(OSError):  # the end of the connection is noticed by reading
            self._sock.sendall(data)
