"""A client: it knows what it has read, and nothing else.

What it says is decided in `manners`. What it hears is held against the protocol and the rules of the game by the
strict client (`tests.clients.strategic`), and here against what it was told before. Where it asks the simulation what
the server meant, that is for the invariants only.
"""

from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any, ClassVar

from attrs import define, field

from tests.clients import Refused
from tests.clients.strategic import (
    Answered,
    Ended,
    Heard,
    Move,
    Opened,
    StrategicClient,
    Turn,
)
from tests.simulation import fairness
from tests.simulation.client import Client
from tests.simulation.strategic import Spelling, Spoken
from tests.simulation.view import View, followed
from tests.simulation.violation import Violation
from tests.simulation.wire import PROBE_MS

PROMPT_MS = 2_500
"""How long an answer may take when nothing goes wrong: the lines come and go in pieces, a heartbeat each."""


@define(eq=False)
class Bot(Client):
    """A client of the text protocol."""

    listener: ClassVar[str] = "strategic"
    spelling: Spelling = field(init=False)
    client: StrategicClient = field(factory=StrategicClient)
    leaving: bool = False
    """Nothing more can be said on this connection."""
    strayed: bool = False
    """Whether moves were made on this connection that answer no turn, or before other things were answered: then
    nobody can tell what they are for."""
    move_end: int | None = None
    """The last byte of the last move made on this connection."""
    resigned: list[tuple[int | None, int]] = field(factory=list)
    """The match that was given up, if any was meant, and the last byte of saying so."""
    waiting: deque[Spoken] = field(factory=deque)
    """What was said and is not answered."""
    was_playing: bool = False
    """Whether its last connection ended during a match."""
    flees_ms: int | None = None
    """When its connection breaks; None for not by itself."""
    asked_ms: int = 0
    """When the oldest of it became the oldest."""
    view: View | None = None
    _matches_heard: int = 0
    _turns_heard: int = 0

    def begin(self, chance: Random) -> None:
        """A new connection."""
        self.spelling = Spelling(chance)
        self.client = StrategicClient(followed, self.world.tongue.banner)
        self.leaving = self.strayed = False
        self.view, self.move_end, self.flees_ms = None, None, None
        self._matches_heard = self._turns_heard = 0
        self.waiting.clear()
        self.resigned.clear()

    def forget(self) -> None:
        """What was known of the match is over with the connection."""
        self.was_playing = self.view is not None
        self.view, self.flees_ms = None, None
        self.client = StrategicClient()

    @property
    def entered(self) -> bool:
        """Whether a login was answered with OK."""
        return self.client.entered

    @property
    def credentials(self) -> str:
        """The name, and the secret that it shows with it, if any."""
        secret = self.world.rosters.shown_by(self)
        return f"{self.name} {secret}" if secret else self.name

    @property
    def can_speak(self) -> bool:
        """Whether there is any use in saying something."""
        return super().can_speak and not self.leaving

    def act(self) -> None:
        """Do something, or nothing."""
        self.world.manners.act(self)

    def tend(self) -> None:
        """Answer a turn whose time has come, or be gone."""
        if self.flees_ms is not None and self.flees_ms <= self.world.real_ms:
            self.flees_ms = None
            self.world.count("gone before it was answered")
            if self.wire is not None:
                self.wire.cut()  # a half-closed connection is answered first
            self.lose_sight()
        if self.view is not None:
            self.world.manners.tend(self)

    def wind_up(self) -> None:
        """Be here, take the seat back, and play on."""
        if self.waiting and self.wire is not None and self._waits_too_long():
            raise Violation("answers are prompt", f"{self} waits for {self.waiting[0].what} on a quick disk")
        self.world.manners.finish(self)

    def _waits_too_long(self) -> bool:
        """Whether an answer takes too long though nothing goes wrong any more."""
        since_ms = self.world.quiet_since_ms
        if since_ms is None or self.wire is None:
            return False
        # A login may wait until the kernel knows whether the peer of an older connection is still there.
        patience_ms = PROMPT_MS + (PROBE_MS if self.waiting[0].what == "login" else 0)
        return self.world.real_ms - max(since_ms, self.asked_ms) > patience_ms

    @property
    def unsettled(self) -> str:
        """What is not as it should be."""
        if not self.entered:
            return "everybody can come back"
        if self.waiting:
            return "every command is answered once"
        return "every end is told" if self.view is not None else ""

    def speak(self, spoken: Spoken) -> None:
        """Say something."""
        assert self.wire is not None
        end = self.send(self.client.wrote(spoken.data), spoken.what)
        view = None if self.waiting else self.view
        if spoken.answers:
            self.asked_ms = self.asked_ms if self.waiting else self.world.real_ms
            self.waiting.append(spoken)
        self.leaving = self.leaving or spoken.what in ("logout", "last straw")
        if spoken.what == "resign":
            self.resigned.append((None if view is None else view.match, end))
        elif spoken.what.startswith("move "):
            self.move_end = end
            self.strayed = self.strayed or view is None or view.turn is None or view.reply_end is not None
            if self.view is not None and self.view.reply_end is None:
                self.view.reply_end = end

    def hear(self, data: bytes) -> None:
        """Take in whole lines."""
        try:
            for heard in self.client.receive(data):
                self.world.note("%s hears %s", self, heard)
                handler = DECIDERS.get(type(heard))
                if handler is not None:
                    handler(self, heard)
        except Refused as refused:
            raise Violation("the protocol is kept", f"{self}: {refused}") from refused

    def _answered(self, heard: Answered) -> None:
        spoken = self.waiting.popleft()
        self.asked_ms = self.world.real_ms
        if heard.ok not in spoken.answers:
            raise Violation("an answer fits its question", f"{self} said {spoken.what} and hears {heard}")
        self.world.count(f"{spoken.what.split()[0]} {'ok' if heard.ok else 'refused'}")

    def _opened(self, heard: Opened) -> None:
        assert self.wire is not None
        assert self.client.match is not None
        meant = self.wire.matches_told[self._matches_heard]
        self._matches_heard += 1
        told = self.world.archive.opened(self.index, self.name, meant.match, heard)
        self.view = View(meant, self.client.match, told)
        self.world.count("match shown" if meant.moves else "match opened")

    def _turn(self, _: Turn) -> None:
        assert self.wire is not None
        view = self._view
        view.begin_turn(self.wire.turns_told[self._turns_heard])
        self._turns_heard += 1
        self.world.manners.think(self, view)

    def _moved(self, heard: Move) -> None:
        view = self._view
        mine = heard.player == self.name
        # The client has taken the move in; whether it is a new one depends on those before it.
        is_new = len(view.seen.moves) - (not heard.refused) >= view.meant.moves
        if mine and is_new and heard.by_server:
            fairness.check_overtaken(self, view)
        elif mine and is_new:
            fairness.check_move(self, view, heard)
        if not heard.refused:
            number = len(view.seen.moves) - 1
            self.world.archive.moved(view.told, view.match, number, (heard.player, view.spelled(heard.text)))
            view.turn = None if mine else view.turn

    def _ended(self, heard: Ended) -> None:
        view = self._view
        self.world.archive.ended(self.index, self.name, view.match, heard)
        fairness.check_end(self, view, heard)
        self.world.count(f"told {heard.result} {heard.comment or 'played'}")
        self.view = None

    @property
    def _view(self) -> View:
        assert self.view is not None, "the client refuses what comes outside a match"
        return self.view


class Intruder(Bot):
    """Somebody who comes under another's name; from another computer, unless a secret keeps that name."""

    at: str = ""

    @property
    def address(self) -> str:
        return self.at or super().address


DECIDERS: dict[type[Heard], Callable[[Bot, Any], None]] = {
    Answered: Bot._answered,
    Opened: Bot._opened,
    Turn: Bot._turn,
    Move: Bot._moved,
    Ended: Bot._ended,
}
