"""How a search stands: who is there for a ticket, and what its player is told of it."""

from gameserver.core.commands import Against
from gameserver.core.events import TicketShown, TicketStatus
from gameserver.core.lobby import Draft
from gameserver.core.match import Match
from gameserver.core.ticket import Ticket

HOUSE_CHOICES = ("house-steady", "house-random")
"""Who plays a ticket against the house: the first of these that knows the game."""


def shown(draft: Draft, ticket: Ticket) -> TicketShown:
    """A ticket as its player may see it."""
    partner = None if ticket.partner is None else draft.tickets.get(ticket.partner)
    if partner is not None:
        return TicketShown(ticket.id, TicketStatus.FOUND, ticket.game, partner.player, partner.identity)
    at_hand = opponent_at_hand(draft, ticket)
    if at_hand is not None:
        return TicketShown(ticket.id, TicketStatus.FOUND, ticket.game, at_hand)
    return TicketShown(ticket.id, TicketStatus.WAITING, ticket.game)


def opponent_at_hand(draft: Draft, ticket: Ticket) -> str | None:
    """Who is taken without a ticket as soon as this one's player is here: the house, or the first in the queue."""
    if ticket.against is Against.HOUSE:
        return house_for(draft, ticket.game)
    waiting = draft.queues.get(ticket.game) if ticket.open_to_queue else None
    return waiting[0] if waiting else None


def house_for(draft: Draft, game: str) -> str | None:
    """The house player for a game; None where no house plays it."""
    known = [house.name for house in draft.server.house if game in house.games]
    return next((name for name in HOUSE_CHOICES if name in known), None)


def match_of(draft: Draft, ticket: str) -> Match | None:
    """The live match that a ticket has led to."""
    for match in draft.matches.values():
        if any(holder.ticket == ticket for holder in match.seats):
            return match
    return None
