"""The records as SQLite tables that a teacher can open: `match`, `seat` and `move`.

They lie in the same file as the journal, because a match is recorded in the very transaction that
makes its end durable.
"""

import sqlite3
from collections.abc import Iterable, Iterator

from gameserver.records.model import MatchRecord, MoveRecord, SeatRecord, SeatResult

SCHEMA = """
CREATE TABLE IF NOT EXISTS match (
    match INTEGER PRIMARY KEY, game TEXT NOT NULL, game_version INTEGER NOT NULL, options TEXT NOT NULL,
    opened_at TEXT NOT NULL, ended_at TEXT NOT NULL,
    reason TEXT NOT NULL, reason_text TEXT NOT NULL, why TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS seat (
    match INTEGER NOT NULL REFERENCES match, seat INTEGER NOT NULL, player TEXT NOT NULL, protocol TEXT NOT NULL,
    points INTEGER NOT NULL, result TEXT NOT NULL, PRIMARY KEY (match, seat)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS seat_by_player ON seat (player);
CREATE TABLE IF NOT EXISTS move (
    match INTEGER NOT NULL REFERENCES match, number INTEGER NOT NULL, seat INTEGER, move TEXT NOT NULL,
    by TEXT NOT NULL, at_ms INTEGER NOT NULL, think_ms INTEGER NOT NULL, game INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (match, number)
) STRICT, WITHOUT ROWID;
"""


def prepare(connection: sqlite3.Connection) -> None:
    """Make the tables, or bring those of an older version up to date."""
    connection.executescript(SCHEMA)
    columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(move)")}
    if "game" not in columns:
        connection.execute("ALTER TABLE move ADD COLUMN game INTEGER NOT NULL DEFAULT 1")


def insert(connection: sqlite3.Connection, records: Iterable[MatchRecord]) -> None:
    """Write records, within the caller's transaction. One that is there already stands: it is a fact."""
    heads: list[tuple[object, ...]] = []
    seats: list[tuple[object, ...]] = []
    moves: list[tuple[object, ...]] = []
    for one in records:
        heads.append(
            (
                one.match,
                one.game,
                one.game_version,
                one.options,
                one.opened_at,
                one.ended_at,
                one.reason,
                one.reason_text,
                one.why,
            )
        )
        seats += [
            (one.match, seat.seat, seat.player, seat.protocol, seat.points, seat.result.value) for seat in one.seats
        ]
        moves += [
            (one.match, move.number, move.seat, move.move, move.by, move.at_ms, move.think_ms, move.game)
            for move in one.moves
        ]
    connection.executemany("INSERT INTO match VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (match) DO NOTHING", heads)
    connection.executemany("INSERT INTO seat VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (match, seat) DO NOTHING", seats)
    connection.executemany(
        "INSERT INTO move VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (match, number) DO NOTHING", moves
    )


def read(connection: sqlite3.Connection) -> Iterator[MatchRecord]:
    """Every record, in the order of match numbers."""
    for row in connection.execute("SELECT * FROM match ORDER BY match").fetchall():
        seats = connection.execute(
            "SELECT seat, player, protocol, points, result FROM seat WHERE match = ? ORDER BY seat", row[:1]
        )
        moves = connection.execute(
            "SELECT number, seat, move, by, at_ms, think_ms, game FROM move WHERE match = ? ORDER BY number", row[:1]
        )
        match, game, version, options, opened_at, ended_at, reason, reason_text, why = row
        yield MatchRecord(
            match,
            game,
            version,
            options,
            opened_at,
            ended_at,
            reason,
            reason_text,
            why,
            tuple(
                SeatRecord(seat, player, by, points, SeatResult(result)) for seat, player, by, points, result in seats
            ),
            tuple(MoveRecord(*move) for move in moves),
        )


def has(connection: sqlite3.Connection, match: int) -> bool:
    """Whether a match is on record."""
    return connection.execute("SELECT 1 FROM match WHERE match = ?", (match,)).fetchone() is not None


def last_match(connection: sqlite3.Connection) -> int:
    """The highest match number on record; 0 if there is none."""
    (number,) = connection.execute("SELECT coalesce(max(match), 0) FROM match").fetchone()
    return int(number)
