"""A strict client of GammonX at its SignalR hub. Written from the protocol's guide, not from the adapter.

It takes records and gives records; a WebSocket carries them (`tests.clients.websocket`).
"""

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import Factory, define

from tests.clients import Client, Refused, compact

HANDSHAKE = b'{"protocol":"json","version":1}\x1e'
SEPARATOR = b"\x1e"
PING = b'{"type":6}\x1e'
CHECKERS = 15
OVER = 6
"""The phase of a game that is over."""

Payload = Mapping[str, Any]
Heard = tuple[str, Any]
"""An event's name and payload; or `done` and the method."""


@define
class Progress:
    """The state of a match, as far as it was told; it outlives connections."""

    games_over: int = 0
    game: str = ""
    turn: int = 0


@define(eq=False)
class GammonXClient(Client):
    """One connection to the hub."""

    end_of_message = SEPARATOR
    progress: Progress = Factory(Progress)
    called: dict[str, str] = Factory(dict)
    """The methods that are not completed, by invocation."""
    is_greeted: bool = False
    is_over: bool = False
    errors: list[Payload] = Factory(list)
    """Errors that were told about the oldest call."""
    refused: list[Payload] = Factory(list)
    """Errors that were told about the last call that is done."""
    failure: str = ""
    """The reason why the last call that is done was none of the protocol's."""
    _numbers: Iterator[int] = Factory(itertools.count)

    def call(self, method: str, *arguments: Any) -> bytes:
        """Return a call of a method, which is noted."""
        number = str(next(self._numbers))
        self.called[number] = method
        return record({"type": 1, "invocationId": number, "target": method, "arguments": arguments})

    def hear(self, data: bytes) -> Heard | None:
        """Read a record. Raises `Refused` if it may not come now."""
        try:
            told = json.loads(data)
        except ValueError:
            raise Refused(f"this is not JSON: {data!r}") from None
        if self.is_over:
            raise Refused(f"{told} comes after the end")
        if not self.is_greeted:
            if told and set(told) != {"error"}:
                raise Refused(f"{told} is no answer to the handshake")
            self.is_greeted, self.is_over = True, bool(told)
            return None
        match told:
            case {"type": 1, "target": name, "arguments": [{"type": same, "payload": payload}]} if name == same:
                return self._event(name, payload)
            case {"type": 3, "invocationId": number, **rest} if rest == {"result": None} or set(rest) == {"error"}:
                return self._done(number, rest)
            case {"type": 6} if len(told) == 1:
                return None
            case {"type": 7}:
                self.is_over = True
                return None
        raise Refused(f"no record of the server is {told}")

    def _done(self, number: str, told: Payload) -> Heard:
        if number != next(iter(self.called), None):
            raise Refused(f"call {number} is completed before {self.called}")
        method = self.called.pop(number)
        self.failure = told.get("error", "")
        if self.failure and not _CALLERS_MISTAKE.search(self.failure):
            raise Refused(f"{method} failed: {told}")
        self.refused, self.errors = self.errors, []
        return "done", method

    def _event(self, name: str, payload: Payload) -> Heard:
        members = _EVENTS.get(name)
        if members is None or not members <= payload.keys():
            raise Refused(f"no event of the protocol is {name} {payload}")
        if [*payload][-1] != "allowedCommands" or not COMMANDS.issuperset(payload["allowedCommands"]):
            raise Refused(f"{name} {payload} does not end with what is allowed")
        if name == "error":
            self._error(payload)
        elif members is _GAME or "boardState" in payload:
            self._game(name, payload)
        elif members is _MATCH:
            self._match(name, payload)
        return name, payload

    def _error(self, payload: Payload) -> None:
        # A client that names its match in the address joins by that alone, and may call `JoinMatch` beside.
        method = next(iter(self.called.values()), "JoinMatch")
        if payload["code"] not in ERRORS.get(method, ()) or len(self.errors) > (method == "JoinMatch"):
            raise Refused(f"{method} was called, and {payload} comes after {self.errors}")
        self.errors.append(payload)

    def _match(self, name: str, payload: Payload) -> None:
        over = sum(game["phase"] == OVER for game in payload["gameRounds"])
        if over < self.progress.games_over:
            raise Refused(f"{over} games are over in {payload}, after {self.progress}")
        if name != "match-state" and (name == "match-ended") != (not payload["allowedCommands"]):
            raise Refused(f"{name} allows {payload['allowedCommands']}")
        self.progress.games_over = 0 if name == "match-ended" else over

    def _game(self, name: str, payload: Payload) -> None:
        board, progress = payload["boardState"], self.progress
        fields = (*board["fields"], *(board["pinnedFields"] or ()))
        white = board["homeBarCountWhite"] + board["bearOffCountWhite"] - sum(min(number, 0) for number in fields)
        black = board["homeBarCountBlack"] + board["bearOffCountBlack"] + sum(max(number, 0) for number in fields)
        if (white, black) != (CHECKERS, CHECKERS) or len(board["fields"]) != 24:
            raise Refused(f"there are {white} and {black} checkers in {payload}")
        if payload["id"] == progress.game and payload["turnNumber"] < progress.turn:
            raise Refused(f"turn {payload['turnNumber']} comes after {progress}")
        allowed = payload["allowedCommands"]
        if ("Move" in allowed) and not payload["moveSequences"]:
            raise Refused(f"{name} allows a move and names none: {payload}")
        if {"Roll", "AcceptDouble"} & {*allowed} and {"Move", "EndTurn"} & {*allowed}:
            raise Refused(f"{name} allows {allowed}")
        progress.game, progress.turn = payload["id"], payload["turnNumber"]


def record(content: Any) -> bytes:
    """A record."""
    return compact(content).encode() + SEPARATOR


ERRORS: Mapping[str, frozenset[str]] = {
    "JoinMatch": frozenset({"LOBBY_ERROR"}),
    "StartGame": frozenset({"MATCH_ERROR", "START_GAME_ERROR"}),
    "StartMatch": frozenset({"START_MATCH_ERROR"}),
    "Roll": frozenset({"ROLL_ERROR"}),
    "Move": frozenset({"MOVE_ERROR"}),
    "UndoMove": frozenset({"UNDO_MOVE_ERROR"}),
    "EndTurn": frozenset({"END_TURN_ERROR"}),
    "ResignGame": frozenset({"RESIGN_GAME_ERROR"}),
    "ResignMatch": frozenset({"RESIGN_MATCH_ERROR"}),
    "OfferDouble": frozenset({"OFFER_DOUBLE_ERROR"}),
    "AcceptDouble": frozenset({"ACCEPT_DOUBLE_ERROR"}),
    "DeclineDouble": frozenset({"DECLINE_DOUBLE_ERROR"}),
    "GameState": frozenset({"GET_GAME_STATE_ERROR"}),
    "MatchState": frozenset({"GET_MATCH_STATE_ERROR"}),
}
COMMANDS = frozenset(ERRORS)
_CALLERS_MISTAKE = re.compile(r"error on the server\. (InvalidDataException: |HubException: Method does not exist\.)")
_ANY = frozenset({"allowedCommands"})
_MATCH = _ANY | {"id", "player1", "player2", "gameRounds"}
_GAME = _ANY | {"id", "matchId", "phase", "activeTurn", "turnNumber", "diceRolls", "moveSequences", "boardState"}
_EVENTS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("match-lobby-waiting", "match-lobby-found"), _ANY | {"id", "player1", "player2", "matchFound"}),
    **dict.fromkeys(("match-started", "match-ended", "match-state", "game-ended"), _MATCH),
    **dict.fromkeys(("match-waiting-for-start", "match-waiting"), _MATCH),
    **dict.fromkeys(("game-started", "game-state"), _GAME),
    **dict.fromkeys(("double-offered", "double-accepted", "double-declined"), _GAME),
    **dict.fromkeys(("game-waiting", "force-disconnect", "player-connected"), _ANY),
    "player-disconnected": _ANY | {"gracePeriod", "expiration", "playerId"},
    "turn-timer": _ANY | {"activePlayer", "turnExpiration"},
    "error": _ANY | {"code", "message"},
}
"""Every event, and the members that a client needs."""
