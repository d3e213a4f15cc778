"""Which tickets play each other: the search for an opponent, and what becomes of a pair.

A pair is dissolved only while one of the two has not come. Players who are present are paired first:
nobody waits for an absent one while somebody with the same wish is there.

Journals of servers before 0.1.0 were decided without that, and each of a pair had an id of its own:
`Rules.tickets_share_ids` is False in them.
"""

from attrs import evolve

from gameserver.core.lobby import Draft
from gameserver.core.ticket import Ticket
from gameserver.core.ticket_status import is_kept, shown


def search(draft: Draft, ticket: Ticket) -> bool:
    """Find the ticket that has waited longest for such an opponent; one whose player is here comes first."""
    if is_kept(draft, ticket):
        return False
    found = [other for other in draft.tickets.values() if other.partner is None and _may_meet(draft, ticket, other)]
    if draft.server.rules.tickets_share_ids:
        found.sort(key=lambda other: other.session is None)
    if not found:
        return False
    _, other = pair(draft, ticket, found[0])
    draft.tell(other.session, shown(draft, other))
    return True


def present_opponent(draft: Draft, ticket: Ticket) -> Ticket | None:
    """Somebody who is here, waits for nobody who is, and wants the same; longest first."""
    if not draft.server.rules.tickets_share_ids or is_kept(draft, ticket):
        return None
    for other in draft.tickets.values():
        is_free = other.session is not None and not has_present_partner(draft, other)
        if is_free and _may_meet(draft, ticket, other):
            return other
    return None


def has_present_partner(draft: Draft, ticket: Ticket) -> bool:
    """True if the opponent that was found is here."""
    partner = None if ticket.partner is None else draft.tickets.get(ticket.partner)
    return partner is not None and partner.session is not None


def may_leave(draft: Draft, ticket: Ticket) -> bool:
    """True if the ticket has no opponent, or one that may be left for somebody who is here."""
    return ticket.partner is None or (draft.server.rules.tickets_share_ids and not has_present_partner(draft, ticket))


def pair(draft: Draft, ticket: Ticket, other: Ticket) -> tuple[Ticket, Ticket]:
    """Make two tickets a pair. The id of the older one is the public id of both."""
    by_ms = draft.at.now_ms + draft.server.rules.ticket_arrival_ms
    older = next(one.id for one in draft.tickets.values() if one.id in {ticket.id, other.id})
    both = tuple(
        evolve(one, partner=its_partner.id, due_ms=by_ms, lapses_ms=by_ms)
        for one, its_partner in ((ticket, other), (other, ticket))
    )
    if draft.server.rules.tickets_share_ids:
        both = tuple(evolve(one, ids=one.ids.shared() if one.id == older else one.ids.of_pair(older)) for one in both)
    for one in both:
        draft.tickets[one.id] = one
    return both[0], both[1]


def part(draft: Draft, ticket: Ticket) -> tuple[Ticket, str | None]:
    """Take a ticket out of its pair; gives it, and the id of the absent one that is alone now."""
    partner = None if ticket.partner is None else draft.tickets.get(ticket.partner)
    alone = ticket.searching(draft.at.now_ms, None if ticket.session is not None else ticket.lapses_ms)
    draft.tickets[ticket.id] = alone
    if partner is None:
        return alone, None
    # It lapses when it would have: nobody knows that its player will ever come.
    draft.tickets[partner.id] = partner.searching(draft.at.now_ms, partner.lapses_ms)
    return alone, partner.id


def search_anew(draft: Draft, left_alone: tuple[str | None, ...]) -> None:
    """Let the tickets that were left for somebody present look for another opponent."""
    for alone in left_alone:
        ticket = None if alone is None else draft.tickets.get(alone)
        if ticket is not None and ticket.partner is None:
            search(draft, ticket)


def _may_meet(draft: Draft, ticket: Ticket, other: Ticket) -> bool:
    return other.id != ticket.id and not is_kept(draft, other) and ticket.wants(other, draft.at.now_ms)
