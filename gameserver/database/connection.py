"""The interface to a database, as far as the records' queries need one: what differs is a method, the rest is SQL.

SQL that both databases understand is written once, beside what it reads. Its placeholders are `?`, or `?1` for a value
that is used twice, and conditions that may be missing are left out, because PostgreSQL has to know the type of each
value: it refuses `?1 IS NULL`. A true or false column is an integer of 0 or 1.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from gameserver.values import value

# SQLite's INTEGER and PostgreSQL's bigint; a greater number is an error of either driver, not a missing row.
NUMBER_MAX = (1 << 63) - 1
"""The highest integer that a column holds: nothing has a higher number, and none may be asked for."""

# The columns of the records' tables, in the order in which they are written and read back.
MATCH = (
    "match, game, game_version, options, opened_at, ended_at, reason, reason_text, why, rated, "
    "clock, opened_ms, tournament, round, public_id, "
    "seed_commitment, chance_key, commitment, key, contributions, seat_lots, seats_by"
)
SEAT = (
    "match, seat, player, protocol, points, result, rating, deviation, "
    "round_trip_us, round_trip_deviation_us, segments_resent"
)
GAME = (
    "match, number, game, game_version, options, reason, reason_text, why, points, winners, by_seat, "
    "turn_began_ms, deadline_ms, margin_ms, decided_ms, read_ms, stall_ms, is_bank"
)
MOVE = "match, number, seat, move, by, at_ms, think_ms, game, lag_ms, stall_ms, sides, lot, bank_ms"
EPOCH = "commitment, number, first_match, last_match, begun_at, seed, told_at"
RATING = "game, player, rating, deviation, matches"


def chosen_by(*conditions: tuple[str, object]) -> tuple[str, tuple[object, ...]]:
    """A query's condition on any database connection, and its values: all have to hold, but for those that are None."""
    given = [(condition, value) for condition, value in conditions if value is not None]
    return " AND ".join(condition for condition, _ in given) or "TRUE", tuple(value for _, value in given)


@value
class Table:
    """A table of any of our databases with its columns and those of them that are its key."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]


class DatabaseError(Exception):
    """The database, of whichever kind, cannot be used; one line says why."""


class DatabaseAway(DatabaseError):
    """The database, of whichever kind, cannot be used now. Trying again may help."""


class NoTables(DatabaseError):
    """The database has no tables: no server has been started on it, so nothing can be read there."""


class QueryRows(Protocol):
    """The answer to a query over a connection to either database, read once."""

    @property
    def rowcount(self) -> int:
        """The number of rows that a statement wrote over a connection."""

    def __iter__(self) -> Iterator[Any]: ...

    def fetchone(self) -> Any:
        """The next row of a query's answer; None after the last."""

    def fetchall(self) -> list[Any]:
        """The rows that are left of a query's answer."""


class DatabaseConnection(Protocol):
    """The interface of a connection to either database, within the caller's transaction if there is one.

    Used by one thread at a time.

    Columns are given as in SQL: `"match, seat, player"`.
    """

    def execute(self, query: str, values: Sequence[Any] = (), /) -> QueryRows:
        """Carry out one statement of SQL over a connection to either database."""

    def insert(
        self,
        table: str,
        columns: str,
        rows: Sequence[Sequence[Any]],
        *,
        key: tuple[str, ...] = (),
        update: tuple[str, ...] = (),
        add: tuple[str, ...] = (),
    ) -> int:
        """Write rows over a connection to either database, in their order, and give the number that was written.

        Without a key, a row that is there already is an error. With the `key` of the table it stands as it is, except
        that the columns `update` are set to the new values, and those of `add` are raised by them. If several new rows
        have the same key, the last of them stands; with `add` there may be only one of each.
        """

    def insert_new(self, table: str, columns: str, rows: Sequence[Sequence[Any]]) -> set[Any]:
        """Write those rows that a table of either database has not yet.

        Gives the values of their first column, which is the key.
        """

    def json_field(self, column: str, name: str) -> str:
        """SQL, in the connection's dialect, for a field of the JSON object in a column.

        The field is text: `true`, `rounds`, `3`; NULL if it is missing.
        """
