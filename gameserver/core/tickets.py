"""Tickets: how players meet whose search outlives their connection.

A ticket is booked by a request and waits for its opponent; its player arrives by another connection,
before or after one is found. The match is opened when both are there, the earlier arrival in the
first seat. Until then each of the two can lapse: a ticket whose player does not come is gone after a
while, and the other goes on searching.

    booked -- an opponent with the same wishes --> found -- both arrive --> seated, the ticket is gone
      |                                              |
      +-- nobody comes in time: lapsed               +-- one does not come: the other waits again

Who looks for the same game in its queue is always there: such a player is taken when the ticket's
player arrives, and hears nothing before the match begins.
"""

import attrs

from gameserver.core import absence, opening, playing, proof, referee, ticket_terms
from gameserver.core.commands import Against, Arrive, Book, ServerStarted, ShowTicket, TicketTimeUp, Unbook
from gameserver.core.events import Accepted, Answer, Displaced, Rejected, TicketClosed, TicketShown, TicketStatus
from gameserver.core.lobby import Draft, Player
from gameserver.core.match import Match, SeatHolder
from gameserver.core.names import is_reserved
from gameserver.core.policies import SeatReturn, ticket_policies
from gameserver.core.proof import Standing
from gameserver.core.rejections import Code
from gameserver.core.ticket import Ticket
from gameserver.core.ticket_status import house_for, is_kept, match_of, opponent_at_hand, shown


def book(draft: Draft, command: Book) -> Answer:
    """Take out a ticket, and look for an opponent at once."""
    game = draft.game_named(command.game)
    if game is None:
        return Rejected(Code.UNKNOWN_GAME, {"game": command.game})
    unproven = proof.refusal(command.standing, command.identity)
    if unproven is not None:
        return unproven
    if not is_reserved(command.player):
        return Rejected(Code.NAME_INVALID, {"name": command.player, "why": "it begins with no reserved prefix"})
    before = next((ticket for ticket in draft.tickets.values() if ticket.player == command.player), None)
    if before is not None and not before.is_asked_again(command, draft.at.now_ms):
        return Rejected(Code.TICKET_OPEN)
    if before is not None:
        _put(draft, attrs.evolve(before, token=command.token))
        draft.tell(command.session, shown(draft, before))
        return Accepted()
    if draft.seated.get(command.player) is not None:
        return Rejected(Code.IN_MATCH)
    absent = sum(ticket.session is None and ticket.address == command.address for ticket in draft.tickets.values())
    if absent >= draft.server.rules.tickets_per_address_max:
        return Rejected(Code.TICKETS_FULL, {"address": command.address, "count": str(absent)})
    try:
        options = {key: (value, value) for key, value in command.seat_options.items()}
        referee.options_of(game, {**command.options, **options})
    except referee.PlayersMistake as error:
        return Rejected(Code.BAD_OPTIONS, {"game": game.name, "why": str(error)})
    if command.against is Against.HOUSE and house_for(draft, game.name) is None:
        return Rejected(Code.GAME_NOT_PLAYED, {"player": "the house", "game": game.name})
    now_ms = draft.at.now_ms
    ticket = Ticket(
        id=command.ticket,
        player=command.player,
        identity=command.identity,
        address=command.address,
        game=game.name,
        options=command.options,
        seat_options=command.seat_options,
        against=command.against,
        rating=command.rating,
        open_to_queue=command.open_to_queue,
        token=command.token,
        is_bound=command.standing is Standing.PROVEN,
        opened_ms=now_ms,
    ).searching(now_ms, now_ms + draft.server.rules.ticket_wait_ms)
    _put(draft, ticket)
    search(draft, ticket)
    draft.tell(command.session, shown(draft, draft.tickets[ticket.id]))
    return Accepted()


def unbook(draft: Draft, command: Unbook) -> Answer:
    """Give a ticket back."""
    ticket = draft.tickets.get(command.ticket)
    if ticket is None:
        return Rejected(Code.NO_SUCH_TICKET, {"ticket": command.ticket})
    if ticket.identity != command.identity:
        return Rejected(Code.NOT_YOUR_TICKET, {"ticket": command.ticket})
    if ticket.partner is not None:
        return Rejected(Code.TICKET_SEATED, {"ticket": command.ticket})
    _close(draft, ticket)
    return Accepted()


def show(draft: Draft, command: ShowTicket) -> Answer:
    """Tell how a search stands."""
    ticket = draft.tickets.get(command.ticket)
    if ticket is not None:
        if ticket.identity != command.identity:
            return Rejected(Code.NOT_YOUR_TICKET, {"ticket": command.ticket})
        _renew(draft, ticket)
        draft.tell(command.session, shown(draft, ticket))
        return Accepted()
    match = match_of(draft, command.ticket)
    if match is None:
        return Rejected(Code.NO_SUCH_TICKET, {"ticket": command.ticket})
    whole = match.contest or match
    draft.tell(command.session, TicketShown(command.ticket, TicketStatus.SEATED, whole.game.name, match=match.id))
    return Accepted()


def _renew(draft: Draft, ticket: Ticket) -> None:
    """Let a ticket wait on whose player asks for it; not at every request, because each time is a journal row."""
    wait_ms = draft.server.rules.ticket_wait_ms
    is_awaited = ticket.session is None and ticket.partner is None
    if is_awaited and ticket.due_ms is not None and ticket.due_ms - draft.at.now_ms <= wait_ms // 2:
        _put(draft, attrs.evolve(ticket, due_ms=draft.at.now_ms + wait_ms))


def arrive(draft: Draft, command: Arrive) -> Answer:
    """Come in with a ticket, or come back to the seat that it led to."""
    if draft.player_of(command.session) is not None:
        return Rejected(Code.ALREADY_ENTERED)
    ticket = draft.tickets.get(command.ticket)
    if ticket is None:
        match = match_of(draft, command.ticket)
        if match is None:
            return Rejected(Code.NO_SUCH_TICKET, {"ticket": command.ticket})
        return _return(draft, match, command)
    refusal = _refusal(draft, command, ticket)
    if refusal is not None:
        return refusal
    _enter(draft, command, ticket.player)
    ticket = attrs.evolve(ticket, session=command.session, arrived_ms=draft.at.now_ms)
    if ticket.partner is None:
        ticket = ticket.searching(draft.at.now_ms, None)
    _put(draft, ticket)
    _meet(draft, ticket)
    return Accepted()


def left(draft: Draft, player: Player) -> None:
    """The connection of somebody with a ticket is gone: it waits for a while."""
    for ticket in draft.tickets.values():
        if ticket.session == player.session:
            rules = draft.server.rules
            wait_ms = rules.ticket_wait_ms if ticket.partner is None else rules.ticket_arrival_ms
            _put(draft, _awaited(draft, ticket, wait_ms))
            return


def time_up(draft: Draft, command: TicketTimeUp) -> Answer:
    """Look what is due: the end of a ticket, or a wider search."""
    now_ms = draft.at.now_ms
    ticket = draft.tickets.get(command.ticket)
    if ticket is None or ticket.due_ms is None or ticket.due_ms > now_ms:
        return Rejected(Code.STALE)
    lapses = ticket.session is None and (ticket.lapses_ms is None or ticket.lapses_ms <= now_ms)
    if ticket.partner is None and not lapses:
        ticket = ticket.searching(now_ms, ticket.lapses_ms)
        _put(draft, ticket)
        if search(draft, ticket):
            _meet(draft, draft.tickets[ticket.id])
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
            _meet(draft, draft.tickets[one.id])
    return Accepted()


def keep_waiting(draft: Draft, command: ServerStarted) -> None:
    """What a restart does: every ticket waits for its player."""
    for ticket in list(draft.tickets.values()):
        _put(draft, _awaited(draft, ticket, max(command.rules.ticket_arrival_ms, command.rules.restart_grace_ms)))


def _awaited(draft: Draft, ticket: Ticket, wait_ms: int) -> Ticket:
    """A ticket whose player is away, and waited for so long."""
    lapses_ms = draft.at.now_ms + wait_ms
    if ticket.partner is None:
        return attrs.evolve(ticket, session=None).searching(draft.at.now_ms, lapses_ms)
    return attrs.evolve(ticket, session=None, due_ms=lapses_ms, lapses_ms=lapses_ms)


def search(draft: Draft, ticket: Ticket) -> bool:
    """Find the ticket that has waited longest for such an opponent."""
    now_ms = draft.at.now_ms
    if is_kept(draft, ticket):
        return False
    for other in draft.tickets.values():
        may = other.id != ticket.id and other.partner is None and not is_kept(draft, other)
        if may and ticket.wants(other, now_ms):
            by_ms = now_ms + draft.server.rules.ticket_arrival_ms
            _put(draft, attrs.evolve(ticket, partner=other.id, due_ms=by_ms, lapses_ms=by_ms))
            found = attrs.evolve(other, partner=ticket.id, due_ms=by_ms, lapses_ms=by_ms)
            _put(draft, found)
            draft.tell(found.session, shown(draft, found))
            return True
    return False


def look_again(draft: Draft, player: Player) -> None:
    """Let the ticket of somebody whom no tournament keeps any more search as others do."""
    for ticket in draft.tickets.values():
        if ticket.session == player.session and ticket.partner is None:
            search(draft, ticket)
            _meet(draft, draft.tickets[ticket.id])
            return


def waiting_for(draft: Draft, game: str) -> Ticket | None:
    """A ticket whose player is here and would also play somebody out of this game's queue."""
    if not draft.tickets:
        return None
    for ticket in draft.tickets.values():
        is_here = ticket.session is not None and ticket.partner is None
        if ticket.open_to_queue and ticket.game == game and is_here and not is_kept(draft, ticket):
            return ticket
    return None


def open_with(draft: Draft, ticket: Ticket, name: str, *, name_first: bool) -> None:
    """Open the match of a ticket's player, who is here, and somebody without a ticket."""
    game = draft.game_named(ticket.game)
    assert game is not None, "a ticket names a game that was known when it was booked"
    names = (name, ticket.player) if name_first else (ticket.player, name)
    _open(draft, (ticket,), names)


def _meet(draft: Draft, ticket: Ticket) -> None:
    """Open the match if everybody for it is here; else tell the ticket's player how it stands."""
    if ticket.session is None:
        return
    partner = None if ticket.partner is None else draft.tickets.get(ticket.partner)
    if partner is not None and partner.session is not None:
        both = sorted((ticket, partner), key=lambda one: one.arrived_ms)
        if ticket.arrived_ms == partner.arrived_ms:
            both = [partner, ticket]
        _open(draft, tuple(both), tuple(one.player for one in both))
        return
    at_hand = None if partner is not None else opponent_at_hand(draft, ticket)
    if at_hand is None:
        draft.tell(ticket.session, shown(draft, ticket))
    else:
        open_with(draft, ticket, at_hand, name_first=ticket.against is not Against.HOUSE)


def _open(draft: Draft, tickets: tuple[Ticket, ...], names: tuple[str, ...]) -> None:
    """Open a match of these players in this order."""
    if draft.server.drains:
        return
    game = draft.game_named(tickets[0].game)
    assert game is not None, "a ticket names a game that was known when it was booked"
    by_name = {ticket.player: ticket for ticket in tickets}
    options = ticket_terms.options_of_match(game, tickets, names)
    unlike = any(name not in by_name and draft.players.get(name) is not None for name in names)
    rated = tickets[0].against is Against.RATED
    policies = ticket_policies(draft.server.rules, first_move_pause=unlike, rated=rated)
    opening.open_match(draft, game, names, policies, options=options, in_order=True, tickets=by_name)
    for ticket in tickets:
        del draft.tickets[ticket.id]


def _return(draft: Draft, match: Match, command: Arrive) -> Answer:
    seat = next(seat for seat, holder in enumerate(match.seats) if holder.ticket == command.ticket)
    holder = match.seats[seat]
    refusal = _refusal(draft, command, holder)
    if refusal is not None:
        return refusal
    _enter(draft, command, holder.player)
    draft.players[holder.player] = attrs.evolve(draft.players[holder.player], match=match.id)
    back = absence.Return(seat, command.session, command.address, command.protocol)
    return playing.act(draft, match, seat, back)


def _refusal(draft: Draft, command: Arrive, place: Ticket | SeatHolder) -> Rejected | None:
    """Why a session may not come in under this ticket. Whoever shows the token may, and takes the place of another."""
    if place.identity != command.identity:
        return Rejected(Code.NOT_YOUR_TICKET, {"ticket": command.ticket})
    if command.is_proven or (place.token and command.token == place.token):
        return None
    if place.is_bound:
        return Rejected(Code.UNPROVEN, {"name": place.identity})
    here = draft.players.get(place.player)
    if here is not None:
        return Rejected(Code.NAME_TAKEN, {"name": place.player})
    same_place = draft.server.rules.seat_return is SeatReturn.ANY_ADDRESS or command.address == place.address
    return None if same_place and not command.token else Rejected(Code.NAME_HELD, {"name": place.player})


def _enter(draft: Draft, command: Arrive, name: str) -> None:
    """Let the player in; a connection that they had before is told that it is over."""
    before = draft.players.get(name)
    if before is not None:
        draft.tell(before.session, Displaced())
        del draft.sessions[before.session]
    draft.sessions[command.session] = name
    draft.players[name] = Player(name, command.session, command.protocol, command.address, command.carries)
    draft.called.append(name)


def _put(draft: Draft, ticket: Ticket) -> None:
    draft.tickets[ticket.id] = ticket


def _close(draft: Draft, ticket: Ticket) -> None:
    """End a search that has led to nothing."""
    draft.tell(ticket.session, TicketClosed(ticket.id))
    del draft.tickets[ticket.id]
