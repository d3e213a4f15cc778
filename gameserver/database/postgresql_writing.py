"""Statements that write many rows at once, and several of them as one.

INSERT INTO gameserver.T AS own (hall, ...) SELECT $1::text, * FROM unnest($2::bigint[], ...)   an array a column
WITH part_0 AS (INSERT ...), part_1 AS (INSERT ...) INSERT ...                                  several tables

The arrays are in PostgreSQL's binary format. psycopg would write lists value by value in Python: 15 rows of the journal
take 217 us of processor time that way, and 83 us this way. COPY takes another round trip, and is no quicker below
1,000 rows.

The format: the number of dimensions, 1 if there is a NULL, the type of the elements; for each dimension its length and
first index; then each element after its length, where -1 is a NULL (`array_recv` in PostgreSQL's arrayfuncs.c).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from struct import Struct, pack
from typing import Any, NamedTuple

_HEAD = Struct(">5i")
_LENGTH = Struct(">i").pack
_NULL = _LENGTH(-1)
_INTEGER = Struct(">iq").pack
_NUMBER = Struct(">id").pack


_NO_CHARACTER_0 = "\N{REPLACEMENT CHARACTER}"
"""PostgreSQL's text has no character 0. SQLite's has; the journal's rows keep it, as they are bytes."""


def storable(value: Any) -> Any:
    """The value as PostgreSQL can keep it, and look for it: its text has no character 0."""
    return value.replace("\0", _NO_CHARACTER_0) if isinstance(value, str) else value


class _Integers(bytes):
    """A `bigint[]`."""


class _Numbers(bytes):
    """A `double precision[]`."""


class _Texts(bytes):
    """A `text[]`."""


class _Blobs(bytes):
    """A `bytea[]`."""


Array = _Integers | _Numbers | _Texts | _Blobs
ARRAY_OIDS: dict[type[Array], int] = {_Integers: 1016, _Numbers: 1022, _Texts: 1009, _Blobs: 1001}
"""The types of the arrays in PostgreSQL's catalog, where they never change."""


def integers(values: Sequence[int | None]) -> _Integers:
    """Packs a column of integers as a `bigint[]` in PostgreSQL's binary format."""
    # 20 is int8 in pg_type; below, 701 is float8, 25 text and 17 bytea. They never change.
    head = _head(values, 20)
    if None in values:
        return _Integers(head + b"".join([_NULL if one is None else _INTEGER(8, one) for one in values]))
    # A column without NULLs, as most are, is packed by one call.
    count = len(values)
    flat: list[Any] = [8] * (2 * count)
    flat[1::2] = values
    return _Integers(head + pack(">" + "iq" * count, *flat))


def numbers(values: Sequence[float | None]) -> _Numbers:
    """Packs a column of numbers as a `double precision[]` in PostgreSQL's binary format."""
    return _Numbers(_head(values, 701) + b"".join([_NULL if one is None else _NUMBER(8, one) for one in values]))


def texts(values: Sequence[str | None]) -> _Texts:
    """Packs a column of texts as a `text[]` in PostgreSQL's binary format."""
    encoded = [None if one is None else storable(one).encode() for one in values]
    return _Texts(_head(values, 25) + _elements(encoded))


def _blobs(values: Sequence[bytes | None]) -> _Blobs:
    """A column of `bytea[]`."""
    return _Blobs(_head(values, 17) + _elements(values))


_PACKERS: dict[str, Callable[[Any], Array]] = {
    "bigint": integers,
    "double precision": numbers,
    "text": texts,
    "bytea": _blobs,
}
"""By the type of a column."""


def _head(values: Sequence[object], element_oid: int) -> bytes:
    return _HEAD.pack(1, None in values, element_oid, len(values), 1)


def _elements(values: Sequence[bytes | None]) -> bytes:
    return b"".join([_NULL if one is None else _LENGTH(len(one)) + one for one in values])


class Statement(NamedTuple):
    """A statement that writes many rows to PostgreSQL, with its packed columns, ready to be sent."""

    table: str
    text: bytes
    values: list[Any]


@cache
def joined(statements: tuple[tuple[bytes, int], ...]) -> bytes:
    """Joins several writing statements into one for PostgreSQL, given with the numbers of their values.

    The last one gives the answer.
    """
    first = 0
    shifted = []
    for text, values in statements:
        shifted.append(re.sub(rb"\$(\d+)", partial(_shifted, first), text))
        first += values
    *others, last = shifted
    parts = b", ".join(b"part_%d AS (%s)" % (number, text) for number, text in enumerate(others))
    return b"WITH %s %s" % (parts, last) if parts else last


def _shifted(by: int, place: re.Match[bytes]) -> bytes:
    return b"$%d" % (int(place[1]) + by)


Insertion = Callable[[Sequence[Sequence[Any]], str], Statement]
"""Makes the statement that writes these rows of a hall."""


def insertion_into(
    table: str,
    columns: str,
    kinds: Mapping[str, str],
    key: Sequence[str],
    update: Sequence[str],
    add: Sequence[str],
    *,
    returning: str,
) -> Insertion:
    """Prepares the statement that writes many rows of these columns to a PostgreSQL table.

    The `kinds` are the types of its columns.
    """
    has_hall = "hall" in kinds
    halls, hall = ("hall, ", "$1::text, ") if has_hall else ("", "")
    names = columns.split(", ")
    arrays = ", ".join(f"${number}::{kinds[name]}[]" for number, name in enumerate(names, start=2 if has_hall else 1))
    statement = f"INSERT INTO gameserver.{table} AS own ({halls}{columns}) SELECT {hall}* FROM unnest({arrays})"  # noqa: S608
    changes = [f"{name} = excluded.{name}" for name in update]
    changes += [f"{name} = own.{name} + excluded.{name}" for name in add]
    if changes:
        statement += f" ON CONFLICT ({halls}{', '.join(key)}) DO UPDATE SET {', '.join(changes)}"
    elif key:
        statement += " ON CONFLICT DO NOTHING"
    if returning:
        statement += f" RETURNING {returning}"
    text, packers = statement.encode(), [_PACKERS[kinds[name]] for name in names]

    def insertion(rows: Sequence[Sequence[Any]], hall: str) -> Statement:
        values: list[Any] = [hall] if has_hall else []
        values += [pack(column) for pack, column in zip(packers, zip(*rows, strict=True), strict=True)]
        return Statement(table, text, values)

    return insertion
