"""Pairs tickets: the search for an opponent, and the end of a pair.

A pair is dissolved only while one of the two has not come. Players who are present are paired first: none waits for an
absent player while another with the same wish is there.

The module also answers two questions of the search: the opponent at hand for a ticket, and the options on which both
sides of a match agree.
"""

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from gameserver.core import lobby, referee
from gameserver.core.commands import Against
from gameserver.core.draft import Draft
from gameserver.core.events import TicketShown, TicketStatus
from gameserver.core.lobby import Player, Ticket
from gameserver.core.match import Match
from gameserver.core.places import seekers
from gameserver.game import Game

_HOUSE_CHOICES = ("house-steady", "house-random")
"""The house players that play against tickets: the first of these that knows the game does."""


def ticket_shown(draft: Draft, ticket: Ticket) -> TicketShown:
    """The state of a ticket's search as its player may see it."""
    partner = None if ticket.partner is None else draft.tickets.get(ticket.partner)
    game = ticket.booked.game
    if partner is not None:
        return TicketShown(ticket.id, TicketStatus.FOUND, game, partner.player, public_id=ticket.claim.pair_id)
    at_hand = opponent_at_hand(draft, ticket)
    if at_hand is not None:
        return TicketShown(ticket.id, TicketStatus.FOUND, game, at_hand)
    return TicketShown(ticket.id, TicketStatus.WAITING, game)


def shown_seat(match: Match, seat: int) -> TicketShown:
    """Shows a player the end of their ticket's search, once it has led to a seat in a match."""
    game, claim = match.whole.game, match.seats[seat].claim
    assert claim is not None, "a ticket led to the seat"
    own = claim.booked.ticket
    return TicketShown(own, TicketStatus.SEATED, game.name, match=match.id, public_id=claim.pair_id)


def is_kept(draft: Draft, ticket: Ticket) -> bool:
    """True if a ticket's search leads to no other match, because it stands for being ready for a tournament."""
    return ticket.booked.open_to_queue and lobby.is_reserved(draft, ticket.player, ticket.booked.game)


def opponent_at_hand(draft: Draft, ticket: Ticket) -> str | None:
    """The opponent without a ticket whom a ticket's player meets on arriving: the house, or the first in the queue."""
    if ticket.booked.against is Against.HOUSE:
        return house_for(draft, ticket.booked.game)
    if not ticket.booked.open_to_queue or is_kept(draft, ticket):
        return None
    # A seeker is always here, and hears nothing before the match begins.
    waiting = seekers(draft, ticket.booked.game)
    return waiting[0] if waiting else None


def house_for(draft: Draft, game: str) -> str | None:
    """The house player whom a ticket's search finds at a game; None where no house plays it."""
    known = [house.name for house in draft.server.house if game in house.games]
    return next((name for name in _HOUSE_CHOICES if name in known), None)


def search(draft: Draft, ticket: Ticket) -> bool:
    """Searches the longest-waiting match for a ticket, and makes them a pair; tickets of present players come first."""
    if is_kept(draft, ticket):
        return False
    found = [other for other in draft.tickets.values() if other.partner is None and _may_meet(draft, ticket, other)]
    # Python's sort is stable, so within each half the ticket that has waited longest stays first.
    found.sort(key=lambda other: other.session is None)
    if not found:
        return False
    _, other = pair(draft, ticket, found[0])
    draft.tell(other.session, ticket_shown(draft, other))
    return True


def present_opponent(draft: Draft, ticket: Ticket) -> Ticket | None:
    """The longest-waiting ticket with the same wish whose player is here and whose partner, if any, is not."""
    if is_kept(draft, ticket):
        return None
    for other in draft.tickets.values():
        # A partner who is absent may be left: nobody who is here waits for a player who may never come.
        is_free = other.session is not None and not _has_present_partner(draft, other)
        if is_free and _may_meet(draft, ticket, other):
            return other
    return None


def _has_present_partner(draft: Draft, ticket: Ticket) -> bool:
    """True if the opponent that was found is here."""
    partner = None if ticket.partner is None else draft.tickets.get(ticket.partner)
    return partner is not None and partner.session is not None


def may_leave(draft: Draft, ticket: Ticket) -> bool:
    """True if a ticket has no partner, or one that may be left for a player who is here."""
    return not _has_present_partner(draft, ticket)


def pair(draft: Draft, ticket: Ticket, other: Ticket) -> tuple[Ticket, Ticket]:
    """Makes two tickets a pair, each the opponent that the other's search has found.

    The id of the older one is the public id of both.
    """
    # A client of 2026 comes to the hub only once its poll has told it of an opponent.
    by_ms = draft.at.now_ms + draft.server.rules.ticket_arrival_time_ms
    # The table keeps the order in which tickets came.
    older = next(one.id for one in draft.tickets.values() if one.id in {ticket.id, other.id})
    both = tuple(
        evolve(one, partner=its_partner.id, due_ms=by_ms, lapses_ms=by_ms, claim=one.claim.in_pair(older))
        for one, its_partner in ((ticket, other), (other, ticket))
    )
    for one in both:
        draft.tickets[one.id] = one
    return both[0], both[1]


def dissolve(draft: Draft, ticket: Ticket) -> tuple[Ticket, str | None]:
    """Ends a pair, so that both tickets search again; returns this one, and the id of an absent partner's."""
    partner = None if ticket.partner is None else draft.tickets.get(ticket.partner)
    alone = ticket.searching(draft.at.now_ms, None if ticket.session is not None else ticket.lapses_ms)
    draft.tickets[ticket.id] = alone
    if partner is None:
        return alone, None
    # It lapses when it would have lapsed: its player may never come.
    draft.tickets[partner.id] = partner.searching(draft.at.now_ms, partner.lapses_ms)
    return alone, partner.id


def search_anew(draft: Draft, left_alone: tuple[str | None, ...]) -> None:
    """Lets the tickets that were left for a present player search for another opponent."""
    for alone in left_alone:
        ticket = None if alone is None else draft.tickets.get(alone)
        if ticket is not None and ticket.partner is None:
            search(draft, ticket)


def _may_meet(draft: Draft, ticket: Ticket, other: Ticket) -> bool:
    return other.id != ticket.id and not is_kept(draft, other) and ticket.wants(other, draft.at.now_ms)


def waiting_ticket(draft: Draft, player: Player, game: str) -> Ticket | None:
    """Finds the ticket with which a player's search for this game in its usual form has no partner, if there is one."""
    for ticket in draft.tickets.values():
        if ticket.session == player.session:
            is_free = ticket.booked.open_to_queue and ticket.booked.game == game and ticket.partner is None
            return ticket if is_free else None
    return None


def options_of_match(game: Game[Any], tickets: tuple[Ticket, ...], names: tuple[str, ...]) -> Any:
    """Puts a match's options together from what its tickets' searches wished; the usual ones without any."""
    by_name = {ticket.player: ticket for ticket in tickets}
    given = tickets[0].booked.options if tickets else {}
    return referee.options_of(game, {**given, **_of_seats(by_name, names)})


def _of_seats(by_name: Mapping[str, Ticket], names: tuple[str, ...]) -> dict[str, Any]:
    """The options that each seat chooses for itself, by seat; False for a seat that chooses nothing."""
    keys = {key: None for ticket in by_name.values() for key in ticket.booked.seat_options}
    return {
        key: tuple(by_name[name].booked.seat_options.get(key, False) if name in by_name else False for name in names)
        for key in keys
    }
