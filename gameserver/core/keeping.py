"""Who is kept for a tournament, so that no queue, table or ticket leads them into another match.

While a tournament runs, its players meet whom it pairs them with. A search in a queue waits, as during a
match; being ready at a table or waiting with a ticket means being ready for the tournament. What two
players agree on by a challenge goes on, unless the tournament's plan says otherwise.

In a pause they are kept as before: the program of somebody who waits would else begin a match with the
next one who waits, and be missing when the tournament goes on. Challenges are always allowed then, because
whoever challenges means it.
"""

from collections.abc import Iterable
from typing import Protocol

from gameserver.core.tournament import KEEPING, TournamentRow
from gameserver.tournaments.model import Phase


class _Rows(Protocol):
    def __len__(self) -> int: ...

    def values(self) -> Iterable[TournamentRow]: ...


class Tournaments(Protocol):
    """A lobby or a draft of one."""

    @property
    def tournaments(self) -> _Rows:
        """Every tournament."""


def is_kept(lobby: Tournaments, name: str, game: str | None = None) -> bool:
    """Whether a player is kept for a tournament (of this game) now."""
    # Most lobbies have none, and every search asks.
    if not lobby.tournaments:
        return False
    return any(row.keeps(name) and game in {None, row.state.plan.game} for row in lobby.tournaments.values())


def may_challenge(lobby: Tournaments, name: str) -> bool:
    """Whether the tournaments that a player is in let them play others meanwhile."""
    return not any(
        row.state.phase is Phase.RUNNING and not row.state.plan.challenges and row.keeps(name)
        for row in lobby.tournaments.values()
    )


def kept_names(row: TournamentRow) -> dict[str, None]:
    """All who are kept for this tournament, in order."""
    if row.state.phase not in KEEPING:
        return {}
    return {entrant.name: None for entrant in row.state.entrants if not entrant.is_out and not entrant.house}
