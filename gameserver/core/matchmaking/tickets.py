"""Tickets: searches that outlive a player's connection.

A ticket is booked by a request and waits for its opponent; its player arrives by another connection,
before or after one is found. The match is opened when both are there, the earlier arrival in the
first seat. Until then each of the two can lapse: a ticket whose player does not come is gone after a
while, and the other goes on searching.

    booked -- an opponent with the same wishes --> found -- both arrive --> seated, the ticket is gone
      |                                              |
      +-- nobody comes in time: lapsed               +-- one does not come: the other waits again

`ticket_booking` books them, `ticket_search` finds opponents, `ticket_arrivals` lets players in, and `matchmaker` opens
their matches.
"""

import attrs

from gameserver.core.matchmaking.matchmaker import meet_ticket
from gameserver.core.matchmaking.ticket_claims import SeatClaim, may_be_told
from gameserver.core.matchmaking.ticket_search import present_opponent, search, shown_seat, ticket_shown
from gameserver.core.messages.commands import (
    RecallTicket,
    ServerStarted,
    ShowTicket,
    TicketTimeUp,
    Unbook,
)
from gameserver.core.messages.events import Accepted, Answer, Rejected, TicketClosed
from gameserver.core.messages.rejections import Code
from gameserver.core.state.draft import Draft
from gameserver.core.state.lobby import Player
from gameserver.core.state.ticket import Ticket
from gameserver.core.state.ticket_lookup import seat_named, seat_of, ticket_named, ticket_of, unknown


def ticket_for(draft: Draft, player: str) -> Ticket | None:
    """The ticket of the player of this name."""
    return next((ticket for ticket in draft.tickets.values() if ticket.player == player), None)


def give_up(draft: Draft, player: str) -> None:
    """Close the ticket of a player who has logged in by the name; an opponent that was found searches on."""
    ticket = ticket_for(draft, player)
    if ticket is None:
        return
    partner = None if ticket.partner is None else draft.tickets.get(ticket.partner)
    _close(draft, ticket)
    if partner is not None:
        _put(draft, partner.searching(draft.at.now_ms, None if partner.session is not None else partner.lapses_ms))
        search(draft, draft.tickets[partner.id])
        meet_ticket(draft, draft.tickets[partner.id])


def unbook(draft: Draft, command: Unbook) -> Answer:
    """Give a ticket back."""
    ticket = ticket_named(draft, command.ticket, command.identity)
    if ticket is None:
        return unknown(draft, command.ticket)
    if ticket.partner is not None:
        return Rejected(Code.TICKET_SEATED, {"ticket": command.ticket})
    _close(draft, ticket)
    return Accepted()


def show(draft: Draft, command: ShowTicket) -> Answer:
    """Answer with the state of a search."""
    ticket = ticket_named(draft, command.ticket, command.identity)
    if ticket is not None:
        _renew(draft, ticket)
        draft.tell(command.session, ticket_shown(draft, ticket))
        return Accepted()
    found = seat_named(draft, command.ticket, command.identity)
    if found is None:
        return unknown(draft, command.ticket)
    draft.tell(command.session, shown_seat(*found))
    return Accepted()


def recall(draft: Draft, command: RecallTicket) -> Answer:
    """Tell a player the id that their client has lost. A client without proof is answered as if there were none."""
    ticket = ticket_of(draft, command.identity)
    found = seat_of(draft, command.identity) if ticket is None else None
    if ticket is not None and may_be_told(command, SeatClaim.of_ticket(ticket)):
        draft.tell(command.session, ticket_shown(draft, ticket))
        return Accepted()
    if found is not None and may_be_told(command, SeatClaim.of_seat(found[0].seats[found[1]])):
        draft.tell(command.session, shown_seat(*found))
        return Accepted()
    return Rejected(Code.NO_SUCH_TICKET, {"ticket": ""})


def _renew(draft: Draft, ticket: Ticket) -> None:
    """Extend a ticket whose player asks for it; not at every request, because each time is a journal row."""
    wait_ms = draft.server.rules.ticket_wait_ms
    is_awaited = ticket.session is None and ticket.partner is None
    if is_awaited and ticket.due_ms is not None and ticket.due_ms - draft.at.now_ms <= wait_ms // 2:
        _put(draft, attrs.evolve(ticket, due_ms=draft.at.now_ms + wait_ms))


def left(draft: Draft, player: Player) -> None:
    """Let a ticket wait for a while, because its player's connection is gone."""
    for ticket in draft.tickets.values():
        if ticket.session == player.session:
            rules = draft.server.rules
            wait_ms = rules.ticket_wait_ms if ticket.partner is None else rules.ticket_arrival_ms
            _put(draft, _awaited(draft, ticket, wait_ms))
            return


def time_up(draft: Draft, command: TicketTimeUp) -> Answer:
    """Carry out what is due: the end of a ticket, or a wider search."""
    now_ms = draft.at.now_ms
    ticket = draft.tickets.get(command.ticket)
    if ticket is None or ticket.due_ms is None or ticket.due_ms > now_ms:
        return Rejected(Code.STALE)
    lapses = ticket.session is None and (ticket.lapses_ms is None or ticket.lapses_ms <= now_ms)
    if ticket.partner is None and not lapses:
        ticket = ticket.searching(now_ms, ticket.lapses_ms)
        _put(draft, ticket)
        if search(draft, ticket) or present_opponent(draft, ticket):
            meet_ticket(draft, draft.tickets[ticket.id])
        return Accepted()
    partner = None if ticket.partner is None else draft.tickets.get(ticket.partner)
    both = (ticket,) if partner is None else (ticket, partner)
    for one in both:
        if one.session is None:
            _close(draft, one)
    for one in both:
        if one.session is not None:
            _put(draft, one.searching(now_ms, None))
            search(draft, draft.tickets[one.id])
            meet_ticket(draft, draft.tickets[one.id])
    return Accepted()


def keep_waiting(draft: Draft, command: ServerStarted) -> None:
    """Have every ticket wait for its player after a restart."""
    for ticket in list(draft.tickets.values()):
        _put(draft, _awaited(draft, ticket, max(command.rules.ticket_arrival_ms, command.rules.restart_grace_ms)))


def _awaited(draft: Draft, ticket: Ticket, wait_ms: int) -> Ticket:
    """The ticket of an absent player, to be waited for so long."""
    lapses_ms = draft.at.now_ms + wait_ms
    if ticket.partner is None:
        return attrs.evolve(ticket, session=None).searching(draft.at.now_ms, lapses_ms)
    return attrs.evolve(ticket, session=None, due_ms=lapses_ms, lapses_ms=lapses_ms)


def _put(draft: Draft, ticket: Ticket) -> None:
    draft.tickets[ticket.id] = ticket


def _close(draft: Draft, ticket: Ticket) -> None:
    """End a search that found no match."""
    draft.tell(ticket.session, TicketClosed(ticket.id))
    del draft.tickets[ticket.id]
