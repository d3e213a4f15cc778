"""The records as SQL tables that a teacher can query.

Matches: `match`, `seat`, `game`, `move`, `rating`. Tournaments: `tournament`, `entrant`, `pairing`, `bye`, `stage`,
`ruling`.

SELECT round, board, first, second, verdict, reason FROM pairing WHERE tournament = 1 AND status = 'done'

They lie in the same database as the journal, because a match is recorded in the very transaction that
makes its end durable.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from operator import attrgetter
from typing import Any

import orjson

from gameserver.chance import match_key
from gameserver.core.events import SeatsBy
from gameserver.database import sqlite
from gameserver.database.connection import (
    EPOCH,
    GAME,
    MATCH,
    MOVE,
    NUMBER_MAX,
    RATING,
    SEAT,
    DatabaseConnection,
    DatabaseError,
    chosen_by,
)
from gameserver.records.match_record import (
    EpochRecord,
    GameRecord,
    LapseRecord,
    MatchRecord,
    MoveRecord,
    RatingRecord,
    SeatRecord,
    SeatResult,
)
from gameserver.records.tournament_record import TournamentRecord
from gameserver.tournaments.model import (
    Bye,
    Entrant,
    EntrantStatus,
    Pairing,
    PairingStatus,
    Ruling,
    StageDraw,
    Verdict,
)
from gameserver.tournaments.plan import Format, read_stages, stages_text

Rate = Callable[[Sequence[MatchRecord]], Sequence[MatchRecord]]
"""Writes the ratings of matches, and gives the matches as they are to be written."""


def insert_matches(
    connection: DatabaseConnection, records: Sequence[MatchRecord], row: int, rate: Rate | None = None
) -> None:
    """Stores matches in the records' SQL tables, within the caller's transaction.

    They are of different matches; the transaction's last row in the journal is `row`.

    One that is there already stands: it is a fact. Without `rate`, ratings are those of the records.
    """
    rows = [
        (*_match_row(one), _json(one.contributions), _json(one.seat_lots), one.seats_by.value, row) for one in records
    ]
    # The insertion itself tells if a match is new: asking before would take one more query for each.
    written = connection.insert_new("match", f"{MATCH}, journal_row", rows)
    new = [one for one in records if one.match in written]
    if rate is not None:
        new = list(rate(new))
    else:
        connection.insert("rating", RATING, _rating_rows(new), key=("game", "player"), update=_LATEST, add=("matches",))
    connection.insert("seat", SEAT, [(one.match, *_seat_row(seat)) for one in new for seat in one.seats])
    connection.insert("game", GAME, [_game_row(one.match, game) for one in new for game in one.games])
    is_plain = all(move.sides is None and move.bank_ms is None for one in new for move in one.moves)
    columns, values_of = (_PLAIN_MOVE, _plain_move_row) if is_plain else (MOVE, _move_row)
    connection.insert("move", columns, [(one.match, *values_of(move)) for one in new for move in one.moves])


_LATEST = ("rating", "deviation")
ON_LADDER = f"seats_by = '{SeatsBy.LADDER.value}'"
"""The condition in SQL that a ladder paired a match's players, as an index has it."""
_PRUNED = "coalesce((SELECT moves FROM pruned_match WHERE pruned_match.match = match.match), 0)"
_READ = f"{MATCH}, {_PRUNED}"


def _rating_rows(records: Iterable[MatchRecord]) -> list[tuple[object, ...]]:
    """The latest rating of each player, with the number of matches that led to it."""
    rows: dict[tuple[str, str], tuple[Any, ...]] = {}
    for one in records:
        if one.rated:
            for seat in one.seats:
                # An anchor's rating is fixed, and not on record.
                if seat.rating is not None:
                    key = (one.game, seat.player)
                    *_, matches = rows.get(key, (0,))
                    rows[key] = (*key, seat.rating, seat.deviation, matches + 1)
    return list(rows.values())


# One call for all columns of a row, which have the names of the record's fields; moves are the most rows by far.
_match_row = attrgetter(*MATCH.removesuffix(", contributions, seat_lots, seats_by").split(", "))
_seat_row = attrgetter(*SEAT.removeprefix("match, ").replace("result", "result.value").split(", "))
_lapse_row = attrgetter("began_ms", "deadline_ms", "margin_ms", "decided_ms", "read_ms", "stall_ms")
_move_row = attrgetter(*MOVE.removeprefix("match, ").split(", "))
# Without chance and banks, as in most matches: for SQLite's module a NULL takes ten times as long as a number.
_PLAIN_MOVE = MOVE.removesuffix(", sides, lot, bank_ms")
_plain_move_row = attrgetter(*_PLAIN_MOVE.removeprefix("match, ").split(", "))


def _game_row(match: int, game: GameRecord) -> tuple[object, ...]:
    head = (match, game.number, game.game, game.game_version, game.options, game.reason, game.reason_text, game.why)
    lapse = game.lapse
    times: tuple[int | None, ...] = (None,) * 7
    if lapse is not None:
        times = (*_lapse_row(lapse), int(lapse.is_bank))
    return (*head, _json(game.points), _json(game.winners), game.by, *times)


def _json(values: tuple[object, ...]) -> str:
    return orjson.dumps(values).decode()


def read(
    connection: DatabaseConnection, *, game: str | None = None, player: str | None = None
) -> Iterator[MatchRecord]:
    """Runs the SQL queries for whole matches on `match`, `seat` and `move`, in the order of match numbers.

    Those of a game, in any case, or of a player, if one is named; else all.
    """
    where, values = chosen_by(
        ("lower(game) = ?", None if game is None else _in_lower_case(game)),
        ("match IN (SELECT match FROM seat WHERE player = ?)", player),
    )
    rows = connection.execute(f"SELECT {_READ} FROM match WHERE {where} ORDER BY match", values)
    for row in rows.fetchall():
        yield _record(connection, row)


def _in_lower_case(name: str) -> str:
    """The name as `lower` has it in SQL, which knows the letters of ASCII alone."""
    return name.encode().lower().decode()


def read_match(connection: DatabaseConnection, match: int) -> MatchRecord | None:
    """Runs the SQL queries for all rows of one match; None if the table `match` does not have it."""
    # A number in an address may be of any size; SQLite and PostgreSQL refuse one beyond 64 bits.
    if not 0 < match <= NUMBER_MAX:
        return None
    row = connection.execute(f"SELECT {_READ} FROM match WHERE match = ?", (match,)).fetchone()
    return None if row is None else _record(connection, row)


def _record(connection: DatabaseConnection, row: Sequence[Any]) -> MatchRecord:
    try:
        return _read_record(connection, row)
    except (TypeError, ValueError) as error:  # somebody has changed a column by hand
        raise DatabaseError(f"match {row[0]} is not on record as it was written: {error}") from error


def _read_record(connection: DatabaseConnection, row: Sequence[Any]) -> MatchRecord:
    head, (rated, *rest) = row[:9], row[9:-8]
    seed_commitment, chance_key, commitment, key, contributions, seat_lots, seats_by, pruned = row[-8:]
    if not key:
        seed = _told_seed(connection, rest[2])
        key = match_key(seed, chance_key) if seed else ""
    seats, games, moves = (
        connection.execute(f"SELECT {columns} FROM {table} WHERE match = ? ORDER BY {order}", row[:1])
        for table, columns, order in (("seat", SEAT, "seat"), ("game", GAME, "number"), ("move", MOVE, "number"))
    )
    parts: tuple[Any, ...] = (tuple(map(_seat_record, seats)), tuple(MoveRecord(*row) for _, *row in moves))
    more: tuple[Any, ...] = (bool(rated), tuple(map(_game_record, games)))
    added = tuple(map(tuple, orjson.loads(contributions)))
    lots = tuple(orjson.loads(seat_lots)), SeatsBy(seats_by)
    last: tuple[Any, ...] = (seed_commitment, chance_key, commitment, key, added, *lots, pruned)
    return MatchRecord(*(*head, *parts, *more, *rest, *last))


def _told_seed(connection: DatabaseConnection, tournament: int | None) -> str:
    """The seed of a tournament that is over; empty if there is none."""
    found = connection.execute("SELECT seed FROM tournament WHERE tournament = ?", (tournament,)).fetchone()
    return "" if found is None else str(found[0])


def read_epochs(connection: DatabaseConnection) -> tuple[EpochRecord, ...]:
    """Runs the SQL query for all rows of the table `epoch`, the latest first."""
    rows = connection.execute(f"SELECT {EPOCH} FROM epoch ORDER BY begun_at DESC, number DESC")
    return tuple(EpochRecord(*row) for row in rows)


def told_seeds(connection: DatabaseConnection) -> dict[str, str]:
    """Runs the SQL query for the seeds of epochs and tournaments that were told, by their SHA-256."""
    tables = (f"SELECT commitment, seed FROM {table} WHERE seed <> ''" for table in ("epoch", "tournament"))
    return dict(connection.execute(" UNION ALL ".join(tables)).fetchall())


def read_tournaments(connection: DatabaseConnection) -> Iterator[TournamentRecord]:
    """Runs the SQL queries for all rows of every tournament, in the order of their numbers."""
    for (number,) in connection.execute("SELECT tournament FROM tournament ORDER BY tournament").fetchall():
        found = read_tournament(connection, number)
        if found is not None:
            yield found


def _seat_record(row: Sequence[Any]) -> SeatRecord:
    _, seat, player, protocol, points, result, *more = row
    return SeatRecord(seat, player, protocol, points, SeatResult(result), *more)


def _game_record(row: Sequence[Any]) -> GameRecord:
    _, *head, points, winners, by, began_ms, deadline_ms, margin_ms, decided_ms, read_ms, stall_ms, is_bank = row
    numbers = (tuple(orjson.loads(points)), tuple(orjson.loads(winners)))
    times = (began_ms, deadline_ms, margin_ms, decided_ms, read_ms)
    lapse = None if deadline_ms is None else LapseRecord(*times, bool(is_bank), stall_ms)
    parts: tuple[Any, ...] = (*head, *numbers, by, lapse)
    return GameRecord(*parts)


def read_move_counts(connection: DatabaseConnection, matches: Sequence[int]) -> dict[int, int]:
    """Runs the SQL query that counts the moves of each of these matches in the table `move`."""
    if not matches:
        return {}
    query = (
        f"SELECT match, {_PRUNED} + (SELECT count(*) FROM move WHERE move.match = match.match AND seat IS NOT NULL)"
        f" FROM match WHERE match IN ({', '.join('?' * len(matches))})"
    )
    return dict(connection.execute(query, tuple(matches)))


def read_heads(
    connection: DatabaseConnection,
    before: int | None,
    player: str | None,
    game: str | None,
    count: int,
    ladder: str | None = None,
) -> Iterator[tuple[Any, ...]]:
    """Runs the SQL query for `MatchHead`'s columns of the table `match`: matches that fit, the latest first."""
    # By the index, however many there are.
    latest = f"SELECT match FROM match WHERE {ON_LADDER} AND game = ? ORDER BY ended_at DESC LIMIT {int(count)}"
    where, values = chosen_by(
        ("match < ?", before),
        ("match IN (SELECT match FROM seat WHERE player = ?)", player),
        ("game = ?", game),
        (f"match IN ({latest})", ladder),
    )
    columns = f"match, game, opened_at, ended_at, reason, reason_text, why, {ON_LADDER}"
    query = f"SELECT {columns} FROM match WHERE {where} ORDER BY match DESC LIMIT ?"
    for row in connection.execute(query, (*values, count)).fetchall():
        seats = connection.execute(f"SELECT {SEAT} FROM seat WHERE match = ? ORDER BY seat", row[:1])
        yield (*row[:-1], tuple(map(_seat_record, seats)), bool(row[-1]))


_OLD = (
    "ended_at < ? AND (tournament IS NULL OR EXISTS (SELECT 1 FROM tournament"
    " WHERE tournament.tournament = match.tournament AND phase IN ('over', 'cancelled')))"
)


def read_prunable(connection: DatabaseConnection, before: str) -> list[tuple[int, int]]:
    """Runs the SQL query for the matches that ended before a time of day, with the numbers of their players' moves.

    Those without a move are left out, and those of tournaments that are not over, which may be ruled upon.
    """
    query = (
        f"SELECT match.match, count(move.seat) FROM match JOIN move ON move.match = match.match WHERE {_OLD}"
        " GROUP BY match.match ORDER BY match.match"
    )
    return [(match, moves) for match, moves in connection.execute(query, (before,))]


def prune(connection: DatabaseConnection, matches: Sequence[tuple[int, int]], pruned_at: str) -> None:
    """Removes from the SQL table `move` what these matches have there, within the caller's transaction."""
    rows = [(*one, pruned_at) for one in matches]
    connection.insert("pruned_match", "match, moves, pruned_at", rows)
    for match, _ in matches:
        connection.execute("DELETE FROM move WHERE match = ?", (match,))


def read_neighbours(connection: DatabaseConnection, number: int, player: str) -> tuple[int | None, int | None]:
    """Selects in SQL the numbers of a player's last match stored before this one, and of the first after it."""
    before = "SELECT max(match) FROM seat WHERE player = ? AND match < ?"
    after = "SELECT min(match) FROM seat WHERE player = ? AND match > ?"
    (previous,) = connection.execute(before, (player, number)).fetchone()
    (following,) = connection.execute(after, (player, number)).fetchone()
    return previous, following


def read_ratings(connection: DatabaseConnection) -> list[RatingRecord]:
    """Runs the SQL query for everybody's latest rating in every game, on the table `rating`."""
    return [RatingRecord(*row) for row in connection.execute(f"SELECT {RATING} FROM rating")]


def has(connection: DatabaseConnection, match: int) -> bool:
    """True if an SQL query finds this match's row in the table `match`."""
    return connection.execute("SELECT 1 FROM match WHERE match = ?", (match,)).fetchone() is not None


def ends_after(connection: DatabaseConnection, row: int) -> dict[int, list[int]]:
    """Selects the matches stored in the records' SQL tables with each row of the journal after this one."""
    ends: dict[int, list[int]] = {}
    query = "SELECT journal_row, match FROM match WHERE journal_row > ? ORDER BY match"
    for number, match in connection.execute(query, (row,)):
        ends.setdefault(number, []).append(match)
    return ends


def last_match(connection: DatabaseConnection) -> int:
    """Runs the SQL query for the highest number in the table `match`; 0 if there is none."""
    (number,) = connection.execute("SELECT coalesce(max(match), 0) FROM match").fetchone()
    return int(number)


_TOURNAMENT = (
    "tournament, name, game, format, phase, round, plan, created_at, started_at, ended_at, seed, rounds, entry, "
    "left_ms, commitment"
)
_HEAD_END = 10
"""Number of columns of the first version, which are the fields of `TournamentRecord` before the lists."""
_ENTRANT = "player, number, rating, house, status, from_round, team"
_PAIRING = (
    "pairing, round, board, game, first, second, status, match, verdict, played, reason, first_points, second_points, "
    "meeting, chance, walkover, absent, side_by_side"
)
_BYE = "round, player"
_STAGE = "stage, after_round, last_round, players"
_RULING = "number, what, by, why, pairing, player"
_head_row = attrgetter(*_TOURNAMENT.split(", "))
_entrant_row = attrgetter("name", "number", "rating", "house", "status.value", "from_round", "team")
_ruling_row = attrgetter("what", "by", "why", "pairing", "player")
_KEY = ("tournament",)
_CHANGING = ("phase", "round", "plan", "started_at", "ended_at", "seed", "rounds", "entry", "left_ms")
"""The columns of a tournament that change while it goes on."""

Values = tuple[object, ...]


def insert_tournaments(connection: DatabaseConnection, records: Iterable[TournamentRecord]) -> None:
    """Inserts what has changed in tournaments into their SQL tables, within the caller's transaction.

    The latest of each row stands.
    """
    changed = list(records)
    # The head is updated, not replaced: the other tables refer to it.
    connection.insert("tournament", _TOURNAMENT, [_head_row(one) for one in changed], key=_KEY, update=_CHANGING)
    for number, entrants in {one.tournament: one.entrants for one in changed if one.entrants is not None}.items():
        # Written anew: a player who was taken out before the start would stay on record otherwise.
        connection.execute("DELETE FROM entrant WHERE tournament = ?", (number,))
        rows = [(number, *_entrant_row(who), place) for place, who in enumerate(entrants)]
        _put(connection, "entrant", f"{_ENTRANT}, place", rows, ("player",))
    pairings = [(one.tournament, *_pairing_row(pair)) for one in changed for pair in one.pairings]
    _put(connection, "pairing", _PAIRING, pairings, ("pairing",))
    byes = [(one.tournament, bye.round, bye.player) for one in changed for bye in one.byes]
    _put(connection, "bye", _BYE, byes, ("round", "player"))
    for number, draws in {one.tournament: one.draws for one in changed if one.draws is not None}.items():
        # Written anew: a stage that was voided would stay on record otherwise.
        connection.execute("DELETE FROM stage WHERE tournament = ?", (number,))
        stages = [
            (number, at, draw.after_round, draw.last_round, _json(draw.groups))
            for at, draw in enumerate(draws, start=1)
        ]
        _put(connection, "stage", _STAGE, stages, ("stage",))
    rulings = [(one.tournament, at, *_ruling_row(ruling)) for one in changed for at, ruling in one.rulings]
    _put(connection, "ruling", _RULING, rulings, ("number",))


def _put(
    connection: DatabaseConnection, table: str, columns: str, rows: Sequence[Values], key: tuple[str, ...]
) -> None:
    """Write rows of a tournament; the latest of each stands. `key` and `columns` are those beside the tournament."""
    update = tuple(name for name in columns.split(", ") if name not in key)
    connection.insert(table, f"tournament, {columns}", rows, key=(*_KEY, *key), update=update)


def _pairing_row(one: Pairing) -> Values:
    place = (one.number, one.round, one.board, one.game, *one.seats)
    verdict = None if one.verdict is None else one.verdict.value
    came_of_it = (one.status.value, one.match, verdict, int(one.played), one.reason, *one.points)
    absent = orjson.dumps(one.absent).decode()
    return (*place, *came_of_it, one.meeting, one.chance, int(one.walkover), absent, int(one.side_by_side))


def read_tournament(connection: DatabaseConnection, number: int) -> TournamentRecord | None:
    """Runs the SQL queries for all rows of a tournament; None if the table `tournament` does not have it."""
    if not 0 < number <= NUMBER_MAX:
        return None
    head = connection.execute(f"SELECT {_TOURNAMENT} FROM tournament WHERE tournament = ?", (number,)).fetchone()
    if head is None:
        return None
    entrants, pairings, byes, rulings, stages = (
        connection.execute(f"SELECT {columns} FROM {table} WHERE tournament = ? ORDER BY {order}", (number,)).fetchall()
        for table, columns, order in (
            ("entrant", _ENTRANT, "place, number, player"),
            ("pairing", _PAIRING, "pairing"),
            ("bye", _BYE, _BYE),
            ("ruling", _RULING, "number"),
            ("stage", _STAGE, "stage"),
        )
    )
    parts: tuple[Any, ...] = (
        tuple(map(_entrant, entrants)),
        tuple(map(_pairing, pairings)),
        tuple(Bye(*row) for row in byes),
        tuple((at, Ruling(*row)) for at, *row in rulings),
    )
    draws = tuple(
        StageDraw(tuple(map(tuple, orjson.loads(players))), after, last) for _, after, last, players in stages
    )
    return TournamentRecord(*(*head[:_HEAD_END], *parts, *head[_HEAD_END:], draws))


def read_summaries(
    connection: DatabaseConnection, before: int | None, player: str | None, count: int
) -> Iterator[tuple[Any, ...]]:
    """Runs the SQL query for `RecordedTournament`s before a number, or of a player, the latest first."""
    # In SQL, as plans are JSON there: a list of 100 tournaments takes one query and builds no plan.
    # The same as `Plan.has_rounds`.
    pacing = connection.json_field("plan", "pacing")
    has_rounds = f"format = 'swiss' OR (format IN ('round-robin', 'gauntlet') AND {pacing} = 'rounds')"
    where, values = chosen_by(
        (f"{connection.json_field('plan', 'event')} <> ?", "false"),
        ("tournament < ?", before),
        ("tournament IN (SELECT tournament FROM entrant WHERE player = ?)", player),
    )
    rows = connection.execute(
        "SELECT tournament, name, game, format, phase, round, rounds, "
        "(SELECT count(*) FROM entrant WHERE entrant.tournament = one.tournament), "
        "(SELECT count(*) FROM pairing WHERE pairing.tournament = one.tournament AND status = 'done'), "
        "(SELECT count(*) FROM pairing WHERE pairing.tournament = one.tournament AND status = 'playing'), "
        "(SELECT count(*) FROM pairing WHERE pairing.tournament = one.tournament AND status = 'held'), "
        f"{has_rounds}, {connection.json_field('plan', 'games')}, {connection.json_field('plan', 'stages')}, "
        "created_at, started_at, ended_at "
        f"FROM tournament AS one WHERE {where} ORDER BY tournament DESC LIMIT ?",
        (*values, count),
    )
    for *head, held, has_rounds, games, stages, created_at, started_at, ended_at in rows:
        text = stages_text(read_stages(orjson.loads(stages or "[]")))
        yield (*head, None, None, held, bool(has_rounds), 0, int(games), text, created_at, started_at, ended_at)


def arenas_on_record(connection: DatabaseConnection) -> frozenset[int]:
    """Runs the SQL query for the numbers of all arenas in the table `tournament`."""
    rows = connection.execute("SELECT tournament FROM tournament WHERE format = ?", (Format.ARENA.value,))
    return frozenset(number for (number,) in rows)


def _entrant(row: Sequence[Any]) -> Entrant:
    name, number, rating, house, status, from_round, team = row
    return Entrant(name, number, rating, bool(house), EntrantStatus(status), from_round, team)


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


def small_file(records: Iterable[MatchRecord]) -> bytes:
    """Stores a few records in SQLite tables of their own, for `--data` of `gameserver replay`, `blame` and `export`.

    No server starts on it.

    It holds these matches and no others: for a player, who is to have no others.
    """
    with closing(sqlite.connect(":memory:")) as connection:
        sqlite.prepare(connection)
        insert_matches(connection, list(records), 0)
        connection.commit()
        return connection.serialize()
