"""The dialects of the protocols of lines, and the table of all dialects."""

import json
import re
from random import Random
from typing import Any

from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.mastermind import PROTOCOL as MASTERMIND
from protocols.strategic import PROTOCOL as STRATEGIC
from protocols.web import PROTOCOL as WEB
from tests.fuzz.dialect import GAME_NAMES, Dialect, IllFormed, spoken
from tests.fuzz.http_dialects import GammonX, Http


class Strategic(Dialect):
    protocol = STRATEGIC
    probe = b"\xff\xf0\xff\xf0\r\nhelp\r\n"  # twice the end of telnet's options: the first may complete one begun

    def right(self, chance: Random, number: int, heard: bytes) -> bytes:
        game = chance.choice(GAME_NAMES).encode()
        said = {
            0: b"login " + chance.choice((b"ann", b"bob", b"tim")),
            1: b'challenge "%s" "%s"' % (chance.choice((b"ann", b"bob", b"house-random")), game),
            2: b"challenge accept %d" % chance.randint(0, 9),
            3: b"move %d" % chance.randint(0, 70),
            4: b"subscribe " + game,
        }
        line = said.get(chance.randrange(10)) or chance.choice(
            spoken(beside=("connect_four", "gammonx", "mastermind_", "web", "meeting_web"))
        )
        return line + chance.choice((b"\r\n", b"\n"))

    def check_message(self, message: bytes) -> None:
        if re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", message.decode("utf-8")):
            raise IllFormed(repr(message[-300:]))


class ConnectFour(Dialect):
    protocol = CONNECT_FOUR
    probe = b'\n{"action":"no such thing"}\n'

    def right(self, chance: Random, number: int, heard: bytes) -> bytes:
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

    def check_message(self, message: bytes) -> None:
        json.loads(message or b"0")


class Mastermind(Dialect):
    protocol = MASTERMIND
    probe = b"\nno such thing\n"

    def right(self, chance: Random, number: int, heard: bytes) -> bytes:
        if chance.random() < 0.3:
            return b'1|{"Guess":%s}\n' % json.dumps([chance.randrange(6) for _ in range(4)]).encode()
        return chance.choice(spoken("mastermind_")) + b"\n"

    def check_message(self, message: bytes) -> None:
        number, bar, content = message.decode("utf-8").partition("|")
        if not (number.isdigit() and bar):
            raise IllFormed(repr(message[-300:]))
        json.loads(content)


class Web(Dialect):
    protocol = WEB
    probe = b'\n{"do":"ping"}\n'

    def right(self, chance: Random, number: int, heard: bytes) -> bytes:
        told = b"".join(re.findall(rb'"tell":"([a-z ]+)"', heard)[-1:]).decode()
        if chance.random() < 0.3:
            return chance.choice(spoken("web", "meeting_web")) + b"\n"
        name = chance.choice("abcdef")
        said: dict[str, Any] = {"do": "login", "name": name, "key": name * 22}
        if told == "board" and chance.random() < 0.7:
            moves = re.findall(rb'"moves":(\[[^\]]*\]),"moves_total"', heard)
            said = {"do": "move", "move": chance.choice((json.loads(moves[-1]) if moves else []) or ["roll"])}
        elif told in {"match", "turn", "moved"}:
            said = {"do": chance.choice(("board", "board", "board", "resign", "list", "games"))}
        elif told in {"paired", "seat ready"}:
            said = {"do": "ready"}
        elif told == "challenged":
            said = {"do": "accept"}
        elif told != "hello" and chance.random() < 0.7:
            to = chance.choice([*"abcdef", "house-random"])
            said = {"do": chance.choice(("seek", "challenge")), "game": chance.choice(GAME_NAMES), "to": to}
        if chance.random() < 0.3:
            said["id"] = chance.choice((7, "x", 2**53, None, 1.5))
        return json.dumps(said).encode() + b"\n"

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
