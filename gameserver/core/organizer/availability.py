"""Answers the director, which works out pairings beside the lobby: the tournament, and the players who are free."""

from gameserver.core.matchmaking import room_places
from gameserver.core.messages.capabilities import Capability
from gameserver.core.state import tournament
from gameserver.core.state.draft import Draft
from gameserver.core.state.lobby import At, Lobby, Player
from gameserver.core.state.room import RoomPhase
from gameserver.core.state.ticket import Ticket
from gameserver.core.state.tournament import TournamentRow
from gameserver.tournaments.model import TournamentPhase


def free_players(draft: Draft, row: TournamentRow) -> frozenset[str]:
    """The entrants who can be seated now, without house players. Do not iterate the set: its order varies."""
    return frozenset(name for name in tournament.reserved_names(row) if is_free(draft, row, name))


def is_free(draft: Draft, row: TournamentRow, name: str) -> bool:
    """True if this player can be seated in a match of this tournament now, as far as their protocol lets them."""
    player = draft.players.get(name)
    if player is None or player.match is not None or row.rests.get(name, 0) > draft.at.now_ms:
        return False
    if Capability.CHALLENGE in player.capabilities:
        return True
    if player.sits:
        game = room_places.game_of_rooms(draft)
        room = None if player.room is None else draft.rooms.get(player.room)
        in_room = room is not None and room.phase is RoomPhase.KEPT
        return in_room and game is not None and game.name == row.state.plan.game
    return ticket_of(draft, player, row.state.plan.game) is not None


def ticket_of(draft: Draft, player: Player, game: str) -> Ticket | None:
    """The ticket with which a player waits for this game in its usual form, if there is one."""
    for ticket in draft.tickets.values():
        if ticket.session == player.session:
            return ticket if ticket.open_to_queue and ticket.game == game and ticket.partner is None else None
    return None


def to_pair(lobby: Lobby, number: int, now_ms: int) -> tuple[TournamentRow, frozenset[str]] | None:
    """A tournament that runs and the players who are free for it, to be given to `next_pairings`; None if it is not."""
    row = lobby.tournaments.get(number)
    if row is None or row.state.phase is not TournamentPhase.RUNNING:
        return None
    return row, free_players(Draft(lobby, At(now_ms, now_ms)), row)
