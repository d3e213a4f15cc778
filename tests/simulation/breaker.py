"""A client of the `Type|JSON` protocol, by lines or by WebSocket: it breaks the codes of the house.

What it hears is held against the protocol by the strict client (`tests.clients.mastermind`), and here against what is
on record.
"""

from collections.abc import Iterable
from random import Random
from typing import ClassVar

from attrs import define, field

from games.mastermind.board import write_code
from tests.clients.mastermind import BROKEN, Accepted, Answered, Asked, Ended, Erred, Heard, MastermindClient
from tests.clients.strategic import Opened
from tests.clients.websocket import Frames, handshake
from tests.simulation.client import Client
from tests.simulation.told import Told
from tests.simulation.violation import Violation
from tests.simulation.wire import MatchTold

SIZES = ((2, 4, 3), (6, 12, 4), (30, 6, 8), (30, 6, 8))
"""Colours, tries and places; the last codes are long enough to be known when they are seen."""
NONSENSE = (
    b"",
    b"hello",
    b"9|{}",
    b"0|{}",
    b'0|{"NbrColors":0,"MaxTries":1,"CodeLength":1}',
    b"1|{",
    b"1|{}|",
    b"x|{}",
)
PIPELINED_MAX = 4


@define(eq=False)
class Breaker(Client):
    """A client by lines."""

    listener: ClassVar[str] = "mastermind"
    client: MastermindClient = field(factory=MastermindClient)
    _meant: MatchTold | None = None
    _told: Told | None = None
    _games_told: int = 0

    def begin(self, chance: Random) -> None:
        self.client = MastermindClient()
        self._games_told = 0

    def forget(self) -> None:
        self.client = MastermindClient()

    def act(self) -> None:
        while self.is_connected() and self.can_speak and self.is_open and len(self.client.asked) < PIPELINED_MAX:
            self._say_something()
            if self.chance.random() > 0.4:
                return

    def tend(self) -> None: ...

    def wind_up(self) -> None:
        if self.wire is not None and self.can_speak and self.client.game is not None and not self.client.asked:
            self._say(self.client.retreat())

    @property
    def unsettled(self) -> str:
        return "every command is answered once" if self.client.asked else ""

    @property
    def is_open(self) -> bool:
        """True if messages may be sent."""
        return self.wire is not None

    def frame(self, message: bytes) -> bytes:
        return message + b"\n"

    def hear(self, data: bytes) -> None:
        self._judge(self.client.receive(data))

    def _judge(self, heard: Iterable[Heard]) -> None:
        for each in heard:
            self.world.note("%s hears %s", self, each)
            self._take(each)

    def _take(self, heard: Heard) -> None:
        match heard:
            case Accepted():
                self._accepted()
            case Answered(guess):
                self._archive(guess)
            case Ended(won, _, guess):
                if guess is not None:
                    self._archive(guess)
                self.world.archive.ended_as(self._told, self._meant, "win" if won else "loss")
            case Erred(asked=Asked() as asked):
                self._refused(heard, asked)
        self.world.count(f"mastermind {type(heard).__name__.lower()}")

    def _refused(self, heard: Erred, asked: Asked) -> None:
        if asked.kind == "1":
            self.world.count("mastermind guess refused")
        if asked.kind == "0" and len(asked.content) == 3 and all(asked.content.values()) and heard.kind != BROKEN:
            raise Violation("an answer fits its question", f"{self} hears {heard}")

    def _say_something(self) -> None:
        chance, client = self.chance, self.client
        roll = chance.random()
        if roll < 0.05:
            self._say(client.note(chance.choice(NONSENSE)))
        elif roll < 0.1:
            self._say(client.retreat())
        elif (client.game is None and not client.asked) or roll < 0.13:
            colours, tries, places = chance.choice(SIZES)
            self._say(client.new_game(colours, tries, places))
        elif client.game is not None:
            size = client.game.size
            self._say(client.guess([chance.randrange(size.colours) for _ in range(size.places)]))

    def _say(self, message: bytes) -> None:
        self.send(self.frame(message), repr(message))

    def _accepted(self) -> None:
        meant = self._meant = self.wire.matches_told[self._games_told]
        self._games_told += 1
        opened = Opened(meant.players[0], "Mastermind", meant.players[0])
        self._told = self.world.archive.opened(self.index, meant.players[1], meant.match, opened)

    def _archive(self, guess: tuple[int, ...]) -> None:
        move = (self._meant.players[1], write_code(guess))
        self.world.archive.moved(self._told, self._meant.match, len(self._told.moves), move)


@define(eq=False)
class WebSocketBreaker(Breaker):
    """A client by WebSocket messages."""

    listener: ClassVar[str] = "http"
    _frames: Frames = field(init=False)

    def begin(self, chance: Random) -> None:
        super().begin(chance)
        self._frames = Frames(chance)
        self.send(handshake("/echo"), "a handshake")

    @property
    def is_open(self) -> bool:
        return self.wire is not None and self._frames.is_open

    def frame(self, message: bytes) -> bytes:
        return self._frames.message(message)

    def hear(self, data: bytes) -> None:
        self._judge(self.client.hear(message) for message in self._frames.feed(data))
