"""How a search stands: who is there for a ticket, and what its player is told of it."""

from gameserver.core import keeping
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
        identity = partner.identity if partner.arrived_ms else ""
        return TicketShown(
            ticket.id, TicketStatus.FOUND, ticket.game, partner.player, identity, public_id=ticket.ids.public
        )
    at_hand = opponent_at_hand(draft, ticket)
    if at_hand is not None:
        return TicketShown(ticket.id, TicketStatus.FOUND, ticket.game, at_hand)
    return TicketShown(ticket.id, TicketStatus.WAITING, ticket.game)


def shown_seat(match: Match, seat: int) -> TicketShown:
    """The seat that a ticket led to, as its player may see it."""
    whole, holder = match.contest or match, match.seats[seat]
    return TicketShown(holder.ticket, TicketStatus.SEATED, whole.game.name, match=match.id, public_id=holder.ids.public)


def is_kept(draft: Draft, ticket: Ticket) -> bool:
    """Whether a ticket stands for being ready for a tournament, and leads to no other match."""
    return ticket.open_to_queue and keeping.is_kept(draft, ticket.player, ticket.game)


def opponent_at_hand(draft: Draft, ticket: Ticket) -> str | None:
    """Who is taken without a ticket as soon as this one's player is here: the house, or the first in the queue."""
    if ticket.against is Against.HOUSE:
        return house_for(draft, ticket.game)
    if not ticket.open_to_queue or is_kept(draft, ticket):
        return None
    waiting = draft.queues.get(ticket.game) or ()
    return next((name for name in waiting if not keeping.is_kept(draft, name)), None)


def house_for(draft: Draft, game: str) -> str | None:
    """The house player for a game; None where no house plays it."""
    known = [house.name for house in draft.server.house if game in house.games]
    return next((name for name in HOUSE_CHOICES if name in known), None)
