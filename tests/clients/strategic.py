"""A strict client of the text protocol. Written from the protocol's guide, not from the adapter."""

import re
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from attrs import Factory, define, frozen

from gameserver.game import Game, IllegalMove, State
from tests.clients import Client, Refused


@frozen
class Answered:
    """The answer to the oldest command that had none yet."""

    ok: bool
    text: str = ""
    command: str = ""


@frozen
class Opened:
    """A match begins, or is shown again."""

    first: str
    game: str
    opponent: str


@frozen
class Turn:
    """It is the client's turn."""

    message: str


@frozen
class Move:
    """A move was made; `refused`: an illegal one that ends the match; `by_server`: in a late player's place."""

    player: str
    text: str
    details: str

    @property
    def refused(self) -> bool:
        """True if the move was illegal."""
        return self.details == "Illegal move"

    @property
    def by_server(self) -> bool:
        """True if the server made it for a late player."""
        return self.details == "Turn timelimit reached"


@frozen
class Ended:
    """The match is over: `win`, `loss` or `draw`, the scores of the first mover and the other, and why."""

    result: str
    scores: tuple[str, str]
    comment: str


@frozen
class Challenged:
    """Somebody challenges the client."""

    number: int


@frozen
class Withdrawn:
    """A challenge is no longer open."""

    number: int


@frozen
class Said:
    """A message of another player."""

    sender: str
    text: str


@frozen
class Shown:
    """A line that a question has asked for: of which kind, and what is in it."""

    kind: str
    text: str


@frozen
class LastWords:
    """The server ends the connection, and says why."""

    text: str


Heard = Answered | Opened | Turn | Move | Ended | Challenged | Withdrawn | Said | Shown | LastWords

BANNERS: Mapping[str, tuple[str, str]] = {
    "document": ("Game Server [text protocol]", "Type 'help' for the list of commands"),
    "2009": ("Strategic Game Server [Version 1.0]", "(C) Copyright 2009 Hanze Hogeschool Groningen"),
    "2015": ("Strategic Game Server Fixed [Version 1.1.0]", "(C) Copyright 2015 Hanzehogeschool Groningen"),
    "2016": ("Strategic Game Server [Version 1.0]", "(C) Copyright 2009-2016 Hanzehogeschool Groningen"),
    "ngs": ("New Game Server [Version 1.0]", "(C) Copyright 2021 Hanzehogeschool Groningen"),
}
"""The two lines with which each profile begins."""

_TEXT = r'"([^"\x00-\x1f\x7f]*)"'
_SCORES = r'PLAYERONESCORE: "(-?\d+)", PLAYERTWOSCORE: "(-?\d+)"'
_GRAMMAR: tuple[tuple[re.Pattern[str], Callable[..., Heard]], ...] = tuple(
    (re.compile(pattern), build)
    for pattern, build in (
        (
            (
                r"ERR (The server is stopping; .*|The teacher has ended this connection: .*|Payload too large"
                r"|No login within .*|There are [0-9]+ connections .*|The server is full .*"
                r"|The server made a mistake with this connection; please connect again"
                r"|You have logged in on another connection, so this one ends)"
            ),
            LastWords,
        ),
        (r"OK", lambda: Answered(ok=True)),
        (r"ERR ([^\x00-\x08\x0a-\x1f\x7f]+)", lambda text: Answered(ok=False, text=text)),
        (rf"SVR GAME MATCH \{{PLAYERTOMOVE: {_TEXT}, GAMETYPE: {_TEXT}, OPPONENT: {_TEXT}\}}", Opened),
        (rf"SVR GAME YOURTURN \{{TURNMESSAGE: {_TEXT}\}}", Turn),
        (rf"SVR GAME MOVE \{{PLAYER: {_TEXT}, MOVE: {_TEXT}, DETAILS: {_TEXT}\}}", Move),
        (
            rf'SVR GAME (WIN|LOSS|DRAW) \{{{_SCORES}, COMMENT: {_TEXT}(?:, REASON: "[^",{{}}\x00-\x1f\x7f]*")?\}}',
            lambda result, one, two, comment: Ended(result.lower(), (one, two), comment),
        ),
        (
            (
                rf'SVR GAME CHALLENGE \{{CHALLENGER: {_TEXT}, CHALLENGENUMBER: "(\d+)", GAMETYPE: {_TEXT}, '
                r'TURNTIME: "\d+"\}'
            ),
            lambda _, number, __: Challenged(int(number)),
        ),
        (r'SVR GAME CHALLENGE CANCELLED \{CHALLENGENUMBER: "(\d+)"\}', lambda number: Withdrawn(int(number))),
        (rf"SVR MESSAGE \{{PLAYERNAME: {_TEXT}, MESSAGE: {_TEXT}\}}", Said),
        (rf"SVR (GAMELIST|PLAYERLIST) (\[(?:{_TEXT}(?:, {_TEXT})*)?\])", lambda kind, text, *_: Shown(kind, text)),
        (r"SVR (MATCH|FAIRNESS) (\{.*\})", Shown),
        (r"SVR (HELP|BOARD) ([^\x00-\x1f\x7f]*)", Shown),
    )
)
"""Every line there is. The first that fits counts."""

_LINE_END = re.compile(rb"\r\n|\r\0|\r|\n")
_TELNET = re.compile(rb"\xff(?:[\xfb-\xfe].|\xfa.*?\xff\xf0|[\xf0-\xf9])", re.DOTALL)
_FAREWELLS = frozenset({"logout", "exit", "quit", "disconnect", "bye"})


def read_line(line: str) -> Heard:
    """Read a line, whether or not it may come now."""
    for pattern, build in _GRAMMAR:
        found = pattern.fullmatch(line)
        if found is not None:
            return build(*found.groups())
    raise Refused(f"no line of the protocol is {line!r}")


def unfollowed(_: str) -> None:
    """No game's rules: the client does not know which moves are legal."""


@define
class Match:
    """A match as this connection was told of it."""

    opened: Opened
    rules: Game[Any] | None
    state: State[Any] | None
    """The position; None where it cannot be known."""
    moves: list[tuple[str, str]] = Factory(list)
    is_asked: bool = False
    """True while a turn has been told and no move has followed."""
    was_refused: bool = False
    """True if a move was refused since the turn was told: then the turn may be told once more."""
    is_lost: bool = False
    """True if an illegal move has ended it, so that only the result may follow."""

    @property
    def own_seat(self) -> int:
        """The seat of the client: 0 moves first."""
        return 1 if self.opened.first == self.opened.opponent else 0


@define(eq=False)
class StrategicClient(Client):
    """One connection. It checks legality and results in those games whose rules it is given."""

    end_of_message = b"\r\n"
    rules: Callable[[str], Game[Any] | None] = unfollowed
    banner: tuple[str, str] | None = None
    """The profile's; any profile's if it is None."""
    credentials: str = ""
    """The name with which it has logged in, and perhaps a secret behind it."""
    entered: bool = False
    left: bool = False
    unanswered: deque[str] = Factory(deque)
    """Commands that have no OK or ERR yet, oldest first."""
    challenges: list[int] = Factory(list)
    match: Match | None = None
    _greeted: list[str] = Factory(list)
    _ends_with_cr: bool = False
    """True if the last byte that was sent may be half a line end."""
    _asked: str = ""
    """The kind of lines that the command with the last OK asks for."""
    _is_over: bool = False

    @property
    def is_greeted(self) -> bool:
        """True once the whole banner has come."""
        return len(self._greeted) == 2

    def say(self, *commands: str) -> bytes:
        """The bytes of commands, to be sent together."""
        return self.wrote("".join(f"{command}\r\n" for command in commands).encode())

    def wrote(self, data: bytes) -> bytes:
        rest = data[1:] if self._ends_with_cr and data[:1] in {b"\n", b"\0"} else data
        self._ends_with_cr = data.endswith(b"\r")
        *lines, self._unsent = _LINE_END.split(_TELNET.sub(b"", self._unsent + rest))
        for line in filter(None, lines):
            self._note(line.decode(errors="replace"))
        return data

    def _note(self, command: str) -> None:
        if self.left:
            return
        if command.split(" ", maxsplit=1)[0].lower() in _FAREWELLS:
            self.left = True
        else:
            self.unanswered.append(command)

    def hear(self, line: bytes) -> Heard | None:
        """Read a line; None for the banner. Raises `Refused` if it may not come now."""
        try:
            text = line.decode()
        except UnicodeDecodeError:
            raise Refused(f"a line is not UTF-8: {line!r}") from None
        if self._is_over:
            raise Refused(f"after the last words comes {text!r}")
        heard = read_line(text) if self.is_greeted else self._greet(text)
        if heard is None:
            return None
        if isinstance(heard, Answered):
            return self._answered(heard)
        if not self.entered and not isinstance(heard, Shown | LastWords):
            raise Refused(f"before the login comes {text!r}")
        _CHECKS[type(heard)](self, heard)
        return heard

    def _greet(self, text: str) -> LastWords | None:
        if not self._greeted and text.startswith("ERR "):
            return LastWords(text[4:])
        self._greeted.append(text)
        known = BANNERS.values() if self.banner is None else [self.banner]
        if not any(banner[: len(self._greeted)] == tuple(self._greeted) for banner in known):
            raise Refused(f"this is not the banner: {text!r}")
        return None

    def _answered(self, heard: Answered) -> Answered:
        if not self.unanswered:
            raise Refused(f"nothing was asked, and {heard} comes")
        command = self.unanswered.popleft()
        self._asked = ""
        word, _, rest = command.strip().partition(" ")
        word, rest = word.lower(), rest.strip()
        if word == "move" and not heard.ok and self.match is not None:
            self.match.was_refused = True
        elif heard.ok and word == "login":
            self.entered, self.credentials = True, rest or self.credentials
        elif heard.ok and word in {"get", "help"}:
            self._asked = "HELP" if word == "help" else rest.upper()
        elif heard.ok and rest.lower().startswith("accept"):
            number = rest[len("accept") :].strip(' "')
            self.challenges = [each for each in self.challenges if number and each != int(number)]
        return Answered(heard.ok, heard.text, command)

    def _shown(self, heard: Shown) -> None:
        if heard.kind != self._asked:
            raise Refused(f"nobody asked for {heard}")
        if heard.kind not in {"HELP", "BOARD"}:
            self._asked = ""

    def _challenged(self, heard: Challenged) -> None:
        if heard.number in self.challenges:
            raise Refused(f"challenge {heard.number} is open already")
        self.challenges.append(heard.number)

    def _withdrawn(self, heard: Withdrawn) -> None:
        if heard.number not in self.challenges:
            raise Refused(f"challenge {heard.number} is not open, and is cancelled")
        self.challenges.remove(heard.number)

    def is_own(self, player: str) -> bool:
        """True for the client's own name."""
        return f"{self.credentials} ".startswith(f"{player} ")

    def _opened(self, heard: Opened) -> None:
        if self.match is not None:
            raise Refused(f"{heard} comes during {self.match.opened}")
        if heard.first != heard.opponent and not self.is_own(heard.first):
            raise Refused(f"neither {self.credentials!r} nor the opponent moves first in {heard}")
        if self.is_own(heard.opponent) and self.credentials == heard.opponent:
            raise Refused(f"{heard.opponent} plays against itself")
        rules = self.rules(heard.game)
        self.match = Match(heard, rules, None if rules is None else rules.start(rules.options_type()))

    def _match(self, heard: Heard) -> Match:
        if self.match is None:
            raise Refused(f"{heard} comes outside a match")
        if self.match.is_lost and not isinstance(heard, Ended):
            raise Refused(f"{heard} comes after an illegal move in {self.match}")
        return self.match

    def _turn(self, heard: Turn) -> None:
        match = self._match(heard)
        if match.is_asked and not match.was_refused:
            raise Refused(f"the turn is told twice in {match}")
        if match.state is not None and match.own_seat not in match.state.turn.seats:
            raise Refused(f"a turn is told to who is not to move in {match}")
        match.is_asked, match.was_refused = True, False

    def _moved(self, heard: Move) -> None:
        match = self._match(heard)
        if heard.player not in {match.opened.first, match.opened.opponent} and not self.is_own(heard.player):
            raise Refused(f"{heard} is of nobody in {match}")
        if heard.player != match.opened.opponent:
            match.is_asked = False
        if heard.refused:
            match.is_lost = True
            return
        match.moves.append((heard.player, heard.text))
        if heard.text == "?":
            match.state = None
        if match.state is None or match.rules is None:
            return
        seat = 0 if heard.player == match.opened.first else 1
        try:
            match.state = match.state.play(seat, match.rules.read_move(heard.text))
        except IllegalMove as error:
            raise Refused(f"{heard} is not legal in {match}: {error}") from error

    def _ended(self, heard: Ended) -> None:
        match = self._match(heard)
        self.match = None
        if match.state is None or heard.comment:
            return
        outcome = match.state.outcome
        if outcome is None:
            raise Refused(f"{heard} comes before the end of {match}")
        expected = "draw" if not outcome.winners else "win" if match.own_seat in outcome.winners else "loss"
        if (heard.result, heard.scores) != (expected, tuple(map(str, outcome.points[:2]))):
            raise Refused(f"{heard} does not follow from {match}, which was a {expected}")

    def _said_last(self, _: LastWords) -> None:
        self._is_over = True

    def _said(self, _: Said) -> None:
        """Anybody may say anything."""


_CHECKS: Mapping[type, Callable[[StrategicClient, Any], None]] = {
    Opened: StrategicClient._opened,
    Turn: StrategicClient._turn,
    Move: StrategicClient._moved,
    Ended: StrategicClient._ended,
    Challenged: StrategicClient._challenged,
    Withdrawn: StrategicClient._withdrawn,
    Said: StrategicClient._said,
    Shown: StrategicClient._shown,
    LastWords: StrategicClient._said_last,
}
