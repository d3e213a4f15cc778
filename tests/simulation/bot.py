"""A client: it knows what it has read, and nothing else.

What it says is decided in `manners`. What it hears is held against the protocol and the rules of the game by the
strict client (`tests.clients.strategic`), and here against what it was told before. Where it asks the simulation what
the server meant, that is for the invariants only.
"""

from collections import deque
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, ClassVar

from attrs import define, field, frozen

from gameserver.game import Game
from tests.clients.strategic import Answered, Ended, Heard, Match, Move, Opened, StrategicClient, Turn
from tests.simulation.client import Client
from tests.simulation.plan import GAMES, LINE_BYTES_MAX, WITH_DICE
from tests.simulation.told import Told, check_end, check_move, check_overtaken
from tests.simulation.violation import Violation
from tests.simulation.wire import PROBE_MS, MatchTold, TurnTold
from tests.support.games import Countdown

_NONSENSE = (
    b"frobnicate",
    b"get nothing",
    b"subscribe",
    b"move",
    b"help frobnicate",
    b'message "nobody here',
    b"challenge",
    b"caf\xc3\x28",
    b"log\x01in x",
)
_ENDS = (b"\n", b"\r\n", b"\r\n", b"\r\0", b"\n\n")


@frozen
class Spoken:
    """Bytes to say, and the answers that may follow: yes, no, either, or none."""

    data: bytes
    what: str
    """Name in the log, by which the bot also knows what was answered."""
    answers: tuple[bool, ...] = (True, False)


class Spelling:
    """Commands in one of the ways that clients write them, drawn for each connection."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def _line(self, text: str | bytes, what: str, *answers: bool) -> Spoken:
        chance = self._chance
        data = text if isinstance(text, bytes) else text.encode()
        if chance.random() < 0.1:
            word, blank, rest = data.partition(b" ")
            data = word.upper() + blank + rest
        if chance.random() < 0.05:
            data = b"\xff\xfb\x1f" + data
        return Spoken(data + chance.choice(_ENDS), what, answers or (True, False))

    def login(self, name: str) -> Spoken:
        return self._line(f"login {name}", "login")

    def logout(self) -> Spoken:
        spoken = self._line(self._chance.choice(("logout", "bye", "exit", "quit", "disconnect")), "logout")
        return Spoken(spoken.data, "logout", ())

    def seek(self, game: str) -> Spoken:
        return self._line(f"subscribe {self._chance.choice((game, game, game.lower()))}", "seek")

    def withdraw(self) -> Spoken:
        return self._line("unsubscribe", "withdraw")

    def challenge(self, to: str, game: str, turn_s: int | None) -> Spoken:
        terms = "" if turn_s is None else f" {turn_s}"
        return self._line(f'challenge "{to}" "{game}"{terms}', "challenge")

    def accept(self, number: int | None) -> Spoken:
        return self._line("challenge accept" if number is None else f"challenge accept {number}", "accept")

    def move(self, text: str) -> Spoken:
        return self._line(f"move {text}", f"move {text}")

    def resign(self) -> Spoken:
        return self._line(self._chance.choice(("forfeit", "challenge forfeit")), "resign")

    def say(self, to: str, text: str) -> Spoken:
        return self._line(f'message "{to}" {text}', "say")

    def ask(self) -> Spoken:
        asked = self._chance.choice(("get playerlist", "get gamelist", "help", "help move"))
        return self._line(asked, asked, True)

    def nonsense(self) -> Spoken:
        return self._line(self._chance.choice(_NONSENSE), "nonsense", False)

    def last_straw(self) -> Spoken:
        return Spoken(b"x" * (LINE_BYTES_MAX + self._chance.randint(1, 400)), "last straw", (False,))


@define
class View:
    """A match as one client sees it on one connection, and what the server meant by it."""

    meant: MatchTold
    seen: Match
    told: Told
    turn: TurnTold | None = None
    reply_due_ms: int | None = None
    """Time at which the client means to move; None for never."""
    mutters_ms: int | None = None
    """Time at which it means to send commands that change the lobby; None for never."""
    talk: int = 0
    """Number of commands that it means to send just before."""
    reply_end: int | None = None
    """The last byte of the move with which the client answered this turn."""
    late_end: int | None = None
    """The last byte of an answer to an earlier turn in which the server moved for the client."""
    waited_until_ms: int = 0
    """The time on the server's axis until which that answer is waited for, and dropped; afterwards it counts for the
    turn that it meets."""
    unanswering: bool = False
    """True from a turn in which the server moved for the client to the next move of its own that counts."""

    @property
    def match(self) -> int:
        return self.meant.match

    @property
    def is_complete(self) -> bool:
        """True if all moves that were shown with the match have been heard."""
        return len(self.seen.moves) >= self.meant.moves

    def begin_turn(self, turn: TurnTold) -> None:
        if not self.is_complete:
            raise Violation("a turn is told to who is to move", f"before all moves of match {self.match} are shown")
        self.turn, self.reply_end = turn, None

    def overtaken(self, wait_ms: int) -> None:
        """Note that the server has moved for the client; it waits for the answer to the first such turn in a row."""
        if self.reply_end is not None and self.turn is not None and self.turn.deadline_ms is not None:
            self.late_end = self.reply_end
            self.waited_until_ms = 0 if self.unanswering else self.turn.deadline_ms + wait_ms
        self.unanswering = True

    def spelled(self, text: str) -> str:
        """Give a move in its one spelling; some protocols tell its number."""
        game = rules_of(self.seen.opened.game)
        return game.write_move(game.read_move(text))


def rules_of(game: str) -> Game[Any]:
    """Give the rules as a client has them, which does not know that some games are broken on the server."""
    return Countdown() if game.startswith("Broken") else GAMES[game.lower()]


def followed(game: str) -> Game[Any] | None:
    """Give the rules, where the position follows from the moves alone."""
    rules = rules_of(game)
    return None if rules.name in WITH_DICE else rules


PROMPT_MS = 2_500
"""The longest time for an answer when nothing goes wrong: lines come and go in pieces, a heartbeat each."""


@define(eq=False)
class Bot(Client):
    """A client of the text protocol."""

    listener: ClassVar[str] = "strategic"
    spelling: Spelling = field(init=False)
    client: StrategicClient = field(factory=StrategicClient)
    leaving: bool = False
    """True if nothing more can be said on this connection."""
    strayed: bool = False
    """True if moves were made on this connection that answer no turn, or before other things were answered: then
    nobody can tell what they are for."""
    move_end: int | None = None
    """The last byte of the last move made on this connection."""
    resigned: list[tuple[int | None, int]] = field(factory=list)
    """The match that was given up, if any was meant, and the last byte of saying so."""
    waiting: deque[Spoken] = field(factory=deque)
    """Questions that are not answered."""
    was_playing: bool = False
    """True if its last connection ended during a match."""
    flees_ms: int | None = None
    """Time at which its connection breaks; None for not by itself."""
    asked_ms: int = 0
    """Time at which the oldest question became the oldest."""
    view: View | None = None
    _matches_heard: int = 0
    _turns_heard: int = 0

    def begin(self, chance: Random) -> None:
        self.spelling = Spelling(chance)
        self.client = StrategicClient(followed, self.world.tongue.banner)
        self.leaving = self.strayed = False
        self.view, self.move_end, self.flees_ms = None, None, None
        self._matches_heard = self._turns_heard = 0
        self.waiting.clear()
        self.resigned.clear()

    def forget(self) -> None:
        self.was_playing = self.view is not None
        self.view, self.flees_ms = None, None
        self.client = StrategicClient()

    @property
    def entered(self) -> bool:
        return self.client.entered

    @property
    def credentials(self) -> str:
        """The name, with the secret that it shows, if any."""
        secret = self.world.rosters.shown_by(self)
        return f"{self.name} {secret}" if secret else self.name

    @property
    def can_speak(self) -> bool:
        return super().can_speak and not self.leaving

    def act(self) -> None:
        self.world.manners.act(self)

    def tend(self) -> None:
        if self.flees_ms is not None and self.flees_ms <= self.world.real_ms:
            self.flees_ms = None
            self.world.count("gone before it was answered")
            if self.wire is not None:
                self.wire.cut()  # a half-closed connection is answered first
            self.lose_sight()
        if self.view is not None:
            self.world.manners.tend(self)

    def wind_up(self) -> None:
        if self.waiting and self.wire is not None and self._waits_too_long():
            raise Violation("answers are prompt", f"{self} waits for {self.waiting[0].what} on a quick disk")
        self.world.manners.finish(self)

    def _waits_too_long(self) -> bool:
        """True if an answer is overdue though nothing goes wrong any more."""
        since_ms = self.world.quiet_since_ms
        if since_ms is None or self.wire is None:
            return False
        # A login may wait until the kernel knows whether the peer of an older connection is still there.
        patience_ms = PROMPT_MS + (PROBE_MS if self.waiting[0].what == "login" else 0)
        return self.world.real_ms - max(since_ms, self.asked_ms) > patience_ms

    @property
    def unsettled(self) -> str:
        if not self.entered:
            return "everybody can come back"
        if self.waiting:
            return "every command is answered once"
        return "every end is told" if self.view is not None else ""

    def speak(self, spoken: Spoken) -> None:
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
        for heard in self.client.receive(data):
            self.world.note("%s hears %s", self, heard)
            if type(heard) in _HEARD:
                _HEARD[type(heard)](self, heard)

    def _answered(self, heard: Answered) -> None:
        spoken = self.waiting.popleft()
        self.asked_ms = self.world.real_ms
        if heard.ok not in spoken.answers:
            raise Violation("an answer fits its question", f"{self} said {spoken.what} and hears {heard}")
        self.world.count(f"{spoken.what.split()[0]} {'ok' if heard.ok else 'refused'}")

    def _opened(self, heard: Opened) -> None:
        meant = self.wire.matches_told[self._matches_heard]
        self._matches_heard += 1
        told = self.world.archive.opened(self.index, self.name, meant.match, heard)
        self.view = View(meant, self.client.match, told)
        self.world.count("match shown" if meant.moves else "match opened")

    def _turn(self, _: Turn) -> None:
        view = self.view
        view.begin_turn(self.wire.turns_told[self._turns_heard])
        self._turns_heard += 1
        self.world.manners.think(self, view)

    def _moved(self, heard: Move) -> None:
        view = self.view
        mine = heard.player == self.name
        # The client has taken the move in; whether it is a new one depends on those before it.
        is_new = len(view.seen.moves) - (not heard.refused) >= view.meant.moves
        if mine and is_new and heard.by_server:
            check_overtaken(self, view)
            view.overtaken(self.world.rules.late_answer_ms)
        elif mine and is_new:
            check_move(self, view, heard)
            view.unanswering = False
        if not heard.refused:
            number = len(view.seen.moves) - 1
            self.world.archive.moved(view.told, view.match, number, (heard.player, view.spelled(heard.text)))
            view.turn = None if mine else view.turn

    def _ended(self, heard: Ended) -> None:
        view = self.view
        self.world.archive.ended(self.index, self.name, view.match, heard)
        check_end(self, view, heard)
        self.world.count(f"told {heard.result} {heard.comment or 'played'}")
        self.view = None


class Intruder(Bot):
    """A client under another player's name: from another computer, unless a secret keeps that name."""

    at: str = ""

    @property
    def address(self) -> str:
        return self.at or super().address


_HEARD: Mapping[type[Heard], Callable[[Bot, Any], None]] = {
    Answered: Bot._answered,
    Opened: Bot._opened,
    Turn: Bot._turn,
    Move: Bot._moved,
    Ended: Bot._ended,
}
