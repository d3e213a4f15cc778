"""Decides which sessions may sit down with a ticket, or come back to the seat that it led to.

    proof     the token of the join, or a JSON Web Token: gets in from anywhere, and replaces
              any player who sits there
    owner     comes from the address of the join, or with an id that no other player was told
    return    comes from the address of the last occupant, who is gone
    claim     any other client that knows the id and the player: gets into a place that its owner has never
              used, and gives way to the owner at once

A player whose identity is bound to a secret gets in by proof alone.
"""

from gameserver.core.messages.commands import Arrive, RecallTicket
from gameserver.core.messages.events import Rejected
from gameserver.core.messages.rejections import Code
from gameserver.core.state.draft import Draft
from gameserver.core.state.match import Match, SeatHolder
from gameserver.core.state.ticket import Ticket
from gameserver.core.state.ticket_ids import MatchIds
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


def is_owner(draft: Draft, command: Arrive, place: SeatClaim) -> bool:
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
    owner = is_owner(draft, command, place)
    if place.is_taken:
        return None if owner and place.is_claimed else Rejected(Code.NAME_TAKEN, name)
    if owner or command.address == place.came_from or not place.is_used:
        return None
    return Rejected(Code.NAME_HELD, name)


def may_be_told(command: RecallTicket, place: SeatClaim) -> bool:
    """True if the sender may be told the ids of a place: by a proof, or from the address of the join.

    The address of the last connection does not count here: a claim may have come from it.
    """
    if is_proven(command, place):
        return True
    return not place.is_bound and not command.token and command.address == place.joined_from


def is_claim(draft: Draft, command: Arrive, place: SeatClaim) -> bool:
    """True if a session that may come in does so by a claim only."""
    if is_proven(command, place) or is_owner(draft, command, place):
        return False
    return place.is_claimed or not place.is_used


def is_blocked_alone(draft: Draft, command: Arrive, place: SeatClaim) -> bool:
    """True if only a player who sits there is in the way."""
    found = refusal(draft, command, place)
    if found is None or found.code is not Code.NAME_TAKEN:
        return False
    return is_owner(draft, command, place) or command.address == place.came_from or not place.is_used


def was_played_for(match: Match, seat: int, command: Arrive) -> bool:
    """True if a player with only a claim has played in this seat, and now its owner comes.

    A player who comes from the address of the claim goes on with their own game.
    """
    holder = match.seats[seat]
    if not holder.is_claimed or holder.address == command.address:
        return False
    return match.game_number > 1 or any(move.seat == seat for move in match.moves)
