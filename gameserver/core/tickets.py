"""Tickets: searches that outlive a player's connection.

A ticket is booked by a request and waits for its opponent; its player arrives by another connection, before or after
one is found. The match is opened when both are there, the earlier arrival in the first seat. Until then each of the two
can lapse: a ticket whose player does not come is gone after a while, and the other goes on searching.

    booked -- an opponent with the same wishes --> found -- both arrive --> seated, the ticket is gone
      |                                              |
      +-- nobody comes in time: lapsed               +-- one does not come: the other waits again

`ticket_search` finds the opponents, and `matchmaker` opens the matches. Who may sit down with a ticket, or come back to
the seat that it led to:

    proof     the token of the join, or a JSON Web Token: gets in from anywhere, and replaces
              any player who sits there
    owner     comes from the address of the join, or with an id that no other player was told
    return    comes from the address of the last occupant, who is gone
    claim     any other client that knows the id and the player: gets into a place that its owner has never
              used, and gives way to the owner at once

A player whose identity is bound to a secret gets in by proof alone. The player of a ticket may be a student, whom a
roster gives a name to log in by, too. Both are one player, who is here once and has one ticket: whoever comes second is
refused, or takes over with the secret of the name. What was open before ends then.
"""

import attrs

from gameserver.core import newcomers, playing, referee, seats
from gameserver.core.commands import (
    Against,
    Arrive,
    Book,
    Capability,
    RecallTicket,
    ServerStarted,
    ShowTicket,
    TicketTimeUp,
    Unbook,
)
from gameserver.core.draft import Draft, PlayerAvailable
from gameserver.core.events import Accepted, Answer, Code, Displaced, Rejected, TicketClosed
from gameserver.core.identity import Proof, is_reserved_name
from gameserver.core.lobby import Player, Ticket, seat_named, seat_of, ticket_named, ticket_of, unknown
from gameserver.core.match import Match, MatchIds, SeatHolder
from gameserver.core.match_course import void_match
from gameserver.core.matchmaker import meet_ticket
from gameserver.core.ticket_search import house_for, present_opponent, search, shown_seat, ticket_shown
from gameserver.game import Game
from gameserver.policies import SeatReturn
from gameserver.values import value


@value
class SeatClaim:
    """A ticket, or the seat that it led to, as an arriving player finds it."""

    id: str
    player: str
    ids: MatchIds
    token: str
    is_bound: bool
    is_claimed: bool
    """True if the last occupant came by a claim."""
    joined_from: str
    """The address that the ticket was booked from."""
    came_from: str
    """The address of the last occupant."""
    is_used: bool
    """True if a player with a better title than a claim has used it."""
    is_taken: bool
    """True if its player is there. One who is connected without it, since an earlier match, keeps nobody out."""

    @classmethod
    def of_ticket(cls, ticket: Ticket) -> "SeatClaim":
        """The place that a ticket keeps."""
        return cls(
            ticket.id,
            ticket.player,
            ticket.ids,
            ticket.token,
            ticket.is_bound,
            ticket.is_claimed,
            joined_from=ticket.address,
            came_from=ticket.came_from,
            is_used=ticket.arrived_ms != 0 and not ticket.is_claimed,
            is_taken=ticket.session is not None,
        )

    @classmethod
    def of_seat(cls, holder: SeatHolder) -> "SeatClaim":
        """The place in a match; both players had come before it was opened."""
        return cls(
            holder.ticket,
            holder.player,
            holder.ids,
            holder.token,
            holder.is_bound or bool(holder.key),
            holder.is_claimed,
            joined_from=holder.joined_from or holder.address,
            came_from=holder.address,
            is_used=True,
            is_taken=holder.is_present,
        )


def is_proven(command: Arrive | RecallTicket, place: SeatClaim) -> bool:
    """True if the command brings a proof, which suffices alone."""
    return command.is_proven or bool(place.token and command.token == place.token)


def knows_secret(command: Arrive, place: SeatClaim) -> bool:
    """True if the command brings a proof, or an id that nobody but the owner was told."""
    return is_proven(command, place) or (command.ticket == place.id and not place.ids.is_shared)


def _is_owner(draft: Draft, command: Arrive, place: SeatClaim) -> bool:
    """True if the command comes from the owner as far as an address or a secret id tells."""
    any_address = draft.server.rules.seat_return is SeatReturn.ANY_ADDRESS
    return knows_secret(command, place) or any_address or command.address == place.joined_from


def refusal(draft: Draft, command: Arrive, place: SeatClaim) -> Rejected | None:
    """The reason why a session may not come in; None if it may."""
    if is_proven(command, place):
        return None
    name = {"name": place.player}
    if place.is_bound:
        return Rejected(Code.UNPROVEN, {"name": command.identity})
    if command.token:
        return Rejected(Code.TOKEN_WRONG, name)
    owner = _is_owner(draft, command, place)
    if place.is_taken:
        return None if owner and place.is_claimed else Rejected(Code.NAME_TAKEN, name)
    if owner or command.address == place.came_from or not place.is_used:
        return None
    return Rejected(Code.NAME_HELD, name)


def _may_be_told(command: RecallTicket, place: SeatClaim) -> bool:
    """True if the sender may be told the ids of a place: by a proof, or from the address of the join.

    The address of the last connection does not count here: a claim may have come from it.
    """
    if is_proven(command, place):
        return True
    return not place.is_bound and not command.token and command.address == place.joined_from


def is_claim(draft: Draft, command: Arrive, place: SeatClaim) -> bool:
    """True if a session that may come in does so by a claim only."""
    if is_proven(command, place) or _is_owner(draft, command, place):
        return False
    return place.is_claimed or not place.is_used


def is_blocked_alone(draft: Draft, command: Arrive, place: SeatClaim) -> bool:
    """True if only a player who sits there is in the way."""
    found = refusal(draft, command, place)
    if found is None or found.code is not Code.NAME_TAKEN:
        return False
    return _is_owner(draft, command, place) or command.address == place.came_from or not place.is_used


def _was_played_for(match: Match, seat: int, command: Arrive) -> bool:
    """True if a player with only a claim has played in this seat, and now its owner comes.

    A player who comes from the address of the claim goes on with their own game.
    """
    holder = match.seats[seat]
    if not holder.is_claimed or holder.address == command.address:
        return False
    return match.game_number > 1 or any(move.seat == seat for move in match.moves)


def arrive(draft: Draft, command: Arrive) -> Answer:
    """Let a player in with a ticket, or back to the seat that it led to."""
    if draft.player_of(command.session) is not None:
        return Rejected(Code.ALREADY_ENTERED)
    ticket = ticket_named(draft, command.ticket, command.identity)
    if ticket is None:
        found = seat_named(draft, command.ticket, command.identity)
        return unknown(draft, command.ticket) if found is None else _return(draft, *found, command)
    place = SeatClaim.of_ticket(ticket)
    refused = refusal(draft, command, place)
    if refused is not None:
        return refused
    is_first = is_claim(draft, command, place)
    _enter(draft, command, ticket.player)
    ticket = attrs.evolve(
        ticket,
        session=command.session,
        arrived_ms=draft.at.now_ms,
        is_claimed=is_first,
        # Without an opponent a claim is told the ticket's own id, which proves nothing any more after that.
        ids=ticket.ids.shared() if is_first and not ticket.ids.public else ticket.ids,
        came_from=command.address,
    )
    if ticket.partner is None:
        ticket = ticket.searching(draft.at.now_ms, None)
    draft.tickets[ticket.id] = ticket
    meet_ticket(draft, ticket)
    return Accepted()


def _return(draft: Draft, match: Match, seat: int, command: Arrive) -> Answer:
    holder = match.seats[seat]
    place = SeatClaim.of_seat(holder)
    refused = refusal(draft, command, place)
    if refused is not None:
        return refused
    was_elsewhere = _was_played_for(match, seat, command)
    is_first = is_claim(draft, command, place)
    _enter(draft, command, holder.player)
    draft.players[holder.player] = attrs.evolve(draft.players[holder.player], match=match.id)
    says_ready = Capability.READY in command.capabilities
    back = seats.SeatReconnect(seat, command.session, command.address, command.protocol, says_ready, is_first)
    answer = playing.act(draft, match, seat, back)
    if was_elsewhere:
        why = f"somebody else had played for {holder.player}, who came with a proof"
        void_match(draft, draft.matches[match.id], why)
    return answer


def _enter(draft: Draft, command: Arrive, name: str) -> None:
    """Let the player in; a connection that they had before is told that it is over."""
    before = draft.players.get(name)
    if before is not None and not before.identity and not is_reserved_name(name):
        newcomers.displace(draft, before)  # a student's, who had logged in by the name
    elif before is not None:
        # Once its own ticket was over, that connection could look for opponents like any other.
        newcomers.end_searches(draft, before)
        draft.tell(before.session, Displaced())
        del draft.sessions[before.session]
    draft.sessions[command.session] = name
    player = Player(name, command.session, command.protocol, command.address, command.capabilities)
    draft.players[name] = attrs.evolve(player, identity=command.identity)
    draft.follow_ups.add(PlayerAvailable(name))


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
    if ticket is not None and _may_be_told(command, SeatClaim.of_ticket(ticket)):
        draft.tell(command.session, ticket_shown(draft, ticket))
        return Accepted()
    if found is not None and _may_be_told(command, SeatClaim.of_seat(found[0].seats[found[1]])):
        draft.tell(command.session, shown_seat(*found))
        return Accepted()
    return Rejected(Code.NO_SUCH_TICKET, {"ticket": ""})


def _renew(draft: Draft, ticket: Ticket) -> None:
    """Extend a ticket whose player asks for it; not at every request, because each time is a journal row."""
    wait_ms = draft.server.rules.ticket_wait_time_ms
    is_awaited = ticket.session is None and ticket.partner is None
    if is_awaited and ticket.due_ms is not None and ticket.due_ms - draft.at.now_ms <= wait_ms // 2:
        _put(draft, attrs.evolve(ticket, due_ms=draft.at.now_ms + wait_ms))


def left(draft: Draft, player: Player) -> None:
    """Let a ticket wait for a while, because its player's connection is gone."""
    for ticket in draft.tickets.values():
        if ticket.session == player.session:
            rules = draft.server.rules
            wait_ms = rules.ticket_wait_time_ms if ticket.partner is None else rules.ticket_arrival_time_ms
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
        _put(draft, _awaited(draft, ticket, max(command.rules.ticket_arrival_time_ms, command.rules.restart_grace_ms)))


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


def book(draft: Draft, command: Book) -> Answer:
    """Book a ticket, and look for an opponent at once."""
    game = draft.game_named(command.game)
    if game is None:
        return Rejected(Code.UNKNOWN_GAME, {"game": command.game})
    unfit = _unfit(command)
    if unfit is not None:
        return unfit
    command = attrs.evolve(command, player=newcomers.name_of(draft.lobby, command))
    # The roster may have changed since: then the same player has another name there.
    before = ticket_for(draft, command.player) or ticket_of(draft, command.identity)
    usurped = before if before is not None and _is_owners(command) and not before.is_bound else None
    if before is not None and usurped is None:
        return _asked_again(draft, command, before)
    refusal = _keeping_out(draft, command) or _impossible(draft, command, game)
    if refusal is not None:
        return refusal
    present = draft.players.get(command.player)
    if usurped is not None:
        give_up(draft, usurped.player)
    if present is not None and _is_owners(command) and (usurped is not None or _is_elsewhere(present, command)):
        newcomers.displace(draft, present)
    if not command.is_listed:
        newcomers.remember(draft, command.player, command.identity)
    ticket = _ticket(draft, command, game)
    draft.tickets[ticket.id] = ticket
    search(draft, ticket)
    draft.tell(command.session, ticket_shown(draft, draft.tickets[ticket.id]))
    return Accepted()


def _unfit(command: Book) -> Rejected | None:
    """The reason why the player may not come in in this way; None if they may."""
    unproven = newcomers.proof_refusal(command.proof, command.identity)
    if unproven is None and not command.is_listed and not is_reserved_name(command.player):
        return Rejected(Code.NAME_INVALID, {"name": command.player, "why": "it begins with no reserved prefix"})
    return unproven


def _is_owners(command: Book) -> bool:
    """True if the secret of a student's name has come with the booking."""
    return command.is_listed and command.proof is Proof.PROVEN


def _is_elsewhere(present: Player, command: Book) -> bool:
    """True if a player is here in another way. By the same identity it is a connection left from the last match."""
    return present.identity != command.identity


def _asked_again(draft: Draft, command: Book, before: Ticket) -> Answer:
    """Answer a player who has a ticket: with that, if the answer to the first request seems to have been lost."""
    if not before.is_asked_again(command, draft.at.now_ms):
        return Rejected(Code.TICKET_OPEN)
    draft.tickets[before.id] = attrs.evolve(before, token=command.token)
    draft.tell(command.session, ticket_shown(draft, before))
    return Accepted()


def _keeping_out(draft: Draft, command: Book) -> Rejected | None:
    """The refusal of a player who holds a seat, or is here in another way without having proven to be the same."""
    if draft.seated.get(command.player) is not None or seat_of(draft, command.identity) is not None:
        return Rejected(Code.IN_MATCH)
    present = draft.players.get(command.player)
    if command.is_listed and present is not None and _is_elsewhere(present, command) and not _is_owners(command):
        return Rejected(Code.NAME_TAKEN, {"name": command.player})
    return None


def _impossible(draft: Draft, command: Book, game: Game[object]) -> Rejected | None:
    """The reason why there can be no such ticket; None if there can."""
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
    return None


def _ticket(draft: Draft, command: Book, game: Game[object]) -> Ticket:
    now_ms = draft.at.now_ms
    return Ticket(
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
        is_bound=command.proof is Proof.PROVEN,
        opened_ms=now_ms,
    ).searching(now_ms, now_ms + draft.server.rules.ticket_wait_time_ms)
