"""A player of the protocol `web`: it comes back by its key, and says of each move which match it is meant for.

It follows no game: it asks for the board, and picks one of the moves that it is told there.
"""

import base64
import hashlib
from collections import deque
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, ClassVar

import orjson
from attrs import define, field

from tests.clients.strategic import Opened
from tests.simulation.client import Client
from tests.simulation.told import Told
from tests.simulation.violation import Violation
from tests.simulation.websocket import Frames, handshake

NONSENSE = (b"hello", b"[]", b'{"do":"dance"}', b'{"do":"move"}', b'{"do":"accept","number":99}')
THOUGHTS_MS = (0, 0, 20, 200, 900, 5_000)
ASKED_MAX = 3


@define(eq=False)
class Browser(Client):
    """One player in a browser."""

    listener: ClassVar[str] = "http"
    entered: bool = False
    match: int = 0
    """The match that it is in, as far as it knows."""
    turn_due_ms: int | None = None
    moves: list[str] = field(factory=list)
    asked: deque[tuple[int, str]] = field(factory=deque)
    told: dict[int, Told] = field(factory=dict)
    _numbers: int = 0
    _heard_moves: int = 0
    """The moves of the current match that this connection was told of."""
    _frames: Frames = field(init=False)

    def begin(self, chance: Random) -> None:
        self.forget()
        self._frames = Frames(chance)
        self.send(handshake("/play/socket"), "a handshake")

    def forget(self) -> None:
        self.entered, self.match, self.turn_due_ms = False, 0, None
        self.asked.clear()
        self.moves.clear()

    @property
    def key(self) -> str:
        """Its own, the same on every connection."""
        return base64.urlsafe_b64encode(hashlib.sha256(self.name.encode()).digest()[:16]).decode().rstrip("=")

    @property
    def may_say(self) -> bool:
        """True if a message would get as far as the network."""
        return self.can_speak and self._frames.is_open

    def act(self) -> None:
        if self.wire is None:
            if self.may_connect():
                self.connect()
        elif self.may_say and len(self.asked) < ASKED_MAX:
            self._do_something()

    def _do_something(self) -> None:
        roll = self.chance.random()
        if not self.entered:
            self._come_in()
        elif roll < 0.03:
            self.send(self._frames.message(self.chance.choice(NONSENSE)), "nonsense")
        elif roll < 0.1:
            self._ask(self.chance.choice(("list", "ping", "board", "ready", "withdraw")))
        elif roll < 0.12 and self.match:
            self._ask("resign", match=self.match)
        elif not self.match and roll < 0.5:
            self._ask("seek", game=self.chance.choice(self.world.menu))
        elif not self.match and roll < 0.8:
            to = self.chance.choice([*(bot.name for bot in self.world.bots), "house-random"])
            self._ask(
                "challenge", to=to, game=self.chance.choice(self.world.menu), turn_time_s=self.chance.choice((1, 2))
            )

    def _come_in(self) -> None:
        if not any(what == "login" for _, what in self.asked):
            self._ask("login", name=self.name, key=self.key, secret=self.world.rosters.shown_by(self) or None)

    def tend(self) -> None:
        if self.turn_due_ms is not None and self.turn_due_ms <= self.world.real_ms and self.may_say and self.moves:
            self.turn_due_ms = None
            self._ask("move", move=self.chance.choice(self.moves), match=self.match)

    def wind_up(self) -> None:
        if self.wire is None:
            if self.may_connect():
                self.connect()
        elif self.may_say and not self.asked:
            if not self.entered:
                self._come_in()
            elif self.match:
                self._ask("resign", match=self.match)

    @property
    def unsettled(self) -> str:
        return "every command is answered once" if self.asked else ""

    def hear(self, data: bytes) -> None:
        for message in self._frames.feed(data):
            self.world.note("%s hears %s", self, message)
            told = orjson.loads(message)
            self.world.count(f"web {told['tell']}")
            self._hear(told)

    def _ask(self, do: str, **more: Any) -> None:
        if not self.may_say:
            return
        self._numbers += 1
        self.asked.append((self._numbers, do))
        message = {"do": do, "id": self._numbers, **more}
        self.send(self._frames.message(orjson.dumps(message)), f"{message}")

    def _hear(self, told: dict[str, Any]) -> None:
        kind, id_ = told["tell"], told.get("id")
        if kind in {"ok", "welcome", "error", "pong"} and id_ is not None:
            if not self.asked or self.asked[0][0] != id_:
                raise Violation("every command is answered once", f"{self} waits for {self.asked}, and hears {told}")
            self.asked.popleft()
        hear = _HEARD.get(kind)
        if hear is not None:
            hear(self, told)

    def _welcomed(self, _: dict[str, Any]) -> None:
        self.entered = True

    def _challenged(self, told: dict[str, Any]) -> None:
        if self.chance.random() < 0.8:
            self._ask("accept", number=told["number"])

    def _take_turn(self, _: dict[str, Any]) -> None:
        self.turn_due_ms = self.world.real_ms + (0 if self.world.calm else self.chance.choice(THOUGHTS_MS))
        self._ask("board")

    def _look(self, told: dict[str, Any]) -> None:
        self.moves = told["moves"]

    def _be_ready(self, told: dict[str, Any]) -> None:
        self.match = told["match"]
        self._ask("ready")

    def _leave(self, _: dict[str, Any]) -> None:
        self.match, self.turn_due_ms = 0, None

    def _moved(self, told: dict[str, Any]) -> None:
        if told["seat"] is not None:
            self._note(told["match"], told["player"], told["move"])

    def _take_seat(self, told: dict[str, Any]) -> None:
        self.match = number = told["match"]
        players, you = told["players"], told["you"]
        if players[you] != self.name:
            raise Violation("nobody takes another's seat", f"{self} is told {told}")
        opened = Opened(players[told["first"]], told["game"], players[1 - you])
        self.told[number] = self.world.archive.opened(self.index, self.name, number, opened)
        self._heard_moves = 0
        for move in told["moves"]:
            if move["seat"] is not None:
                self._note(number, move["player"], move["move"])

    def _note(self, match: int, player: str, move: str) -> None:
        self.world.archive.moved(self.told[match], match, self._heard_moves, (player, move))
        self._heard_moves += 1

    def _check_result(self, told: dict[str, Any]) -> None:
        record = self.world.auditor.records.get(told["match"])
        if record is None:
            raise Violation("nothing undecided is told", f"{self} hears {told}")
        mine = next(seat for seat in record.seats if seat.player == self.name)
        moves = [(record.seats[move.seat].player, move.move) for move in record.moves if move.seat is not None]
        if (mine.result, record.reason) != (told["result"], told["reason"]):
            raise Violation("everybody is told what is on record", f"{self} hears {told}, recorded is {record}")
        if self.told[told["match"]].moves != moves:
            raise Violation("nothing is left out", f"{self} was told {self.told[told['match']]} of {moves}")


_HEARD: Mapping[str, Callable[[Browser, dict[str, Any]], None]] = {
    "welcome": Browser._welcomed,
    "challenged": Browser._challenged,
    "paired": Browser._be_ready,
    "match": Browser._take_seat,
    "turn": Browser._take_turn,
    "board": Browser._look,
    "moved": Browser._moved,
    "game over": Browser._check_result,
    "match over": Browser._leave,
}
