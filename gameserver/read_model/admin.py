"""The teacher's views of the lobby: pure functions from its rows. No public page shows these."""

from collections.abc import Iterable, Mapping

from gameserver.core.commands import Capability
from gameserver.core.lobby import Player, Room, Ticket, TournamentRow
from gameserver.core.match import Match
from gameserver.read_model.views import (
    AdminMatchView,
    AdminPlayerView,
    AdminQueueView,
    AdminRoomView,
    AdminTicketView,
    AdminTournamentView,
)
from gameserver.tournaments.model import Timing
from gameserver.tournaments.view import as_json, tournament_summary, warnings


def player_view(player: Player) -> AdminPlayerView:
    """A player, with the address and whether a secret was shown."""
    return AdminPlayerView(
        player.name,
        player.protocol,
        player.address,
        player.match,
        player.seek,
        player.room,
        player.is_proven,
        is_callable=Capability.CHALLENGE in player.capabilities or Capability.ROOMS in player.capabilities,
    )


def match_view(match: Match) -> AdminMatchView:
    """A live match, with the players that it waits for."""
    return AdminMatchView(
        match=match.id,
        game=match.whole.game.name,
        players=match.players,
        phase=match.phase.value,
        moves=match.moves_made,
        awaited=tuple(match.seats[seat].player for seat in match.awaited_seats),
        away=tuple(holder.player for holder in match.seats if not holder.is_present),
        room=match.room,
        opened_wall_ms=match.opened_wall_ms,
    )


def room_view(room: Room) -> AdminRoomView:
    """A room, with the players in it."""
    return AdminRoomView(room.number, room.phase.value, tuple(place.player for place in room.places), room.match)


def queue_views(games: Iterable[str], queues: Mapping[str, tuple[str, ...]]) -> tuple[AdminQueueView, ...]:
    """The queues that are not empty, in the order of the games."""
    return tuple(AdminQueueView(game, names) for game in games if (names := queues.get(game)))


def ticket_views(tickets: Iterable[Ticket]) -> tuple[AdminTicketView, ...]:
    """Searches by ticket. Their ids are not shown: a ticket is its owner's way back."""
    by_id = {ticket.id: ticket for ticket in tickets}
    found = []
    for ticket in by_id.values():
        partner = None if ticket.partner is None else by_id.get(ticket.partner)
        opponent = None if partner is None else partner.player
        found.append(AdminTicketView(ticket.player, ticket.game, ticket.session is not None, opponent))
    return tuple(found)


def tournament_view(row: TournamentRow, timing: Timing) -> AdminTournamentView:
    """A tournament in a line, with its entry mode and warnings."""
    summary = tournament_summary(row.state, number=row.number, timing=timing)
    turn_time_ms = row.state.plan.turn_time_ms
    return AdminTournamentView(
        **as_json(summary), entry=row.entry.value, warnings=warnings(row.state), turn_time_ms=turn_time_ms
    )
