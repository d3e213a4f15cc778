"""Lets players in and out."""

import attrs

from gameserver.core.matches import playing, reconnect
from gameserver.core.matchmaking import room_places, takeover, tickets
from gameserver.core.matchmaking.challenges import drop_challenges_to
from gameserver.core.matchmaking.match_opening import close_challenge_of
from gameserver.core.matchmaking.waiting_list import leave_queue
from gameserver.core.messages import identity
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Enter, Leave
from gameserver.core.messages.events import Accepted, Answer, Rejected, RoomsListed
from gameserver.core.messages.identity import Proof, is_reserved_name, judge_name
from gameserver.core.messages.rejections import Code
from gameserver.core.state.draft import Draft
from gameserver.core.state.follow_ups import PlayerAvailable
from gameserver.core.state.lobby import Lobby, Player
from gameserver.core.state.match import Match
from gameserver.core.state.room import RoomPhase
from gameserver.policies import SeatReturn


def enter(draft: Draft, command: Enter) -> Answer:
    """Let a player in; if the name holds an empty seat, give the seat back."""
    if draft.player_of(command.session) is not None:
        return Rejected(Code.ALREADY_ENTERED)
    rules = draft.server.rules
    if command.anonymous:
        return _enter_anonymously(draft, command)
    name = command.name
    has_key = holds_key(draft, command)
    found = unfit(command, rules.name_length_max, has_key=has_key)
    if found is not None:
        return found
    before = draft.players.get(name)
    is_proven = command.standing is Proof.PROVEN
    if not (is_proven or has_key) and (before is not None or _is_expected_elsewhere(draft, command)):
        return Rejected(Code.NAME_TAKEN, {"name": name})
    number = draft.seated.get(name)
    match = None if number is None else draft.matches[number]
    if match is not None and not may_return(match, command, rules.seat_return):
        return Rejected(Code.NAME_HELD, {"name": name})
    tickets.give_up(draft, name)
    if before is not None:
        match = takeover.displace(draft, before, by_rooms=Capability.ROOMS in command.capabilities)
    draft.sessions[command.session] = name
    draft.follow_ups.add(PlayerAvailable(name))
    player = Player(
        name,
        command.session,
        command.protocol,
        command.address,
        command.capabilities,
        is_proven=is_proven or (has_key and before is not None and before.is_proven),
        key=command.key,
    )
    if Capability.ROOMS in command.capabilities:
        draft.players[name] = player
        draft.tell(command.session, RoomsListed(room_places.listing(draft, name)))
    elif match is None:
        draft.players[name] = player
    else:
        draft.players[name] = attrs.evolve(player, match=number, room=match.room)
        back = reconnect.SeatReconnect(
            match.seat_of(name),
            command.session,
            command.address,
            command.protocol,
            says_ready=Capability.READY in command.capabilities,
            key=command.key,
        )
        playing.act(draft, match, back.seat, back)
    return Accepted()


def _is_expected_elsewhere(draft: Draft, command: Enter) -> bool:
    """True if a ticket waits for the player of this name, and was booked from another address."""
    ticket = tickets.ticket_for(draft, command.name)
    is_any = draft.server.rules.seat_return is SeatReturn.ANY_ADDRESS
    return ticket is not None and not is_any and ticket.address != command.address


def holds_key(lobby: Lobby | Draft, command: Enter) -> bool:
    """True if the newcomer brings the key of the player of that name, who is here or has a seat."""
    if not command.key:
        return False
    player = lobby.players.get(command.name)
    number = lobby.seated.get(command.name)
    match = None if number is None else lobby.matches.get(number)
    keys = ("" if player is None else player.key, "" if match is None else _seat_key(match, command.name))
    return command.key in keys


def _seat_key(match: Match, name: str) -> str:
    return match.seats[match.seat_of(name)].key


def unfit(command: Enter, length_max: int, *, has_key: bool = False) -> Rejected | None:
    """The reason why this name is not allowed, or not in this way; None if it is.

    With `has_key` its player came in by it before, and need not bring the secret of it again.
    """
    name = command.name
    found = judge_name(name, length_max)
    if found is None and command.fault:
        found = Rejected(Code.NAME_INVALID, {"name": name, "why": command.fault})
    if found is None and not (has_key and command.standing is Proof.UNPROVEN):
        found = identity.proof_refusal(command.standing, name)
    if found is None and command.resembles:
        found = Rejected(Code.NAME_TAKEN, {"name": name})
    return found


def _enter_anonymously(draft: Draft, command: Enter) -> Answer:
    """Let an anonymous player in under a name that no start of the server gives twice."""
    if not is_reserved_name(command.name):
        return Rejected(Code.NAME_INVALID, {"name": command.name, "why": "it is no reserved prefix"})
    name = f"{command.name}{draft.server.boot}-{command.session}"
    draft.sessions[command.session] = name
    draft.players[name] = Player(name, command.session, command.protocol, command.address, command.capabilities)
    return Accepted()


def leave(draft: Draft, command: Leave) -> Answer:
    """Let a player out, whatever they were doing."""
    player = draft.player_of(command.session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    let_out(draft, player, command.why, unheard=command.unheard, fault=command.fault)
    return Accepted()


def let_out(draft: Draft, player: Player, why: str = "", *, unheard: bool = False, fault: str = "") -> None:
    """End everything that a player does here; their seat in a match becomes empty.

    `unheard` and `fault` as in `Leave`.
    """
    player = leave_queue(draft, player)
    player = close_challenge_of(draft, player)
    drop_challenges_to(draft, player.name)
    del draft.players[player.name]
    del draft.sessions[player.session]
    tickets.left(draft, player)
    if player.match is not None:
        match = draft.matches[player.match]
        seat = match.seat_of(player.name)
        playing.act(draft, match, seat, reconnect.SeatDrop(seat, why, unheard, fault))
    if player.room is not None and draft.rooms[player.room].phase is not RoomPhase.PLAYING:
        room_places.take_place(draft, player)


def may_return(match: Match, command: Enter, seat_return: SeatReturn) -> bool:
    """True if a session may take the seat: the name alone proves little, the address a bit more.

    A seat that is held under a key is given to that key, or to a proof. A player who returns by rooms has to find the
    match in one.
    """
    if Capability.ROOMS in command.capabilities and match.room_of(command.name) is None:
        return False
    if command.standing is Proof.PROVEN:
        return True
    holder = match.seats[match.seat_of(command.name)]
    if holder.key:
        return command.key == holder.key
    return seat_return is SeatReturn.ANY_ADDRESS or holder.address == command.address
