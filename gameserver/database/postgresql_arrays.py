"""Columns of values as PostgreSQL's arrays in its binary format: many rows are one statement with one array a column.

psycopg would write lists value by value in Python: 15 rows of the journal take 217 us of processor time that way, and
83 us this way. COPY takes another round trip, and is no quicker below 1,000 rows.

The format: the number of dimensions, 1 if there is a NULL, the type of the elements; for each dimension its length and
first index; then each element after its length, where -1 is a NULL (`array_recv` in PostgreSQL's arrayfuncs.c).
"""

from collections.abc import Callable, Sequence
from struct import Struct, pack
from typing import Any

_HEAD = Struct(">5i")
_LENGTH = Struct(">i").pack
_NULL = _LENGTH(-1)
_INTEGER = Struct(">iq").pack
_NUMBER = Struct(">id").pack


NO_CHARACTER_0 = "\N{REPLACEMENT CHARACTER}"
"""PostgreSQL's text has no character 0. SQLite's has; the journal's rows keep it, as they are bytes."""


def storable(value: Any) -> Any:
    """A value as PostgreSQL can keep it, and look for it."""
    return value.replace("\0", NO_CHARACTER_0) if isinstance(value, str) else value


class Integers(bytes):
    """A `bigint[]`."""


class Numbers(bytes):
    """A `double precision[]`."""


class Texts(bytes):
    """A `text[]`."""


class Blobs(bytes):
    """A `bytea[]`."""


Array = Integers | Numbers | Texts | Blobs
ARRAY_OIDS: dict[type[Array], int] = {Integers: 1016, Numbers: 1022, Texts: 1009, Blobs: 1001}
"""The types of the arrays in PostgreSQL's catalog, where they never change."""


def integers(values: Sequence[int | None]) -> Integers:
    """A column of `bigint[]`."""
    head = _head(values, 20)
    if None in values:
        return Integers(head + b"".join([_NULL if one is None else _INTEGER(8, one) for one in values]))
    count = len(values)
    flat: list[Any] = [8] * (2 * count)
    flat[1::2] = values
    return Integers(head + pack(">" + "iq" * count, *flat))


def numbers(values: Sequence[float | None]) -> Numbers:
    """A column of `double precision[]`."""
    return Numbers(_head(values, 701) + b"".join([_NULL if one is None else _NUMBER(8, one) for one in values]))


def texts(values: Sequence[str | None]) -> Texts:
    """A column of `text[]`."""
    encoded = [None if one is None else storable(one).encode() for one in values]
    return Texts(_head(values, 25) + _elements(encoded))


def blobs(values: Sequence[bytes | None]) -> Blobs:
    """A column of `bytea[]`."""
    return Blobs(_head(values, 17) + _elements(values))


PACKERS: dict[str, Callable[[Any], Array]] = {
    "bigint": integers,
    "double precision": numbers,
    "text": texts,
    "bytea": blobs,
}
"""By the type of a column."""


def _head(values: Sequence[object], element_oid: int) -> bytes:
    return _HEAD.pack(1, None in values, element_oid, len(values), 1)


def _elements(values: Sequence[bytes | None]) -> bytes:
    return b"".join([_NULL if one is None else _LENGTH(len(one)) + one for one in values])
