"""The dialects of the protocols of lines, and the table of all dialects."""

import json
import re
from random import Random
from typing import Any

from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.mastermind import PROTOCOL as MASTERMIND
from protocols.strategic import PROTOCOL as STRATEGIC
from protocols.web import PROTOCOL as WEB
from tests.fuzz.dialect import GAMES, Dialect, IllFormed, spoken
from tests.fuzz.http_dialects import GammonX, Http


class Strategic(Dialect):
    protocol = STRATEGIC
    probe = b"\xff\xf0\xff\xf0\r\nhelp\r\n"  # twice the end of telnet's options: the first may complete one begun

    def right(self, chance: Random, session: int, heard: bytes) -> bytes:
        line = chance.choice(spoken(beside=("connect_four", "gammonx", "mastermind_", "web", "meeting_web")))
        if chance.random() < 0.2:
            line = b"login " + chance.choice((b"ann", b"bob", b"tim"))
        elif chance.random() < 0.2:
            line = b'challenge "%s" "%s"' % (chance.choice((b"ann", b"bob", b"house-random")), _game(chance))
        elif chance.random() < 0.1:
            line = b"challenge accept %d" % chance.randint(0, 9)
        elif chance.random() < 0.2:
            line = b"move %d" % chance.randint(0, 70)
        elif chance.random() < 0.1:
            line = b"subscribe " + _game(chance)
        return line + chance.choice((b"\r\n", b"\n"))

    def check(self, session: int, said: bytes) -> None:
        text = said.decode("utf-8")
        if not text.endswith("\n") or re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", text):
            raise IllFormed(repr(said[-300:]))


def _game(chance: Random) -> bytes:
    return chance.choice(sorted(game.name for game in GAMES.values())).encode()


class ConnectFour(Dialect):
    protocol = CONNECT_FOUR
    probe = b'\n{"action":"no such thing"}\n'

    def right(self, chance: Random, session: int, heard: bytes) -> bytes:
        if chance.random() < 0.2:
            return chance.choice(spoken("connect_four")) + b"\n"
        said: dict[str, Any] = {"action": "connect", "name": chance.choice("abcdef")}
        if b"make move" in heard or (b"moved" in heard and chance.random() < 0.5):
            said = {"action": "move", "move": chance.choice("abcd") + chance.choice("0123")}
        elif b"lobby message" in heard:
            said = {"action": "join", "room number": chance.randint(0, 1)}
        elif b"game" in heard:
            said = {"action": chance.choice(("start", "start", "restart", "move", "exit game")), "move": "a0"}
        return json.dumps(said).encode() + b"\n"

    def check(self, session: int, said: bytes) -> None:
        for line in said.decode("utf-8").split("\n"):
            if line:
                json.loads(line)


class Mastermind(Dialect):
    protocol = MASTERMIND
    probe = b"\nno such thing\n"

    def right(self, chance: Random, session: int, heard: bytes) -> bytes:
        if chance.random() < 0.3:
            colours = [chance.randrange(6) for _ in range(4)]
            return b'1|{"Guess":%s}\n' % json.dumps(colours).encode()
        return chance.choice(spoken("mastermind_")) + b"\n"

    def check(self, session: int, said: bytes) -> None:
        for line in said.decode("utf-8").split("\n"):
            if line:
                number, bar, content = line.partition("|")
                if not (number.isdigit() and bar):
                    raise IllFormed(line[:300])
                json.loads(content)


class Web(Dialect):
    protocol = WEB
    probe = b'\n{"do":"ping"}\n'

    def right(self, chance: Random, session: int, heard: bytes) -> bytes:
        told = _last_told(heard)
        if chance.random() < 0.3:
            return chance.choice(spoken("web", "meeting_web")) + b"\n"
        name = chance.choice("abcdef")
        said: dict[str, Any] = {"do": "login", "name": name, "key": name * 22}
        if told == "board" and chance.random() < 0.7:
            said = {"do": "move", "move": chance.choice(_moves_in(heard) or ["roll"])}
        elif told in {"match", "turn", "moved"}:
            said = {"do": chance.choice(("board", "board", "board", "resign", "list", "games"))}
        elif told in {"paired", "seat ready"}:
            said = {"do": "ready"}
        elif told == "challenged":
            said = {"do": "accept"}
        elif told != "hello" and chance.random() < 0.7:
            to = chance.choice([*"abcdef", "house-random"])
            said = {"do": chance.choice(("seek", "challenge")), "game": _game(chance).decode(), "to": to}
        if chance.random() < 0.3:
            said["id"] = chance.choice((7, "x", 2**53, None, 1.5))
        return json.dumps(said).encode() + b"\n"

    def check(self, session: int, said: bytes) -> None:
        for line in said.decode("utf-8").split("\n"):
            if line and not isinstance(json.loads(line)["tell"], str):
                raise IllFormed(line[:300])


def _last_told(heard: bytes) -> str:
    found = re.findall(rb'"tell":"([a-z ]+)"', heard)
    return found[-1].decode() if found else ""


def _moves_in(heard: bytes) -> list[str]:
    """The legal moves that a board was told with."""
    found = re.findall(rb'"moves":(\[[^\]]*\]),"moves_total"', heard)
    return json.loads(found[-1]) if found else []


DIALECTS: dict[str, type[Dialect]] = {
    "strategic": Strategic,
    "connect-four": ConnectFour,
    "mastermind": Mastermind,
    "gammonx": GammonX,
    "web": Web,
    "http": Http,
}
