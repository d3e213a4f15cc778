"""Players that speak a protocol each: they wait to be found or find somebody, and play at random.

A further protocol is one more class, and one more entry of `SPEAKERS`. What a player was told of a
match is noted in words of no protocol, so that two players' notes can be compared.
"""

import random
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import trio
from attrs import Factory, define

from gameserver.game import Game, State
from gameserver.http.listener import HttpProtocol
from gameserver.protocol import WireProtocol
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.strategic import PROTOCOL as STRATEGIC
from protocols.web import PROTOCOL as WEB
from tests.clients.connect_four import ConnectFourClient, Message
from tests.clients.strategic import Answered, Ended, Heard, Move, Opened, StrategicClient, Turn
from tests.support.socket_clients import WebPlayer

HTTP_FOR_WEB = HttpProtocol([WEB])

HIDDEN = "?"
"""The text for a move that this player may not know."""


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
    def plays(cls, game: Game[Any]) -> bool:
        """True if this game is played in the protocol: whatever there is, if it does not say otherwise."""
        return True

    @abstractmethod
    async def enter(self) -> None:
        """Log in, and take in what comes of it."""

    @abstractmethod
    async def wait(self) -> None:
        """Become somebody whom others can find."""

    async def find(self, opponent: str) -> None:
        """Meet somebody who waits, by waiting for the same where the lobby brings two together."""
        await self.wait()

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

    def chosen(self, state: State[Any] | None, seat: int) -> str:
        """A legal move. In a game that hides moves they are always the same, so the start is as good as a position."""
        moves = (state or self.start).legal_moves(seat)
        assert moves, f"{self.name} was asked for a move and has none in {state}"
        move = self._chance.choice(moves)
        return self.game.write_move(move)

    @property
    def start(self) -> State[Any]:
        """The position of a new game."""
        return self.game.start(self.game.options_type())

    def rules(self, game: str) -> Game[Any] | None:
        """The rules of its game, for a strict client."""
        return self.game if game == self.game.name else None


class StrategicSpeaker(Speaker):
    """The text protocol: both look for any opponent at the game."""

    protocol: ClassVar[WireProtocol] = STRATEGIC
    line_end: ClassVar[bytes] = b"\r\n"

    def __init__(self, name: str, game: Game[Any], chance: random.Random) -> None:
        super().__init__(name, game, chance)
        self.client = StrategicClient(self.rules)

    async def enter(self) -> None:
        assert (await self._heard(), await self._heard()) == (None, None)
        await self._ask(f"login {self.name}")

    async def wait(self) -> None:
        await self._ask(f"subscribe {self.game.name}")

    async def play(self) -> Told:
        opened, match = await self._heard(), self.client.match
        assert isinstance(opened, Opened)
        assert match is not None
        assert opened.game == self.game.name
        told = Told(match.own_seat, opened.opponent)
        while not told.result:
            heard = await self._heard()
            match heard:
                case Turn():
                    await self._say(f"move {self._spelt(self.chosen(match.state, told.seat))}")
                case Ended():
                    told.result = heard.result
                case _:
                    assert isinstance(heard, Move | Answered)
                    assert isinstance(heard, Move) or heard.ok, heard
        assert not self.client.unanswered
        seats = {self.name: told.seat, opened.opponent: 1 - told.seat}
        told.moves = [(seats[player], self._canonical(text)) for player, text in match.moves]
        return told

    async def _say(self, command: str) -> None:
        self.client.say(command)
        await self.say(command)

    async def _ask(self, command: str) -> None:
        await self._say(command)
        assert await self._heard() == Answered(ok=True, command=command)

    async def _heard(self) -> Heard | None:
        return self.client.hear((await self.line()).encode())

    def _spelt(self, text: str) -> str:
        number = self.game.move_number(self.game.read_move(text))
        return text if number is None else str(number)

    def _canonical(self, text: str) -> str:
        return text if text == HIDDEN else self.game.write_move(self.game.read_move(text))


class ConnectFourSpeaker(Speaker):
    """3D Connect Four: who waits sits in a room, ready; who looks finds the other in the list of rooms."""

    protocol: ClassVar[WireProtocol] = CONNECT_FOUR

    def __init__(self, name: str, game: Game[Any], chance: random.Random) -> None:
        super().__init__(name, game, chance)
        self.client = ConnectFourClient()

    @classmethod
    def plays(cls, game: Game[Any]) -> bool:
        """The one game."""
        return game.name == "Connect-four-3D"

    async def enter(self) -> None:
        await self._ask("connect", name=self.name)

    async def wait(self) -> None:
        await self._join(7)

    async def find(self, opponent: str) -> None:
        lobby = await self._ask("connect")
        (room,) = [room["room number"] for room in lobby["free lobbies"] if room["opponent"] == opponent]
        assert (await self._join(room))["opponent"] == opponent

    async def play(self) -> Told:
        await self._heard()
        match = self.client.match
        assert match is not None
        while (message := await self._heard())["event"] != "game over":
            if message["event"] == "make move":
                await self._say("move", move=self._chance.choice(match.legal_moves))
        assert match.seat is not None
        result = {"you": "win", "opponent": "loss", "draw": "draw"}[message["winner"]]
        moves = [(number % 2, move) for number, move in enumerate(match.moves)]
        return Told(match.seat, match.opponent, moves, result)

    async def _join(self, room: int) -> Message:
        game = await self._ask("join", room_number=room)
        await self._say("start")
        return game

    async def _say(self, action: str, **more: Any) -> None:
        await self.say(self.client.say(action, **more).decode().rstrip())

    async def _ask(self, action: str, **more: Any) -> Message:
        await self._say(action, **more)
        return await self._heard()

    async def _heard(self) -> Message:
        message = self.client.hear((await self.line()).encode())
        assert message["event"] != "error", message
        return message


class WebSpeaker(Speaker):
    """JSON over a WebSocket: both look for any opponent at the game, and are ready as soon as they are asked."""

    protocol: ClassVar[WireProtocol] = WEB
    player: WebPlayer

    @classmethod
    def listener(cls) -> WireProtocol:
        """The HTTP listener carries it."""
        return HTTP_FOR_WEB

    async def connect(self, port: int) -> None:
        self.player = await WebPlayer.connect(port)
        self.player.client.rules = self.rules
        await self.enter()

    def close(self) -> None:
        if hasattr(self, "player"):
            self.player.close()

    async def enter(self) -> None:
        assert (await self.player.ask(do="login", name=self.name))["tell"] == "welcome"

    async def wait(self) -> None:
        assert (await self.player.ask(do="seek", game=self.game.name))["tell"] == "ok"

    async def play(self) -> Told:
        paired, match = await self.player.message(), self.player.client.match
        assert (paired["tell"], paired["game"]) == ("paired", self.game.name)
        assert match is not None
        await self.player.send(do="ready")
        told = Told(match.seat, match.players[1 - match.seat])
        while not told.result:
            message = await self.player.message()
            if message["tell"] == "turn":
                await self.player.send(do="move", move=self.chosen(match.state, match.seat), match=match.number)
            elif message["tell"] == "game over":
                told.result = message["result"]
            else:
                assert message["tell"] in {"ok", "seat ready", "match", "moved"}, message
        assert not self.player.client.asked
        told.moves = [(seat, move) for seat, move in match.moves if seat is not None]
        return told


SPEAKERS: tuple[type[Speaker], ...] = (StrategicSpeaker, ConnectFourSpeaker, WebSpeaker)
"""One for each protocol."""
