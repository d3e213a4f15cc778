"""Statements that write many rows at once, and several of them as one.

INSERT INTO gameserver.T AS own (hall, ...) SELECT $1::text, * FROM unnest($2::bigint[], ...)   an array a column
WITH part_0 AS (INSERT ...), part_1 AS (INSERT ...) INSERT ...                                  several tables
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from gameserver.database.postgresql_arrays import PACKERS, Array


class Statement(NamedTuple):
    """A statement that changes a table, ready to be sent."""

    table: str
    text: bytes
    values: list[Any]


@cache
def joined(statements: tuple[tuple[bytes, int], ...]) -> bytes:
    """Several statements as one, given with the numbers of their values. The last one gives the answer."""
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


class Insertion(NamedTuple):
    """The way in which rows get into a table."""

    table: str
    text: bytes
    packers: list[Callable[[Any], Array]]
    has_hall: bool

    def of(self, rows: Sequence[Sequence[Any]], hall: str) -> Statement:
        """The statement that writes these rows of a hall."""
        values: list[Any] = [hall] if self.has_hall else []
        values += [pack(column) for pack, column in zip(self.packers, zip(*rows, strict=True), strict=True)]
        return Statement(self.table, self.text, values)


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
    """The way in which rows of these columns get into a table; `kinds` are the types of its columns."""
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
    return Insertion(table, statement.encode(), [PACKERS[kinds[name]] for name in names], has_hall)
