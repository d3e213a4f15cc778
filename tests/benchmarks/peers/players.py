"""Clients of the peer: two in each room, who play the same games as those of our own protocols.

Colyseus speaks WebSocket. The client reserves a seat by a POST, connects to the room's address, acknowledges the
first message, and from then on sends and hears messages: a byte that says what it is, the type as a string, and
MessagePack. Types and keys are short strings, which MessagePack writes with one byte before them.
"""

import json
import socket
from collections.abc import Sequence
from functools import cache
from http.client import HTTPConnection

from websockets.frames import Frame, Opcode

from games import connect_four_3d, tic_tac_toe
from tests.benchmarks.load import SETUP_TIMEOUT_S
from tests.benchmarks.players import SCRIPTS, Client, Loop, Pace, Tally, connected, scripts
from tests.benchmarks.processes import BenchmarkError, Running
from tests.clients.websocket import handshake

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


GAMES = {"tic-tac-toe": tic_tac_toe.GAME, "connect-four": connect_four_3d.GAME}
"""The games, by the names of their rooms; the moves of both are numbers, for the peer too."""


@cache
def _moves(room: str, script: int, seat: int) -> tuple[bytes, ...]:
    """The messages that one player sends in a match."""
    return tuple(_framed(DATA + _string(b"move") + bytes([move])) for move in scripts(GAMES[room])[script][seat::2])


class ColyseusPlayer(Client):
    """One client, and half of the pair in its room."""

    def __init__(self, room: str, sock: socket.socket, tally: Tally, pace: Pace) -> None:
        super().__init__(f"a player of {room}", sock, tally, pace)
        self.at_play = False
        self._room, self._seat = room, 0

    def on_readable(self) -> None:
        """React to whatever frames have come."""
        data = self._unfinished + self.received()
        at, size = 0, len(data)
        while at + 2 <= size and (end := at + 2 + data[at + 1]) <= size:
            self._hear(data[at], data[at + 2 : end])
            at = end
        self._unfinished = data[at:]

    def _hear(self, opcode: int, payload: bytes) -> None:
        if payload.startswith(MOVED):
            if payload.endswith(TURN_OF[self._seat]):
                self.answer()
        elif payload.startswith(OVER):
            self._end()
        elif payload.startswith(TURN):
            self._begin(is_first=payload.endswith(TURN_OF[self._seat]))
        elif payload.startswith(SEAT):
            self._seat = payload[-1]
        elif opcode == PING:
            self.send(PONG)
        elif opcode == MESSAGE and payload.startswith(JOINED):
            self.send(ACKNOWLEDGED)
        else:
            self.fail(payload)

    def _begin(self, *, is_first: bool) -> None:
        self.at_play = True
        self.moves = iter(_moves(self._room, self.matches % SCRIPTS, self._seat))
        if is_first:
            self.pace.move(self)

    def _end(self) -> None:
        if next(self.moves, None) is not None:
            raise BenchmarkError(f"the peer ended game {self.matches} of {self._room} before its last move")
        self.matches += 1
        if self._room != "tic-tac-toe":
            self.send(RESTART)


def gathered_in_rooms(
    game: str, process: Running, pairs: int, working: Loop, tally: Tally, pace: Pace
) -> Sequence[Client]:
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
    sock.sendall(handshake(path))
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
