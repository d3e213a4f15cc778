"""A strict client of the protocol `web`, JSON in the messages of a WebSocket. Written from the protocol's guide.

Each message but `bye` has one answer, in order. A future version may add keys and messages; this client knows what
version 1 has, and refuses everything else.
"""

import base64
import hashlib
import json
import re
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from attrs import Factory, define, field, frozen

from gameserver.game import Game, IllegalMove, State
from tests.clients import Client, Refused

PATH = "/play/socket"
Message = dict[str, Any]


def line(**message: Any) -> bytes:
    """A message as the adapter reads it."""
    return json.dumps(message).encode() + b"\n"


def key_of(name: str) -> str:
    """A key that looks like one of the server's, always the same for a name."""
    return base64.urlsafe_b64encode(hashlib.sha256(name.encode()).digest()[:16]).decode().rstrip("=")


@frozen
class Asked:
    """A message of the client; `do` is empty, and `id` None, if they cannot be read."""

    do: str
    id: int | str | None
    content: Mapping[str, Any]


@define
class Match:
    """A match as this connection was told of it."""

    number: int
    players: list[str]
    seat: int
    stage: str = "paired"
    """`paired` before each game, `on` during one, `lost` by an illegal move, and `over`."""
    game: int = 0
    """The number of the last game that has begun."""
    rules: Game[Any] | None = None
    state: State[Any] | None = None
    """The position; None where it cannot be known."""
    moves: list[tuple[int | None, str]] = Factory(list)
    """Those of the current game, with their seats."""


@define(eq=False)
class WebClient(Client):
    """One connection. It checks legality and results in those games whose rules it is given."""

    rules: Callable[[str], Game[Any] | None] = lambda _: None
    name: str = ""
    key: str = ""
    is_greeted: bool = False
    entered: bool = False
    asked: deque[Asked] = field(factory=deque)
    """Every message without an answer."""
    challenges: list[int] = field(factory=list)
    match: Match | None = None
    _owed: Asked | None = None
    """A question whose `ok` has come, and whose answer has to follow."""
    _server_ms: float = 0
    _is_over: bool = False

    def say(self, do: str, **more: Any) -> bytes:
        """The bytes of a message."""
        return self.note(json.dumps({"do": do, **more}).encode())

    def note(self, message: bytes) -> bytes:
        try:
            content = json.loads(message)
        except ValueError:
            content = None
        content = content if isinstance(content, dict) else {}
        do, id_ = content.get("do"), content.get("id")
        is_id = type(id_) is int or (isinstance(id_, str) and len(id_) <= 64)
        if do != "bye":
            self.asked.append(Asked(do if isinstance(do, str) else "", id_ if is_id else None, content))
        return message

    def hear(self, message: bytes) -> Message:
        """Read a message. Raises `Refused` if it may not come now."""
        try:
            told = json.loads(message)
        except ValueError:
            raise Refused(f"this is not JSON: {message!r}") from None
        kind = _KINDS.get(told.get("tell")) if isinstance(told, dict) else None
        if kind is None or not kind.needed <= told.keys() - {"tell", "id"} <= kind.needed | kind.allowed:
            raise Refused(f"no message of the server is {message!r}")
        if self._is_over:
            raise Refused(f"after the goodbye comes {told}")
        if (told["tell"] == "hello") == self.is_greeted and told["tell"] != "goodbye":
            raise Refused(f"the greeting comes first, and once: {told}")
        if not self.entered and kind.check not in _BEFORE_LOGIN:
            raise Refused(f"before the login comes {told}")
        if "id" in told and kind.check not in _ANSWERS:
            raise Refused(f"nothing was asked, and an id comes in {told}")
        kind.check(self, told)
        return told

    def _hello(self, told: Message) -> None:
        if told["version"] != 1:
            raise Refused(f"this is another version: {told}")
        self.is_greeted, self._server_ms = True, told["server_ms"]

    def _answered(self, told: Message) -> None:
        if not self.asked or self._owed is not None:
            raise Refused(f"nothing was asked, and {told} comes" if not self.asked else f"{self._owed} has no answer")
        asked, kind = self.asked.popleft(), told["tell"]
        expected = {"login": "welcome", "ping": "pong"}.get(asked.do, "ok")
        # An error of a message that cannot be read has an empty `do`.
        words = {asked.do, ""} if kind == "error" else {asked.do}
        if told.get("id") != asked.id or kind not in {"error", expected} or told.get("do", asked.do) not in words:
            raise Refused(f"{asked} is answered with {told}")
        if kind == "welcome":
            self._welcomed(asked, told)
        elif kind == "pong":
            if told["at"] != asked.content.get("at") or told["server_ms"] < self._server_ms:
                raise Refused(f"{asked} at {self._server_ms} is answered with {told}")
            self._server_ms = told["server_ms"]
        elif kind == "ok" and asked.do in {"list", "games", "board"}:
            self._owed = asked
        elif kind == "ok" and asked.do == "accept":
            number = asked.content.get("number")
            self.challenges = [each for each in self.challenges if number is not None and each != number]

    def _welcomed(self, asked: Asked, told: Message) -> None:
        brought = asked.content.get("key") or told["key"]
        if self.entered or told["name"] != asked.content["name"].strip() or told["key"] != brought:
            raise Refused(f"{asked} is answered with {told}")
        if not re.fullmatch(r"[\w-]{22}", told["key"], re.ASCII):
            raise Refused(f"this is no key: {told}")
        self.entered, self.name, self.key = True, told["name"], told["key"]

    def _shown(self, told: Message) -> None:
        owed, self._owed = self._owed, None
        do = {"players": "list"}.get(told["tell"], told["tell"])
        if owed is None or owed.do != do or owed.id != told.get("id"):
            raise Refused(f"nobody asked for {told}")
        if do == "board" and len(told["moves"]) != min(told["moves_total"], 200):
            raise Refused(f"there are not as many moves as it says in {told}")
        if do == "board" and self.match is not None and told["match"] != self.match.number:
            raise Refused(f"{told} is of another match than {self.match}")

    def _challenged(self, told: Message) -> None:
        if told["number"] in self.challenges:
            raise Refused(f"challenge {told['number']} is open already")
        self.challenges.append(told["number"])

    def _closed(self, told: Message) -> None:
        if told["number"] not in self.challenges:
            raise Refused(f"challenge {told['number']} is not open, and is closed")
        self.challenges.remove(told["number"])

    def _sit(self, told: Message) -> Match:
        """The match of `paired` or `match`; a new one if the client is in none."""
        players, seat = told["players"], told["you"]
        if players[seat] != self.name:
            raise Refused(f"{self.name} has another's seat in {told}")
        match = self.match
        if match is None and (told["tell"] == "paired" or told["resumed"]):
            match = self.match = Match(told["match"], players, seat, game=told["number"] - 1)
        if match is None or (match.number, match.players, match.seat) != (told["match"], players, seat):
            raise Refused(f"{told} comes in {match}")
        if match.stage != "paired" or told["number"] != match.game + 1:
            raise Refused(f"{told} comes in {match}")
        if told["resumed"] != ("away" in told) or (told["resumed"] and len(told.get("played", ())) != match.game):
            raise Refused(f"something is left out of {told}")
        return match

    def _paired(self, told: Message) -> None:
        if self.match is not None:
            raise Refused(f"{told} comes during {self.match}")
        self._sit(told)

    def _opened(self, told: Message) -> None:
        match = self._sit(told)
        match.stage, match.game, match.moves = "on", told["number"], []
        match.rules = self.rules(told["game"])
        match.state = None if match.rules is None else match.rules.start(match.rules.options_type())
        for move in told["moves"]:
            if not _MOVE <= move.keys() <= _MOVE | _WORDS:
                raise Refused(f"this is no move: {move}")
            self._move(match, move)

    def _match(self, told: Message, *stages: str) -> Match:
        match = self.match
        if match is None or told["match"] != match.number or (stages and match.stage not in stages):
            raise Refused(f"{told} comes in {match}")
        if told.get("player") and told["player"] != match.players[told["seat"]]:
            raise Refused(f"{told} names another player than {match}")
        return match

    def _during(self, told: Message) -> None:
        self._match(told)

    def _turn(self, told: Message) -> None:
        match = self._match(told, "on")
        if match.seat not in told["seats"] or (match.state is not None and match.seat not in match.state.turn.seats):
            raise Refused(f"{told} is told to a player who is not to move in {match}")

    def _moved(self, told: Message) -> None:
        self._move(self._match(told, "on"), told)

    def _move(self, match: Match, told: Message) -> None:
        seat, text = told["seat"], told["move"]
        if (seat is None) != (told["by"] == "chance") or told["player"] != (
            "" if seat is None else match.players[seat]
        ):
            raise Refused(f"{told} is of nobody in {match}")
        match.moves.append((seat, text))
        if seat is None or text == "?":
            match.state = None
        if match.state is None or match.rules is None:
            return
        try:
            match.state = match.state.play(seat, match.rules.read_move(text))
        except IllegalMove as error:
            raise Refused(f"{told} is not legal in {match}: {error}") from error

    def _refused(self, told: Message) -> None:
        self._match(told, "on").stage = "lost"

    def _game_over(self, told: Message) -> None:
        match = self._match(told, "on", "lost")
        _check_result(match, told)
        if told["reason"] == "played" and match.state is not None:
            outcome = match.state.outcome
            if outcome is None or (told["winners"], told["points"]) != ([*outcome.winners], [*outcome.points]):
                raise Refused(f"{told} does not follow from {match}")
        match.stage = "over" if told["ready_by_ms"] is None else "paired"

    def _match_over(self, told: Message) -> None:
        _check_result(self._match(told, "paired", "over"), told)
        self.match = None

    def _goodbye(self, told: Message) -> None:
        if told["kind"] not in {"elsewhere", "dismissed", "stopping", "full", "late", "fault"}:
            raise Refused(f"no goodbye has the kind {told['kind']}")
        self._is_over = True

    def _said(self, _: Message) -> None:
        """Anybody may say anything."""


def _check_result(match: Match, told: Message) -> None:
    winners = told["winners"]
    if told["reason"] in {"void", "abandoned"}:
        expected = "draw" if winners else "void"
    else:
        expected = "draw" if not winners else "win" if match.seat in winners else "loss"
    if told["result"] != expected:
        raise Refused(f"{told} is a {expected} in {match}")


@frozen
class _Kind:
    """A message of the server: the keys that it has, those that it may have, and what else has to be."""

    needed: frozenset[str]
    check: Callable[[WebClient, Message], None]
    allowed: frozenset[str] = frozenset()


def _kind(needed: str, check: Callable[[WebClient, Message], None], allowed: str = "") -> _Kind:
    return _Kind(frozenset(needed.split()), check, frozenset(allowed.split()))


_MOVE = frozenset({"seat", "player", "move", "details", "by"})
_WORDS = frozenset({"words", "details_words"})
_SEATED = "match game players you turn_time_s number commitment seats_by resumed"
_RESULT = "match result reason points winners by"
_BOARD = "match game step lines picture moves moves_total sides awaited turn prompt deadline_ms"
_KINDS: Mapping[Any, _Kind] = {
    "hello": _kind("server_ms version", WebClient._hello),
    "ok": _kind("do", WebClient._answered),
    "welcome": _kind("name key", WebClient._answered),
    "pong": _kind("at server_ms", WebClient._answered),
    "error": _kind("do code why", WebClient._answered),
    "players": _kind("players games", WebClient._shown),
    "games": _kind("games", WebClient._shown),
    "board": _kind(_BOARD, WebClient._shown, "banks_ms"),
    "challenged": _kind("number from game turn_time_s", WebClient._challenged, "seat clock"),
    "challenge closed": _kind("number", WebClient._closed),
    "paired": _kind(f"{_SEATED} ready ready_by_ms", WebClient._paired, "clock played away"),
    "seat ready": _kind("match seat", WebClient._during),
    "own draw": _kind("match value", WebClient._during),
    "match": _kind(f"{_SEATED} first moves played", WebClient._opened, "clock whole away"),
    "turn": _kind("match turn seats prompt deadline_ms", WebClient._turn, "banks_ms"),
    "moved": _kind("match seat player move details by", WebClient._moved, "words details_words"),
    "refused": _kind("match seat player move why", WebClient._refused),
    "game over": _kind(f"{_RESULT} number reason_text revealed why ready_by_ms", WebClient._game_over),
    "match over": _kind(_RESULT, WebClient._match_over),
    "dropped": _kind("match seat player return_by_ms", WebClient._during),
    "returned": _kind("match seat player ready_by_ms", WebClient._during),
    "said": _kind("from text", WebClient._said),
    "goodbye": _kind("why kind", WebClient._goodbye),
}
"""Every message there is."""
_ANSWERS = {WebClient._answered, WebClient._shown}
_BEFORE_LOGIN = {*_ANSWERS, WebClient._hello, WebClient._goodbye}
