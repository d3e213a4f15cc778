"""The tables of tournaments: `tournament`, `entrant`, `pairing`, `bye` and `ruling`.

SELECT round, board, first, second, verdict, reason FROM pairing WHERE tournament = 1 AND status = 'done'
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson

from gameserver.records.schema import NUMBER_MAX, add_columns, execute_all
from gameserver.records.tournament_record import TournamentRecord
from gameserver.tournaments.model import Bye, Entrant, EntrantStatus, Pairing, PairingStatus, Ruling, Verdict
from gameserver.tournaments.plan import Format

SCHEMA = """
CREATE TABLE IF NOT EXISTS tournament (
    tournament INTEGER PRIMARY KEY, name TEXT NOT NULL, game TEXT NOT NULL, format TEXT NOT NULL, phase TEXT NOT NULL,
    round INTEGER NOT NULL, plan TEXT NOT NULL, created_at TEXT NOT NULL, started_at TEXT, ended_at TEXT,
    seed TEXT NOT NULL DEFAULT '', rounds INTEGER NOT NULL DEFAULT 0, entry TEXT NOT NULL DEFAULT 'logged-in',
    left_ms INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE IF NOT EXISTS entrant (
    tournament INTEGER NOT NULL REFERENCES tournament, player TEXT NOT NULL, number INTEGER NOT NULL,
    rating INTEGER NOT NULL, house INTEGER NOT NULL, standing TEXT NOT NULL,
    from_round INTEGER NOT NULL DEFAULT 1, place INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (tournament, player)
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
CREATE TABLE IF NOT EXISTS ruling (
    tournament INTEGER NOT NULL REFERENCES tournament, number INTEGER NOT NULL, what TEXT NOT NULL,
    by TEXT NOT NULL, why TEXT NOT NULL, pairing INTEGER, player TEXT NOT NULL, PRIMARY KEY (tournament, number)
) STRICT, WITHOUT ROWID;
"""

VIEWS = """
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
"""Recreated at every start. A row for each two games that make a pair, one in each seat order, and their conditions."""

_TOURNAMENT = (
    "tournament, name, game, format, phase, round, plan, created_at, started_at, ended_at, seed, rounds, entry, left_ms"
)
_HEAD_END = 10
"""Number of columns of the first version, which are the fields of `TournamentRecord` before the lists."""
_ENTRANT = "player, number, rating, house, standing, from_round"
_PAIRING = (
    "pairing, round, board, game, first, second, status, match, verdict, played, reason, first_points, second_points, "
    "meeting, chance, walkover, absent, side_by_side"
)
_HAS_ROUNDS = "format = 'swiss' OR format IN ('round-robin', 'gauntlet') AND json_extract(plan, '$.pacing') IS 'rounds'"
"""The same as `Plan.has_rounds`."""

_ADDED = (
    ("tournament", "seed", "TEXT NOT NULL DEFAULT ''"),
    ("tournament", "rounds", "INTEGER NOT NULL DEFAULT 0"),
    ("tournament", "entry", "TEXT NOT NULL DEFAULT 'logged-in'"),
    ("tournament", "left_ms", "INTEGER NOT NULL DEFAULT 0"),
    ("entrant", "from_round", "INTEGER NOT NULL DEFAULT 1"),
    ("entrant", "place", "INTEGER NOT NULL DEFAULT 0"),
    ("pairing", "meeting", "INTEGER NOT NULL DEFAULT 1"),
    ("pairing", "chance", "TEXT NOT NULL DEFAULT ''"),
    ("pairing", "walkover", "INTEGER NOT NULL DEFAULT 0"),
    ("pairing", "absent", "TEXT NOT NULL DEFAULT '[]'"),
    ("pairing", "side_by_side", "INTEGER NOT NULL DEFAULT 0"),
)
"""Columns that the first version did not have, and what older rows hold in them."""

Values = tuple[object, ...]


def prepare(connection: sqlite3.Connection) -> None:
    """Make the tables, or bring those of an older version up to date, within the caller's transaction."""
    execute_all(connection, SCHEMA)
    add_columns(connection, _ADDED)
    execute_all(connection, VIEWS)


def insert(connection: sqlite3.Connection, records: Iterable[TournamentRecord]) -> None:
    """Write what has changed, within the caller's transaction; the latest of each row stands."""
    for one in records:
        number = one.tournament
        head = (number, one.name, one.game, one.format, one.phase, one.round, one.plan)
        times = (one.created_at, one.started_at, one.ended_at)
        # The head is updated, not replaced: the other tables refer to it.
        connection.execute(
            f"INSERT INTO tournament ({_TOURNAMENT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (tournament) DO UPDATE SET "
            "phase = excluded.phase, round = excluded.round, plan = excluded.plan, "
            "started_at = excluded.started_at, ended_at = excluded.ended_at, "
            "seed = excluded.seed, rounds = excluded.rounds, entry = excluded.entry, left_ms = excluded.left_ms",
            (*head, *times, one.seed, one.rounds, one.entry, one.left_ms),
        )
        if one.entrants is not None:
            connection.execute("DELETE FROM entrant WHERE tournament = ?", (number,))
        entrants = [(number, *_entrant_row(who), place) for place, who in enumerate(one.entrants or ())]
        _put(connection, "entrant", f"tournament, {_ENTRANT}, place", entrants)
        _put(connection, "pairing", f"tournament, {_PAIRING}", [(number, *_pairing_row(pair)) for pair in one.pairings])
        _put(connection, "bye", "tournament, round, player", [(number, bye.round, bye.player) for bye in one.byes])
        rulings: list[Values] = [
            (number, at, ruling.what, ruling.by, ruling.why, ruling.pairing, ruling.player)
            for at, ruling in one.rulings
        ]
        _put(connection, "ruling", "tournament, number, what, by, why, pairing, player", rulings)


def _entrant_row(one: Entrant) -> Values:
    return (one.name, one.number, one.rating, int(one.house), one.standing.value, one.from_round)


def _pairing_row(one: Pairing) -> Values:
    place = (one.number, one.round, one.board, one.game, *one.seats)
    verdict = None if one.verdict is None else one.verdict.value
    came_of_it = (one.status.value, one.match, verdict, int(one.played), one.reason, *one.points)
    absent = orjson.dumps(one.absent).decode()
    return (*place, *came_of_it, one.meeting, one.chance, int(one.walkover), absent, int(one.side_by_side))


def _put(connection: sqlite3.Connection, table: str, columns: str, rows: list[Values]) -> None:
    if rows:
        places = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({places})", rows)


def read_tournament(connection: sqlite3.Connection, number: int) -> TournamentRecord | None:
    """The whole record of a tournament; None if it is not on record."""
    if not 0 < number <= NUMBER_MAX:
        return None
    head = connection.execute(f"SELECT {_TOURNAMENT} FROM tournament WHERE tournament = ?", (number,)).fetchone()
    if head is None:
        return None
    entrants, pairings, byes, rulings = (
        connection.execute(f"SELECT {columns} FROM {table} WHERE tournament = ? ORDER BY {order}", (number,)).fetchall()
        for table, columns, order in (
            ("entrant", _ENTRANT, "place, number, player"),
            ("pairing", _PAIRING, "pairing"),
            ("bye", "round, player", "round, player"),
            ("ruling", "number, what, by, why, pairing, player", "number"),
        )
    )
    parts: tuple[Any, ...] = (
        tuple(map(_entrant, entrants)),
        tuple(map(_pairing, pairings)),
        tuple(Bye(*row) for row in byes),
        tuple((at, Ruling(*row)) for at, *row in rulings),
    )
    return TournamentRecord(*(*head[:_HEAD_END], *parts, *head[_HEAD_END:]))


def read_summaries(
    connection: sqlite3.Connection, before: int | None, player: str | None, count: int
) -> Iterator[tuple[Any, ...]]:
    """The columns of `RecordedTournament` for events before a number, or a player's, the latest first."""
    rows = connection.execute(
        "SELECT tournament, name, game, format, phase, round, rounds, "
        "(SELECT count(*) FROM entrant WHERE entrant.tournament = one.tournament), "
        "(SELECT count(*) FROM pairing WHERE pairing.tournament = one.tournament AND status = 'done'), "
        "(SELECT count(*) FROM pairing WHERE pairing.tournament = one.tournament AND status = 'playing'), "
        "(SELECT count(*) FROM pairing WHERE pairing.tournament = one.tournament AND status = 'held'), "
        f"{_HAS_ROUNDS}, created_at, started_at, ended_at "
        "FROM tournament AS one WHERE json_extract(plan, '$.event') IS NOT FALSE AND (?1 IS NULL OR tournament < ?1) "
        "AND (?2 IS NULL OR tournament IN (SELECT tournament FROM entrant WHERE player = ?2)) "
        "ORDER BY tournament DESC LIMIT ?3",
        (before, player, count),
    )
    for *head, held, has_rounds, created_at, started_at, ended_at in rows:
        yield (*head, None, None, held, bool(has_rounds), 0, created_at, started_at, ended_at)


def arenas_on_record(connection: sqlite3.Connection) -> frozenset[int]:
    """The numbers of all arenas."""
    rows = connection.execute("SELECT tournament FROM tournament WHERE format = ?", (Format.ARENA.value,))
    return frozenset(number for (number,) in rows)


def _entrant(row: Sequence[Any]) -> Entrant:
    name, number, rating, house, standing, from_round = row
    return Entrant(name, number, rating, bool(house), EntrantStatus(standing), from_round)


def _pairing(row: Sequence[Any]) -> Pairing:
    number, round_number, board, game, first, second, status, match, verdict, played, reason, *rest = row
    first_points, second_points, meeting, chance, walkover, absent, side_by_side = rest
    return Pairing(
        number,
        round_number,
        board,
        game,
        meeting,
        (first, second),
        chance,
        PairingStatus(status),
        match,
        None if verdict is None else Verdict(verdict),
        bool(played),
        bool(walkover),
        tuple(orjson.loads(absent)),
        reason,
        (first_points, second_points),
        bool(side_by_side),
    )
