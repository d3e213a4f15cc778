"""The commands in a room, a table of phases and commands with a handler for each, and what follows from a change.

In the 3D Connect Four document, players meet in rooms: the player who sits down first is the host, and a match begins
when both have said that they are ready. The room outlives its matches.

    phase          Sit        Ready     Depart    RoomTimeUp
    gathering      x          x         x         x
    readying       own place  x         x         x
    playing        own place  own seat  gives up  -
    between games  own place  x         x         x
    kept           own place  -         x         x

A command changes only a place. No player is told that another one sat down: one real client takes any message that it
did not ask for as the answer to its next question.

A start, a departure, a lost connection, the end of a match and a search in a queue can all have the same consequence,
so it is derived from the row alone, once the command is done:

* two places, both players there and ready: a match begins, the host in the first seat; later matches by lot;
* one place, ready, and a player looks for the game in its queue: a match begins with that player;
* between games, and the other has left: the player who is ready goes back to the lobby at once;
* a player of a tournament is ready: they wait for it alone, in a room of their own beyond the public ones;
* no player has a place: the room is free again.
"""

from collections.abc import Callable
from typing import Any

import attrs

from gameserver.core import lobby, matchmaker, places, playing
from gameserver.core.commands import Capability, Depart, ListRooms, Ready, Resign, RoomTimeUp, ServerStarted, Sit, Void
from gameserver.core.draft import Draft, PlayerAvailable, RoomChanged
from gameserver.core.events import Accepted, Answer, Code, Rejected, RoomsListed, Seated, SeatsBy, Unseated, UnseatedWhy
from gameserver.core.lobby import Player, Room, RoomGuest, RoomPhase
from gameserver.core.match import Match
from gameserver.core.matchmaker import close_challenge_of, open_match
from gameserver.core.places import (
    add_place,
    game_of_rooms,
    is_own,
    is_present,
    keeps_place,
    leave_queue,
    listing,
    put_room,
    take_place,
)
from gameserver.core.referee import GameBug
from gameserver.policies import room_policies


def sit(draft: Draft, command: Sit) -> Answer:
    """Carries out `Sit`: a player takes a place in a room."""
    player, number = draft.player_of(command.session), command.room
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    if player.room is not None:
        return Rejected(Code.IN_ROOM, {"room": str(player.room)})
    if player.match is not None:
        return Rejected(Code.IN_MATCH)
    count = draft.server.rules.room_count
    if game_of_rooms(draft) is None:
        return Rejected(Code.UNKNOWN_GAME, {"game": draft.server.rules.room_game})
    if Capability.ROOMS not in player.capabilities:
        # A player whose protocol knows no rooms comes to one only as a guest, by a search or a challenge.
        return Rejected(Code.NO_SUCH_ROOM, {"room": str(number), "last": str(count - 1)})
    if not 0 <= number < count and not keeps_place(draft, number, player.name):
        return Rejected(Code.NO_SUCH_ROOM, {"room": str(number), "last": str(count - 1)})
    kept = _kept_match(draft, player)
    kept_room = None if kept is None else kept.room_of(player.name)
    if kept is not None and kept.scheduled is not None and kept_room is not None:
        number = kept_room  # beyond the public rooms, a number that no client was told
    if kept is not None and kept_room != number:
        return Rejected(Code.ROOM_KEPT, {"room": str(kept_room)})
    # A room has a row only while somebody has a place there.
    return _act(draft, draft.rooms.get(number) or Room(number), player, command)


def in_own_room(draft: Draft, command: Ready | Depart) -> Answer:
    """Carries out `Ready` or `Depart` in the room where the player has a place."""
    player = draft.player_of(command.session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    if player.room is None:
        return Rejected(Code.NOT_IN_ROOM)
    return _act(draft, draft.rooms[player.room], player, command)


def time_up(draft: Draft, command: RoomTimeUp) -> Answer:
    """Carries out `RoomTimeUp`: what is due in a room."""
    room = draft.rooms.get(command.room)
    if room is None or room.due_ms is None or room.due_ms > draft.at.now_ms:
        return Rejected(Code.STALE)
    return _act(draft, room, None, command)


def list_rooms(draft: Draft, command: ListRooms) -> Answer:
    """Answers `ListRooms`: the rooms as the player may see them."""
    player = draft.player_of(command.session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    draft.tell(command.session, RoomsListed(listing(draft, player.name)))
    return Accepted()


def _act(draft: Draft, room: Room, player: Player | None, command: Any) -> Answer:
    handler = TRANSITIONS[room.phase].get(type(command))
    if handler is None:
        return Rejected(Code.STALE)
    return handler(draft, room, player, command)


def _kept_match(draft: Draft, player: Player) -> Match | None:
    number = draft.seated.get(player.name)
    return None if number is None else draft.matches[number]


def _sit_down(draft: Draft, room: Room, player: Player, command: Sit) -> Answer:
    if room.place_of(player.name) is not None:
        return _take_back(draft, room, player, command)
    opponent = room.places[0].player if room.places else None
    player = close_challenge_of(draft, leave_queue(draft, player))
    add_place(draft, room, attrs.evolve(player, seek=None))
    # The player who waits there is told nothing, as by the original server: SimpleClient 0.5.3 takes a `game` that it
    # did not ask for as the answer to `start`, and never plays.
    draft.tell(command.session, Seated(room.number, opponent))
    return Accepted()


def _take_back(draft: Draft, room: Room, player: Player, command: Sit) -> Answer:
    """Sit down again after a restart on the place that was kept."""
    place = room.place_of(player.name)
    if place is None or not is_own(draft, place, player):
        return Rejected(Code.ROOM_FULL, {"room": str(room.number)})
    draft.players[player.name] = attrs.evolve(player, room=room.number)
    # A guest who returns by a protocol with rooms is no longer a guest, and stays after the match.
    put_room(draft, room.with_place(attrs.evolve(place, guest=None)))
    opponent = next((other.player for other in room.places if other is not place), None)
    draft.tell(command.session, Seated(room.number, opponent))
    return Accepted()


def _be_ready(draft: Draft, room: Room, player: Player, command: Ready) -> Answer:
    place = room.place_of(player.name)
    if place is None or place.is_ready:
        return Rejected(Code.READY_ALREADY, {"room": str(room.number)})
    put_room(draft, room.with_place(attrs.evolve(place, is_ready=True)))
    return Accepted()


def _take_seat_back(draft: Draft, room: Room, player: Player, command: Ready) -> Answer:
    match = None if room.match is None else draft.matches[room.match]
    # `Ready` of a player whose seat is not empty.
    if match is None or player.match is not None:
        return Rejected(Code.READY_ALREADY, {"room": str(room.number)})
    player = attrs.evolve(player, match=match.id)
    draft.players[player.name] = player
    return playing.act(draft, match, match.seat_of(player.name), player)


def _go(draft: Draft, room: Room, player: Player, command: Depart) -> Answer:
    take_place(draft, player)
    reconcile(draft, RoomChanged(room.number))
    _tell_unseated(draft, player, room.number, UnseatedWhy.LEFT)
    return Accepted()


def _give_up(draft: Draft, room: Room, player: Player, command: Depart) -> Answer:
    """Leave during a match. A player who has only sat down again after a restart leaves the seat as it was."""
    if player.match is None:
        draft.players[player.name] = attrs.evolve(player, room=None)
        _tell_unseated(draft, player, room.number, UnseatedWhy.LEFT)
        return Accepted()
    match = draft.matches[player.match]
    seat = match.seat_of(player.name)
    if _knew_of(match, seat, command):
        # The document's `exit game`: the other player has won.
        playing.act(draft, match, seat, Resign(command.session))
    else:
        playing.act(draft, match, None, Void(match.id, f"{player.name} had left before it began"))
    return _go(draft, room, draft.players[player.name], command)


def _knew_of(match: Match, seat: int, command: Depart) -> bool:
    """True if a player who leaves knew of the match. A player who moved in it did, whenever the input was read."""
    return command.match in {None, match.id} or any(step.seat == seat for step in match.moves)


def _time_up(draft: Draft, room: Room, player: None, command: RoomTimeUp) -> Answer:
    now_ms = draft.at.now_ms
    if room.return_by_ms is not None and room.return_by_ms <= now_ms:
        here = tuple(place for place in room.places if is_present(draft, room, place))
        room = attrs.evolve(room, places=here, return_by_ms=None)
        put_room(draft, room)
    if room.start_by_ms is not None and room.start_by_ms <= now_ms:
        between = room.phase is RoomPhase.BETWEEN
        unseat_all(draft, room, UnseatedWhy.NOT_RESTARTED if between else UnseatedWhy.NOT_STARTED)
    return Accepted()


_Handler = Callable[[Draft, Room, Any, Any], Answer]

TRANSITIONS: dict[RoomPhase, dict[type, _Handler]] = {
    RoomPhase.GATHERING: {Sit: _sit_down, Ready: _be_ready, Depart: _go, RoomTimeUp: _time_up},
    RoomPhase.READYING: {Sit: _take_back, Ready: _be_ready, Depart: _go, RoomTimeUp: _time_up},
    RoomPhase.PLAYING: {Sit: _take_back, Ready: _take_seat_back, Depart: _give_up},
    RoomPhase.BETWEEN: {Sit: _take_back, Ready: _be_ready, Depart: _go, RoomTimeUp: _time_up},
    RoomPhase.KEPT: {Sit: _take_back, Ready: _be_ready, Depart: _go, RoomTimeUp: _time_up},
}


def reconcile(draft: Draft, changed: RoomChanged) -> None:
    """Carries out the consequences of what changed in a room, such as the match that two ready players begin."""
    number = changed.room
    room = draft.rooms.get(number)
    if room is None:
        return
    if room.phase is RoomPhase.PLAYING:
        if room.match is not None and draft.matches.get(room.match) is not None:
            return
        # The match has ended in this decision, or in the one that led here.
        room = _after_match(draft, room)
    room = _without_kept(draft, room)
    try:
        _SETTLE[room.phase](draft, room)
    except GameBug as fault:
        # A game that cannot be begun must not keep the command that led here from being carried out.
        draft.faults.append(fault.why)
        unseat_all(draft, room, UnseatedWhy.NOT_STARTED)
    _close_if_empty(draft, number)


def _without_kept(draft: Draft, room: Room) -> Room:
    """Seat each player who is ready for a tournament alone, where no other player can begin a match with them.

    The room is left to others, because clients that know only one room have to get in. No client is ever told who has a
    place in a room, or which room it is.
    """
    game = places.game_of_rooms(draft)
    for place in room.places:
        is_here = place.guest is None and places.is_present(draft, room, place)
        if game is None or not (is_here and place.is_ready and lobby.is_reserved(draft, place.player, game.name)):
            continue
        draft.follow_ups.add(PlayerAvailable(place.player))
        if room.number >= draft.server.rules.room_count:
            room = Room(room.number, RoomPhase.KEPT, (place,))
        else:
            _move_alone(draft, Room(places.beyond(draft), RoomPhase.KEPT, (place,)))
            room = attrs.evolve(room, places=tuple(other for other in room.places if other is not place))
        draft.rooms[room.number] = room
    return room


def _move_alone(draft: Draft, room: Room) -> None:
    """Make this room the room of its only player, instead of the one where they were."""
    name = room.places[0].player
    draft.rooms[room.number] = room
    draft.players[name] = attrs.evolve(draft.players[name], room=room.number)


def _settle_open(draft: Draft, room: Room) -> None:
    """Before the first match: begin it once two players are there and ready."""
    if len(room.places) < places.PLACES:
        room = attrs.evolve(room, phase=RoomPhase.GATHERING, start_by_ms=None)
    elif room.phase is RoomPhase.GATHERING:
        # The document's three minutes; the original server never kept to them.
        start_by_ms = draft.at.now_ms + draft.server.rules.room_start_time_ms
        room = attrs.evolve(room, phase=RoomPhase.READYING, start_by_ms=start_by_ms)
    here = [places.is_present(draft, room, place) for place in room.places]
    if all(here):
        room = attrs.evolve(room, return_by_ms=None)
    draft.rooms[room.number] = room
    waiting = matchmaker.room_seekers(draft)
    is_waiting = places.is_lone_and_ready(draft, room)
    if is_waiting and waiting:
        _begin(draft, room, (room.places[0].player, waiting[0]))
    elif is_waiting and (game := game_of_rooms(draft)) is not None:
        places.wake_ladder(draft, game.name)
    elif len(room.places) == places.PLACES and all(here) and _all_ready(room):
        _begin(draft, room, tuple(place.player for place in room.places))
    elif len(room.places) == 1 and room.places[0].guest is RoomGuest.CHALLENGING and here[0]:
        places.take_place(draft, draft.players[room.places[0].player])


def _settle_between(draft: Draft, room: Room) -> None:
    """After a match: begin the next one, or send a player who asked for it in vain back to the lobby."""
    if len(room.places) == places.PLACES:
        if _all_ready(room):
            _begin(draft, room, tuple(place.player for place in room.places))
    elif room.places and room.places[0].is_ready:
        waiting = matchmaker.room_seekers(draft)
        again = next((name for name in room.last_guests if name in waiting), None)
        if again is None:
            # The original says nothing, and its client waits for ever; the document sends both players to the lobby.
            unseat_all(draft, room, UnseatedWhy.OPPONENT_LEFT)
        else:
            _begin(draft, room, (room.places[0].player, again))


def _settle_kept(draft: Draft, room: Room) -> None:
    """Seat a player who is no longer reserved like any player who has started alone."""
    game = places.game_of_rooms(draft)
    if not room.places or (game is not None and lobby.is_reserved(draft, room.places[0].player, game.name)):
        return
    number = places.lowest_free(draft)
    if number is None:
        _settle_open(draft, attrs.evolve(room, phase=RoomPhase.GATHERING))
        return
    draft.rooms[room.number] = attrs.evolve(room, places=())
    _move_alone(draft, Room(number, places=room.places))
    draft.follow_ups.add(RoomChanged(number))


_SETTLE: dict[RoomPhase, Callable[[Draft, Room], None]] = {
    RoomPhase.GATHERING: _settle_open,
    RoomPhase.READYING: _settle_open,
    RoomPhase.BETWEEN: _settle_between,
    RoomPhase.KEPT: _settle_kept,
}


def _all_ready(room: Room) -> bool:
    return all(place.is_ready or place.guest is not None for place in room.places)


def _begin(draft: Draft, room: Room, names: tuple[str, ...]) -> None:
    """Begin a match of these two. Raises `GameBug` before anything is written."""
    # Both stay ready: after the restart they have to say so again.
    if draft.server.drains:
        return
    game = places.game_of_rooms(draft)
    assert game is not None, "nobody sits down where there is no game"
    guests = tuple(name for name in names if _is_guest(room, name))
    policies = room_policies(draft.server.rules, first_move_pause=bool(guests))
    # As the original: who made the room moves first, and later games are drawn by lot.
    seats_by = SeatsBy.DRAWN if room.matches_played else SeatsBy.ROOM
    number = open_match(draft, game, names, policies, room=room.number, seats_by=seats_by)
    # The search that brought the guests is over: from now on they sit here because they play.
    playing_here = Room(
        room.number, RoomPhase.PLAYING, match=number, matches_played=room.matches_played + 1, last_guests=guests
    )
    for name in names:
        guest = RoomGuest.SEEKING if name in guests else None
        playing_here = places.add_place(draft, playing_here, draft.players[name], guest)


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
        start_by_ms=draft.at.now_ms + draft.server.rules.room_start_time_ms,
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
    # Only the one who has waited longest: a room has one place for a guest.
    for name in matchmaker.room_seekers(draft):
        player = draft.players[name]
        if player.room is None:
            matchmaker.show_seeker(draft, player)
            return


def unseat_all(draft: Draft, room: Room, why: UnseatedWhy) -> None:
    """Sends the players of a room back to the lobby; guests who look for the game stay."""
    # They look for the game in its queue, and know nothing of rooms.
    seeking = tuple(place for place in room.places if place.guest is RoomGuest.SEEKING)
    left = [draft.players.get(place.player) for place in room.places if place not in seeking]
    places.put_room(draft, Room(room.number, places=seeking))
    for player in left:
        if player is not None and player.room == room.number:
            draft.players[player.name] = attrs.evolve(player, room=None)
    for player in left:
        if player is not None and player.room == room.number and Capability.ROOMS in player.capabilities:
            _tell_unseated(draft, player, room.number, why)


def _tell_unseated(draft: Draft, player: Player, number: int, why: UnseatedWhy) -> None:
    draft.tell(player.session, Unseated(number, why, places.listing(draft, player.name)))


def empty_rooms(draft: Draft, command: ServerStarted) -> None:
    """Empties all rooms at a restart: places are kept for their players, but guests' searches have ended."""
    now_ms, rules = draft.at.now_ms, command.rules
    for room in list(draft.rooms.values()):
        if room.phase is RoomPhase.PLAYING:
            continue
        # A client that reconnects says `start` again; one that does not come back must not begin a match.
        places = tuple(attrs.evolve(place, is_ready=False) for place in room.places if place.guest is None)
        waiting = attrs.evolve(
            room,
            phase=RoomPhase.GATHERING,
            places=places,
            last_guests=(),
            start_by_ms=None,
            return_by_ms=now_ms + rules.restart_grace_ms,
        )
        put_room(draft, waiting)
