"""The layout of the records' tables, and how those of an older version become this one's."""

import sqlite3
from collections.abc import Iterable

SCHEMA = """
CREATE TABLE IF NOT EXISTS match (
    match INTEGER PRIMARY KEY, game TEXT NOT NULL, game_version INTEGER NOT NULL, options TEXT NOT NULL,
    opened_at TEXT NOT NULL, ended_at TEXT NOT NULL,
    reason TEXT NOT NULL, reason_text TEXT NOT NULL, why TEXT NOT NULL, rated INTEGER NOT NULL DEFAULT 0,
    turn_time_ms INTEGER, opened_ms INTEGER NOT NULL DEFAULT 0,
    tournament INTEGER, round INTEGER NOT NULL DEFAULT 0, journal_row INTEGER, public_id TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE IF NOT EXISTS seat (
    match INTEGER NOT NULL REFERENCES match, seat INTEGER NOT NULL, player TEXT NOT NULL, protocol TEXT NOT NULL,
    points INTEGER NOT NULL, result TEXT NOT NULL, rating REAL, deviation REAL,
    round_trip_us INTEGER, round_trip_deviation_us INTEGER, segments_resent INTEGER, PRIMARY KEY (match, seat)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS seat_by_player ON seat (player);
CREATE TABLE IF NOT EXISTS game (
    match INTEGER NOT NULL REFERENCES match, number INTEGER NOT NULL, game TEXT NOT NULL,
    game_version INTEGER NOT NULL, options TEXT NOT NULL,
    reason TEXT NOT NULL, reason_text TEXT NOT NULL, why TEXT NOT NULL,
    points TEXT NOT NULL, winners TEXT NOT NULL, by_seat INTEGER,
    turn_began_ms INTEGER, deadline_ms INTEGER, margin_ms INTEGER, decided_ms INTEGER, read_ms INTEGER,
    stall_ms INTEGER, PRIMARY KEY (match, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS move (
    match INTEGER NOT NULL REFERENCES match, number INTEGER NOT NULL, seat INTEGER, move TEXT NOT NULL,
    by TEXT NOT NULL, at_ms INTEGER NOT NULL, think_ms INTEGER NOT NULL, game INTEGER NOT NULL DEFAULT 1,
    lag_ms INTEGER NOT NULL DEFAULT 0, stall_ms INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (match, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rating (
    game TEXT NOT NULL, player TEXT NOT NULL, rating REAL NOT NULL, deviation REAL NOT NULL, matches INTEGER NOT NULL,
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
"""

VIEWS = """
DROP VIEW IF EXISTS result;
CREATE VIEW result AS
    SELECT match, game, ended_at, seat.player, other.player AS opponent, seat.seat, seat.result,
        seat.points, other.points AS opponent_points, reason, why, rated, seat.rating, seat.deviation, tournament, round
    FROM match JOIN seat USING (match) JOIN seat AS other USING (match) WHERE other.seat <> seat.seat;
DROP VIEW IF EXISTS player_move;
CREATE VIEW player_move AS
    SELECT match, match.game, seat.player, move.number, move.move, move.by, move.at_ms, move.think_ms,
        move.lag_ms, move.stall_ms, match.turn_time_ms, match.ended_at
    FROM match JOIN move USING (match) JOIN seat USING (match, seat);
"""
"""Recreated at every start: their data is in the tables."""

NUMBER_MAX = (1 << 63) - 1
"""SQLite's: nothing has a higher one, and none may be asked for."""

MATCH = (
    "match, game, game_version, options, opened_at, ended_at, reason, reason_text, why, rated, "
    "turn_time_ms, opened_ms, tournament, round, public_id"
)
SEAT = (
    "match, seat, player, protocol, points, result, rating, deviation, "
    "round_trip_us, round_trip_deviation_us, segments_resent"
)
GAME = (
    "match, number, game, game_version, options, reason, reason_text, why, points, winners, by_seat, "
    "turn_began_ms, deadline_ms, margin_ms, decided_ms, read_ms, stall_ms"
)
MOVE = "match, number, seat, move, by, at_ms, think_ms, game, lag_ms, stall_ms"

_ADDED = (
    ("match", "rated", "INTEGER NOT NULL DEFAULT 0"),
    ("match", "turn_time_ms", "INTEGER"),
    ("match", "opened_ms", "INTEGER NOT NULL DEFAULT 0"),
    ("match", "tournament", "INTEGER"),
    ("match", "round", "INTEGER NOT NULL DEFAULT 0"),
    ("match", "journal_row", "INTEGER"),
    ("match", "public_id", "TEXT NOT NULL DEFAULT ''"),
    ("seat", "rating", "REAL"),
    ("seat", "deviation", "REAL"),
    ("seat", "round_trip_us", "INTEGER"),
    ("seat", "round_trip_deviation_us", "INTEGER"),
    ("seat", "segments_resent", "INTEGER"),
    ("move", "game", "INTEGER NOT NULL DEFAULT 1"),
    ("move", "lag_ms", "INTEGER NOT NULL DEFAULT 0"),
    ("move", "stall_ms", "INTEGER NOT NULL DEFAULT 0"),
)
"""Columns that the first version did not have, and what older rows hold in them."""


def prepare(connection: sqlite3.Connection) -> None:
    """Make the tables, or bring those of an older version up to date, within the caller's transaction."""
    execute_all(connection, SCHEMA)
    add_columns(connection, _ADDED)
    execute_all(connection, VIEWS)


def execute_all(connection: sqlite3.Connection, script: str) -> None:
    """Carry out statements within the caller's transaction, which `executescript` would commit first."""
    for statement in script.split(";"):
        connection.execute(statement)


def add_columns(connection: sqlite3.Connection, added: Iterable[tuple[str, str, str]]) -> None:
    """Bring tables of an older version up to date: `added` has table, column, and its type with a default."""
    for table, column, kind in added:
        if column not in {name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")}:
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")
