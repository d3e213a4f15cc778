"""Clients of the peer: two in each room, who play the same games as those of our own protocols.

Colyseus speaks WebSocket. The client reserves a seat by a POST, connects to the room's address, acknowledges the
first message, and from then on sends and hears messages: a byte that says what it is, the type as a string, and
MessagePack. Types and keys are short strings, which MessagePack writes with one byte before them.
"""

import json
import socket
from collections.abc import Iterator, Sequence
from functools import cache
from http.client import HTTPConnection

from websockets.frames import Frame, Opcode

from games.connect_four_3d import COLUMNS
from tests.benchmarks import players, rooms
from tests.benchmarks.generator import Loop, Tally, connected, now_s
from tests.benchmarks.load import SETUP_TIMEOUT_S
from tests.benchmarks.players import READ_BYTES, SCRIPTS, Mover, Pace
from tests.benchmarks.processes import BenchmarkError, Running

HANDSHAKE = (
    "GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
MESSAGE = 0x80 | Opcode.BINARY
PING = 0x80 | Opcode.PING
JOINED, DATA = b"\x0a", b"\x0d"


def _string(text: bytes) -> bytes:
    return bytes([0xA0 | len(text)]) + text


SEAT, TURN, MOVED, OVER = (DATA + _string(name) for name in (b"seat", b"turn", b"moved", b"over"))
TURN_OF = tuple(_string(b"turn") + bytes([seat]) for seat in (0, 1))
"""The end of every message that tells whose turn it is."""


def _framed(payload: bytes, opcode: Opcode = Opcode.BINARY) -> bytes:
    return Frame(opcode, payload).serialize(mask=True)


RESTART = _framed(DATA + _string(b"restart"))
ACKNOWLEDGED = _framed(JOINED)
PONG = _framed(b"", Opcode.PONG)


@cache
def scripts(game: str) -> Sequence[Sequence[int]]:
    """The matches that our own clients play, with moves as numbers."""
    if game == "tic-tac-toe":
        return players.scripts()
    return tuple(tuple(COLUMNS.index(column) for column in script) for script in rooms.scripts())


@cache
def _moves(game: str, script: int, seat: int) -> tuple[bytes, ...]:
    """The messages that one player sends in a match."""
    return tuple(_framed(DATA + _string(b"move") + bytes([move])) for move in scripts(game)[script][seat::2])


class ColyseusPlayer:
    """One client, and half of the pair in its room."""

    def __init__(self, game: str, sock: socket.socket, tally: Tally, pace: Pace) -> None:
        self.sent_s = now_s()
        self.opponent: ColyseusPlayer | None = None
        self.at_play = False
        self.sock = sock
        self._game = game
        self._tally, self._pace = tally, pace
        self._seat = 0
        self._games = 0
        self._moves: Iterator[bytes] = iter(())
        self._unfinished = b""
        self._recv, self._send = sock.recv, sock.send

    def on_readable(self) -> None:
        """React to whatever frames have come."""
        data = self._recv(READ_BYTES)
        if not data:
            raise BenchmarkError("the peer closed a connection")
        data = self._unfinished + data if self._unfinished else data
        at, size = 0, len(data)
        while at + 2 <= size and (end := at + 2 + data[at + 1]) <= size:
            self._hear(data[at], data[at + 2 : end])
            at = end
        self._unfinished = data[at:]

    def move(self) -> None:
        """Send the next move of the script."""
        frame = next(self._moves)
        self._tally.moves += 1
        self.sent_s = now_s()
        self._send(frame)

    def _hear(self, opcode: int, payload: bytes) -> None:
        if payload.startswith(MOVED):
            if payload.endswith(TURN_OF[self._seat]):
                assert self.opponent is not None
                self._tally.latencies_s.append(now_s() - self.opponent.sent_s)
                self._pace.move(self)
        elif payload.startswith(OVER):
            self._end()
        elif payload.startswith(TURN):
            self._begin(is_first=payload.endswith(TURN_OF[self._seat]))
        elif payload.startswith(SEAT):
            self._seat = payload[-1]
        elif opcode == PING:
            self._send(PONG)
        elif opcode == MESSAGE and payload.startswith(JOINED):
            self._send(ACKNOWLEDGED)
        else:
            raise BenchmarkError(f"the peer said {payload!r} (WebSocket opcode {opcode & 0xF})")

    def _begin(self, *, is_first: bool) -> None:
        self.at_play = True
        self._moves = iter(_moves(self._game, self._games % SCRIPTS, self._seat))
        if is_first:
            self._pace.move(self)

    def _end(self) -> None:
        if next(self._moves, None) is not None:
            raise BenchmarkError(f"the peer ended game {self._games} of {self._game} before its last move")
        self._games += 1
        if self._game != "tic-tac-toe":
            self._send(RESTART)


def gathered_in_rooms(
    game: str, process: Running, pairs: int, working: Loop, tally: Tally, pace: Pace
) -> Sequence[Mover]:
    """Two players in each room: whoever comes next is the opponent."""
    everybody = []
    for _ in range(pairs):
        (one, its_room), (other, other_room) = (_seated(game, process.port, tally, pace) for _ in range(2))
        if its_room != other_room:
            raise BenchmarkError(f"the peer put a pair into two rooms, {its_room} and {other_room}")
        one.opponent, other.opponent = other, one
        everybody += [one, other]
    for player in everybody:
        working.add(player.sock, player.on_readable)
    working.run_until(lambda: all(player.at_play for player in everybody), SETUP_TIMEOUT_S, "not everybody plays")
    return everybody


def _seated(game: str, port: int, tally: Tally, pace: Pace) -> tuple[ColyseusPlayer, str]:
    """A player who is connected to a room, and the room's id."""
    asking = HTTPConnection("127.0.0.1", port, timeout=SETUP_TIMEOUT_S)
    asking.request("POST", f"/matchmake/joinOrCreate/{game}", b"{}", {"Content-Type": "application/json"})
    answer = json.loads(asking.getresponse().read())
    asking.close()
    if "room" not in answer:
        raise BenchmarkError(f"the peer gave nobody a seat: {answer}")
    room = answer["room"]
    path = f"/{room['processId']}/{room['roomId']}?sessionId={answer['sessionId']}"
    sock = connected(port)
    sock.settimeout(SETUP_TIMEOUT_S)
    sock.sendall(HANDSHAKE.format(path=path).encode())
    _read_head(sock)
    sock.setblocking(False)
    return ColyseusPlayer(game, sock, tally, pace), room["roomId"]


def _read_head(sock: socket.socket) -> None:
    """Read the answer to the handshake and no byte beyond it: the first frame may come right behind."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = sock.recv(1)
        if not byte:
            raise BenchmarkError(f"the peer answered the handshake by {head!r}")
        head += byte
