"""The players of a tournament and where each of them is: at play, ready for the next match, or missing."""

from collections.abc import Mapping
from enum import StrEnum

from gameserver.core.commands import Capability
from gameserver.core.lobby import Player, Room, RoomPhase, Ticket, TournamentRow
from gameserver.tournaments.model import PairingStatus
from gameserver.values import value


class Presence(StrEnum):
    """The place of a player, as far as a tournament is concerned."""

    PLAYING = "playing"
    """In a match of this tournament."""
    ELSEWHERE = "in another match"
    RESTING = "having a break"
    """In the plan's pause between two matches."""
    READY = "ready"
    NOT_READY = "not ready"
    """Connected, but its client does not ask to play: it has not started in its room, or has no ticket."""
    AWAY = "not here"


@value
class EntrantPresence:
    """A player of a tournament who is in, and is no house player."""

    player: str
    presence: Presence
    match: int | None = None
    """The match in which the player has a seat, whether they are here or away."""


@value
class Hall:
    """The rows of the lobby that tell where a player is."""

    players: Mapping[str, Player]
    rooms: Mapping[int, Room]
    tickets: tuple[Ticket, ...]
    room_game: str
    now_ms: int


def presences(row: TournamentRow, hall: Hall) -> tuple[EntrantPresence, ...]:
    """Every player who is in the tournament, in the order of the numbers."""
    at_play: Mapping[str, int | None] = {
        name: pairing.match
        for pairing in row.state.keeping
        if pairing.status is PairingStatus.PLAYING
        for name in pairing.seats
    }
    return tuple(_presence(row, one.name, at_play, hall) for one in row.state.active if not one.house)


def missing_players(row: TournamentRow, hall: Hall) -> frozenset[str]:
    """The players who will miss their next match if nothing changes: away, or not ready since they missed the last."""
    missed: set[str] = set()
    for pairing in row.state.pairings:
        if pairing.status is PairingStatus.DONE:
            missed.difference_update(pairing.seats)
            missed.update(pairing.absent)
    return frozenset(
        one.player
        for one in presences(row, hall)
        if (one.presence is Presence.AWAY and one.match is None)
        or (one.presence is Presence.NOT_READY and one.player in missed)
    )


def _presence(row: TournamentRow, name: str, at_play: Mapping[str, int | None], hall: Hall) -> EntrantPresence:
    player = hall.players.get(name)
    if player is None:
        return EntrantPresence(name, Presence.AWAY, at_play.get(name))
    if player.match is not None:
        place = Presence.PLAYING if at_play.get(name) == player.match else Presence.ELSEWHERE
        return EntrantPresence(name, place, player.match)
    if row.rests.get(name, 0) > hall.now_ms:
        return EntrantPresence(name, Presence.RESTING)
    is_ready = _is_ready(player, row.state.plan.game, hall)
    return EntrantPresence(name, Presence.READY if is_ready else Presence.NOT_READY)


def _is_ready(player: Player, game: str, hall: Hall) -> bool:
    """True if this player's protocol lets a match begin now. `core.organizer.availability` decides by the same rule."""
    if Capability.CHALLENGE in player.capabilities:
        return True
    if player.sits:
        room = None if player.room is None else hall.rooms.get(player.room)
        return room is not None and room.phase is RoomPhase.KEPT and hall.room_game.lower() == game.lower()
    ticket = next((one for one in hall.tickets if one.session == player.session), None)
    return ticket is not None and ticket.open_to_queue and ticket.game == game and ticket.partner is None
