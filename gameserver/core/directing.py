"""What the lobby is asked by whoever works out pairings beside it, and the command that comes of it."""

from gameserver.core.lobby import At, Draft, Lobby
from gameserver.core.tournament import TournamentRow
from gameserver.core.tournament_play import free_players
from gameserver.tournaments.model import Phase


def to_pair(lobby: Lobby, number: int, now_ms: int) -> tuple[TournamentRow, frozenset[str]] | None:
    """A tournament that runs and the players who are free for it, to be given to `next_pairings`; None if it is not."""
    row = lobby.tournaments.get(number)
    if row is None or row.state.phase is not Phase.RUNNING:
        return None
    return row, free_players(Draft(lobby, At(now_ms, now_ms)), row)
