"""The final places of a tournament, for lists of tournaments and for a player's page."""

from collections.abc import Sequence

from gameserver.tournaments.model import Tournament, TournamentPhase
from gameserver.tournaments.scoring.standings import standings
from gameserver.values import value


@value
class Place:
    """A player's place. `rank` is None for one without, such as a house player; equal ranks are a shared place."""

    name: str
    rank: int | None
    points: str
    """Empty in a knockout, whose places do not go by points."""


def places(tournament: Tournament) -> tuple[Place, ...]:
    """The places from the first down; none unless the tournament is over and had a result.

    With 30 players it takes some milliseconds.
    """
    if tournament.phase is not TournamentPhase.OVER or all(one.verdict is None for one in tournament.pairings):
        return ()
    is_bracket = tournament.plan.is_bracket
    return tuple(Place(row.name, row.rank, "" if is_bracket else row.points_text) for row in standings(tournament))


def winners(found: Sequence[Place]) -> tuple[str, ...]:
    """The names of all who share the first place."""
    return tuple(one.name for one in found if one.rank == 1)
