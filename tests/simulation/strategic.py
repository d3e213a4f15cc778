"""What a client of the text protocol can say, in the ways that clients write it."""

from random import Random

from attrs import frozen

from tests.simulation.plan import LINE_BYTES_MAX

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
    """Bytes to say, and what they must be answered: yes, no, either, or not at all."""

    data: bytes
    what: str
    """For the log, and for the bot to know what was answered."""
    answers: tuple[bool, ...] = (True, False)


class Spelling:
    """Commands, written in one of the ways that clients write; as long as a connection."""

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
