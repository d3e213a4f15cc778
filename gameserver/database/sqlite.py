"""SQLite, as far as it differs: opens files, writes many rows, and lays out the records' tables.

The connection is the module's own with a few methods more, so a query takes not one call longer.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any

from gameserver.database.connection import DatabaseError, Table

# Without it, SQLite's module looks for an adapter in vain for each NULL, which takes longer than to insert it.
sqlite3.register_adapter(NoneType, lambda _: None)


class SqliteConnection(sqlite3.Connection):
    """A `Connection` by Python's SQLite module, to a file or to a database in memory."""

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
        """Write rows to SQLite, in their order."""
        if not rows:
            return 0
        return self.executemany(_insertion(table, columns, key, update, add), rows).rowcount

    def insert_new(self, table: str, columns: str, rows: Sequence[Sequence[Any]]) -> set[Any]:
        """Write those rows to SQLite that are not there yet."""
        insertion = _insertion(table, columns, (columns.partition(",")[0],), (), ())
        return {row[0] for row in rows if self.execute(insertion, row).rowcount}

    def json_field(self, column: str, name: str) -> str:
        """SQL of SQLite for a field of a JSON object, as text.

        SQLite reads `true` and `false` as 1 and 0, but for their type.
        """
        kind, field = f"json_type({column}, '$.{name}')", f"json_extract({column}, '$.{name}')"
        return f"CASE WHEN {kind} IN ('true', 'false') THEN {kind} ELSE CAST({field} AS TEXT) END"


def connect(database: str | Path, **options: Any) -> SqliteConnection:
    """Open a connection as `sqlite3.connect` does, of our class."""
    connection: SqliteConnection = sqlite3.connect(database, factory=SqliteConnection, **options)
    return connection


@contextmanager
def read_only(path: Path) -> Iterator[SqliteConnection]:
    """Open an SQLite data file to be read only, since a server may be writing to it. Raises `DatabaseError`."""
    try:
        # By a plain path SQLite would make a file where there is none, and could write to it.
        with closing(connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)) as connection:
            yield connection
    except sqlite3.Error as error:
        hint = ""
        if "no such" in str(error):
            hint = "; is it the data file of a server?"
        raise DatabaseError(f"{path} cannot be read: {error}{hint}") from error


@cache
def _insertion(table: str, columns: str, key: tuple[str, ...], update: tuple[str, ...], add: tuple[str, ...]) -> str:
    places = ", ".join("?" * (columns.count(",") + 1))
    insertion = f"INSERT INTO {table} ({columns}) VALUES ({places})"  # noqa: S608 - our own names
    changes = [f"{name} = excluded.{name}" for name in update]
    changes += [f"{name} = {table}.{name} + excluded.{name}" for name in add]
    if changes:
        return f"{insertion} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {', '.join(changes)}"
    return f"{insertion} ON CONFLICT DO NOTHING" if key else insertion


def prepare(connection: sqlite3.Connection) -> None:
    """Make the journal's and the records' tables in SQLite, within the caller's transaction."""
    for script in (_JOURNAL, _MATCHES, _TOURNAMENTS, _ATTENDANCE, _EPOCHS, _RESTARTS, _LADDERS):
        _execute_all(connection, script)
    _execute_all(connection, _VIEWS)


def layout() -> tuple[Table, ...]:
    """The tables that SQLite has in a data file; every other database of ours has the same."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        prepare(connection)
        return _tables_in(connection)


def _execute_all(connection: sqlite3.Connection, script: str) -> None:
    """Carry out statements within the caller's transaction, which `executescript` would commit first."""
    # None of our statements contains a semicolon.
    for statement in script.split(";"):
        connection.execute(statement)


def _tables_in(connection: sqlite3.Connection) -> tuple[Table, ...]:
    """The tables of a database, in the order in which they were made."""
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid").fetchall()
    return tuple(_table(connection, name) for (name,) in names)


def _table(connection: sqlite3.Connection, name: str) -> Table:
    columns = connection.execute(f"PRAGMA table_info({name})").fetchall()
    in_key = sorted((place, column) for _, column, *_, place in columns if place)
    return Table(name, tuple(column for _, column, *_ in columns), tuple(column for _, column in in_key))


# STRICT (sqlite.org/stricttables.html) refuses a value of another type, as PostgreSQL does by itself.
_JOURNAL = """
CREATE TABLE IF NOT EXISTS journal (
    seq INTEGER PRIMARY KEY, now_ms INTEGER NOT NULL, stamp_ms INTEGER NOT NULL, wall_ms INTEGER NOT NULL,
    tag TEXT NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL, crc INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS snapshot (
    one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, now_ms INTEGER NOT NULL,
    version INTEGER NOT NULL, body BLOB NOT NULL, crc INTEGER NOT NULL
) STRICT;
"""

_MATCHES = """
CREATE TABLE IF NOT EXISTS match (
    match INTEGER PRIMARY KEY, game TEXT NOT NULL, game_version INTEGER NOT NULL, options TEXT NOT NULL,
    opened_at TEXT NOT NULL, ended_at TEXT NOT NULL,
    reason TEXT NOT NULL, reason_text TEXT NOT NULL, why TEXT NOT NULL, rated INTEGER NOT NULL DEFAULT 0,
    clock TEXT NOT NULL DEFAULT 'none', opened_ms INTEGER NOT NULL DEFAULT 0,
    tournament INTEGER, round INTEGER NOT NULL DEFAULT 0, journal_row INTEGER NOT NULL,
    public_id TEXT NOT NULL DEFAULT '', seed_commitment TEXT NOT NULL DEFAULT '', chance_key TEXT NOT NULL DEFAULT '',
    commitment TEXT NOT NULL DEFAULT '', key TEXT NOT NULL DEFAULT '', contributions TEXT NOT NULL DEFAULT '[]',
    seat_lots TEXT NOT NULL DEFAULT '[]', seats_by TEXT NOT NULL DEFAULT ''
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
    stall_ms INTEGER, is_bank INTEGER, PRIMARY KEY (match, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS move (
    match INTEGER NOT NULL REFERENCES match, number INTEGER NOT NULL, seat INTEGER, move TEXT NOT NULL,
    by TEXT NOT NULL, at_ms INTEGER NOT NULL, think_ms INTEGER NOT NULL, game INTEGER NOT NULL DEFAULT 1,
    lag_ms INTEGER NOT NULL DEFAULT 0, stall_ms INTEGER NOT NULL DEFAULT 0, sides INTEGER, lot INTEGER,
    bank_ms INTEGER, PRIMARY KEY (match, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rating (
    game TEXT NOT NULL, player TEXT NOT NULL, rating REAL NOT NULL, deviation REAL NOT NULL, matches INTEGER NOT NULL,
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
"""

_TOURNAMENTS = """
CREATE TABLE IF NOT EXISTS tournament (
    tournament INTEGER PRIMARY KEY, name TEXT NOT NULL, game TEXT NOT NULL, format TEXT NOT NULL, phase TEXT NOT NULL,
    round INTEGER NOT NULL, plan TEXT NOT NULL, created_at TEXT NOT NULL, started_at TEXT, ended_at TEXT,
    seed TEXT NOT NULL DEFAULT '', rounds INTEGER NOT NULL DEFAULT 0, entry TEXT NOT NULL DEFAULT 'logged-in',
    left_ms INTEGER NOT NULL DEFAULT 0, commitment TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE IF NOT EXISTS entrant (
    tournament INTEGER NOT NULL REFERENCES tournament, player TEXT NOT NULL, number INTEGER NOT NULL,
    rating INTEGER NOT NULL, house INTEGER NOT NULL, status TEXT NOT NULL,
    from_round INTEGER NOT NULL DEFAULT 1, place INTEGER NOT NULL DEFAULT 0, team TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (tournament, player)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS entrant_by_player ON entrant (player);
CREATE TABLE IF NOT EXISTS pairing (
    tournament INTEGER NOT NULL REFERENCES tournament, pairing INTEGER NOT NULL, round INTEGER NOT NULL,
    board INTEGER NOT NULL, game INTEGER NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL, status TEXT NOT NULL,
    match INTEGER, verdict TEXT, played INTEGER NOT NULL, reason TEXT NOT NULL,
    first_points INTEGER NOT NULL, second_points INTEGER NOT NULL,
    meeting INTEGER NOT NULL DEFAULT 1, chance TEXT NOT NULL DEFAULT '', walkover INTEGER NOT NULL DEFAULT 0,
    absent TEXT NOT NULL DEFAULT '[]', side_by_side INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (tournament, pairing)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bye (
    tournament INTEGER NOT NULL REFERENCES tournament, round INTEGER NOT NULL, player TEXT NOT NULL,
    PRIMARY KEY (tournament, round, player)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS stage (
    tournament INTEGER NOT NULL REFERENCES tournament, stage INTEGER NOT NULL, after_round INTEGER NOT NULL,
    last_round INTEGER, players TEXT NOT NULL, PRIMARY KEY (tournament, stage)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ruling (
    tournament INTEGER NOT NULL REFERENCES tournament, number INTEGER NOT NULL, what TEXT NOT NULL,
    by TEXT NOT NULL, why TEXT NOT NULL, pairing INTEGER, player TEXT NOT NULL, PRIMARY KEY (tournament, number)
) STRICT, WITHOUT ROWID;
"""

_ATTENDANCE = """
CREATE TABLE IF NOT EXISTS attendance (
    number INTEGER PRIMARY KEY, tournament INTEGER NOT NULL, at TEXT NOT NULL,
    at_ms INTEGER NOT NULL, what TEXT NOT NULL, pairing INTEGER, player TEXT NOT NULL, why TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS attendance_by_player ON attendance (player);
"""
_EPOCHS = """
CREATE TABLE IF NOT EXISTS epoch (
    commitment TEXT PRIMARY KEY, number INTEGER NOT NULL, first_match INTEGER NOT NULL, last_match INTEGER,
    begun_at TEXT NOT NULL, seed TEXT NOT NULL, told_at TEXT
) STRICT;
"""
_RESTARTS = """
CREATE TABLE IF NOT EXISTS restart (
    boot INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, last_decision_at TEXT NOT NULL, up_at TEXT NOT NULL
) STRICT;
"""

_LADDERS = """
CREATE INDEX IF NOT EXISTS ladder_match_by_end ON match (game, ended_at) WHERE seats_by = 'ladder';
CREATE TABLE IF NOT EXISTS ranking (
    game TEXT NOT NULL, night TEXT NOT NULL, place INTEGER NOT NULL, player TEXT NOT NULL, rating REAL NOT NULL,
    deviation REAL NOT NULL, matches INTEGER NOT NULL, PRIMARY KEY (game, night, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pruned_match (
    match INTEGER PRIMARY KEY REFERENCES match, moves INTEGER NOT NULL, pruned_at TEXT NOT NULL
) STRICT;
"""

# Dropped first: SQLite has no CREATE OR REPLACE VIEW.
_VIEWS = """
DROP VIEW IF EXISTS result;
CREATE VIEW result AS
    SELECT match, game, ended_at, seat.player, other.player AS opponent, seat.seat, seat.result,
        seat.points, other.points AS opponent_points, reason, why, rated, seat.rating, seat.deviation, tournament, round
    FROM match JOIN seat USING (match) JOIN seat AS other USING (match) WHERE other.seat <> seat.seat;
DROP VIEW IF EXISTS player_move;
CREATE VIEW player_move AS
    SELECT match, match.game, seat.player, move.number, move.move, move.by, move.at_ms, move.think_ms,
        move.lag_ms, move.stall_ms, move.bank_ms, match.clock, match.ended_at
    FROM match JOIN move USING (match) JOIN seat USING (match, seat);
DROP VIEW IF EXISTS pair_of_games;
CREATE VIEW pair_of_games AS
    SELECT one.tournament, one.first, one.second, one.pairing, one.match, other.pairing AS other_pairing,
        other.match AS other_match, one.chance = other.chance AS same_dice,
        one.side_by_side AND other.side_by_side AS side_by_side
    FROM pairing AS one JOIN pairing AS other ON other.tournament = one.tournament
        AND other.meeting = one.meeting + 1 AND one.meeting % 2 = 1 AND other.status = 'done'
        AND (other.first = one.second AND other.second = one.first
            OR other.first = one.first AND other.second = one.second)
    WHERE one.status = 'done' AND one.chance <> '';
"""
"""Recreated at every start: their data is in the tables.

`pair_of_games` has a row for each two games that make a pair, one in each seat order, and their conditions.
"""
