"""The tables of tournaments: `tournament`, `entrant`, `pairing`, `bye` and `ruling`.

SELECT round, board, first, second, verdict, reason FROM pairing WHERE tournament = 1 AND status = 'done'
"""

import sqlite3
from collections.abc import Iterable

from gameserver.records.tournaments import TournamentRecord
from gameserver.tournaments.model import Pairing

SCHEMA = """
CREATE TABLE IF NOT EXISTS tournament (
    tournament INTEGER PRIMARY KEY, name TEXT NOT NULL, game TEXT NOT NULL, format TEXT NOT NULL, phase TEXT NOT NULL,
    round INTEGER NOT NULL, plan TEXT NOT NULL, created_at TEXT NOT NULL, started_at TEXT, ended_at TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS entrant (
    tournament INTEGER NOT NULL REFERENCES tournament, player TEXT NOT NULL, number INTEGER NOT NULL,
    rating INTEGER NOT NULL, house INTEGER NOT NULL, standing TEXT NOT NULL, PRIMARY KEY (tournament, player)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pairing (
    tournament INTEGER NOT NULL REFERENCES tournament, pairing INTEGER NOT NULL, round INTEGER NOT NULL,
    board INTEGER NOT NULL, game INTEGER NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL, status TEXT NOT NULL,
    match INTEGER, verdict TEXT, played INTEGER NOT NULL, reason TEXT NOT NULL,
    first_points INTEGER NOT NULL, second_points INTEGER NOT NULL, PRIMARY KEY (tournament, pairing)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bye (
    tournament INTEGER NOT NULL REFERENCES tournament, round INTEGER NOT NULL, player TEXT NOT NULL,
    PRIMARY KEY (tournament, round, player)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ruling (
    tournament INTEGER NOT NULL REFERENCES tournament, number INTEGER NOT NULL, what TEXT NOT NULL,
    by TEXT NOT NULL, why TEXT NOT NULL, pairing INTEGER, player TEXT NOT NULL, PRIMARY KEY (tournament, number)
) STRICT, WITHOUT ROWID;
"""

Values = tuple[object, ...]


def insert(connection: sqlite3.Connection, records: Iterable[TournamentRecord]) -> None:
    """Write what has changed, within the caller's transaction; the latest of each row stands."""
    for one in records:
        number = one.tournament
        head = (number, one.name, one.game, one.format, one.phase, one.round, one.plan)
        # The head is updated, not replaced: the other tables refer to it.
        connection.execute(
            "INSERT INTO tournament VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tournament) DO UPDATE SET "
            "phase = excluded.phase, round = excluded.round, plan = excluded.plan, "
            "started_at = excluded.started_at, ended_at = excluded.ended_at",
            (*head, one.created_at, one.started_at, one.ended_at),
        )
        if one.entrants:
            connection.execute("DELETE FROM entrant WHERE tournament = ?", (number,))
        _put(
            connection,
            "entrant",
            [(number, who.name, who.number, who.rating, int(who.house), who.standing.value) for who in one.entrants],
        )
        _put(
            connection,
            "pairing",
            [(number, *_pairing_row(pairing)) for pairing in one.pairings],
        )
        _put(connection, "bye", [(number, bye.round, bye.player) for bye in one.byes])
        _put(
            connection,
            "ruling",
            [
                (number, at, ruling.what, ruling.by, ruling.why, ruling.pairing, ruling.player)
                for at, ruling in one.rulings
            ],
        )


def _pairing_row(one: Pairing) -> Values:
    place = (one.number, one.round, one.board, one.game, *one.seats)
    verdict = None if one.verdict is None else one.verdict.value
    return (*place, one.status.value, one.match, verdict, int(one.played), one.reason, *one.points)


def _put(connection: sqlite3.Connection, table: str, rows: list[Values]) -> None:
    if rows:
        places = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({places})", rows)
