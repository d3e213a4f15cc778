"""Players that speak a protocol each: they wait to be found or find somebody, and play at random.

A further protocol is one more class, and one more entry of `SPEAKERS`. What a player was told of a
match is noted in words of no protocol, so that two players' notes can be compared.
"""

import json
import random
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import trio
from attrs import Factory, define

from gameserver.game import Game
from gameserver.http.listener import HttpProtocol
from gameserver.protocol import WireProtocol
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.strategic import PROTOCOL as STRATEGIC
from protocols.web import PROTOCOL as WEB
from tests.clients.strategic import Answered, Ended, Heard, Move, Opened, StrategicClient, Turn
from tests.support.web_player import WebPlayer

HTTP_FOR_WEB = HttpProtocol([WEB])

HIDDEN = "?"
"""What is shown for a move that this player may not know."""


@define
class Told:
    """A match as one player was told of it: where it sat, the moves by seat in their one spelling, what came of it."""

    seat: int
    opponent: str
    moves: list[tuple[int, str]] = Factory(list)
    result: str = ""


class Speaker(ABC):
    """A player at the other end of a socket."""

    protocol: ClassVar[WireProtocol]
    line_end: ClassVar[bytes] = b"\n"

    def __init__(self, name: str, game: Game[Any], chance: random.Random) -> None:
        self.name = name
        self.game = game
        self._stream: trio.SocketStream | None = None
        self._chance = chance
        self._unread = b""
        self._state = game.start(game.options_type())
        self._follows = True
        """False once a move was hidden: the position is not known any more."""

    async def connect(self, port: int) -> None:
        """Connect, and enter under the own name."""
        self._stream = await trio.open_tcp_stream("127.0.0.1", port)
        await self.enter()

    @classmethod
    def listener(cls) -> WireProtocol:
        """The protocol at whose port the player comes in."""
        return cls.protocol

    def close(self) -> None:
        """End the connection, if there is one."""
        if self._stream is not None:
            self._stream.socket.close()

    @classmethod
    @abstractmethod
    def plays(cls, game: Game[Any]) -> bool:
        """Whether this game is played in the protocol."""

    @abstractmethod
    async def enter(self) -> None:
        """Log in, and take in what comes of it."""

    @abstractmethod
    async def wait(self) -> None:
        """Become somebody whom others can find."""

    @abstractmethod
    async def find(self, opponent: str) -> None:
        """Meet somebody who waits."""

    @abstractmethod
    async def play(self) -> Told:
        """Play the match to its end; every move is legal."""

    async def say(self, line: str) -> None:
        """Send a line."""
        assert self._stream is not None
        await self._stream.send_all(line.encode() + b"\n")

    async def line(self) -> str:
        """The next line."""
        assert self._stream is not None
        while self.line_end not in self._unread:
            data = await self._stream.receive_some()
            assert data, f"the server has closed the connection of {self.name}"
            self._unread += data
        line, _, self._unread = self._unread.partition(self.line_end)
        return line.decode()

    def chosen(self, told: Told) -> Any:
        """A legal move."""
        moves = self._state.legal_moves(told.seat) if self._follows else self._at_the_start(told.seat)
        assert moves, f"{self.name} was asked for a move and has none after {told.moves}"
        return self._chance.choice(moves)

    def _at_the_start(self, seat: int) -> Any:
        """The moves of a game in which they are always the same."""
        return self.game.start(self.game.options_type()).legal_moves(seat)

    def note_hidden(self, told: Told, seat: int) -> None:
        """The opponent has moved, and this player may not know how."""
        assert seat == 1 - told.seat, f"the own move is hidden from {self.name}"
        self._follows = False
        told.moves.append((seat, HIDDEN))

    def note(self, told: Told, seat: int, move: Any) -> None:
        """A move was made; it has to be a legal one of whose turn it is."""
        if self._follows:
            assert seat in self._state.turn.seats, f"{self.name} was told of a move out of turn after {told.moves}"
            self._state = self._state.play(seat, move)
        told.moves.append((seat, self.game.write_move(move)))


class StrategicSpeaker(Speaker):
    """The text protocol: both look for any opponent at the game."""

    protocol: ClassVar[WireProtocol] = STRATEGIC
    line_end: ClassVar[bytes] = b"\r\n"

    def __init__(self, name: str, game: Game[Any], chance: random.Random) -> None:
        super().__init__(name, game, chance)
        self.client = StrategicClient()

    @classmethod
    def plays(cls, game: Game[Any]) -> bool:
        """Whatever there is."""
        return True

    async def enter(self) -> None:
        assert (await self._heard(), await self._heard()) == (None, None)
        await self._ask(f"login {self.name}")

    async def wait(self) -> None:
        await self._ask(f"subscribe {self.game.name}")

    async def find(self, opponent: str) -> None:
        await self.wait()

    async def play(self) -> Told:
        opened = await self._heard()
        assert isinstance(opened, Opened)
        assert opened.game == self.game.name
        told = Told(0 if opened.first == self.name else 1, opened.opponent)
        while not told.result:
            heard = await self._heard()
            match heard:
                case Turn():
                    await self._say(f"move {self._spelt(self.chosen(told))}")
                case Move():
                    seat = told.seat if heard.player == self.name else 1 - told.seat
                    if heard.text == HIDDEN:
                        self.note_hidden(told, seat)
                    else:
                        self.note(told, seat, self.game.read_move(heard.text))
                case Ended():
                    told.result = heard.result
                case _:
                    assert isinstance(heard, Answered)
                    assert heard.ok, heard
        assert not self.client.unanswered
        return told

    async def _say(self, command: str) -> None:
        self.client.say(command)
        await self.say(command)

    async def _ask(self, command: str) -> None:
        await self._say(command)
        assert await self._heard() == Answered(ok=True, command=command)

    async def _heard(self) -> Heard | None:
        return self.client.hear((await self.line()).encode())

    def _spelt(self, move: Any) -> str:
        number = self.game.move_number(move)
        return self.game.write_move(move) if number is None else str(number)


class ConnectFourSpeaker(Speaker):
    """3D Connect Four: who waits sits in a room, ready; who looks finds the other in the list of rooms."""

    protocol: ClassVar[WireProtocol] = CONNECT_FOUR

    @classmethod
    def plays(cls, game: Game[Any]) -> bool:
        """The one game."""
        return game.name == "Connect-four-3D"

    async def enter(self) -> None:
        await self._ask("lobby", action="connect", name=self.name)

    async def wait(self) -> None:
        await self._ask("game", action="join", **{"room number": 7})
        await self.say('{"action":"start"}')

    async def find(self, opponent: str) -> None:
        lobby = await self._ask("lobby", action="connect")
        (room,) = [room["room number"] for room in lobby["free lobbies"] if room["opponent"] == opponent]
        game = await self._ask("game", action="join", **{"room number": room})
        assert game["opponent"] == opponent
        await self.say('{"action":"start"}')

    async def play(self) -> Told:
        started, told = await self._message("started"), None
        while told is None or not told.result:
            message = await self._message("make move", "opponent moved", "game over")
            if told is None:
                # The one who is asked for a move before there is any has the first seat.
                told = Told(0 if message["event"] == "make move" else 1, started["opponent"])
            if message["event"] == "make move":
                move = self.chosen(told)
                self.note(told, told.seat, move)
                await self.say(json.dumps({"action": "move", "move": self.game.write_move(move)}))
            elif message["event"] == "opponent moved":
                self.note(told, 1 - told.seat, self.game.read_move(message["move"]))
            else:
                told.result = {"you": "win", "opponent": "loss", "draw": "draw"}[message["winner"]]
        return told

    async def _ask(self, event: str, **content: Any) -> dict[str, Any]:
        await self.say(json.dumps(content))
        return await self._message(event)

    async def _message(self, *events: str) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(await self.line())
        assert message["event"] in events, f"{self.name} waited for {events} and heard {message}"
        return message


class WebSpeaker(Speaker):
    """JSON over a WebSocket: both look for any opponent at the game, and are ready as soon as they are asked."""

    protocol: ClassVar[WireProtocol] = WEB
    client: WebPlayer | None = None

    @classmethod
    def listener(cls) -> WireProtocol:
        """The HTTP listener carries it."""
        return HTTP_FOR_WEB

    @classmethod
    def plays(cls, game: Game[Any]) -> bool:
        """Whatever there is."""
        return True

    async def connect(self, port: int) -> None:
        self.client = await WebPlayer.connect(port)
        await self.enter()

    def close(self) -> None:
        if self.client is not None:
            self.client.close()

    async def enter(self) -> None:
        assert (await self._asked(do="login", name=self.name))["tell"] == "welcome"

    async def wait(self) -> None:
        assert (await self._asked(do="seek", game=self.game.name))["tell"] == "ok"

    async def find(self, opponent: str) -> None:
        await self.wait()

    async def play(self) -> Told:
        assert self.client is not None
        paired = await self.client.message()
        assert (paired["tell"], paired["game"]) == ("paired", self.game.name)
        await self.client.send(do="ready")
        told = Told(paired["you"], paired["players"][1 - paired["you"]])
        unanswered = 1
        while not told.result:
            message = await self.client.message()
            if message["tell"] == "ok":
                unanswered -= 1
            elif message["tell"] == "turn":
                await self.client.send(do="move", move=self.game.write_move(self.chosen(told)), match=paired["match"])
                unanswered += 1
            elif message["tell"] == "moved" and message["move"] == HIDDEN:
                self.note_hidden(told, message["seat"])
            elif message["tell"] == "moved":
                self.note(told, message["seat"], self.game.read_move(message["move"]))
            elif message["tell"] == "game over":
                told.result = message["result"]
            else:
                assert message["tell"] in {"seat ready", "match"}, message
        assert unanswered == 0
        return told

    async def _asked(self, **message: Any) -> dict[str, Any]:
        assert self.client is not None
        return await self.client.ask(**message)


SPEAKERS: tuple[type[Speaker], ...] = (StrategicSpeaker, ConnectFourSpeaker, WebSpeaker)
"""One for each protocol."""
