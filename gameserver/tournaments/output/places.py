"""The final places of a tournament, for lists of tournaments and for a player's page."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from gameserver.tournaments.model import Tournament, TournamentPhase
from gameserver.tournaments.output.result_lines import IdleRound, idle_rounds
from gameserver.tournaments.scoring.standings import HOUSE_AHEAD, standings
from gameserver.values import value


@value
class Place:
    """A player's place. `rank` is None for one without, such as a house player; equal ranks are a shared place."""

    name: str
    rank: int | None
    points: str
    """Empty in a knockout, whose places do not go by points."""
    note: str = ""
    """As in the standings."""
    idle: tuple[IdleRound, ...] = ()
    """The rounds of a Swiss in which the player had no opponent."""


def places(tournament: Tournament) -> tuple[Place, ...]:
    """The places from the first down; none unless the tournament is over and had a result.

    With 30 players it takes some milliseconds.
    """
    if tournament.phase is not TournamentPhase.OVER or all(one.verdict is None for one in tournament.pairings):
        return ()
    is_bracket, idle = tournament.plan.is_bracket, idle_rounds(tournament)
    return tuple(
        Place(
            row.name,
            row.rank,
            "" if is_bracket else row.points_text,
            row.note,
            tuple(one for one in idle if one.player == row.name),
        )
        for row in standings(tournament)
    )


def winners(found: Sequence[Place]) -> tuple[str, ...]:
    """The names of all who share the first place."""
    return tuple(one.name for one in found if one.rank == 1)


class _Noted(Protocol):
    """A line of standings, whatever else it has."""

    @property
    def name(self) -> str: ...
    @property
    def note(self) -> str: ...


def outside_words(lines: Iterable[_Noted], *, is_bracket: bool) -> str:
    """A sentence about the house players who came out ahead of the first place; empty if none did."""
    ahead = [line.name for line in lines if line.note == HOUSE_AHEAD]
    if not ahead:
        return ""
    if len(ahead) > 1:
        return f"{', '.join(ahead[:-1])} and {ahead[-1]} came before the first place, outside the places"
    return f"{ahead[0]} {'won the bracket' if is_bracket else 'came first in points'}, outside the places"
