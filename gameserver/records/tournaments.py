"""Tournaments as records: what they are, who took part, every pairing with its result, every ruling.

Unlike a match, a tournament is on record from its beginning: a record holds what has changed since
the one before, and replaces it. So a corrected result stands as it is now, and the ruling tells of it.
"""

from typing import Any

import orjson
from attrs import frozen
from cattrs.preconf.orjson import make_converter

from gameserver.core.tournament import TournamentRow
from gameserver.records.model import MatchRecord, time_of_day
from gameserver.tournaments.model import Bye, Entrant, Pairing, Ruling

_CONVERTER = make_converter()


@frozen
class TournamentRecord:
    """What is to be written of a tournament. `plan` is JSON; the times of day are ISO 8601 in UTC."""

    tournament: int
    name: str
    game: str
    format: str
    phase: str
    round: int
    plan: str
    created_at: str
    started_at: str | None
    ended_at: str | None
    entrants: tuple[Entrant, ...]
    pairings: tuple[Pairing, ...]
    byes: tuple[Bye, ...]
    rulings: tuple[tuple[int, Ruling], ...]
    """With their numbers, from 1."""


Record = MatchRecord | TournamentRecord
"""What goes into the records with a batch."""


def record_of_tournament(before: TournamentRow | None, row: TournamentRow) -> TournamentRecord | None:
    """What has changed in a tournament; None if nothing has that is recorded."""
    if before is not None and before.state is row.state:
        return None
    state, was = row.state, None if before is None else before.state
    old = () if was is None else was.pairings
    unchanged = 0 if was is None else len(was.rulings)
    return TournamentRecord(
        tournament=row.number,
        name=row.name,
        game=state.plan.game,
        format=state.plan.format.value,
        phase=state.phase.value,
        round=state.round,
        plan=_json(state.plan),
        created_at=time_of_day(row.created_wall_ms),
        started_at=None if row.started_wall_ms is None else time_of_day(row.started_wall_ms),
        ended_at=None if row.ended_wall_ms is None else time_of_day(row.ended_wall_ms),
        entrants=() if was is not None and was.entrants is state.entrants else state.entrants,
        pairings=tuple(
            pairing for pairing in state.pairings if pairing.number > len(old) or old[pairing.number - 1] is not pairing
        ),
        byes=() if was is not None and was.byes is state.byes else state.byes,
        rulings=tuple(enumerate(state.rulings[unchanged:], start=unchanged + 1)),
    )


def _json(value: Any) -> str:
    return orjson.dumps(_CONVERTER.unstructure(value)).decode()
