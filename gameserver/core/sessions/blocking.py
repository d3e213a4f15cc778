"""Finds the player in the way of a newcomer, before the login is decided: that player may be gone.

A connection that died silently holds its player's name and seat until the kernel gives it up. So a newcomer whom
nothing else keeps out waits for a moment, until it is known whether that player is there. A login waits only if it
would gain the name or the seat: a stranger must not make the kernel probe.
"""

from gameserver.core.matches.reconnect import outlasts_drop
from gameserver.core.matchmaking import ticket_claims
from gameserver.core.matchmaking.ticket_claims import SeatClaim, is_blocked_alone
from gameserver.core.messages.commands import Arrive, Book, Enter
from gameserver.core.messages.identity import Proof
from gameserver.core.sessions.login import holds_key, may_return, unfit
from gameserver.core.state.draft import Draft
from gameserver.core.state.lobby import At, Lobby
from gameserver.core.state.ticket_lookup import seat_named, ticket_named
from gameserver.policies import SeatReturn

Newcomer = Enter | Arrive | Book


def session_in_the_way(lobby: Lobby, command: Newcomer) -> int | None:
    """The session whose end would let the newcomer in; None if something else decides, such as a proof."""
    if isinstance(command, Enter):
        name = _name_taken(lobby, command)
    else:
        name = _student_here(lobby, command) if isinstance(command, Book) else _place_taken(lobby, command)
    holder = None if name is None else lobby.players.get(name)
    return None if holder is None else holder.session


def has_seat_for(lobby: Lobby, command: Enter) -> bool:
    """True if an empty seat may wait for the newcomer, or the key that comes with it takes a player's place."""
    if command.anonymous:
        return False
    number = lobby.seated.get(command.name)
    if holds_key(lobby, command):
        return True
    if number is None or command.name in lobby.players:
        return False
    match = lobby.matches[number]
    return not match.seats[match.seat_of(command.name)].key


def may_wait(lobby: Lobby, command: Newcomer) -> bool:
    """True if the newcomer may wait for the end of the session in its way; asked when there is one."""
    if isinstance(command, Arrive):
        return True
    rules = lobby.server[""].rules
    if isinstance(command, Book):
        return rules.seat_return is SeatReturn.ANY_ADDRESS or lobby.players[command.player].address == command.address
    if unfit(command, rules.name_length_max) is not None:
        return False
    number = lobby.seated.get(command.name)
    if number is not None:
        match = lobby.matches[number]
        return outlasts_drop(match, match.seat_of(command.name))
    holder = lobby.players[command.name]
    return rules.seat_return is SeatReturn.ANY_ADDRESS or holder.address == command.address


def knows_secret(lobby: Lobby, command: Newcomer) -> bool:
    """True if the newcomer shows what nobody but the player in its way was told."""
    if not isinstance(command, Arrive):
        return False
    place = _place(lobby, command)
    return place is not None and ticket_claims.knows_secret(command, place)


def _name_taken(lobby: Lobby, command: Enter) -> str | None:
    if command.anonymous or command.standing is not Proof.OPEN or command.session in lobby.sessions:
        return None
    if holds_key(lobby, command):
        return None
    number = lobby.seated.get(command.name)
    match = None if number is None else lobby.matches.get(number)
    seat_return = lobby.server[""].rules.seat_return
    return command.name if match is None or may_return(match, command, seat_return) else None


def _student_here(lobby: Lobby, command: Book) -> str | None:
    """The student of a booking, if they are here by name and that alone refuses it."""
    if not command.is_listed or command.standing is not Proof.OPEN or command.player in lobby.seated:
        return None
    present = lobby.players.get(command.player)
    return None if present is None or present.identity == command.identity else command.player


def _place_taken(lobby: Lobby, command: Arrive) -> str | None:
    place = _place(lobby, command)
    if place is None or not is_blocked_alone(Draft(lobby, At(0, 0)), command, place):
        return None
    return place.player


def _place(lobby: Lobby, command: Arrive) -> SeatClaim | None:
    ticket = ticket_named(lobby, command.ticket, command.identity)
    if ticket is not None:
        return SeatClaim.of_ticket(ticket)
    found = seat_named(lobby, command.ticket, command.identity)
    if found is None:
        return None
    match, seat = found
    return SeatClaim.of_seat(match.seats[seat])
