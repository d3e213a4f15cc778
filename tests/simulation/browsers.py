"""A player of the protocol `web`: it comes back by its key, and says of each move which match it is meant for.

It follows no game: it asks for the board, and picks one of the moves that it is told there.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, ClassVar

from attrs import define, field

from tests.clients.strategic import Opened
from tests.clients.web import PATH, WebClient, key_of
from tests.clients.websocket import Frames, handshake
from tests.simulation.bot import followed
from tests.simulation.client import Client
from tests.simulation.told import Told, moves_on_record
from tests.simulation.violation import Violation

NONSENSE = (b"hello", b"[]", b'{"do":"dance"}', b'{"do":"move"}', b'{"do":"accept","number":99}')
THOUGHTS_MS = (0, 0, 20, 200, 900, 5_000)
ASKED_MAX = 3


@define(eq=False)
class Browser(Client):
    listener: ClassVar[str] = "http"
    client: WebClient = field(factory=WebClient)
    turn_due_ms: int | None = None
    moves: list[str] = field(factory=list)
    told: dict[int, Told] = field(factory=dict)
    _numbers: int = 0
    _frames: Frames = field(init=False)

    def begin(self, chance: Random) -> None:
        self.forget()
        self._frames = Frames(chance)
        self.send(handshake(PATH), "a handshake")

    def forget(self) -> None:
        self.client, self.turn_due_ms = WebClient(followed), None
        self.moves.clear()

    @property
    def may_say(self) -> bool:
        """True if a message would get as far as the network."""
        return self.can_speak and self._frames.is_open

    def act(self) -> None:
        if self.is_connected() and self.may_say and len(self.client.asked) < ASKED_MAX:
            self._do_something()

    def _do_something(self) -> None:
        roll, match = self.chance.random(), self.client.match
        if not self.client.entered:
            self._come_in()
        elif roll < 0.03:
            self.send(self._frames.message(self.client.note(self.chance.choice(NONSENSE))), "nonsense")
        elif roll < 0.1:
            self._ask(self.chance.choice(("list", "ping", "board", "ready", "withdraw")))
        elif match is not None and roll < 0.12:
            self._ask("resign", match=match.number)
        elif match is None and roll < 0.5:
            self._ask("seek", game=self.chance.choice(self.world.menu))
        elif match is None and roll < 0.8:
            to = self.chance.choice([*(bot.name for bot in self.world.bots), "house-random"])
            game, time_s = self.chance.choice(self.world.menu), self.chance.choice((1, 2))
            number = self._numbers
            clock = self.world.plan.clock(f"challenge {number} of bot {self.index}", 1_000 * time_s)
            self._ask(
                "challenge", to=to, game=game, **{"clock": str(clock)} if clock.has_bank else {"turn_time_s": time_s}
            )

    def _come_in(self) -> None:
        if not any(asked.do == "login" for asked in self.client.asked):
            self._ask("login", name=self.name, key=key_of(self.name), secret=self.world.rosters.shown_by(self) or None)

    def tend(self) -> None:
        if self.turn_due_ms is not None and self.turn_due_ms <= self.world.real_ms and self.may_say and self.moves:
            self.turn_due_ms = None
            self._ask("move", move=self.chance.choice(self.moves), match=self.client.match and self.client.match.number)

    def wind_up(self) -> None:
        if not (self.is_connected() and self.may_say) or self.client.asked:
            return
        if not self.client.entered:
            self._come_in()
        elif self.client.match is not None:
            self._ask("resign", match=self.client.match.number)

    @property
    def unsettled(self) -> str:
        return "every command is answered once" if self.client.asked else ""

    def hear(self, data: bytes) -> None:
        for message in self._frames.feed(data):
            self.world.note("%s hears %s", self, message)
            told = self.client.hear(message)
            self.world.count(f"web {told['tell']}")
            if told["tell"] in _HEARD:
                _HEARD[told["tell"]](self, told)

    def _ask(self, do: str, **more: Any) -> None:
        if not self.may_say:
            return
        self._numbers += 1
        message = self.client.say(do, id=self._numbers, **more)
        self.send(self._frames.message(message), f"{message!r}")

    def _challenged(self, told: dict[str, Any]) -> None:
        if self.chance.random() < 0.8:
            self._ask("accept", number=told["number"])

    def _take_turn(self, told: dict[str, Any]) -> None:
        meant = [one.banks_ms for one in self.wire.turns_told if (one.match, one.turn) == (told["match"], told["turn"])]
        if tuple(told.get("banks_ms", ())) not in meant:
            raise Violation("a bank is told as it is", f"{self} hears {told}, meant is {meant}")
        self.turn_due_ms = self.world.real_ms + (0 if self.world.calm else self.chance.choice(THOUGHTS_MS))
        self._ask("board")

    def _look(self, told: dict[str, Any]) -> None:
        self.moves = told["moves"]

    def _leave(self, _: dict[str, Any]) -> None:
        self.turn_due_ms = None

    def _take_seat(self, told: dict[str, Any]) -> None:
        number, players = told["match"], told["players"]
        opened = Opened(players[told["first"]], told["game"], players[1 - told["you"]])
        self.told[number] = self.world.archive.opened(self.index, self.name, number, opened)
        self._archive(told)

    def _archive(self, _: dict[str, Any]) -> None:
        match = self.client.match
        moves = [(match.players[seat], move) for seat, move in match.moves if seat is not None]
        for number, move in enumerate(moves):
            self.world.archive.moved(self.told[match.number], match.number, number, move)

    def _check_result(self, told: dict[str, Any]) -> None:
        record = self.world.auditor.records.get(told["match"])
        if record is None:
            raise Violation("nothing undecided is told", f"{self} hears {told}")
        mine = next(seat for seat in record.seats if seat.player == self.name)
        if (mine.result, record.reason) != (told["result"], told["reason"]):
            raise Violation("everybody is told what is on record", f"{self} hears {told}, recorded is {record}")
        if self.told[told["match"]].moves != moves_on_record(record):
            raise Violation("nothing is left out", f"{self} was told {self.told[told['match']]} of {record}")


_HEARD: Mapping[str, Callable[[Browser, dict[str, Any]], None]] = {
    "challenged": Browser._challenged,
    "paired": lambda browser, _: browser._ask("ready"),
    "match": Browser._take_seat,
    "turn": Browser._take_turn,
    "board": Browser._look,
    "moved": Browser._archive,
    "game over": Browser._check_result,
    "match over": Browser._leave,
}
