"""Places of players in rooms, and the queue of each game.

A room has a row only while a player has a place in it or its match goes on. Players of protocols with rooms sit down by
themselves. A player who looks for the rooms' game in a queue is seated in the lowest free room as a guest, so that
players of rooms can find them there. The queue works as ever: the place is a second way to the same player, and is
given up with the search.

A handler that changes a row adds `RoomChanged`; `rooms` then looks at the room before the decision is over, and
`matchmaker` says who of a queue meets whom.
"""

from typing import Any

import attrs

from gameserver.core import lobby
from gameserver.core.draft import Draft, RoomChanged
from gameserver.core.events import RoomShown
from gameserver.core.lobby import Player, Room, RoomGuest, RoomPhase, RoomPlace
from gameserver.game import Game
from gameserver.policies import SeatReturn

# The 3D Connect Four document: a room has two players.
PLACES = 2

_OPEN_PHASES = frozenset({RoomPhase.GATHERING, RoomPhase.READYING})
"""The phases in which a room is shown to everybody."""


def game_of_rooms(draft: Draft) -> Game[Any] | None:
    """The game whose players have places in rooms, not only in a queue; None if this server does not have it."""
    return draft.game_named(draft.server.rules.room_game)


def put_room(draft: Draft, room: Room) -> None:
    """Writes a room with the places in it, to be looked at before the decision is over."""
    draft.rooms[room.number] = room
    draft.follow_ups.add(RoomChanged(room.number))


def is_present(draft: Draft, room: Room, place: RoomPlace) -> bool:
    """True if a place in a room has its player here; after a restart the room may wait for them."""
    player = draft.players.get(place.player)
    return player is not None and player.room == room.number


def add_place(draft: Draft, room: Room, player: Player, guest: RoomGuest | None = None) -> Room:
    """Puts a player into a place of a room, and gives up those kept for them in other rooms."""
    # After a restart several rooms may keep a place under one name.
    _give_up_other_places(draft, player, room)
    place = RoomPlace(player.name, player.address, guest)
    room = attrs.evolve(room, places=(*room.places, place))
    put_room(draft, room)
    draft.players[player.name] = attrs.evolve(player, room=room.number)
    return room


def is_own(draft: Draft, place: RoomPlace, player: Player) -> bool:
    """True if a place in a room that was kept under this name is this player's, as far as that can be known."""
    # The address proves little, but Connect Four clients send no secret.
    is_known = player.is_proven or place.address == player.address
    return is_known or draft.server.rules.seat_return is SeatReturn.ANY_ADDRESS


def _give_up_other_places(draft: Draft, player: Player, chosen: Room) -> None:
    """Release the places reserved for this player in other rooms, so that nobody there waits for them."""
    for room in list(draft.rooms.values()):
        place = None if room.number == chosen.number else room.place_of(player.name)
        if place is not None and room.phase is not RoomPhase.PLAYING and is_own(draft, place, player):
            put_room(draft, attrs.evolve(room, places=tuple(other for other in room.places if other is not place)))


def take_place(draft: Draft, player: Player) -> Player:
    """Removes a player from their place in a room, if they have one."""
    if player.room is None:
        return player
    room = draft.rooms[player.room]
    # The room is looked at later in this decision: what its other player hears follows from the row alone.
    put_room(draft, attrs.evolve(room, places=tuple(place for place in room.places if place.player != player.name)))
    player = attrs.evolve(player, room=None)
    if draft.players.get(player.name) is not None:
        draft.players[player.name] = player
    return player


def take_guests_place(draft: Draft, player: Player, guest: RoomGuest) -> Player:
    """Takes away the place in a room that a guest's search or challenge brought, unless a match goes on there."""
    if player.room is None:
        return player
    room = draft.rooms[player.room]
    place = room.place_of(player.name)
    if room.phase is RoomPhase.PLAYING or place is None or place.guest is not guest:
        return player
    return take_place(draft, player)


def lone_ready(draft: Draft) -> Room | None:
    """The first room, as they were taken, where all places are free but one, whose player is ready."""
    for room in draft.rooms.values():
        if is_lone_and_ready(draft, room):
            return room
    return None


def is_lone(room: Room) -> bool:
    """True if all places in a room are free but one, of a player who is no guest and has played no match there."""
    return room.phase is RoomPhase.GATHERING and len(room.places) == 1 and room.places[0].guest is None


def is_lone_and_ready(draft: Draft, room: Room) -> bool:
    """True if all places in a room are free but one, and its player is ready and waits only for an opponent."""
    return is_lone(room) and room.places[0].is_ready and is_present(draft, room, room.places[0])


def lowest_free(draft: Draft) -> int | None:
    """The lowest number of a room whose places are all free; None if there is none."""
    numbers = range(draft.server.rules.room_count)
    return next((number for number in numbers if draft.rooms.get(number) is None), None)


def beyond(draft: Draft) -> int:
    """A number, beyond those of all rooms, for a room in which a player's place is kept."""
    # Never the number of a room that anybody was told.
    return max(draft.server.rules.room_count, *(room.number + 1 for room in draft.rooms.values()))


def keeps_place(draft: Draft, number: int, name: str) -> bool:
    """True if a place is kept for a player in this room, even in one that no longer exists since the restart."""
    room = draft.rooms.get(number)
    return room is not None and room.place_of(name) is not None


def listing(draft: Draft, name: str) -> tuple[RoomShown, ...]:
    """The rooms as listed for a player who looks for a place: the open ones, and the one where their own is kept."""
    if game_of_rooms(draft) is None:
        return ()
    shown = []
    count = draft.server.rules.room_count
    beyond = (room.number for room in draft.rooms.values() if room.number >= count)
    for number in (*range(count), *sorted(beyond)):
        room = draft.rooms.get(number)
        if room is None:
            # As the original server: an entry for each room in which nobody plays.
            shown.append(RoomShown(number, None))
        elif (room.phase in _OPEN_PHASES and number < count) or room.place_of(name) is not None:
            shown.append(RoomShown(number, room.places[0].player if room.places else None))
    return tuple(shown)


def seekers(draft: Draft, game: str) -> list[str]:
    """The players with a place in a game's queue who may be met there, longest first: a tournament reserves its own."""
    return [name for name in draft.queues.get(game) or () if not lobby.is_reserved(draft, name)]


def wake_ladder(draft: Draft, game: str) -> None:
    """Has the ladder of a game looked at, if it is open: a player waits in one of its places."""
    if draft.ladders.get(game) is not None:
        draft.wake.append(game)


def leave_queue(draft: Draft, player: Player) -> Player:
    """Takes away a player's place in their game's queue, if any, and the one in a room that the search brought."""
    if player.seek is None:
        return player
    waiting = draft.queues.get(player.seek) or ()
    if player.name in waiting:
        rest = [name for name in waiting if name != player.name]
        # An empty queue has no row, so that equal lobbies are equal tables.
        draft.queues[player.seek] = tuple(rest) or None
    # The place was there only for the search.
    return player if player.room is None else take_guests_place(draft, player, RoomGuest.SEEKING)
