"""A client of the `Type|JSON` protocol, by lines or by WebSocket: it breaks the codes of the house.

Every message has one answer, in order, so that is what it counts. When a game is over it works out
whether everything that it was told before fits the code that it is shown now.
"""

from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any, ClassVar

import orjson
from attrs import define, field

from games.mastermind.code import write_code
from games.mastermind.feedback import feedback_of
from tests.clients.strategic import Opened
from tests.simulation.client import Client
from tests.simulation.told import Told
from tests.simulation.violation import Violation
from tests.simulation.websocket import Frames, handshake
from tests.simulation.wire import MatchTold

SIZES = ((2, 4, 3), (6, 12, 4), (30, 6, 8), (30, 6, 8))
"""How many colours, how many tries, how long; the last are long enough for a code to be known when it is seen."""
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


@define
class CodeGame:
    """A game that is on: what was guessed, and what was answered."""

    meant: MatchTold
    told: Told
    colours: int
    places: int
    tries: int
    guesses: list[tuple[tuple[int, ...], list[int]]] = field(factory=list)


@define(eq=False)
class Breaker(Client):
    """By lines."""

    listener: ClassVar[str] = "mastermind"
    asked: deque[tuple[str, Any]] = field(factory=deque)
    game: CodeGame | None = None
    _line: bytearray = field(factory=bytearray)
    _games_told: int = 0
    _is_warned: bool = False

    def begin(self, chance: Random) -> None:
        self.asked.clear()
        self.game = None
        self._line.clear()
        self._games_told = 0
        self._is_warned = False

    def forget(self) -> None:
        self.game = None
        self.asked.clear()

    def act(self) -> None:
        """Ask for a game, guess, give up, or talk nonsense."""
        if self.wire is None:
            if self.may_connect():
                self.connect()
            return
        while self.can_speak and self.is_open and len(self.asked) < PIPELINED_MAX:
            self._say_something()
            if self.chance.random() > 0.4:
                return

    def tend(self) -> None:
        """Nothing is on a clock."""

    def wind_up(self) -> None:
        """Give up what is on."""
        if self.wire is not None and self.can_speak and self.game is not None and not self.asked:
            self._say("retreat", b"4|{}")

    @property
    def unsettled(self) -> str:
        return "every command is answered once" if self.asked else ""

    @property
    def is_open(self) -> bool:
        """Whether messages may be sent."""
        return self.wire is not None

    def frame(self, message: bytes) -> bytes:
        """A message as bytes."""
        return message + b"\n"

    def hear(self, data: bytes) -> None:
        *lines, rest = (self._line + data).split(b"\n")
        self._line = bytearray(rest)
        for line in lines:
            self.hear_message(bytes(line))

    def hear_message(self, message: bytes) -> None:
        """One message of the server's."""
        self.world.note("%s hears %s", self, message)
        number, _, body = message.partition(b"|")
        handler = _HEARD.get(number)
        if handler is None:
            raise Violation("lines are well formed", repr(message))
        content = orjson.loads(body)
        if handler is not Breaker._refused:
            self.world.count(f"mastermind {number.decode()}")
        if not self.asked:
            if handler is not Breaker._refused or self._is_warned:
                raise Violation("every command is answered once", f"{self} has asked nothing, and hears {message!r}")
            self._is_warned = True
            return
        handler(self, self.asked.popleft(), content)

    def _say_something(self) -> None:
        chance = self.chance
        roll = chance.random()
        if roll < 0.05:
            self._say("nonsense", chance.choice(NONSENSE))
        elif roll < 0.1:
            self._say("retreat", b"4|{}")
        elif (self.game is None and not self.asked) or roll < 0.13:
            colours, tries, places = chance.choice(SIZES)
            wanted = {"NbrColors": colours, "MaxTries": tries, "CodeLength": places}
            self._say("new game", b"0|" + orjson.dumps(wanted), wanted)
        elif self.game is not None:
            guess = tuple(chance.randrange(self.game.colours) for _ in range(self.game.places))
            self._say("guess", b"1|" + orjson.dumps({"Guess": guess}), guess)

    def _say(self, what: str, message: bytes, about: Any = None) -> None:
        self.asked.append((what, about))
        self.send(self.frame(message), f"{what} {message!r}")

    def _accepted(self, asked: tuple[str, Any], content: dict[str, Any]) -> None:
        if asked != ("new game", content["Attributes"]) or self.wire is None:
            raise Violation("an answer fits its question", f"{self} said {asked} and hears {content}")
        meant = self.wire.matches_told[self._games_told]
        self._games_told += 1
        opened = Opened(meant.players[0], "Mastermind", meant.players[0])
        told = self.world.archive.opened(self.index, meant.players[1], meant.match, opened)
        size = content["Attributes"]
        self.game = CodeGame(meant, told, size["NbrColors"], size["CodeLength"], size["MaxTries"])

    def _answered(self, asked: tuple[str, Any], content: dict[str, Any]) -> None:
        game = self._game(asked, "guess")
        game.guesses.append((asked[1], content["Answer"]))
        self._archive(game, asked[1])
        if len(game.guesses) >= game.tries:
            raise Violation("every match comes to an end", f"{self} has guessed {len(game.guesses)} times")

    def _archive(self, game: CodeGame, guess: tuple[int, ...]) -> None:
        move = (game.meant.players[1], write_code(guess))
        self.world.archive.moved(game.told, game.meant.match, len(game.told.moves), move)

    def _ended(self, asked: tuple[str, Any], content: dict[str, Any]) -> None:
        game = self._game(asked, "guess", "retreat")
        if asked[0] == "guess":
            self._archive(game, asked[1])
        code = tuple(content["Code"])
        for guess, answer in game.guesses:
            feedback = feedback_of(guess, code)
            wrong = len(code) - feedback.exact - feedback.partial
            if answer != [0] * feedback.exact + [1] * feedback.partial + [2] * wrong:
                raise Violation("what was told stays true", f"{guess} was answered {answer}, but the code is {code}")
        won = asked == ("guess", code)
        tries = 0 if asked[0] == "retreat" else len(game.guesses) + 1
        if (content["Won"], content["Tries"]) != (won, tries):
            raise Violation("a result follows from the moves", f"{self} hears {content} after {asked}, {game}")
        self.world.archive.ended_as(game.told, game.meant, "win" if won else "loss")
        self.game = None

    def _refused(self, asked: tuple[str, Any], content: dict[str, Any]) -> None:
        what = asked[0]
        self.world.count(f"mastermind {what} refused")
        if what == "new game" and content["ErrorType"] != 3:
            raise Violation("an answer fits its question", f"{self} asked for {asked[1]} and hears {content}")
        if content["ErrorType"] == 2:
            self.game = None

    def _game(self, asked: tuple[str, Any], *kinds: str) -> CodeGame:
        if asked[0] not in kinds or self.game is None:
            raise Violation("an answer fits its question", f"{self} said {asked}")
        return self.game


_HEARD: dict[bytes, Callable[[Breaker, tuple[str, Any], dict[str, Any]], None]] = {
    b"2": Breaker._answered,
    b"3": Breaker._ended,
    b"5": Breaker._accepted,
    b"6": Breaker._refused,
}


@define(eq=False)
class WebSocketBreaker(Breaker):
    """The same in WebSocket messages."""

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
        for message in self._frames.feed(data):
            self.hear_message(message)
