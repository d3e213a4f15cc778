"""Clients of the harness of `hot_path`, by what they speak, and the plays of theirs that `hops` counts.

    text         a move of tic-tac-toe in the text protocol
    hub          a turn of backgammon at the SignalR hub: roll, move, end the turn; both players hear each call
    mastermind   a guess, which the server answers without an opponent

All clients of a server make the same play, in one batch.
"""

import re
import socket
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from uuid import UUID

from attrs import frozen
from websockets.frames import Frame, Opcode

from gameserver.core.messages.commands import Book
from gameserver.http.listener import HttpProtocol
from gameserver.protocol import WireProtocol
from protocols.gammonx.guids import match_guid, player_name
from protocols.gammonx.numbers import MatchModus
from tests.benchmarks.hot_path import Server
from tests.support.own_plugins import OWN

DRAWN_GAME = ("0", "4", "8", "1", "7", "6", "2", "5", "3")
"""Tic-tac-toe without a winner: nine moves, of which the third is in the middle of its match."""
MID_MATCH = 3
BOOKING_SESSION = 9_999
"""The session that asks for a match over REST; it hears nothing."""
NEW_GAME = b'0|{"NbrColors":6,"MaxTries":12,"CodeLength":4}'
ANSWERED = b"2|"
UPGRADE = (
    b"GET /matchhub HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
SEPARATOR = b"\x1e"
HANDSHAKE = b'{"protocol":"json","version":1}' + SEPARATOR
FIRST_MOVES = re.compile(rb'"moves":\[\{"from":(-?\d+),"to":(-?\d+)\}')
GUESS = b'1|{"Guess":[0,0,1,%d]}\n'
EARLIER_TURNS, EARLIER_GUESSES = 2, 3
CAN = b'"allowedCommands":["%s"'

Counted = Callable[[str], AbstractContextManager[None]]
"""Counts a play, under its name, while it lasts."""


@frozen
class Client:
    """A client of the harness: sends bytes, and hears what the server said."""

    name: str
    sock: socket.socket

    @classmethod
    def of(cls, server: Server, name: str) -> "Client":
        """A new connection."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        theirs.setblocking(False)
        server.accept(ours)
        return cls(name, theirs)

    def say(self, data: bytes) -> None:
        """Send bytes."""
        self.sock.sendall(data)

    def heard(self) -> bytes:
        """The bytes that have come."""
        try:
            return self.sock.recv(262_144)
        except BlockingIOError:
            return b""


def _frame(text: bytes) -> bytes:
    return Frame(Opcode.TEXT, text).serialize(mask=True)


@frozen
class Way:
    """A protocol, and what its clients do; the first play that is counted is shown step by step."""

    protocol: WireProtocol
    play: Callable[[Server, int, Counted], None]


class TextPairs:
    """Pairs of clients of the text protocol, all at the same move of the same game."""

    def __init__(self, server: Server, pairs: int) -> None:
        self._server = server
        self._pairs: list[list[Client]] = []
        for number in range(pairs):
            pair = [self._seat(f"p{number}{side}") for side in "ab"]
            for seat in pair:
                self.seek(seat)
            self._pairs.append(pair)
        self._hear()

    def play(self, move: str) -> None:
        """Have everybody whose turn it is make this move."""
        for pair in self._pairs:
            pair[0].say(f"move {move}\n".encode())
        self._server.serve()
        self._hear()

    def _hear(self) -> None:
        """Hear what was said, and put the player whose turn it is first in each pair."""
        for pair in self._pairs:
            said = {seat: seat.heard() for seat in pair}
            assert not any(b"ERR" in words for words in said.values()), said
            pair.sort(key=lambda seat: b"YOURTURN" not in said[seat])

    def seek(self, seat: Client) -> None:
        """Have a client look for its next opponent."""
        seat.say(b"subscribe Tic-tac-toe\n")
        self._server.serve()

    def seek_all(self) -> None:
        """Have everybody look for the next opponent while they still play."""
        for pair in self._pairs:
            for seat in pair:
                self.seek(seat)
                seat.heard()

    def _seat(self, name: str) -> Client:
        seat = Client.of(self._server, name)
        seat.say(f"login {name}\n".encode())
        self._server.serve()
        return seat


def _text(server: Server, pairs: int, counted: Counted) -> None:
    clients = TextPairs(server, pairs)
    # A server has seen the boards before: the game keeps what it has found out about each.
    for move in DRAWN_GAME[:-1]:
        clients.play(move)
    clients.seek_all()
    clients.play(DRAWN_GAME[-1])
    for move in DRAWN_GAME[: MID_MATCH - 1]:
        clients.play(move)
    with counted("in mid-match"):
        clients.play(DRAWN_GAME[MID_MATCH - 1])
    for move in DRAWN_GAME[MID_MATCH:-1]:
        clients.play(move)
    clients.seek_all()
    with counted("the last, with the next opening"):
        clients.play(DRAWN_GAME[-1])


class HubPair:
    """Two clients of the hub in one match of backgammon."""

    def __init__(self, server: Server, number: int) -> None:
        self._server = server
        self._match_ids: dict[Client, str] = {}
        self._state = b""
        """The last message to the mover."""
        players = [self._joined(str(UUID(int=2 * number + side))) for side in range(2)]
        for player in players:
            self._call(player, "StartGame")
            server.serve()
        self._mover, self._other = players
        self.hear()

    def call(self, method: str) -> None:
        """Have the mover invoke a method; a move is the first step of all that it was told of."""
        step = b"".join(b"," + field for field in FIRST_MOVES.findall(self._state)[0]) if method == "Move" else b""
        self._call(self._mover, method, step.decode())

    def hear(self) -> None:
        """Take what both were told, and note who is the mover from now on."""
        told = {client: client.heard() for client in (self._mover, self._other)}
        assert not any(b'"target":"error"' in data for data in told.values()), told
        if CAN % b"Roll" in told[self._other]:
            self._mover, self._other = self._other, self._mover
        self._state = told[self._mover]

    def move_all(self) -> None:
        """Play all dice that are left."""
        while CAN % b"EndTurn" not in self._state:
            self.call("Move")
            self._server.serve()
            self.hear()

    def _joined(self, player: str) -> Client:
        """A client that has found its match, or waits for its opponent, and has heard of it."""
        client = Client.of(self._server, player)
        match_id = self._match_ids[client] = match_guid(player, MatchModus.NORMAL)
        by_hand = {"by_hand": True}
        name = player_name(player)
        ticket = Book(BOOKING_SESSION, match_id, name, player, client.name, "Backgammon", {"length": "cash"}, by_hand)
        self._server.submit(ticket, self._server.now_ms())
        for data in (UPGRADE, _frame(HANDSHAKE)):
            client.say(data)
            self._server.serve()
        self._call(client, "JoinMatch", f',"{player}"')
        self._server.serve()
        client.heard()
        return client

    def _call(self, client: Client, method: str, arguments: str = "") -> None:
        match_id = self._match_ids[client]
        text = f'{{"type":1,"invocationId":"1","target":"{method}","arguments":["{match_id}"{arguments}]}}'
        client.say(_frame(text.encode() + SEPARATOR))


def _hub(server: Server, count: int, counted: Counted) -> None:
    pairs = [HubPair(server, number) for number in range(count)]

    def call(method: str) -> None:
        for pair in pairs:
            pair.call(method)
        server.serve()

    def hear() -> None:
        for pair in pairs:
            pair.hear()

    def move_all() -> None:
        for pair in pairs:
            pair.move_all()

    for _ in range(EARLIER_TURNS):
        call("Roll")
        hear()
        move_all()
        call("EndTurn")
        hear()
    for method in ("Roll", "Move"):
        with counted(method):
            call(method)
        hear()
    move_all()
    with counted("EndTurn"):
        call("EndTurn")


def _mastermind(server: Server, count: int, counted: Counted) -> None:
    clients = [Client.of(server, f"p{number}") for number in range(count)]

    def say(message: bytes) -> list[bytes]:
        for client in clients:
            client.say(message)
        server.serve()
        return [client.heard() for client in clients]

    say(NEW_GAME + b"\n")
    for last in range(EARLIER_GUESSES):
        say(GUESS % last)
    with counted("a guess"):
        answers = say(GUESS % EARLIER_GUESSES)
    assert all(answer.startswith(ANSWERED) for answer in answers), answers


WAYS: Mapping[str, Way] = {
    "text": Way(OWN.protocols["strategic"], _text),
    "hub": Way(HttpProtocol([OWN.protocols["gammonx"]]), _hub),
    "mastermind": Way(OWN.protocols["mastermind"], _mastermind),
}
