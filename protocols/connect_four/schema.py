"""The messages, one class each, and the way from lines to messages and back.

The order follows the protocol's document: first the client's messages, told apart by "action", then
the server's, told apart by "event". A key has the name of its field with a space for each
underscore, and every message has just the keys of its class; of a client's object, keys beyond
those are ignored.

Values are taken as they are and never converted: a room number is an integer, neither `true` nor
`3.0` nor `"3"`.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import reduce
from operator import or_
from typing import Any

import attrs
import orjson
from cattrs import BaseValidationError, Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from cattrs.preconf.orjson import make_converter
from cattrs.strategies import configure_tagged_union

from gameserver.values import value
from protocols.lines import read_json

# Messages of a client.


@value
class Connect:
    """The 3D Connect Four action to enter the lobby under a name; in the lobby, to have the rooms listed again."""

    name: str | None = None
    """1 to 16 of [A-Za-z0-9]; needed to enter. The secret may stand behind it, after a colon."""
    secret: str | None = None
    """The secret, if the teacher has bound names to secrets. The original had none."""


@value
class Join:
    """The 3D Connect Four action to take a place in a room."""

    # BarryClient casts it to a Long: a text, or a number with a fraction, ends it.
    room_number: int


@value
class Start:
    """The 3D Connect Four action to be ready for the game."""


@value
class Move:
    """The 3D Connect Four action to drop a stone."""

    move: str
    """`[a-d][0-3]`: the letter is y, the digit x."""


@value
class Resign:
    """The 3D Connect Four action to give the game up."""


@value
class Restart:
    """The 3D Connect Four action to be ready for another game with the same player."""


@value
class ExitGame:
    """The 3D Connect Four action to leave the room."""


@value
class Disconnect:
    """The 3D Connect Four action to leave the server."""


Request = Connect | Join | Start | Move | Resign | Restart | ExitGame | Disconnect

ACTIONS: Mapping[type, str] = {
    Connect: "connect",
    Join: "join",
    Start: "start",
    Move: "move",
    Resign: "resign",
    Restart: "restart",
    ExitGame: "exit game",
    Disconnect: "disconnect",
}
"""The "action" of each request."""

NEEDS: Mapping[str, str] = {
    "connect": 'connect needs "name", a text of 1 to 16 letters and digits',
    "join": 'join needs "room number", an integer',
    "move": 'move needs "move", a text such as "b2": the letter a to d is y, the digit 0 to 3 is x',
}
"""The keys that an action needs, for the error when they are missing."""


# Messages to a client.


class Winner(StrEnum):
    """The winner of a 3D Connect Four game, from the receiver's point of view."""

    YOU = "you"
    OPPONENT = "opponent"
    DRAW = "draw"


class Reason(StrEnum):
    """The reason in an error message of the 3D Connect Four protocol."""

    TIME_ELAPSED = "time elapsed"
    GAME_FULL = "game full"
    MISSING_KEYS = "missing keys"
    NO_SUCH_LOBBY = "no such lobby"
    INVALID_MOVE = "invalid move"
    MOVE_DENIED = "move denied"
    """The original's word for `invalid move`, which only its document has."""
    LOBBY_ENTRY_DENIED = "lobby entry denied"


@value
class FreeLobby:
    """A room in which a game can still begin. `opponent` is the player who sat down first."""

    room_number: int
    opponent: str


@value
class Lobby:
    """The 3D Connect Four event of being in the lobby, with the free rooms."""

    free_lobbies: tuple[FreeLobby, ...]
    message: str = "lobby message"


@value
class Game:
    """The 3D Connect Four event of sitting in a room."""

    opponent: str
    message: str = "game message"


@value
class Started:
    """The 3D Connect Four event of a game that begins, or goes on after a restart: then with its `moves`."""

    opponent: str
    moves: tuple[str, ...] | None = None
    message: str = "game started message"


@value
class MakeMove:
    """The 3D Connect Four event that asks for a move."""

    message: str = "make move message"


@value
class OpponentMoved:
    """The 3D Connect Four event of the opponent's move."""

    move: str
    message: str = "opponent moved message"


@value
class GameOver:
    """The 3D Connect Four event of the end. `winning_move` are the line's cells as "xyz", if a line has won."""

    winner: Winner
    winning_move: tuple[str, ...] | None
    # For every end, also one that was won: the original has no other.
    message: str = "lost message"


@value
class Error:
    """The 3D Connect Four event of something that was not done, or not in time."""

    reason: Reason
    move: str | None = None
    message: str = ""


Message = Lobby | Game | Started | MakeMove | OpponentMoved | GameOver | Error

EVENTS: Mapping[type, str] = {
    Lobby: "lobby",
    Game: "game",
    Started: "started",
    MakeMove: "make move",
    OpponentMoved: "opponent moved",
    GameOver: "game over",
    Error: "error",
}
"""The "event" of each message."""

_OPTIONAL: Mapping[type, str] = {Started: "moves", Error: "move"}
"""Keys that are left out where there is nothing to say, while `winning move` is then null."""


# Lines to messages, messages to lines.


class NoObject(Exception):
    """A 3D Connect Four line is no JSON object; the document has such lines discarded."""


class MissingKeys(Exception):
    """A 3D Connect Four action lacks what it needs; the text says what."""


def read_request(line: bytes) -> Request:
    """Reads a client's JSON line as its class of 3D Connect Four action.

    Raises `NoObject`, or `MissingKeys` with a sentence for the user.
    """
    content = _read_object(line)
    action = content.get("action")
    try:
        return _CONVERTER.structure(content, Request)  # type: ignore[arg-type] # a union is no type to mypy
    except (BaseValidationError, KeyError, TypeError, ValueError):
        if not isinstance(action, str):
            raise MissingKeys('every object needs "action", a text') from None
        if action in NEEDS:
            raise MissingKeys(NEEDS[action]) from None
        raise MissingKeys(f"there is no such action; there is {', '.join(ACTIONS.values())}") from None


def read_message(line: bytes) -> Message:
    """Reads a server's JSON line as its class of 3D Connect Four event, for clients and tests.

    Raises `NoObject` or cattrs' own errors.
    """
    return _CONVERTER.structure(_read_object(line), Message)  # type: ignore[arg-type] # as above


def write(message: Request | Message) -> bytes:
    """Writes a message of any 3D Connect Four class as its JSON line: first what it is, last its `message`."""
    if type(message) in ACTIONS:
        content = _CONVERTER.unstructure(message, Request)
        return orjson.dumps({"action": content.pop("action"), **content}, option=orjson.OPT_APPEND_NEWLINE)
    content = _CONVERTER.unstructure(message, Message)
    event, words = content.pop("event"), content.pop("message")
    # The order of keys meant nothing to the original, a hash map; this one is for people who read along.
    return orjson.dumps({"event": event, **content, "message": words}, option=orjson.OPT_APPEND_NEWLINE)


def _read_object(line: bytes) -> dict[str, Any]:
    try:
        content = read_json(line)
    except ValueError:
        raise NoObject from None
    if not isinstance(content, dict):
        raise NoObject
    return content


def _as_it_is(value: object, kind: type) -> object:
    """Take a value of just this type, where cattrs would convert `"3"` to 3 and true to 1."""
    # orjson reads an integer beyond 64 bits as a float.
    if kind is int and type(value) is float and abs(value) >= 2**63:
        return int(value)
    if type(value) is not kind:
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value


def _make_converter() -> Converter:
    # One error for an object is enough, and its path costs time.
    converter = make_converter(detailed_validation=False)
    for kind in (int, str):
        converter.register_structure_hook(kind, _as_it_is)
    for choice in (Reason, Winner):
        converter.register_structure_hook(choice, lambda value, kind: kind(value))
    for message in (FreeLobby, *ACTIONS, *EVENTS):
        keys = {field.name: override(rename=field.name.replace("_", " ")) for field in attrs.fields(message)}
        if message in _OPTIONAL:
            keys[_OPTIONAL[message]] = override(omit_if_default=True)
        converter.register_structure_hook(message, make_dict_structure_fn(message, converter, **keys))  # type: ignore[arg-type] # keys only
        converter.register_unstructure_hook(message, make_dict_unstructure_fn(message, converter, **keys))  # type: ignore[arg-type] # keys only
    for tag, names in (("action", ACTIONS), ("event", EVENTS)):
        configure_tagged_union(reduce(or_, names), converter, tag_generator=names.__getitem__, tag_name=tag)
    return converter


_CONVERTER = _make_converter()
