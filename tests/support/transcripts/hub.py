"""GammonX in transcripts: calls to its hub and events of it as one line each, requests over REST likewise.

GUIDs and tokens are called by names, in both directions: players by those of `PLAYERS`, games
`game1.2` by their match and number, the rest `match1`, `token1` in the order of their appearance. Who
speaks another protocol has the GUID of its name and is called by that.

Payloads of a match are written out once for each of its players. After that, three dots stand for all
members that are as they were told last: `game-state ... {"phase":2,"allowedCommands":["Move"]}`. Dice
are `4* 2`, the used ones with a star, and sequences of moves `0/4(4) 4/6(2), 0/2(2)`, with their dice.
"""

import itertools
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from attrs import Factory, define, field
from websockets.frames import Opcode

from protocols.gammonx.schema import named_guid
from tests.clients.gammonx import ERRORS, SEPARATOR, GammonXClient
from tests.clients.websocket import request
from tests.support.transcripts.model import Action, Manner
from tests.support.transcripts.text import to_text
from tests.support.transcripts.websocket import TranscriptWebSocketClient, frames

PLAYERS = {
    "ann": "fdd907ca-794a-43f4-83e6-cadfabc57c45",
    "bob": "f6f9bb06-cbf6-4f42-80bf-5d62be34cff6",
    "cyd": "281ccec7-ea50-4ab1-be58-32669e11ee14",
}
PING = 6
_SECRET = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|gx\.[\w-]+")
_TRACE = re.compile(r'("traceId":)"[^"]*"')
_NAME = re.compile(r'"(\w[\w.]*)"')


def _known() -> dict[str, str]:
    games = {f"game{match}.{game}": f"match {match}, game {game}" for match in range(1, 5) for game in range(1, 6)}
    return PLAYERS | {name: named_guid(text) for name, text in games.items()}


@define
class Shorthand:
    """The names of GUIDs and tokens, and those that each player knows already."""

    _meant: dict[str, str] = Factory(_known)
    _told: dict[tuple[str, str, str], dict[str, Any]] = Factory(dict)
    """The last payloads, by the player, the match and a member that only payloads of their kind have."""

    def know(self, player: str) -> None:
        """Somebody comes by another protocol."""
        self._meant.setdefault(player, named_guid(player))

    def named(self, text: str) -> str:
        """The text as a transcript has it."""
        names = {meant: name for name, meant in self._meant.items()}
        for found in _SECRET.findall(text):
            if found not in names:
                kind = "token" if found.startswith("gx.") else "match"
                names[found] = next(name for n in itertools.count(1) if (name := f"{kind}{n}") not in self._meant)
                self._meant[names[found]] = found
        return _TRACE.sub(r'\1"..."', _SECRET.sub(lambda found: names[found[0]], text))

    def meant(self, word: str) -> str:
        """The value that a name stands for; any other word stands for itself."""
        return self._meant.get(word, word)

    def in_json(self, text: str) -> str:
        """The same for every string of a JSON text."""
        return _NAME.sub(lambda found: f'"{self.meant(found[1])}"', text)

    def payload(self, player: str, payload: dict[str, Any]) -> str:
        """A payload to a player, in short."""
        short = dict(payload)
        if "boardState" in payload:
            short["diceRolls"] = " ".join(f"{each['roll']}{'*' * each['used']}" for each in payload["diceRolls"])
            short["moveSequences"] = ", ".join(map(_sequence, payload["moveSequences"]))
        kind = next((member for member in ("boardState", "gameRounds", "matchFound") if member in payload), None)
        if kind is None:
            return _dumps(short)
        key = (player, payload.get("matchId", payload.get("id")), kind)
        last, self._told[key] = self._told.get(key), short
        return _dumps(short) if last is None else f"... {_dumps(_changed(last, short))}"


@define
class TranscriptHubClient(TranscriptWebSocketClient):
    """A connection to the hub. `C1> Move match1 0 4` is a call; what begins with a brace is a record as it is."""

    shorthand: Shorthand = field(kw_only=True)
    _record: bytes = b""
    _client: GammonXClient = Factory(GammonXClient)
    _is_strict: bool = True
    """False once something was sent that no client sends."""
    _called: dict[str, str] = Factory(dict)
    _is_greeted: bool = False
    _player: str = ""
    """The player that it joined as; clients that name themselves in their address are known by the events they get."""

    def packets(self, manner: Manner, actions: Iterable[Action]) -> list[bytes]:
        """The bytes to send: a record for each line, cut into messages and chunks as the manner says."""
        records = [self._written(action.what) for action in actions]
        opcode = manner.opcode or Opcode.TEXT
        if manner.fragmented:
            return [b"".join(frames(record, opcode, fragmented=True) for record in records)]
        if manner.coalesced:
            return [frames(b"".join(records), opcode)]
        if manner.bytewise:
            return [bytes([byte]) for record in records for byte in frames(record, opcode)]
        if manner.opcode is not None:
            halves = [half for record in records for half in (record[: len(record) // 2], record[len(record) // 2 :])]
            return [frames(half, opcode) for half in halves]
        return [frames(record, opcode) for record in records]

    def hear_message(self, data: bytes) -> None:
        """Take a message: records, and maybe a part of one."""
        *records, self._record = (self._record + data).split(SEPARATOR)
        for record in records:
            if self._is_strict:
                self._client.hear(record)
            if self._is_greeted or record != b"{}":
                self._hear_record(record)
            self._is_greeted = True

    def hear_unfinished(self) -> None:
        """Note half a frame, and half a record."""
        super().hear_unfinished()
        if self._record:
            self.heard.append(f"S>{self.who} {to_text(self._record)}\\")
            self._record = b""

    def _written(self, line: str) -> bytes:
        if line.startswith("{"):
            self._is_strict = False
            return self.shorthand.in_json(line).encode() + SEPARATOR
        method, *words = line.split(" ")
        if method == "JoinMatch":
            self._player = words[-1]
        self._is_strict = self._is_strict and method in ERRORS
        arguments = [int(word) if re.fullmatch(r"-?\d+", word) else self.shorthand.meant(word) for word in words]
        data = self._client.call(method, *arguments)
        self._called = self._called | self._client.called
        return data

    def _hear_record(self, record: bytes) -> None:
        text = record.decode()
        told = json.loads(text)
        if told["type"] != PING:
            self.heard.append(f"S>{self.who} {self.shorthand.named(self._read(told) or text)}")

    def _read(self, told: Any) -> str:
        """A record in short; empty where it is not what is usual."""
        match told:
            case {"type": 1, "target": target, "arguments": [{"type": name, "payload": payload}]} if name == target:
                return f"{target} {self.shorthand.payload(self._player, payload)}"
            case {"type": 3, "invocationId": number, "result": None} if number in self._called:
                return f"{self._called[number]} done"
            case {"type": 3, "invocationId": number, "error": error} if number in self._called:
                return f"{self._called[number]} failed: {error}"
        return ""


def _changed(last: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """The differences, and the alternatives that are always allowed."""
    changed: dict[str, Any] = {}
    for name, value in now.items():
        if name == "allowedCommands" or name not in last:
            changed[name] = value
        elif value != last[name]:
            changed[name] = _changed(last[name], value) if isinstance(value, dict) else value
    return changed


def _sequence(sequence: Any) -> str:
    steps = zip(sequence["moves"], sequence["usedDices"], strict=True)
    return " ".join(f"{move['from']}/{move['to']}({die})" for move, die in steps)


def _dumps(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def written_request(method: str, target: str, body: str, shorthand: Shorthand) -> bytes:
    """A request over a connection that ends with its answer."""
    path = re.sub(r"[\w.]+", lambda found: shorthand.meant(found[0]), target)
    return request(method, path, shorthand.in_json(body).encode(), ("Connection: close",))


def answer(data: bytes, shorthand: Shorthand) -> str:
    """A response, by its status and its body."""
    head, _, body = data.partition(b"\r\n\r\n")
    status = head.split(b" ", 2)[1].decode() if head else "no answer"
    return shorthand.named(f"{status} {body.decode()}").rstrip()


def pieces(data: bytes, manner: Manner) -> Sequence[bytes]:
    """A request in the pieces in which it is to be sent."""
    return [data[at : at + 1] for at in range(len(data))] if manner.bytewise else [data]
