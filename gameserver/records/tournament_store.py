"""The tables of tournaments: `tournament`, `entrant`, `pairing`, `bye` and `ruling`.

SELECT round, board, first, second, verdict, reason FROM pairing WHERE tournament = 1 AND status = 'done'
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson

from gameserver.database.connection import Connection
from gameserver.records.schema import NUMBER_MAX, chosen_by
from gameserver.records.tournament_record import TournamentRecord
from gameserver.tournaments.model import Bye, Entrant, EntrantStatus, Pairing, PairingStatus, Ruling, Verdict
from gameserver.tournaments.plan import Format

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
_BYE = "round, player"
_RULING = "number, what, by, why, pairing, player"
_KEY = ("tournament",)
_CHANGING = ("phase", "round", "plan", "started_at", "ended_at", "seed", "rounds", "entry", "left_ms")
"""The columns of a tournament that change while it goes on."""

Values = tuple[object, ...]


def insert_tournaments(connection: Connection, records: Iterable[TournamentRecord]) -> None:
    """Write what has changed, within the caller's transaction; the latest of each row stands."""
    changed = list(records)
    # The head is updated, not replaced: the other tables refer to it.
    connection.insert("tournament", _TOURNAMENT, [_head_row(one) for one in changed], key=_KEY, update=_CHANGING)
    for number, entrants in {one.tournament: one.entrants for one in changed if one.entrants is not None}.items():
        connection.execute("DELETE FROM entrant WHERE tournament = ?", (number,))
        rows = [(number, *_entrant_row(who), place) for place, who in enumerate(entrants)]
        _put(connection, "entrant", f"{_ENTRANT}, place", rows, ("player",))
    pairings = [(one.tournament, *_pairing_row(pair)) for one in changed for pair in one.pairings]
    _put(connection, "pairing", _PAIRING, pairings, ("pairing",))
    byes = [(one.tournament, bye.round, bye.player) for one in changed for bye in one.byes]
    _put(connection, "bye", _BYE, byes, ("round", "player"))
    rulings = [(one.tournament, at, *_ruling_row(ruling)) for one in changed for at, ruling in one.rulings]
    _put(connection, "ruling", _RULING, rulings, ("number",))


def _put(connection: Connection, table: str, columns: str, rows: Sequence[Values], key: tuple[str, ...]) -> None:
    """Write rows of a tournament; the latest of each stands. `key` and `columns` are those beside the tournament."""
    update = tuple(name for name in columns.split(", ") if name not in key)
    connection.insert(table, f"tournament, {columns}", rows, key=(*_KEY, *key), update=update)


def _head_row(one: TournamentRecord) -> Values:
    head = (one.tournament, one.name, one.game, one.format, one.phase, one.round, one.plan)
    return (*head, one.created_at, one.started_at, one.ended_at, one.seed, one.rounds, one.entry, one.left_ms)


def _entrant_row(one: Entrant) -> Values:
    return (one.name, one.number, one.rating, int(one.house), one.standing.value, one.from_round)


def _pairing_row(one: Pairing) -> Values:
    place = (one.number, one.round, one.board, one.game, *one.seats)
    verdict = None if one.verdict is None else one.verdict.value
    came_of_it = (one.status.value, one.match, verdict, int(one.played), one.reason, *one.points)
    absent = orjson.dumps(one.absent).decode()
    return (*place, *came_of_it, one.meeting, one.chance, int(one.walkover), absent, int(one.side_by_side))


def _ruling_row(one: Ruling) -> Values:
    return (one.what, one.by, one.why, one.pairing, one.player)


def read_tournament(connection: Connection, number: int) -> TournamentRecord | None:
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
            ("bye", _BYE, _BYE),
            ("ruling", _RULING, "number"),
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
    connection: Connection, before: int | None, player: str | None, count: int
) -> Iterator[tuple[Any, ...]]:
    """The columns of `RecordedTournament` for events before a number, or a player's, the latest first."""
    # The same as `Plan.has_rounds`.
    pacing = connection.json_field("plan", "pacing")
    has_rounds = f"format = 'swiss' OR (format IN ('round-robin', 'gauntlet') AND {pacing} = 'rounds')"
    chosen = chosen_by(
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
        f"{has_rounds}, {connection.json_field('plan', 'games')}, created_at, started_at, ended_at "
        f"FROM tournament AS one WHERE {chosen.where} ORDER BY tournament DESC LIMIT ?",
        (*chosen.values, count),
    )
    for *head, held, has_rounds, games, created_at, started_at, ended_at in rows:
        yield (*head, None, None, held, bool(has_rounds), 0, int(games), created_at, started_at, ended_at)


def arenas_on_record(connection: Connection) -> frozenset[int]:
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
