"""The layout of the tables in PostgreSQL: the same as SQLite's, with a hall in front of each row.

`gameserver` has the tables, with the rows of all halls. `gameserver_hall` has a view of each with the rows of one hall,
which the session names in `gameserver.hall`: the queries that SQLite understands read those. Text is compared by its
bytes there, as in SQLite.

A later version of the tables is a step: a script that is added at the end of `MIGRATIONS`. A step that was released is
never changed.
"""

import re

from gameserver.database.connection import DatabaseConnection, DatabaseError, NoTables

_TABLES = """
CREATE TABLE gameserver.journal (
    HALL, seq bigint NOT NULL, now_ms bigint NOT NULL, stamp_ms bigint NOT NULL, wall_ms bigint NOT NULL,
    tag TEXT NOT NULL, version bigint NOT NULL, body bytea NOT NULL, crc bigint NOT NULL, PRIMARY KEY (hall, seq)
);
CREATE TABLE gameserver.snapshot (
    HALL, one bigint NOT NULL CHECK (one = 1), seq bigint NOT NULL, now_ms bigint NOT NULL,
    version bigint NOT NULL, body bytea NOT NULL, crc bigint NOT NULL, PRIMARY KEY (hall, one)
);
ALTER TABLE gameserver.snapshot ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE TABLE gameserver.leader (
    HALL, token TEXT NOT NULL, name TEXT NOT NULL, since_ms bigint NOT NULL, PRIMARY KEY (hall)
);
CREATE TABLE gameserver.server (
    HALL, token TEXT NOT NULL, name TEXT NOT NULL, leads bigint NOT NULL, seq bigint NOT NULL, since_ms bigint NOT NULL,
    seen_at timestamptz NOT NULL, PRIMARY KEY (hall, token)
);
CREATE TABLE gameserver.match (
    HALL, match bigint NOT NULL, game TEXT NOT NULL, game_version bigint NOT NULL, options TEXT NOT NULL,
    opened_at TEXT NOT NULL, ended_at TEXT NOT NULL,
    reason TEXT NOT NULL, reason_text TEXT NOT NULL, why TEXT NOT NULL, rated bigint NOT NULL DEFAULT 0,
    clock TEXT NOT NULL DEFAULT 'none', opened_ms bigint NOT NULL DEFAULT 0,
    tournament bigint, round bigint NOT NULL DEFAULT 0, journal_row bigint NOT NULL, public_id TEXT NOT NULL DEFAULT '',
    seed_commitment TEXT NOT NULL DEFAULT '', chance_key TEXT NOT NULL DEFAULT '', commitment TEXT NOT NULL DEFAULT '',
    key TEXT NOT NULL DEFAULT '', contributions TEXT NOT NULL DEFAULT '[]', seat_lots TEXT NOT NULL DEFAULT '[]',
    seats_by TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (hall, match)
);
-- A server that stands by asks several times a second which matches ended with the last rows.
CREATE INDEX match_by_row ON gameserver.match (hall, journal_row);
CREATE TABLE gameserver.seat (
    HALL, match bigint NOT NULL, seat bigint NOT NULL, player TEXT NOT NULL, protocol TEXT NOT NULL,
    points bigint NOT NULL, result TEXT NOT NULL, rating double precision, deviation double precision,
    round_trip_us bigint, round_trip_deviation_us bigint, segments_resent bigint, PRIMARY KEY (hall, match, seat)
);
CREATE INDEX seat_by_player ON gameserver.seat (player, hall, match);
CREATE TABLE gameserver.game (
    HALL, match bigint NOT NULL, number bigint NOT NULL, game TEXT NOT NULL,
    game_version bigint NOT NULL, options TEXT NOT NULL,
    reason TEXT NOT NULL, reason_text TEXT NOT NULL, why TEXT NOT NULL,
    points TEXT NOT NULL, winners TEXT NOT NULL, by_seat bigint,
    turn_began_ms bigint, deadline_ms bigint, margin_ms bigint, decided_ms bigint, read_ms bigint,
    stall_ms bigint, is_bank bigint, PRIMARY KEY (hall, match, number)
);
CREATE TABLE gameserver.move (
    HALL, match bigint NOT NULL, number bigint NOT NULL, seat bigint, move TEXT NOT NULL,
    by TEXT NOT NULL, at_ms bigint NOT NULL, think_ms bigint NOT NULL, game bigint NOT NULL DEFAULT 1,
    lag_ms bigint NOT NULL DEFAULT 0, stall_ms bigint NOT NULL DEFAULT 0, sides bigint, lot bigint,
    bank_ms bigint, PRIMARY KEY (hall, match, number)
);
CREATE TABLE gameserver.rating (
    game TEXT NOT NULL, player TEXT NOT NULL, rating double precision NOT NULL, deviation double precision NOT NULL,
    matches bigint NOT NULL, changed_at timestamptz NOT NULL DEFAULT clock_timestamp(), changed_by TEXT,
    PRIMARY KEY (game, player)
);
CREATE INDEX rating_by_change ON gameserver.rating (changed_at);
CREATE TABLE gameserver.tournament (
    HALL, tournament bigint NOT NULL, name TEXT NOT NULL, game TEXT NOT NULL, format TEXT NOT NULL, phase TEXT NOT NULL,
    round bigint NOT NULL, plan TEXT NOT NULL, created_at TEXT NOT NULL, started_at TEXT, ended_at TEXT,
    seed TEXT NOT NULL DEFAULT '', rounds bigint NOT NULL DEFAULT 0, entry TEXT NOT NULL DEFAULT 'logged-in',
    left_ms bigint NOT NULL DEFAULT 0, commitment TEXT NOT NULL DEFAULT '', PRIMARY KEY (hall, tournament)
);
CREATE TABLE gameserver.entrant (
    HALL, tournament bigint NOT NULL, player TEXT NOT NULL, number bigint NOT NULL,
    rating bigint NOT NULL, house bigint NOT NULL, status TEXT NOT NULL,
    from_round bigint NOT NULL DEFAULT 1, place bigint NOT NULL DEFAULT 0, team TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (hall, tournament, player)
);
CREATE INDEX entrant_by_player ON gameserver.entrant (player, hall, tournament);
CREATE TABLE gameserver.pairing (
    HALL, tournament bigint NOT NULL, pairing bigint NOT NULL, round bigint NOT NULL,
    board bigint NOT NULL, game bigint NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL, status TEXT NOT NULL,
    match bigint, verdict TEXT, played bigint NOT NULL, reason TEXT NOT NULL,
    first_points bigint NOT NULL, second_points bigint NOT NULL,
    meeting bigint NOT NULL DEFAULT 1, chance TEXT NOT NULL DEFAULT '', walkover bigint NOT NULL DEFAULT 0,
    absent TEXT NOT NULL DEFAULT '[]', side_by_side bigint NOT NULL DEFAULT 0, PRIMARY KEY (hall, tournament, pairing)
);
CREATE TABLE gameserver.stage (
    HALL, tournament bigint NOT NULL, stage bigint NOT NULL, after_round bigint NOT NULL, last_round bigint,
    players TEXT NOT NULL, PRIMARY KEY (hall, tournament, stage)
);
CREATE TABLE gameserver.bye (
    HALL, tournament bigint NOT NULL, round bigint NOT NULL, player TEXT NOT NULL,
    PRIMARY KEY (hall, tournament, round, player)
);
CREATE TABLE gameserver.ruling (
    HALL, tournament bigint NOT NULL, number bigint NOT NULL, what TEXT NOT NULL,
    by TEXT NOT NULL, why TEXT NOT NULL, pairing bigint, player TEXT NOT NULL, PRIMARY KEY (hall, tournament, number)
);
CREATE TABLE gameserver.attendance (
    HALL, number bigint GENERATED BY DEFAULT AS IDENTITY, tournament bigint NOT NULL, at TEXT NOT NULL,
    at_ms bigint NOT NULL, what TEXT NOT NULL, pairing bigint, player TEXT NOT NULL, why TEXT NOT NULL,
    PRIMARY KEY (hall, number)
);
CREATE INDEX attendance_by_player ON gameserver.attendance (player, hall);
CREATE TABLE gameserver.epoch (
    HALL, commitment TEXT NOT NULL, number bigint NOT NULL, first_match bigint NOT NULL, last_match bigint,
    begun_at TEXT NOT NULL, seed TEXT NOT NULL, told_at TEXT, PRIMARY KEY (hall, commitment)
);
CREATE INDEX ladder_match_by_end ON gameserver.match (hall, game, ended_at) WHERE seats_by = 'ladder';
CREATE TABLE gameserver.ranking (
    HALL, game TEXT NOT NULL, night TEXT NOT NULL, place bigint NOT NULL, player TEXT NOT NULL,
    rating double precision NOT NULL, deviation double precision NOT NULL, matches bigint NOT NULL,
    PRIMARY KEY (hall, game, night, place)
);
CREATE TABLE gameserver.pruned_match (
    HALL, match bigint NOT NULL, moves bigint NOT NULL, pruned_at TEXT NOT NULL, PRIMARY KEY (hall, match)
);
CREATE TABLE gameserver.restart (
    HALL, boot bigint NOT NULL, at_ms bigint NOT NULL, last_decision_at TEXT NOT NULL, up_at TEXT NOT NULL,
    PRIMARY KEY (hall, boot)
);
CREATE TABLE gameserver.hall (
    HALL, url TEXT NOT NULL, players bigint NOT NULL, matches bigint NOT NULL, tournaments TEXT NOT NULL,
    seen_at timestamptz NOT NULL, PRIMARY KEY (hall)
);
CREATE TABLE gameserver.roster (
    one bigint PRIMARY KEY CHECK (one = 1), version bigint NOT NULL, content TEXT NOT NULL
);
INSERT INTO gameserver.roster VALUES (1, 0, '');
"""

_VIEWS = """
CREATE OR REPLACE VIEW gameserver.result AS
    SELECT match.hall, match, match.game, ended_at, seat.player, other.player AS opponent, seat.seat, seat.result,
        seat.points, other.points AS opponent_points, reason, why, rated, seat.rating, seat.deviation, tournament, round
    FROM gameserver.match JOIN gameserver.seat USING (hall, match) JOIN gameserver.seat AS other USING (hall, match)
    WHERE other.seat <> seat.seat;
CREATE OR REPLACE VIEW gameserver.player_move AS
    SELECT match.hall, match, match.game, seat.player, move.number, move.move, move.by, move.at_ms, move.think_ms,
        move.lag_ms, move.stall_ms, move.bank_ms, match.clock, match.ended_at
    FROM gameserver.match JOIN gameserver.move USING (hall, match) JOIN gameserver.seat USING (hall, match, seat);
CREATE OR REPLACE VIEW gameserver.pair_of_games AS
    SELECT one.hall, one.tournament, one.first, one.second, one.pairing, one.match, other.pairing AS other_pairing,
        other.match AS other_match, CAST(one.chance = other.chance AS integer) AS same_dice,
        one.side_by_side * other.side_by_side AS side_by_side
    FROM gameserver.pairing AS one JOIN gameserver.pairing AS other USING (hall, tournament)
    WHERE other.meeting = one.meeting + 1 AND one.meeting % 2 = 1 AND other.status = 'done'
        AND (other.first = one.second AND other.second = one.first
            OR other.first = one.first AND other.second = one.second)
        AND one.status = 'done' AND one.chance <> '';
DO $$
DECLARE one record;
BEGIN
    FOR one IN
        SELECT relname AS name,
            string_agg(quote_ident(attname), ', ' ORDER BY attnum) FILTER (WHERE attname <> 'hall') AS columns
        FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
        WHERE relnamespace = 'gameserver'::regnamespace AND relkind IN ('r', 'v')
        GROUP BY relname HAVING bool_or(attname = 'hall')
    LOOP
        EXECUTE format(
            'CREATE OR REPLACE VIEW gameserver_hall.%I AS SELECT %s FROM gameserver.%I WHERE hall = %s',
            one.name, one.columns, one.name, $hall$coalesce(current_setting('gameserver.hall', true), '')$hall$
        );
    END LOOP;
END $$;
"""
"""Made anew after each upgrade. Replaced rather than dropped: a role that may read them still may."""

MIGRATIONS = (_TABLES,)
"""The way from an empty database to this version, whose number is that of the steps. Add one for each change."""

_LOCK = 0x67616D65  # any number of our own; the locks of halls have 64 bits
_TWO_SERVERS = "SELECT pg_advisory_xact_lock(?)"
# Collation C compares by bytes, as SQLite does: the order of names is the same in both, whatever the locale.
_SHORTHANDS = {
    "HALL": """hall text COLLATE "C" NOT NULL DEFAULT coalesce(current_setting('gameserver.hall', true), '')""",
    "TEXT": 'text COLLATE "C"',
}


def prepare(connection: DatabaseConnection, place: str) -> None:
    """Make PostgreSQL's tables by the steps of their schema that are missing: all of it or nothing.

    Raises `DatabaseError`.

    `place` names the database in messages. Two servers that start at the same instant do it one after the other.
    """
    if _version(connection, place) == len(MIGRATIONS):
        return
    connection.execute("BEGIN")
    # If two servers start at the same instant, the second one waits here, and finds the tables made.
    connection.execute(_TWO_SERVERS, (_LOCK,))
    # Asked again, now that no other server can be making them.
    version = _version(connection, place)
    if not version:
        _make_schemas(connection, place)
    for step in MIGRATIONS[version:]:
        connection.execute(_written_out(step))
    if version < len(MIGRATIONS):
        connection.execute(_VIEWS)
        connection.execute("UPDATE gameserver.schema_version SET version = ?", (len(MIGRATIONS),))
    connection.execute("COMMIT")


def prepare_new(connection: DatabaseConnection, place: str) -> None:
    """Make PostgreSQL's tables and schemas where there are none. Raises `DatabaseError` at those of an older version.

    Its servers may be at play, and could not be started again after an upgrade.
    """
    if not _version(connection, place):
        prepare(connection, place)
    check(connection, place)


def check(connection: DatabaseConnection, place: str) -> None:
    """Refuse a PostgreSQL database whose schema no server of this version has prepared. Raises `DatabaseError`."""
    version = _version(connection, place)
    if not version:
        raise NoTables(f"{place} has no records: no server has been started on it")
    if version < len(MIGRATIONS):
        raise DatabaseError(
            f"{place} has the tables of version {version}, this program reads {len(MIGRATIONS)}: start this version of"
            " the server on it once to upgrade it"
        )


def _version(connection: DatabaseConnection, place: str) -> int:
    """The version of the tables; 0 if there are none. Raises `DatabaseError` where a newer server made them."""
    (table,) = connection.execute("SELECT to_regclass('gameserver.schema_version')").fetchone()
    if table is None:
        return 0
    (version,) = connection.execute("SELECT version FROM gameserver.schema_version").fetchone()
    if version > len(MIGRATIONS):
        raise DatabaseError(
            f"{place} has the tables of version {version}, this program reads {len(MIGRATIONS)}: use the server that"
            " made them"
        )
    return int(version)


def _make_schemas(connection: DatabaseConnection, place: str) -> None:
    query = "SELECT has_database_privilege(current_database(), 'CREATE'), current_user, quote_ident(current_user)"
    may_create, role, quoted = connection.execute(query).fetchone()
    for name in ("gameserver", "gameserver_hall"):
        query = "SELECT nspname, has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = ?"
        found = connection.execute(query, (name,)).fetchone()
        if found is not None and not found[1]:
            raise DatabaseError(
                f"{place}: the role {role} may not create tables in the schema {name}; have its owner grant it"
            )
        if found is None and not may_create:
            raise DatabaseError(
                f"{place}: the role {role} may not create schemas there; have the database's owner carry out CREATE"
                f" SCHEMA gameserver AUTHORIZATION {quoted}; CREATE SCHEMA gameserver_hall AUTHORIZATION {quoted};"
            )
        if found is None:
            connection.execute(f"CREATE SCHEMA {name}")
    query = "SELECT 1 FROM pg_class WHERE relnamespace = 'gameserver'::regnamespace LIMIT 1"
    if connection.execute(query).fetchone() is not None:
        raise DatabaseError(f"{place} has a schema `gameserver` of something else; choose another database")
    connection.execute("CREATE TABLE gameserver.schema_version (version bigint NOT NULL)")
    connection.execute("INSERT INTO gameserver.schema_version VALUES (0)")


def _written_out(step: str) -> str:
    return re.sub(r"\b(HALL|TEXT)\b", lambda word: _SHORTHANDS[word[0]], step)
