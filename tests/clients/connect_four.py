"""A strict client of 3D Connect Four in lines of JSON. Written from the protocol's guide, not from the adapter."""

import json
import re
from collections import deque
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from attrs import Factory, define, evolve, frozen

from games.connect_four_3d import GAME, ConnectFourPosition, winning_line
from gameserver.game import IllegalMove
from tests.clients import Client, Refused, compact

Message = Mapping[str, Any]


class Stage(Enum):
    """The stage at which the last message has put the client."""

    ARRIVED = "before connect"
    LOBBY = "in the lobby"
    ROOM = "in a room"
    PLAYING = "in a game"
    OVER = "after a game"


@frozen
class Asked:
    """A request: what may be wrong with it, whether it can remain without an answer, the stage it was sent at."""

    action: str
    """Empty if the request is malformed."""
    reasons: frozenset[str]
    is_silent: bool
    at: int | None
    """The number of the stage at which it is surely legal."""


@define
class Match:
    """A game that is on, as the client knows it."""

    opponent: str
    position: ConnectFourPosition | None
    """None once the client cannot know which of its moves have counted."""
    moves: list[str] = Factory(list)
    """Those that have surely been made, but for the last at the game's end."""
    seat: int | None = None
    is_asked: bool = False
    """True after `make move`, until a later move is heard of."""
    may_be_asked_again: bool = False
    sent: deque[str] = Factory(deque)
    """Moves that were sent since `make move`."""
    is_late: bool = False
    is_unsure: bool = False
    """True if a move may have been too late for its question, and was perhaps taken for the next one."""

    @property
    def turn(self) -> int | None:
        """The seat of who is to move."""
        return self.position.turn.seats[0] if self.position is not None and self.position.turn.seats else None

    def play(self, move: str) -> None:
        """Take in a move that the server tells of."""
        if self.position is None:
            return
        try:
            self.position = self.position.play(self.position.turn.seats[0], GAME.read_move(move))
        except (IllegalMove, IndexError) as error:
            raise Refused(f"{move} is not legal in {self}: {error}") from error
        self.moves.append(move)

    def settle(self) -> str | None:
        """Take in the client's own move that the server tells nothing of, and return it."""
        move = self.sent[0] if self.sent else None
        if self.is_unsure or len(self.sent) > 1 or not self.is_asked or not self._is_legal(move):
            self.position = None if self.is_asked else self.position
        elif move is not None:
            self.play(move)
        self.is_asked = self.may_be_asked_again = self.is_late = self.is_unsure = False
        self.sent.clear()
        return move

    @property
    def legal_moves(self) -> list[str]:
        """The moves of who is to move, or every column where the client does not know."""
        columns = range(16) if self.position is None else self.position.legal_moves(self.turn or 0)
        return list(map(GAME.write_move, columns))

    def _is_legal(self, move: str | None) -> bool:
        return self.position is not None and move in self.legal_moves


@define(eq=False)
class ConnectFourClient(Client):
    """One connection, of lines or of WebSocket messages."""

    tells_late_moves: bool = True
    """False where the setting `time_elapsed_error` is."""
    line_bytes_max: int = 16_384
    name: str = ""
    stage: Stage = Stage.ARRIVED
    match: Match | None = None
    asked: deque[Asked] = Factory(deque)
    """Every request that has no answer, or needs none."""
    is_ready: bool = False
    """True once the client has asked for a game."""
    left: bool = False
    """True if the client has said goodbye."""
    is_over: bool = False
    """True if the server has."""
    answered: Asked | None = None
    """The request that the last message answered."""
    _stages: int = 0
    _spare_lists: int = 0
    """Number of answers with the lobby that may also have come by themselves."""

    @property
    def awaits(self) -> bool:
        """True if a request must still be answered."""
        return not all(asked.is_silent for asked in self.asked)

    def say(self, action: str, **more: Any) -> bytes:
        """Return a request, which is noted; an underscore stands for a blank."""
        content = {"action": action, **{key.replace("_", " "): more[key] for key in more}}
        return self.wrote(compact(content).encode() + b"\n")

    def wrote(self, data: bytes) -> bytes:
        super().wrote(data)
        if len(self._unsent) > self.line_bytes_max:
            self.note(self._unsent)
        return data

    def hear(self, line: bytes) -> Message:
        """Read a line. Raises `Refused` if it may not come now."""
        told = read_message(line)
        if self.is_over:
            raise Refused(f"{told} comes after the last words")
        self.answered = None
        _KINDS[told["event"]].check(self, told)
        return told

    # What it says.

    def note(self, line: bytes) -> bytes:
        self._note(line)
        return line

    def _note(self, line: bytes) -> None:
        try:
            content = json.loads(line.removeprefix(b"\xef\xbb\xbf") if line[:1] == b"\xef" else line)
        except ValueError:
            content = None
        if self.left or (not isinstance(content, dict) and len(line) <= self.line_bytes_max):
            return
        action = content.get("action") if isinstance(content, dict) else None
        if not isinstance(action, str) or action not in _REASONS or not _has_its_keys(action, content):
            self.asked.append(Asked("", _WRONG, is_silent=False, at=None))
            return
        may_move_on = {"join"} if self.stage is Stage.LOBBY else _REASONS.keys()
        is_certain = not any(asked.action in may_move_on for asked in self.asked)
        is_legal = is_certain and action in _SURE.get(self.stage, ()) and not (action in _BEGIN and self.is_ready)
        is_silent = action in _BEGIN or action in {"move", "resign"}
        if action == "connect" and self.stage is Stage.ARRIVED:
            self.name = (content.get("name") or "").partition(":")[0]
        if action == "disconnect":
            self.left = True
            return
        self.asked.append(Asked(action, _REASONS[action], is_silent, self._stages if is_legal else None))
        self.is_ready |= action in _BEGIN
        match = self.match
        if action == "move" and match is not None:
            if match.is_asked and not match.is_late:
                match.sent.append(content["move"])
            match.is_unsure |= match.is_late

    # What it hears.

    def _move_to(self, stage: Stage) -> None:
        self.stage = stage
        self._stages += 1

    def _answer(self, fits: Callable[[Asked], bool]) -> Asked | None:
        """The first request that this can answer; what is before it needed no answer."""
        for number, asked in enumerate(self.asked):
            if fits(asked):
                for _ in range(number + 1):
                    self.answered = self.asked.popleft()
                return asked
            if not asked.is_silent:
                break
        return None

    def _lobby(self, told: Message) -> None:
        rooms = told["free lobbies"]
        numbers = [room["room number"] for room in rooms]
        if any(tuple(room) != ("room number", "opponent") or not room["opponent"] for room in rooms):
            raise Refused(f"this is no list of rooms: {told}")
        if numbers != sorted(set(numbers)) or any(type(number) is not int or number < 0 for number in numbers):
            raise Refused(f"rooms are not numbered in {told}")
        is_in = self.stage is not Stage.ARRIVED
        before = tuple(self.asked)
        asked = self._answer(
            lambda asked: (
                (asked.action == "exit game" and is_in)
                or (asked.action == "connect" and self.stage in {Stage.ARRIVED, Stage.LOBBY})
            )
        )
        may_come = self.stage in {Stage.ROOM, Stage.OVER}
        if may_come and asked is not None:
            # Perhaps the list came by itself, and what was said before the answered request is still on its way.
            self._spare_lists += 1
            self.asked.extendleft(reversed(before[: before.index(asked)]))
        elif not may_come and asked is None:
            if not self._spare_lists:
                raise Refused(f"nobody asked for {told}, {self.stage.value}")
            self._spare_lists -= 1
        self.match = None
        self._move_to(Stage.LOBBY)

    def _game(self, told: Message) -> None:
        self._opponent(told)
        if self.stage is not Stage.LOBBY or self._answer(lambda asked: asked.action == "join") is None:
            raise Refused(f"nobody asked for {told}, {self.stage.value}")
        self.is_ready = any(asked.action == "start" for asked in self.asked)
        self._move_to(Stage.ROOM)

    def _opponent(self, told: Message) -> None:
        if not isinstance(told["opponent"], str) or told["opponent"] in {"", self.name}:
            raise Refused(f"{self.name} plays against nobody in {told}")

    def _started(self, told: Message) -> None:
        self._opponent(told)
        if self.stage not in {Stage.ROOM, Stage.OVER} or not self.is_ready:
            raise Refused(f"nobody asked for {told}, {self.stage.value}")
        while self.asked and self.asked[0].is_silent:
            self.asked.popleft()
        self.is_ready = False
        self.match = Match(told["opponent"], GAME.start(GAME.options_type()))
        for move in told.get("moves", ()):
            self.match.play(move)
        self._move_to(Stage.PLAYING)

    def _during(self, told: Message) -> Match:
        if self.match is None or self.stage is not Stage.PLAYING:
            raise Refused(f"{told} comes {self.stage.value}")
        return self.match

    def _asked_to_move(self, told: Message) -> None:
        match = self._during(told)
        if match.is_asked and not match.may_be_asked_again and self.tells_late_moves:
            raise Refused(f"{told} is told twice in {match}")
        if match.turn is not None and match.turn != (match.turn if match.seat is None else match.seat):
            raise Refused(f"{told} is told to who is not to move in {match}")
        match.seat = match.turn if match.seat is None else match.seat
        match.is_asked, match.may_be_asked_again, match.is_late = True, False, False

    def _opponent_moved(self, told: Message) -> None:
        match = self._during(told)
        # Once a late move may have counted, each of the client's moves may answer the question after the one it is for.
        is_in_step = match.position is not None and not match.is_unsure
        if match.is_asked and match.settle() is None and self.tells_late_moves and is_in_step:
            raise Refused(f"the own move is left out before {told} in {match}")
        if match.turn is not None and match.turn == match.seat:
            raise Refused(f"{told} comes when the client is to move in {match}")
        match.seat = match.seat if match.turn is None else 1 - match.turn
        match.play(told["move"])
        if match.position is not None and not match.is_unsure:
            self._drop_moves()

    def _drop_moves(self) -> None:
        self.asked = deque(asked for asked in self.asked if asked.action != "move")

    def _game_over(self, told: Message) -> None:
        match, cells = self._during(told), told["winning move"]
        own = match.settle() if match.is_asked else None
        if told["winner"] not in {"you", "opponent", "draw"} or (cells is not None and told["winner"] == "draw"):
            raise Refused(f"this is no end of a game: {told}")
        if cells is not None and (len(cells) != 4 or not all(map(re.compile("[0-3]{3}").fullmatch, cells))):
            raise Refused(f"these are no cells: {told}")
        position = match.position
        if position is not None:
            outcome, line = position.outcome, winning_line(position)
            if cells is not None and tuple(cells) != line:
                raise Refused(f"{told} does not follow from {match}")
            if outcome is not None and (cells is not None or own is None):
                winner = {(): "draw", (match.seat,): "you"}.get(tuple(outcome.winners), "opponent")
                if (told["winner"], cells is None) != (winner, line is None):
                    raise Refused(f"{told} does not follow from {match}")
        self.match = None
        self._drop_moves()
        self._move_to(Stage.OVER)

    def _error(self, told: Message) -> None:
        reason, message = told["reason"], told["message"]
        constant = _CONSTANTS.get(reason)
        has_words = constant is not None and (message == constant or message.startswith(f"{constant}: "))
        if constant is None or (not has_words and reason != "lobby entry denied"):
            raise Refused(f"no error of the protocol is {told}")
        if "move" in told and reason not in {"invalid move", "time elapsed"}:
            raise Refused(f"there is a move in {told}")
        if reason == "time elapsed":
            self._overtaken(told)
        elif reason == "lobby entry denied" and not has_words:
            self.is_over = True
        else:
            asked = self._wrong(reason)
            if asked is None:
                raise Refused(f"nothing was asked that is wrong, and {told} comes {self.stage.value}")
            self.is_over = reason == "lobby entry denied"
            if asked.action == "move" and reason != "missing keys":
                self._denied(told)

    def _wrong(self, reason: str) -> Asked | None:
        """The first request that an error may be for; one that must have an answer has perhaps got it then."""
        found = self._answer(lambda asked: self._may_be_wrong(asked, reason))
        if found is not None and found.is_silent:
            number = next((number for number, asked in enumerate(self.asked) if not asked.is_silent), None)
            if number is not None and self._may_be_wrong(self.asked[number], reason):
                self.asked[number] = evolve(self.asked[number], is_silent=True)
        return found

    def _may_be_wrong(self, asked: Asked, reason: str) -> bool:
        return reason in asked.reasons and (reason != "missing keys" or asked.at != self._stages)

    def _denied(self, told: Message) -> None:
        match = self._during(told)
        if not match.is_asked:
            raise Refused(f"{told} comes when the client is not to move in {match}")
        move = match.sent.popleft() if match.sent else None
        if move is not None and match._is_legal(move) and not match.is_unsure:
            raise Refused(f"{move} is legal in {match}, and {told} comes")
        match.may_be_asked_again = True

    def _overtaken(self, told: Message) -> None:
        match = self._during(told)
        if not match.is_asked or match.is_late:
            raise Refused(f"{told} comes when the client is not to move in {match}")
        if "move" in told:
            match.position = None if match.is_unsure else match.position
            match.play(told["move"])
        else:
            match.position = None
        match.is_asked, match.is_late, match.is_unsure = False, not match.sent, bool(match.sent)
        match.sent.clear()


def read_message(line: bytes) -> Message:
    """Read a line, whether or not it may come now."""
    try:
        told = json.loads(line)
        kind = _KINDS[told["event"]]
    except (ValueError, KeyError, TypeError):
        raise Refused(f"no line of the protocol is {line!r}") from None
    keys = ("event", *(key for key in kind.keys if key in told or key != kind.optional), "message")
    if tuple(told) != keys or compact(told).encode() != line or not told["message"].startswith(kind.message):
        raise Refused(f"no line of the protocol is {line!r}")
    if kind.message and told["message"] != kind.message:
        raise Refused(f"the message of {line!r} is not the constant one")
    return told


def _has_its_keys(action: str, content: Message) -> bool:
    kinds = {"connect": ("name", str), "join": ("room number", int), "move": ("move", str)}
    if action not in kinds:
        return True
    key, kind = kinds[action]
    return type(content.get(key)) is kind or (action == "connect" and content.get(key) is None)


@frozen
class _Kind:
    """A message of the server: its keys in order, its constant message, and what else has to be."""

    keys: tuple[str, ...]
    message: str
    check: Callable[[ConnectFourClient, Message], None]
    optional: str = ""


_KINDS: Mapping[str, _Kind] = {
    "lobby": _Kind(("free lobbies",), "lobby message", ConnectFourClient._lobby),
    "game": _Kind(("opponent",), "game message", ConnectFourClient._game),
    "started": _Kind(("opponent", "moves"), "game started message", ConnectFourClient._started, "moves"),
    "make move": _Kind((), "make move message", ConnectFourClient._asked_to_move),
    "opponent moved": _Kind(("move",), "opponent moved message", ConnectFourClient._opponent_moved),
    "game over": _Kind(("winner", "winning move"), "lost message", ConnectFourClient._game_over),
    "error": _Kind(("reason", "move"), "", ConnectFourClient._error, "move"),
}
"""Every message there is."""
_CONSTANTS = {
    "time elapsed": "move took too long",
    "game full": "the game is full at the moment",
    "missing keys": "invalid keys used",
    "no such lobby": "there is no such lobby",
    "invalid move": "the move was not permitted",
    "move denied": "the move was not permitted",
    "lobby entry denied": "name or IP is already used or invalid characters",
}
_WRONG = frozenset({"missing keys"})
_BEGIN = frozenset({"start", "restart"})
_REASONS: Mapping[str, frozenset[str]] = {
    "connect": _WRONG | {"lobby entry denied", "no such lobby"},
    "join": _WRONG | {"game full", "no such lobby"},
    "start": _WRONG | {"game full"},
    "move": _WRONG | {"invalid move", "move denied"},
    "resign": _WRONG,
    "restart": _WRONG | {"game full"},
    "exit game": _WRONG,
    "disconnect": frozenset(),
}
_SURE: Mapping[Stage, frozenset[str]] = {
    Stage.LOBBY: frozenset({"connect", "exit game"}),
    Stage.ROOM: frozenset({"start", "exit game"}),
    Stage.PLAYING: frozenset({"move", "resign", "exit game"}),
    Stage.OVER: frozenset({"restart", "exit game"}),
}
"""Actions that are surely taken at a stage. A move that is legal here may still name no column."""
