"""The messages of the protocol, as its document has them: `Type|JSON`, a line each.

The order follows the document: the numbers of the types, then a class for each message, its fields
in the order in which the original writes them. cattrs turns the server's messages into JSON.

The original is written in Go, and its reading of JSON shows: keys match in any case, the last of
several wins, a missing or null one is zero, unknown ones are ignored. A number that is
not written as a whole one is refused, and so is one beyond 64 bits.
"""

import json
import re
from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any

import orjson
from attrs import field, fields
from cattrs.gen import make_dict_unstructure_fn, override
from cattrs.preconf.orjson import make_converter

from gameserver.values import value


class Type(IntEnum):
    """The number before the delimiter of a Mastermind message."""

    NEW_GAME = 0
    GUESS = 1
    ANSWER = 2
    GAME_END = 3
    RETREAT = 4
    ACCEPT = 5
    ERROR = 6


class ErrorType(IntEnum):
    """The number of an Error's kind in the Mastermind protocol."""

    PARSE = 0
    BAD_PARAMETERS = 1
    NO_ACTIVE_GAME = 2
    EVERYTHING_IS_BROKEN = 3


class AnswerType(IntEnum):
    """One place of a Mastermind answer. Answers are sorted, so the place tells nothing."""

    CORRECT_GUESS = 0
    COLOR_EXISTS_GUESS = 1
    WRONG_GUESS = 2


# From the client.


@value
class NewGame:
    """The Mastermind message `0|{"NbrColors":6,"MaxTries":12,"CodeLength":4}`: also the attributes of an Accept."""

    nbr_colors: int = field(default=0, metadata={"key": "NbrColors"})
    max_tries: int = field(default=0, metadata={"key": "MaxTries"})
    code_length: int = field(default=0, metadata={"key": "CodeLength"})


@value
class Guess:
    """The Mastermind message `1|{"Guess":[0,0,1,1]}`."""

    guess: tuple[int, ...] = field(default=(), metadata={"key": "Guess"})


@value
class Retreat:
    """The Mastermind message `4|{}`; what follows the delimiter is not looked at."""


Request = NewGame | Guess | Retreat


# To the client.


@value
class Accept:
    """The Mastermind message `5|{"Accept":true,"Attributes":{...}}`. It is never false: a refusal is an Error."""

    accept: bool = field(default=True, init=False, metadata={"key": "Accept"})
    attributes: NewGame = field(metadata={"key": "Attributes"})


@value
class Answer:
    """The Mastermind message `2|{"Answer":[0,1,2,2]}`."""

    answer: tuple[AnswerType, ...] = field(metadata={"key": "Answer"})


@value
class GameEnd:
    """The Mastermind message `3|{"Won":true,"Tries":5,"Code":[5,3,5,5]}`; after a retreat, Tries is 0."""

    won: bool = field(metadata={"key": "Won"})
    tries: int = field(metadata={"key": "Tries"})
    code: tuple[int, ...] = field(metadata={"key": "Code"})


@value
class Error:
    """The Mastermind message `6|{"Message":"No active Game","ErrorType":2}`."""

    message: str = field(metadata={"key": "Message"})
    error_type: ErrorType = field(metadata={"key": "ErrorType"})


class ParseFault(ValueError):
    """A line is no `Type|JSON` message of a Mastermind client; the text is the original author's word for it."""

    def __init__(self, message: str, error_type: ErrorType = ErrorType.PARSE) -> None:
        super().__init__(message)
        self.error_type = error_type


_TYPES: Mapping[type, Type] = {
    Accept: Type.ACCEPT,
    Answer: Type.ANSWER,
    GameEnd: Type.GAME_END,
    Error: Type.ERROR,
}
_READ: Mapping[int, tuple[type, str]] = {
    Type.NEW_GAME: (NewGame, "Cannot unmarshall the NewGameMessage"),
    Type.GUESS: (Guess, "Cannot unmarshall the GuessMessage"),
}
_NUMBER = re.compile(rb"[+-]?[0-9]{1,20}")
_INT64 = range(-(1 << 63), 1 << 63)


def read_request(line: bytes) -> Request:
    """Reads a `Type|JSON` message of a Mastermind client; raises `ParseFault` on anything else."""
    number, delimiter, body = line.partition(b"|")
    # Also where it stands in a text of the JSON: the original counts delimiters first.
    if not delimiter or b"|" in body:
        raise ParseFault("More than one delimiter in string")
    kind = _type_number(number)
    if kind == Type.RETREAT:
        return Retreat()
    if kind not in _READ:
        raise ParseFault("Unsupported command type", ErrorType.BAD_PARAMETERS)
    into, complaint = _READ[kind]
    try:
        request: Request = _request(_object_in(body), into)
    # One sentence for whatever is wrong with the JSON, as the original's author intended.
    except Exception as error:
        raise ParseFault(complaint) from error
    return request


def write(message: Accept | Answer | GameEnd | Error) -> bytes:
    """Serializes any message class of the Mastermind protocol as a `Type|JSON` line."""
    return b"%d|%s\n" % (_TYPES[type(message)], _CONVERTER.dumps(message))


def _object_in(body: bytes) -> Any:
    """Reads the JSON, whatever its unknown keys hold. Raises ValueError, or RecursionError where it nests too deep."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        # orjson refuses what RFC 8259 allows: numbers beyond a double, and half of a surrogate pair as an escape.
        return _WHATEVER.decode(body.decode())


def _refused(constant: str) -> None:
    message = f"{constant} is no JSON"
    raise ValueError(message)


def _type_number(text: bytes) -> int:
    """The type as the original reads it: a signed number, of which the last eight bits count."""
    if not _NUMBER.fullmatch(text) or int(text) not in _INT64:
        raise ParseFault("Cannot convert the message type to int")
    # Go's `byte(n)`: 256 is a NewGame.
    return int(text) & 0xFF


def _whole(value: object) -> int:
    # Go leaves a field as it is for a null: zero.
    if value is None:
        return 0
    if type(value) is not int or value not in _INT64:
        raise TypeError("a whole number was expected")
    return value


def _wholes(value: object) -> tuple[int, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise TypeError("a list of whole numbers was expected")
    return tuple(map(_whole, value))


_READERS: Mapping[Any, Callable[[object], Any]] = {int: _whole, tuple[int, ...]: _wholes}
_MEMBERS = {
    kind: [(known.metadata["key"].lower(), known.name, _READERS[known.type]) for known in fields(kind)]
    for kind, _ in _READ.values()
}
"""The key of each member of a client's message, its name here, and its reader."""


def _request(found: object, into: Any) -> Any:
    """The message in an object, whose keys may be in any case, the last one of a name counting."""
    if found is not None and not isinstance(found, dict):
        raise TypeError("an object was expected")
    # Go's decoder takes keys in any case, and the last of several.
    given = {key.lower(): item for key, item in (found or {}).items()}
    return into(**{name: read(given[key]) for key, name, read in _MEMBERS[into] if key in given})


def _make_converter() -> Any:
    converter = make_converter()
    for known in (NewGame, *_TYPES):
        names: Any = {name.name: override(rename=name.metadata["key"]) for name in fields(known)}
        unstructure: Any = make_dict_unstructure_fn(known, converter, _cattrs_include_init_false=True, **names)
        converter.register_unstructure_hook(known, unstructure)
    return converter


_CONVERTER = _make_converter()

_DIGITS_MAX = 20
"""No number of 64 bits has more; Python would refuse to read some thousands."""
_WHATEVER = json.JSONDecoder(
    parse_int=lambda digits: int(digits) if len(digits) <= _DIGITS_MAX else float("inf"), parse_constant=_refused
)
"""Reads every JSON."""
