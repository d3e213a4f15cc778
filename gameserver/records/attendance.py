"""The presence of players at the matches of tournaments: the facts behind a no-show.

A row for each announced match, for each no-show, and whenever a player comes or goes whom a tournament has reserved.

SELECT at, what, pairing, player, why FROM attendance WHERE tournament = 1 ORDER BY number
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from gameserver.database.connection import Connection
from gameserver.records.schema import NUMBER_MAX, chosen_by
from gameserver.values import value

_COLUMNS = "tournament, at, at_ms, what, pairing, player, why"
NO_SHOWS_MAX = 50
"""A page of a player shows so many, the latest."""


class Attendance(StrEnum):
    """The things that are noted."""

    ANNOUNCED = "announced"
    NO_SHOW = "no-show"
    CAME = "came"
    LEFT = "left"


@value
class AttendanceRecord:
    """One fact. Of a match that is announced there is a row for each player; `why` says how that one was there."""

    tournament: int
    at: str
    at_ms: int
    """The same on the server's own clock, which stops while the server does."""
    what: Attendance
    pairing: int | None
    player: str
    why: str = ""


@value
class NoShow:
    """A no-show with its circumstances."""

    decided: AttendanceRecord
    announced: AttendanceRecord
    meanwhile: tuple[AttendanceRecord, ...]
    """The player's coming and going between the two."""

    @property
    def where(self) -> str:
        """The tournament, within a sentence."""
        return f"tournament {self.decided.tournament}"

    @property
    def anchor(self) -> str:
        """The id on a player's page, to which the pairing leads."""
        return f"no-show-{self.decided.tournament}-{self.decided.pairing}"

    @property
    def lines(self) -> tuple[str, ...]:
        """The explanation, for a talk with the player. Lines that begin with a blank belong to the first."""
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


def insert(connection: Connection, records: Iterable[AttendanceRecord]) -> None:
    """Write facts, within the caller's transaction."""
    rows = [(one.tournament, one.at, one.at_ms, one.what.value, one.pairing, one.player, one.why) for one in records]
    connection.insert("attendance", _COLUMNS, rows)


def read_attendance(
    connection: Connection, *, player: str | None = None, tournament: int | None = None
) -> tuple[AttendanceRecord, ...]:
    """The facts about a player, or of a tournament, in their order."""
    if tournament is not None and not 0 < tournament <= NUMBER_MAX:
        return ()
    chosen = chosen_by(("player = ?", player), ("tournament = ?", tournament))
    rows = connection.execute(f"SELECT {_COLUMNS} FROM attendance WHERE {chosen.where} ORDER BY number", chosen.values)
    return tuple(
        AttendanceRecord(number, at, at_ms, Attendance(what), *rest) for number, at, at_ms, what, *rest in rows
    )


def no_shows_in(records: Sequence[AttendanceRecord]) -> tuple[NoShow, ...]:
    """The no-shows among these facts, the latest first."""
    found = []
    for index, decided in enumerate(records):
        if decided.what is not Attendance.NO_SHOW:
            continue
        own = [one for one in records[:index] if (one.tournament, one.player) == (decided.tournament, decided.player)]
        announced = next(
            one for one in reversed(own) if (one.what, one.pairing) == (Attendance.ANNOUNCED, decided.pairing)
        )
        since = own[own.index(announced) + 1 :]
        meanwhile = tuple(one for one in since if one.what in {Attendance.CAME, Attendance.LEFT})
        found.append(NoShow(decided, announced, meanwhile))
    return tuple(reversed(found))
