"""The records as SQLite tables that a teacher can open: `match`, `seat`, `move` and `rating`.

They lie in the same file as the journal, because a match is recorded in the very transaction that
makes its end durable.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gameserver.records.model import MatchRecord, MoveRecord, RatingRecord, SeatRecord, SeatResult

SCHEMA = """
CREATE TABLE IF NOT EXISTS match (
    match INTEGER PRIMARY KEY, game TEXT NOT NULL, game_version INTEGER NOT NULL, options TEXT NOT NULL,
    opened_at TEXT NOT NULL, ended_at TEXT NOT NULL,
    reason TEXT NOT NULL, reason_text TEXT NOT NULL, why TEXT NOT NULL, rated INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE IF NOT EXISTS seat (
    match INTEGER NOT NULL REFERENCES match, seat INTEGER NOT NULL, player TEXT NOT NULL, protocol TEXT NOT NULL,
    points INTEGER NOT NULL, result TEXT NOT NULL, rating REAL, deviation REAL, PRIMARY KEY (match, seat)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS seat_by_player ON seat (player);
CREATE TABLE IF NOT EXISTS move (
    match INTEGER NOT NULL REFERENCES match, number INTEGER NOT NULL, seat INTEGER, move TEXT NOT NULL,
    by TEXT NOT NULL, at_ms INTEGER NOT NULL, think_ms INTEGER NOT NULL, game INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (match, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rating (
    game TEXT NOT NULL, player TEXT NOT NULL, rating REAL NOT NULL, deviation REAL NOT NULL, matches INTEGER NOT NULL,
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
"""

_ADDED = (
    ("match", "rated", "INTEGER NOT NULL DEFAULT 0"),
    ("seat", "rating", "REAL"),
    ("seat", "deviation", "REAL"),
    ("move", "game", "INTEGER NOT NULL DEFAULT 1"),
)
"""Columns that the first version did not have, and what older rows hold in them."""

_MATCH = "match, game, game_version, options, opened_at, ended_at, reason, reason_text, why, rated"
_SEAT = "match, seat, player, protocol, points, result, rating, deviation"
_MOVE = "match, number, seat, move, by, at_ms, think_ms, game"


def prepare(connection: sqlite3.Connection) -> None:
    """Make the tables, or bring those of an older version up to date."""
    connection.executescript(SCHEMA)
    for table, column, kind in _ADDED:
        if column not in {name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")}:
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")


def insert(connection: sqlite3.Connection, records: Sequence[MatchRecord]) -> None:
    """Write records, within the caller's transaction. One that is there already stands: it is a fact."""
    _rate(connection, [one for one in records if one.rated and not has(connection, one.match)])
    _insert(connection, "match", _MATCH, map(_match_row, records))
    _insert(connection, "seat", _SEAT, (_seat_row(one.match, seat) for one in records for seat in one.seats))
    _insert(connection, "move", _MOVE, (_move_row(one.match, move) for one in records for move in one.moves))


def _insert(connection: sqlite3.Connection, table: str, columns: str, rows: Iterable[tuple[object, ...]]) -> None:
    places = ", ".join("?" * (columns.count(",") + 1))
    connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places}) ON CONFLICT DO NOTHING", rows)


def _rate(connection: sqlite3.Connection, records: Iterable[MatchRecord]) -> None:
    """Keep the latest rating of each player."""
    connection.executemany(
        "INSERT INTO rating (game, player, rating, deviation, matches) VALUES (?, ?, ?, ?, 1) "
        "ON CONFLICT (game, player) "
        "DO UPDATE SET rating = excluded.rating, deviation = excluded.deviation, matches = matches + 1",
        [(one.game, seat.player, seat.rating, seat.deviation) for one in records for seat in one.seats],
    )


def _match_row(one: MatchRecord) -> tuple[object, ...]:
    head = (one.match, one.game, one.game_version, one.options, one.opened_at, one.ended_at)
    return (*head, one.reason, one.reason_text, one.why, int(one.rated))


def _seat_row(match: int, seat: SeatRecord) -> tuple[object, ...]:
    part = (match, seat.seat, seat.player, seat.protocol, seat.points, seat.result.value)
    return (*part, seat.rating, seat.deviation)


def _move_row(match: int, move: MoveRecord) -> tuple[object, ...]:
    return (match, move.number, move.seat, move.move, move.by, move.at_ms, move.think_ms, move.game)


def read(connection: sqlite3.Connection) -> Iterator[MatchRecord]:
    """Every record, in the order of match numbers."""
    for *head, rated in connection.execute(f"SELECT {_MATCH} FROM match ORDER BY match").fetchall():
        seats = connection.execute(f"SELECT {_SEAT} FROM seat WHERE match = ? ORDER BY seat", head[:1])
        moves = connection.execute(f"SELECT {_MOVE} FROM move WHERE match = ? ORDER BY number", head[:1])
        parts: tuple[Any, ...] = (tuple(map(_seat_record, seats)), tuple(MoveRecord(*row) for _, *row in moves))
        yield MatchRecord(*(*head, *parts, bool(rated)))


def _seat_record(row: Sequence[Any]) -> SeatRecord:
    _, seat, player, protocol, points, result, rating, deviation = row
    return SeatRecord(seat, player, protocol, points, SeatResult(result), rating, deviation)


def read_ratings(connection: sqlite3.Connection) -> list[RatingRecord]:
    """Everybody's latest rating in every game."""
    columns = "game, player, rating, deviation, matches"
    return [RatingRecord(*row) for row in connection.execute(f"SELECT {columns} FROM rating")]


def has(connection: sqlite3.Connection, match: int) -> bool:
    """Whether a match is on record."""
    return connection.execute("SELECT 1 FROM match WHERE match = ?", (match,)).fetchone() is not None


def last_match(connection: sqlite3.Connection) -> int:
    """The highest match number on record; 0 if there is none."""
    (number,) = connection.execute("SELECT coalesce(max(match), 0) FROM match").fetchone()
    return int(number)
