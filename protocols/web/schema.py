"""The messages of a client: a class each, and the way from lines to them.

A message is a JSON object whose `do` names it. Keys that a message does not have are ignored, so that a client may be
newer than the server. A key with null counts as left out.
"""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, get_args

import attrs
from attrs import field

from gameserver.protocol import Scope, TimeControl
from gameserver.values import value
from protocols.lines import read_json

# By judgement: enough for a UUID; the answer repeats it.
_ID_LENGTH_MAX = 64
"""Characters of an `id` that is a text."""
_INTEGERS = range(-(2**53) + 1, 2**53)
"""The integers that a JavaScript number keeps."""
_TURN_TIME_S_MAX = 1_000_000.0
"""Beyond it a turn's time is read as this, which the lobby refuses in words that name its own limits."""

Id = str | int | None


class Unreadable(Exception):
    """A line is no message of a browser; the text is a sentence for the user, `id` and `do` are what could be read."""

    def __init__(self, why: str, id_: Id = None, do: str = "") -> None:
        super().__init__(why)
        self.id = id_
        self.do = do


class _WrongValue(Exception):
    """The value does not fit its key; the text says what does."""


def _text(given: object) -> str:
    if not isinstance(given, str):
        raise _WrongValue("a text")
    return given


def _truth(given: object) -> bool:
    if not isinstance(given, bool):
        raise _WrongValue("true or false")
    return given


def _integer(given: object) -> int:
    # JavaScript rounds larger numbers.
    if type(given) is not int or given not in _INTEGERS:
        raise _WrongValue("a whole number")
    return given


def _number(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not isfinite(given):
        raise _WrongValue("a number")
    return given


def _seconds(given: object) -> float:
    return min(max(_number(given), -_TURN_TIME_S_MAX), _TURN_TIME_S_MAX)


def _clock(given: object) -> TimeControl:
    return TimeControl.read(_text(given))


def _object(given: object) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise _WrongValue("an object")
    return given


def _scope(given: object) -> Scope:
    try:
        return Scope(_text(given))
    except ValueError:
        raise _WrongValue('"match" or "game"') from None


def _needed(read: Callable[[object], Any]) -> Any:
    return field(metadata={"read": read})


def _optional(read: Callable[[object], Any], default: Any = None) -> Any:
    return field(default=default, metadata={"read": read})


@value
class Login:
    """A browser's message to come in under a name; with the key of an earlier login, to come back."""

    name: str = _needed(_text)
    secret: str = _optional(_text, "")
    key: str = _optional(_text, "")


@value
class List:
    """A browser's message to list the players who are here, and the names of the games."""


@value
class Games:
    """A browser's message to list the games with their guides."""


@value
class Challenge:
    """A browser's message to ask a player, or the house, for a match; with a seat, where seats differ.

    The time is that of a turn, or a clock, which may have a bank.
    """

    to: str = _needed(_text)
    game: str = _needed(_text)
    turn_time_s: float | None = _optional(_seconds)
    clock: TimeControl | None = _optional(_clock)
    options: Mapping[str, Any] | None = _optional(_object)
    seat: int | None = _optional(_integer)


@value
class Accept:
    """A browser's message to take a challenge up; without a number, the only one there is."""

    number: int | None = _optional(_integer)


@value
class Seek:
    """A browser's message to look for any opponent. Of two times for a turn, the match has the longer one."""

    game: str = _needed(_text)
    turn_time_s: float | None = _optional(_seconds)


@value
class Withdraw:
    """A browser's message to look no longer; with `challenge`, to take back the challenge that one has made."""

    challenge: bool = _optional(_truth, default=False)


@value
class Contribute:
    """A browser's message to add 1 to 32 bytes, in hex, to the chance of the next match."""

    hex: str = _needed(_text)


@value
class Ready:
    """A browser's message to be ready for the next game of the match."""


@value
class Move:
    """A browser's message to make a move, as the game writes it."""

    move: str = _needed(_text)
    match: int | None = _optional(_integer)


@value
class Resign:
    """A browser's message to give up the match, or the game."""

    scope: Scope = _optional(_scope, Scope.MATCH)
    match: int | None = _optional(_integer)


@value
class Board:
    """A browser's message to show the own match's board; with `small` in the picture for narrow screens."""

    small: bool = _optional(_truth, default=False)


@value
class Say:
    """A browser's message to send a chat line to a player."""

    to: str = _needed(_text)
    text: str = _needed(_text)


@value
class Ping:
    """A browser's message to ask for the server's time; `at` is given back as it is."""

    at: float | None = _optional(_number)


@value
class Bye:
    """A browser's message to leave."""


Request = (
    Login
    | List
    | Games
    | Challenge
    | Accept
    | Seek
    | Withdraw
    | Contribute
    | Ready
    | Move
    | Resign
    | Board
    | Say
    | Ping
    | Bye
)

REQUESTS: Mapping[str, type[Any]] = {kind.__name__.lower(): kind for kind in get_args(Request)}
"""The class of each message, by its `do`."""


def read_request(line: bytes) -> tuple[Request, Id, str]:
    """Reads a browser's message, its `id` and its `do`. Raises `Unreadable`."""
    try:
        content = read_json(line)
    except (ValueError, RecursionError):
        raise Unreadable('a message is a JSON object, such as {"do": "list"}') from None
    if not isinstance(content, dict):
        raise Unreadable('a message is a JSON object, such as {"do": "list"}')
    id_, do = _id_of(content), content.get("do")
    if not isinstance(do, str):
        raise Unreadable(f'every message needs "do", one of {", ".join(REQUESTS)}', id_)
    kind = REQUESTS.get(do)
    if kind is None:
        # Without the word itself: it may be of any length.
        raise Unreadable(f'there is no such "do"; there is {", ".join(REQUESTS)}', id_)
    given = {}
    for known in attrs.fields(kind):
        found = content.get(known.name)
        if found is None:
            if known.default is attrs.NOTHING:
                raise Unreadable(f"{do} needs {_described(kind)}", id_, do)
            continue
        try:
            given[known.name] = known.metadata["read"](found)
        except _WrongValue as wrong:
            raise Unreadable(f'"{known.name}" of {do} has to be {wrong}', id_, do) from None
        except ValueError as fault:
            raise Unreadable(str(fault), id_, do) from None
    return kind(**given), id_, do


def _id_of(content: Mapping[str, Any]) -> Id:
    id_ = content.get("id")
    is_number = type(id_) is int and id_ in _INTEGERS
    if id_ is None or is_number or (isinstance(id_, str) and len(id_) <= _ID_LENGTH_MAX):
        return id_
    raise Unreadable(f'"id" is a whole number, or a text of at most {_ID_LENGTH_MAX} characters')


def _described(kind: type[Any]) -> str:
    return " and ".join(f'"{known.name}"' for known in attrs.fields(kind) if known.default is attrs.NOTHING)
