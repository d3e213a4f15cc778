"""The dialects of the protocols of lines, and the table of all dialects."""

import json
import re
from random import Random
from typing import ClassVar

from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.mastermind import PROTOCOL as MASTERMIND
from protocols.strategic import PROTOCOL as STRATEGIC
from protocols.web import PROTOCOL as WEB
from tests.fuzz.dialect import Dialect, IllFormed, spoken
from tests.fuzz.http_dialects import GammonX, Http
from tests.support.own_plugins import OWN

FILLINGS = {
    "NAME": ("ann", "bob", "tim", "ann", "bob", "house-random"),
    "GAME": tuple(sorted(game.name for game in OWN.games.values())),
    "NUMBER": tuple(map(str, range(6))),
    "CELL": tuple(map(str, range(71))),
    "STICK": ("a0", "a1", "b2", "c3", "d0", "d3"),
    "ID": ("7", '"x"', str(2**53), "null", "1.5"),
}
"""Values for the places of a template."""


class Lines(Dialect):
    """A protocol whose messages are lines: those of the transcripts, and templates that are filled."""

    spoken_share: ClassVar[float] = 0.3
    transcripts: ClassVar[tuple[str, ...]] = ()
    """The beginnings of the names of its transcripts."""
    templates: ClassVar[tuple[str, ...]]

    def right(self, chance: Random, number: int, heard: bytes) -> bytes:
        if chance.random() < self.spoken_share:
            return chance.choice(spoken(*self.transcripts)) + b"\n"
        legal = re.findall(rb'"moves":(\[[^\]]*\]),"moves_total"', heard)
        fillings = {**FILLINGS, "MOVE": tuple(json.loads(legal[-1])) if legal else ()}
        template = chance.choice(self.templates)
        filled = re.sub("|".join(fillings), lambda place: chance.choice(fillings[place[0]] or ("roll",)), template)
        return filled.encode() + chance.choice((b"\r\n", b"\n"))


class Strategic(Lines):
    protocol = STRATEGIC
    probe = b"\xff\xf0\xff\xf0\r\nhelp\r\n"  # twice the end of telnet's options: the first may complete one begun
    templates = (
        *("login NAME", 'challenge "NAME" "GAME"', "challenge accept NUMBER", "subscribe GAME"),
        *("move CELL", "move NUMBER") * 2,
    )

    def check_message(self, message: bytes) -> None:
        if re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", message.decode("utf-8")):
            raise IllFormed(repr(message[-300:]))


class ConnectFour(Lines):
    protocol = CONNECT_FOUR
    probe = b'\n{"action":"no such thing"}\n'
    transcripts = ("connect_four",)
    templates = (
        *('{"action":"connect","name":"NAME"}', '{"action":"join","room number":0}') * 2,
        *('{"action":"start"}', '{"action":"restart"}', '{"action":"join","room number":NUMBER}'),
        *('{"action":"move","move":"STICK"}',) * 4,
    )

    def check_message(self, message: bytes) -> None:
        json.loads(message or b"0")


class Mastermind(Lines):
    protocol = MASTERMIND
    probe = b"\nno such thing\n"
    spoken_share = 0.7
    transcripts = ("mastermind_",)
    templates = ('1|{"Guess":[NUMBER,NUMBER,NUMBER,NUMBER]}',)

    def check_message(self, message: bytes) -> None:
        number, bar, content = message.decode("utf-8").partition("|")
        if not (number.isdigit() and bar):
            raise IllFormed(repr(message[-300:]))
        json.loads(content)


class Web(Lines):
    protocol = WEB
    probe = b'\n{"do":"ping"}\n'
    transcripts = ("web", "meeting_web")
    templates = (
        *(f'{{"do":"login","name":"{name}","key":"{name * 22}"}}' for name in "abc"),
        *('{"do":"seek","game":"GAME"}', '{"do":"challenge","game":"GAME","to":"house-random"}'),
        *('{"do":"accept"}', '{"do":"list","id":ID}', '{"do":"games"}'),
        *('{"do":"ready"}', '{"do":"board"}', '{"do":"move","move":"MOVE","id":ID}') * 3,
    )

    def check_message(self, message: bytes) -> None:
        if not isinstance(json.loads(message)["tell"], str):
            raise IllFormed(repr(message[-300:]))


DIALECTS: dict[str, type[Dialect]] = {
    "strategic": Strategic,
    "connect-four": ConnectFour,
    "mastermind": Mastermind,
    "gammonx": GammonX,
    "web": Web,
    "http": Http,
}
