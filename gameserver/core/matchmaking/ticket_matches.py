"""Opens the matches of tickets, once every player is here.

A player who looks for the same game in its queue is always here: they are taken when the ticket's player arrives, and
hear nothing before the match begins.
"""

from gameserver.core.matchmaking import matchmaker, ticket_search
from gameserver.core.matchmaking.ticket_search import (
    is_kept,
    may_leave,
    opponent_at_hand,
    pair,
    part,
    present_opponent,
    search,
    search_anew,
    shown,
)
from gameserver.core.messages.commands import Against
from gameserver.core.state.draft import Draft
from gameserver.core.state.lobby import Player
from gameserver.core.state.ticket import Ticket
from gameserver.policies import ticket_policies


def look_again(draft: Draft, player: Player) -> None:
    """Let the ticket of a player whom no tournament reserves any more search as others do."""
    for ticket in draft.tickets.values():
        if ticket.session == player.session and ticket.partner is None:
            search(draft, ticket)
            meet(draft, draft.tickets[ticket.id])
            return


def waiting_for(draft: Draft, game: str) -> Ticket | None:
    """A ticket whose player is here and would also play a player out of this game's queue."""
    if not draft.tickets:
        return None
    for ticket in draft.tickets.values():
        is_here = ticket.session is not None and may_leave(draft, ticket)
        if ticket.open_to_queue and ticket.game == game and is_here and not is_kept(draft, ticket):
            return ticket
    return None


def open_with(draft: Draft, ticket: Ticket, name: str, *, name_first: bool) -> None:
    """Open the match of a ticket's player, who is here, and a player without a ticket."""
    if draft.server.drains:
        return
    ticket, left_alone = part(draft, ticket)
    names = (name, ticket.player) if name_first else (ticket.player, name)
    _open(draft, (ticket,), names)
    search_anew(draft, (left_alone,))


def meet(draft: Draft, ticket: Ticket) -> None:
    """Open the match if both players are here; else tell the ticket's player the state of the search."""
    if ticket.session is None:
        return
    partner = None if ticket.partner is None else draft.tickets.get(ticket.partner)
    if partner is not None and partner.session is not None:
        _open_pair(draft, ticket, partner)
        return
    other = None if draft.server.drains else present_opponent(draft, ticket)
    if other is not None:
        _leave_absent(draft, ticket, other)
        return
    at_hand = opponent_at_hand(draft, ticket) if may_leave(draft, ticket) else None
    if at_hand is None:
        draft.tell(ticket.session, shown(draft, ticket))
    else:
        open_with(draft, ticket, at_hand, name_first=ticket.against is not Against.HOUSE)


def _leave_absent(draft: Draft, ticket: Ticket, other: Ticket) -> None:
    """Let two players who are here meet, instead of waiting for opponents who have not come."""
    ticket, first_left = part(draft, ticket)
    other, second_left = part(draft, draft.tickets[other.id])
    _open_pair(draft, *pair(draft, ticket, other))
    search_anew(draft, (first_left, second_left))


def _open_pair(draft: Draft, ticket: Ticket, partner: Ticket) -> None:
    """Open the match of two players who are here. The earlier arrival sits first; of two at once, the partner."""
    both = sorted((partner, ticket), key=lambda one: one.arrived_ms)
    _open(draft, tuple(both), tuple(one.player for one in both))


def _open(draft: Draft, tickets: tuple[Ticket, ...], names: tuple[str, ...]) -> None:
    """Open a match of these players in this order."""
    if draft.server.drains:
        return
    game = draft.game_named(tickets[0].game)
    assert game is not None, "a ticket names a game that was known when it was booked"
    by_name = {ticket.player: ticket for ticket in tickets}
    options = ticket_search.options_of_match(game, tickets, names)
    unlike = any(name not in by_name and draft.players.get(name) is not None for name in names)
    rated = tickets[0].against is Against.RATED
    policies = ticket_policies(draft.server.rules, first_move_pause=unlike, rated=rated)
    matchmaker.open_match(draft, game, names, policies, options=options, in_order=True, tickets=by_name)
    for ticket in tickets:
        del draft.tickets[ticket.id]
