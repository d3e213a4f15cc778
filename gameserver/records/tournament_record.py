"""Tournaments as records: what they are, who took part, every pairing with its result, every ruling.

Unlike a match, a tournament is on record from its beginning: a record holds what has changed since
the one before, and replaces it. So a corrected result stands as it is now, and the ruling tells of it.

The lobby keeps only the last tournaments that are over. Of the others the record has everything that
is needed to show them as they ended (`row_of`), and to take them back into the lobby (`restoring`).
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import orjson
from cattrs.preconf.orjson import make_converter

from gameserver.core.commands import EntryMode, KeepRanking, RestoreTournament
from gameserver.core.lobby import TournamentRow
from gameserver.database.connection import NUMBER_MAX, DatabaseConnection, chosen_by
from gameserver.records.match_record import EpochRecord, MatchRecord, RestartRecord, time_of_day
from gameserver.tournaments.model import Bye, Entrant, Pairing, Ruling, StageDraw, Tournament, TournamentPhase
from gameserver.tournaments.plan import Plan, teach_plans
from gameserver.values import value

_COLUMNS = "tournament, at, at_ms, what, pairing, player, why"
# Judgement: nobody talks about more of them with a student.
NO_SHOWS_MAX = 50
"""A page of a player shows so many, the latest."""
_NO_SEED = "0" * 64
"""For records of a tournament that is not over: its lots may fall otherwise than they do."""
CONVERTER = make_converter()


@value
class TournamentRecord:
    """The record of a tournament: the rows to be written for it.

    `plan` is JSON; the times of day are ISO 8601 in UTC.
    """

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
    entrants: tuple[Entrant, ...] | None
    """None where nobody has come, gone or changed."""
    pairings: tuple[Pairing, ...]
    byes: tuple[Bye, ...]
    rulings: tuple[tuple[int, Ruling], ...]
    """With their numbers, from 1."""
    seed: str = ""
    """The seed of its lots and draws; empty until it is over."""
    rounds: int = 0
    """Rounds of a Swiss."""
    entry: str = EntryMode.LOGGED_IN.value
    left_ms: int = 0
    """The time left of an arena whose clock stands."""
    commitment: str = ""
    """The SHA-256 of the seed."""
    draws: tuple[StageDraw, ...] | None = ()
    """Of the stages that have begun, if there are several; None where none has begun or been voided."""


def record_of_tournament(before: TournamentRow | None, row: TournamentRow) -> TournamentRecord | None:
    """Makes the record of what a decision changed in a tournament; None if nothing."""
    # Identity will do: a state that an act did not change is the same object.
    if before is not None and before.state is row.state and before.is_seed_told is row.is_seed_told:
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
        # None and empty tuples are left alone by the tables: most decisions change one pairing.
        entrants=None if was is not None and was.entrants is state.entrants else state.entrants,
        pairings=tuple(
            # By identity, like the state: pairings are numbered from 1 and never removed.
            pairing
            for pairing in state.pairings
            if pairing.number > len(old) or old[pairing.number - 1] is not pairing
        ),
        byes=() if was is not None and was.byes is state.byes else state.byes,
        rulings=tuple(enumerate(state.rulings[unchanged:], start=unchanged + 1)),
        seed=state.seed if row.is_seed_told else "",
        rounds=state.rounds,
        entry=row.entry.value,
        left_ms=state.left_ms,
        commitment=state.commitment,
        draws=None if was is not None and was.draws is state.draws else state.draws,
    )


def row_of(record: TournamentRecord) -> TournamentRow:
    """Turns a whole tournament record back into the lobby's row, as it stood but for the times at which it ran.

    Raises what cattrs raises for a plan that this version does not know.
    """
    state = Tournament(
        plan=CONVERTER.structure(orjson.loads(record.plan), Plan),
        seed=record.seed or _NO_SEED,
        phase=TournamentPhase(record.phase),
        entrants=record.entrants or (),
        pairings=record.pairings,
        byes=record.byes,
        round=record.round,
        rounds=record.rounds,
        left_ms=record.left_ms,
        rulings=tuple(ruling for _, ruling in record.rulings),
        commitment=record.commitment,
        draws=record.draws or (),
    )
    return TournamentRow(
        number=record.tournament,
        state=state,
        entry=EntryMode(record.entry),
        created_wall_ms=_wall_ms(record.created_at),
        started_wall_ms=None if record.started_at is None else _wall_ms(record.started_at),
        ended_wall_ms=None if record.ended_at is None else _wall_ms(record.ended_at),
        is_seed_told=bool(record.seed),
    )


def restoring(record: TournamentRecord) -> RestoreTournament:
    """Makes the command that takes the tournament of a whole record back into the lobby. Raises as `row_of` does."""
    row = row_of(record)
    return RestoreTournament(
        row.number, row.state, row.entry, row.created_wall_ms, row.started_wall_ms, row.ended_wall_ms
    )


def _wall_ms(time_of_day: str) -> int:
    return round(datetime.fromisoformat(time_of_day).timestamp() * 1000)


def _json(value: Any) -> str:
    return orjson.dumps(CONVERTER.unstructure(value)).decode()


class Attendance(StrEnum):
    """The things that are noted of a player's attendance at a tournament's matches."""

    ANNOUNCED = "announced"
    NO_SHOW = "no-show"
    CAME = "came"
    LEFT = "left"


@value
class AttendanceRecord:
    """One fact about a player's attendance at a tournament.

    Of a match that is announced there is a row for each player; `why` says how that one was there.

    There is a row for each announced match, for each no-show, and whenever a player comes or goes whom a tournament
    has reserved.

    SELECT at, what, pairing, player, why FROM attendance WHERE tournament = 1 ORDER BY number
    """

    tournament: int
    at: str
    at_ms: int
    """The same on the server's own clock, which stops while the server does."""
    what: Attendance
    pairing: int | None
    player: str
    why: str = ""


@value
class NoShowRecord:
    """A no-show of a player at a tournament, with its circumstances on record."""

    decided: AttendanceRecord
    announced: AttendanceRecord
    meanwhile: tuple[AttendanceRecord, ...]
    """The player's coming and going between the two."""

    @property
    def where(self) -> str:
        """The tournament of a no-show, within a sentence."""
        return f"tournament {self.decided.tournament}"

    @property
    def anchor(self) -> str:
        """The id of a no-show on a player's page, to which the pairing leads."""
        return f"no-show-{self.decided.tournament}-{self.decided.pairing}"

    @property
    def lines(self) -> tuple[str, ...]:
        """The explanation of a no-show, for a talk with the player.

        Lines that begin with a blank belong to the first.
        """
        one = self.decided
        head = f"{one.player} did not come to pairing {one.pairing} of {self.where}, decided at {one.at}"
        waited_s = (one.at_ms - self.announced.at_ms) / 1000
        went = [f"  {step.what} at {step.at}{f': {step.why}' if step.why else ''}" for step in self.meanwhile]
        return (
            head,
            f"  it was announced at {self.announced.at} and waited {waited_s:.1f} s",
            f"  when it was announced: {self.announced.why}",
            *(went or ["  the connection did not change meanwhile"]),
            f"  at the end: {one.why}",
        )


def insert(connection: DatabaseConnection, records: Iterable[AttendanceRecord]) -> None:
    """Adds facts of attendance to the records of tournaments, within the caller's transaction."""
    rows = [(one.tournament, one.at, one.at_ms, one.what.value, one.pairing, one.player, one.why) for one in records]
    connection.insert("attendance", _COLUMNS, rows)


def read_attendance(
    connection: DatabaseConnection, *, player: str | None = None, tournament: int | None = None
) -> tuple[AttendanceRecord, ...]:
    """Reads tournaments' records of attendance, about a player or of one tournament, in their order."""
    if tournament is not None and not 0 < tournament <= NUMBER_MAX:
        return ()
    where, values = chosen_by(("player = ?", player), ("tournament = ?", tournament))
    rows = connection.execute(f"SELECT {_COLUMNS} FROM attendance WHERE {where} ORDER BY number", values)
    return tuple(
        AttendanceRecord(number, at, at_ms, Attendance(what), *rest) for number, at, at_ms, what, *rest in rows
    )


def no_shows_in(records: Sequence[AttendanceRecord]) -> tuple[NoShowRecord, ...]:
    """The no-shows among these facts of attendance from tournaments' records, the latest first."""
    found = []
    for index, decided in enumerate(records):
        if decided.what is not Attendance.NO_SHOW:
            continue
        # Of this player at this tournament: another one may be announced and decided in between.
        own = [one for one in records[:index] if (one.tournament, one.player) == (decided.tournament, decided.player)]
        # There is one: only a pairing that an earlier decision announced becomes a no-show, and both are recorded.
        announced = next(
            one for one in reversed(own) if (one.what, one.pairing) == (Attendance.ANNOUNCED, decided.pairing)
        )
        since = own[own.index(announced) + 1 :]
        meanwhile = tuple(one for one in since if one.what in {Attendance.CAME, Attendance.LEFT})
        found.append(NoShowRecord(decided, announced, meanwhile))
    return tuple(reversed(found))


Record = MatchRecord | TournamentRecord | AttendanceRecord | RestartRecord | EpochRecord | KeepRanking
"""A record that is written with a batch."""
teach_plans(CONVERTER)
