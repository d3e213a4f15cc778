"""The text protocol, as a client speaks and hears it. Written from the protocol page, not from the adapter."""

import re
from collections.abc import Callable
from random import Random

from gameserver.server.server import GOODBYE
from tests.simulation.heard import (
    Answered,
    Challenged,
    Dialect,
    Ended,
    Heard,
    LastWords,
    Move,
    Noted,
    Opened,
    Spoken,
    Turn,
    Withdrawn,
)
from tests.simulation.plan import LINE_BYTES_MAX
from tests.simulation.violation import Violation

_TEXT = r'"([^"\x00-\x1f\x7f]*)"'
_GRAMMAR: tuple[tuple[str, Callable[..., Heard]], ...] = (
    (r"OK", lambda: Answered(ok=True)),
    (
        (
            rf"ERR ({re.escape(GOODBYE)}|The teacher has ended this connection: .*"
            r"|The server made a mistake with this connection; please connect again"
            r"|You have logged in on another connection, so this one ends)"
        ),
        LastWords,
    ),
    (r"ERR ([^\x00-\x08\x0a-\x1f\x7f]+)", lambda text: Answered(ok=False, text=text)),
    (rf"SVR GAME MATCH \{{PLAYERTOMOVE: {_TEXT}, GAMETYPE: {_TEXT}, OPPONENT: {_TEXT}\}}", Opened),
    (rf"SVR GAME YOURTURN \{{TURNMESSAGE: {_TEXT}\}}", lambda _: Turn()),
    (
        rf"SVR GAME MOVE \{{PLAYER: {_TEXT}, MOVE: {_TEXT}, DETAILS: {_TEXT}\}}",
        lambda player, text, details: Move(
            player, text, details == "Illegal move", details == "Turn timelimit reached"
        ),
    ),
    (
        rf'SVR GAME (WIN|LOSS|DRAW) \{{PLAYERONESCORE: "(-?\d+)", PLAYERTWOSCORE: "(-?\d+)", COMMENT: {_TEXT}\}}',
        lambda result, one, two, comment: Ended(result.lower(), (one, two), comment),
    ),
    (
        rf'SVR GAME CHALLENGE \{{CHALLENGER: {_TEXT}, CHALLENGENUMBER: "(\d+)", GAMETYPE: {_TEXT}, TURNTIME: "\d+"\}}',
        lambda _, number, __: Challenged(int(number)),
    ),
    (r'SVR GAME CHALLENGE CANCELLED \{CHALLENGENUMBER: "(\d+)"\}', lambda number: Withdrawn(int(number))),
    (rf"SVR ((?:GAME|PLAYER)LIST) \[(?:{_TEXT}(?:, {_TEXT})*)?\]", lambda which, *_: Noted(which)),
    (rf"SVR (MESSAGE) \{{PLAYERNAME: {_TEXT}, MESSAGE: {_TEXT}\}}", lambda which, *_: Noted(which)),
    (r"SVR HELP (.*)", Noted),
)
GRAMMAR = tuple((re.compile(pattern), build) for pattern, build in _GRAMMAR)
"""Every line there is. The first that fits counts."""

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


class StrategicDialect(Dialect):
    """Lines of text."""

    def __init__(self, chance: Random, banner: tuple[str, str]) -> None:
        self._chance = chance
        self._unfinished = b""
        self._banner = list(banner)

    def hear(self, data: bytes) -> list[Heard]:
        """Whole lines only; the rest waits for more."""
        *lines, self._unfinished = (self._unfinished + data).split(b"\r\n")
        return [heard for line in lines if (heard := self._read(line.decode())) is not None]

    def _read(self, line: str) -> Heard | None:
        if self._banner:
            if line != self._banner.pop(0):
                raise Violation("lines are well formed", f"not the banner: {line!r}")
            return None
        for pattern, build in GRAMMAR:
            found = pattern.fullmatch(line)
            if found is not None:
                return build(*found.groups())
        raise Violation("lines are well formed", repr(line))

    def _line(self, text: str | bytes, what: str, *answers: bool) -> Spoken:
        """One line, written in one of the ways that clients write."""
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
