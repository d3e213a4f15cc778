"""Lets players come in with a ticket: to wait for the opponent, or to take back the seat that it led to."""

import attrs

from gameserver.core.matches import playing, reconnect
from gameserver.core.matches.match_end import void_match
from gameserver.core.matchmaking import takeover, ticket_claims
from gameserver.core.matchmaking.matchmaker import meet_ticket
from gameserver.core.matchmaking.ticket_claims import SeatClaim
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Arrive
from gameserver.core.messages.events import Accepted, Answer, Displaced, Rejected
from gameserver.core.messages.identity import is_reserved_name
from gameserver.core.messages.rejections import Code
from gameserver.core.state.draft import Draft
from gameserver.core.state.follow_ups import PlayerAvailable
from gameserver.core.state.lobby import Player
from gameserver.core.state.match import Match
from gameserver.core.state.ticket_lookup import seat_named, ticket_named, unknown


def arrive(draft: Draft, command: Arrive) -> Answer:
    """Let a player in with a ticket, or back to the seat that it led to."""
    if draft.player_of(command.session) is not None:
        return Rejected(Code.ALREADY_ENTERED)
    ticket = ticket_named(draft, command.ticket, command.identity)
    if ticket is None:
        found = seat_named(draft, command.ticket, command.identity)
        return unknown(draft, command.ticket) if found is None else _return(draft, *found, command)
    place = SeatClaim.of_ticket(ticket)
    refused = ticket_claims.refusal(draft, command, place)
    if refused is not None:
        return refused
    is_first = ticket_claims.is_claim(draft, command, place)
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
    refused = ticket_claims.refusal(draft, command, place)
    if refused is not None:
        return refused
    was_elsewhere = ticket_claims.was_played_for(match, seat, command)
    is_first = ticket_claims.is_claim(draft, command, place)
    _enter(draft, command, holder.player)
    draft.players[holder.player] = attrs.evolve(draft.players[holder.player], match=match.id)
    says_ready = Capability.READY in command.capabilities
    back = reconnect.SeatReconnect(seat, command.session, command.address, command.protocol, says_ready, is_first)
    answer = playing.act(draft, match, seat, back)
    if was_elsewhere:
        why = f"somebody else had played for {holder.player}, who came with a proof"
        void_match(draft, draft.matches[match.id], why)
    return answer


def _enter(draft: Draft, command: Arrive, name: str) -> None:
    """Let the player in; a connection that they had before is told that it is over."""
    before = draft.players.get(name)
    if before is not None and not before.identity and not is_reserved_name(name):
        takeover.displace(draft, before)  # a student's, who had logged in by the name
    elif before is not None:
        # Once its own ticket was over, that connection could look for opponents like any other.
        takeover.end_searches(draft, before)
        draft.tell(before.session, Displaced())
        del draft.sessions[before.session]
    draft.sessions[command.session] = name
    player = Player(name, command.session, command.protocol, command.address, command.capabilities)
    draft.players[name] = attrs.evolve(player, identity=command.identity)
    draft.follow_ups.add(PlayerAvailable(name))
