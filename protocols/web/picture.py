"""A board's picture, and the look of its sides, in terms of JSON.

Each value of `gameserver.drawing` becomes an object of its attributes under their own names, without those that have
their default: a shape that a game's author may draw is one that a client may be sent. A shape's `kind` is its class in
lower case. What the answer to a touch is worked out of is always there, if only as null.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache, lru_cache
from typing import Any

import attrs
import orjson

from gameserver.drawing import Code, Picture, Shape, Side

DECIMALS = 2
"""Digits after the point of a coordinate, whose unit is about a pixel."""


SHAPES_KEPT = 8_192
"""Shapes whose JSON is kept: most of a picture's are the same at every move, and in every match of the game."""


def picture_json(picture: Picture) -> bytes:
    """The picture, its shapes in the order in which they are drawn."""
    content = _object(picture)
    content.setdefault("touches", [])
    content.setdefault("buttons", None)
    code = picture.code
    content["code"] = None if code is None else _code(code)
    return orjson.dumps(content)[:-1] + b',"shapes":[' + b",".join(map(_shape_json, picture.shapes)) + b"]}"


@lru_cache(maxsize=SHAPES_KEPT)
def _shape_json(shape: Shape) -> bytes:
    return orjson.dumps({"kind": type(shape).__name__.lower(), **_object(shape)})


def _code(code: Code) -> Mapping[str, Any]:
    """The row of values to be chosen, with its defaults: a client composes the move of them."""
    return {
        "places": code.places,
        "values": [_object(one) for one in code.values],
        "separator": code.separator,
        "purpose": code.purpose,
    }


def side_json(side: Side) -> Mapping[str, Any]:
    """The look of a seat."""
    return _object(side)


def _object(drawn: attrs.AttrsInstance) -> dict[str, Any]:
    content = {}
    for name, default in _fields_of(drawn.__class__):
        found = getattr(drawn, name)
        if found is not None and found != default:
            content[name] = _json(found)
    return content


def _json(found: Any) -> Any:
    kind = type(found)
    if kind is float:
        rounded = round(found, DECIMALS)
        return int(rounded) if rounded.is_integer() else rounded
    if kind is str or kind is int or kind is bool:
        return found
    if isinstance(found, Enum):
        return found.value
    if attrs.has(kind):
        return _object(found)
    if isinstance(found, Sequence):
        return [_json(one) for one in found]
    raise TypeError(f"a picture has no {kind.__name__}")


@cache
def _fields_of(kind: type[attrs.AttrsInstance]) -> tuple[tuple[str, Any], ...]:
    """The names of a class's attributes, each with its default."""
    return tuple((known.name, known.default) for known in attrs.fields(kind) if known.name != "shapes")
