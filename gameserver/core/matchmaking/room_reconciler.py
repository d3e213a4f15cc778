"""Carries out the consequences of a change in a room.

A start, a departure, a lost connection, the end of a match and a search in a queue can all have the same consequence,
so it is derived from the row alone, once the command is done:

* two places, both players there and ready: a match begins, the host in the first seat; later matches by lot;
* one place, ready, and a player looks for the game in its queue: a match begins with that player;
* between games, and the other has left: the player who is ready goes back to the lobby at once;
* a player of a tournament is ready: they wait for it alone, in a room of their own beyond the public ones;
* no player has a place: the room is free again.
"""

from collections.abc import Callable

import attrs

from gameserver.core.matches.referee import GameFault
from gameserver.core.matchmaking import matchmaker, room_places
from gameserver.core.matchmaking.match_opening import open_match
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.events import Unseated, UnseatedWhy
from gameserver.core.state import tournament
from gameserver.core.state.draft import Draft
from gameserver.core.state.follow_ups import PlayerAvailable, RoomChanged
from gameserver.core.state.lobby import Player
from gameserver.core.state.room import Room, RoomGuest, RoomPhase
from gameserver.policies import room_policies


def reconcile(draft: Draft, changed: RoomChanged) -> None:
    """Carry out the consequences of what changed in a room."""
    number = changed.room
    room = draft.rooms.get(number)
    if room is None:
        return
    if room.phase is RoomPhase.PLAYING:
        if room.match is not None and draft.matches.get(room.match) is not None:
            return
        room = _after_match(draft, room)
    room = _without_kept(draft, room)
    try:
        _SETTLE[room.phase](draft, room)
    except GameFault as fault:
        # A game that cannot be begun must not keep the command that led here from being carried out.
        draft.faults.append(fault.why)
        unseat_all(draft, room, UnseatedWhy.NOT_STARTED)
    _close_if_empty(draft, number)


def unseat_all(draft: Draft, room: Room, why: UnseatedWhy) -> None:
    """Send the players of a room back to the lobby; guests who look for the game stay."""
    seeking = tuple(place for place in room.places if place.guest is RoomGuest.SEEKING)
    left = [draft.players.get(place.player) for place in room.places if place not in seeking]
    room_places.put_room(draft, Room(room.number, places=seeking))
    for player in left:
        if player is not None and player.room == room.number:
            draft.players[player.name] = attrs.evolve(player, room=None)
    for player in left:
        if player is not None and player.room == room.number and Capability.ROOMS in player.capabilities:
            tell_unseated(draft, player, room.number, why)


def tell_unseated(draft: Draft, player: Player, number: int, why: UnseatedWhy) -> None:
    """Tell a player that the place is gone, and list the rooms."""
    draft.tell(player.session, Unseated(number, why, room_places.listing(draft, player.name)))


def _settle_open(draft: Draft, room: Room) -> None:
    """Before the first match: begin it once two players are there and ready."""
    if len(room.places) < room_places.PLACES:
        room = attrs.evolve(room, phase=RoomPhase.GATHERING, start_by_ms=None)
    elif room.phase is RoomPhase.GATHERING:
        start_by_ms = draft.at.now_ms + draft.server.rules.room_wait_ms
        room = attrs.evolve(room, phase=RoomPhase.READYING, start_by_ms=start_by_ms)
    here = [room_places.is_present(draft, room, place) for place in room.places]
    if all(here):
        room = attrs.evolve(room, return_by_ms=None)
    draft.rooms[room.number] = room
    waiting = matchmaker.room_seekers(draft)
    if room_places.is_lone_and_ready(draft, room) and waiting:
        _begin(draft, room, (room.places[0].player, waiting[0]))
    elif len(room.places) == room_places.PLACES and all(here) and _all_ready(room):
        _begin(draft, room, tuple(place.player for place in room.places))
    elif len(room.places) == 1 and room.places[0].guest is RoomGuest.CHALLENGING and here[0]:
        room_places.take_place(draft, draft.players[room.places[0].player])


def _settle_between(draft: Draft, room: Room) -> None:
    """After a match: begin the next one, or send a player who asked for it in vain back to the lobby."""
    if len(room.places) == room_places.PLACES:
        if _all_ready(room):
            _begin(draft, room, tuple(place.player for place in room.places))
    elif room.places and room.places[0].is_ready:
        waiting = matchmaker.room_seekers(draft)
        again = next((name for name in room.last_guests if name in waiting), None)
        if again is None:
            unseat_all(draft, room, UnseatedWhy.OPPONENT_LEFT)
        else:
            _begin(draft, room, (room.places[0].player, again))


def _without_kept(draft: Draft, room: Room) -> Room:
    """Seat each player who is ready for a tournament alone, where no other player can begin a match with them.

    The room is left to others, because clients that know only one room have to get in. No client is ever told who has a
    place in a room, or which room it is.
    """
    game = room_places.game_of_rooms(draft)
    for place in room.places:
        is_here = place.guest is None and room_places.is_present(draft, room, place)
        if game is None or not (is_here and place.is_ready and tournament.is_reserved(draft, place.player, game.name)):
            continue
        draft.follow_ups.add(PlayerAvailable(place.player))
        if room.number >= draft.server.rules.room_count:
            room = Room(room.number, RoomPhase.KEPT, (place,))
        else:
            _move_alone(draft, Room(room_places.beyond(draft), RoomPhase.KEPT, (place,)))
            room = attrs.evolve(room, places=tuple(other for other in room.places if other is not place))
        draft.rooms[room.number] = room
    return room


def _move_alone(draft: Draft, room: Room) -> None:
    """Make this room the room of its only player, instead of the one where they were."""
    name = room.places[0].player
    draft.rooms[room.number] = room
    draft.players[name] = attrs.evolve(draft.players[name], room=room.number)


def _settle_kept(draft: Draft, room: Room) -> None:
    """Seat a player who is no longer reserved like any player who has started alone."""
    game = room_places.game_of_rooms(draft)
    if not room.places or (game is not None and tournament.is_reserved(draft, room.places[0].player, game.name)):
        return
    number = room_places.lowest_free(draft)
    if number is None:
        _settle_open(draft, attrs.evolve(room, phase=RoomPhase.GATHERING))
        return
    draft.rooms[room.number] = attrs.evolve(room, places=())
    _move_alone(draft, Room(number, places=room.places))
    draft.follow_ups.add(RoomChanged(number))


def _all_ready(room: Room) -> bool:
    return all(place.is_ready or place.guest is not None for place in room.places)


def _begin(draft: Draft, room: Room, names: tuple[str, ...]) -> None:
    """Begin a match of these two. Raises `GameFault` before anything is written."""
    if draft.server.drains:
        return
    game = room_places.game_of_rooms(draft)
    assert game is not None, "nobody sits down where there is no game"
    guests = tuple(name for name in names if _is_guest(room, name))
    policies = room_policies(draft.server.rules, first_move_pause=bool(guests))
    number = open_match(draft, game, names, policies, room=room.number, in_order=room.matches_played == 0)
    # The search that brought the guests is over: from now on they sit here because they play.
    playing_here = Room(
        room.number,
        RoomPhase.PLAYING,
        match=number,
        matches_played=room.matches_played + 1,
        last_guests=guests,
    )
    for name in names:
        guest = RoomGuest.SEEKING if name in guests else None
        playing_here = room_places.add_place(draft, playing_here, draft.players[name], guest)


def _is_guest(room: Room, name: str) -> bool:
    place = room.place_of(name)
    return place is None or place.guest is not None


def _after_match(draft: Draft, room: Room) -> Room:
    """The room after its match: guests are free, absent players lose their place, the others may start again."""
    stay = []
    for place in room.places:
        player = draft.players.get(place.player)
        if player is None or player.room != room.number:
            continue
        if place.guest is None and Capability.ROOMS in player.capabilities:
            stay.append(attrs.evolve(place, is_ready=False))
        else:
            draft.players[place.player] = attrs.evolve(player, room=None)
    room = attrs.evolve(
        room,
        phase=RoomPhase.BETWEEN,
        places=tuple(stay),
        match=None,
        start_by_ms=draft.at.now_ms + draft.server.rules.room_wait_ms,
        return_by_ms=None,
    )
    draft.rooms[room.number] = room
    return room


def _close_if_empty(draft: Draft, number: int) -> None:
    """Free a room without players; a player who looks for the game may then be shown there."""
    room = draft.rooms.get(number)
    if room is None or room.places or room.phase is RoomPhase.PLAYING:
        return
    del draft.rooms[number]
    for name in matchmaker.room_seekers(draft):
        player = draft.players[name]
        if player.room is None:
            matchmaker.show_seeker(draft, player)
            return


_SETTLE: dict[RoomPhase, Callable[[Draft, Room], None]] = {
    RoomPhase.GATHERING: _settle_open,
    RoomPhase.READYING: _settle_open,
    RoomPhase.BETWEEN: _settle_between,
    RoomPhase.KEPT: _settle_kept,
}
