"""The body of a request: JSON to one of the document's requests, as strictly as ASP.NET Core reads it.

Names are read in any case, GUIDs with their hyphens, enums as numbers alone; absent members have
their defaults. What cannot be read is told member by member.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import attrs
import orjson

from protocols.gammonx.guids import read_guid
from protocols.gammonx.schema import CONVERTER

RequestT = TypeVar("RequestT")

Errors = Mapping[str, list[str]]


class BadBody(Exception):
    """The body is not the request; `errors` says of each member what is wrong with it."""

    def __init__(self, errors: Errors) -> None:
        super().__init__("One or more validation errors occurred.")
        self.errors = errors


def read_body(body: bytes, kind: type[RequestT]) -> RequestT:
    """The request. Raises `BadBody`."""
    members = _members(body)
    given: dict[str, Any] = {}
    errors: dict[str, list[str]] = {}
    for field in attrs.fields(kind):  # type: ignore[arg-type]  # a class of the schema
        name = _pascal_case(field.name)
        if name.lower() not in members:
            continue
        read, what = _READERS[field.type]
        value = read(members[name.lower()])
        if value is None:
            errors[f"$.{name}"] = [f"The JSON value could not be converted to {what}."]
        given[field.name] = value
    if errors:
        raise BadBody({"req": ["The req field is required."], **errors})
    return kind(**given)


def _members(body: bytes) -> dict[str, Any]:
    if not body.strip():
        raise BadBody({"": ["A non-empty request body is required."], "req": ["The req field is required."]})
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadBody({"$": [f"The body is not JSON: {error}."], "req": ["The req field is required."]}) from error
    if not isinstance(found, dict):
        raise BadBody({"$": ["The JSON value must be an object."], "req": ["The req field is required."]})
    return {name.lower(): value for name, value in found.items()}


def _pascal_case(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _read_number(value: object) -> int | None:
    return value if type(value) is int and -(1 << 31) <= value < 1 << 31 else None


_READERS: Mapping[Any, tuple[Callable[[object], Any], str]] = {
    str: (read_guid, "a GUID such as fdd907ca-794a-43f4-83e6-cadfabc57c45"),
    int: (_read_number, "a number; enums are written as numbers, not as names"),
}
"""Readers of each type's values, with the type's name for refusals."""


def write_body(payload: Any) -> bytes:
    """A response's body."""
    written: bytes = CONVERTER.dumps(payload)
    return written
