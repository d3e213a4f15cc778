"""The commands in a room: a table of phases and commands, and a handler for each.

In the 3D Connect Four document, players meet in rooms: the player who sits down first is the host, and a match begins
when both have said that they are ready. The room outlives its matches.

    phase          Sit        Ready     Depart    RoomTimeUp
    gathering      x          x         x         x
    readying       own place  x         x         x
    playing        own place  own seat  gives up  -
    between games  own place  x         x         x
    kept           own place  -         x         x

A command changes only a place; `room_reconciler` works out what follows. No player is told that another one sat down:
one real client takes any message that it did not ask for as the answer to its next question.
"""

from collections.abc import Callable
from typing import Any

import attrs

from gameserver.core.matches import playing, reconnect
from gameserver.core.matchmaking import room_places, room_reconciler
from gameserver.core.matchmaking.match_opening import close_challenge_of
from gameserver.core.matchmaking.waiting_list import leave_queue
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Depart, ListRooms, Ready, Resign, RoomTimeUp, ServerStarted, Sit, Void
from gameserver.core.messages.events import Accepted, Answer, Rejected, RoomsListed, Seated, UnseatedWhy
from gameserver.core.messages.rejections import Code
from gameserver.core.state.draft import Draft
from gameserver.core.state.follow_ups import RoomChanged
from gameserver.core.state.lobby import Player
from gameserver.core.state.match import Match
from gameserver.core.state.room import Room, RoomPhase


def sit(draft: Draft, command: Sit) -> Answer:
    """Take a place in a room."""
    player, number = draft.player_of(command.session), command.room
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    if player.room is not None:
        return Rejected(Code.IN_ROOM, {"room": str(player.room)})
    if player.match is not None:
        return Rejected(Code.IN_MATCH)
    count = draft.server.rules.room_count
    if room_places.game_of_rooms(draft) is None:
        return Rejected(Code.UNKNOWN_GAME, {"game": draft.server.rules.room_game})
    if Capability.ROOMS not in player.capabilities:
        # A player whose protocol knows no rooms comes to one only as a guest, by a search or a challenge.
        return Rejected(Code.NO_SUCH_ROOM, {"room": str(number), "last": str(count - 1)})
    if not 0 <= number < count and not room_places.keeps_place(draft, number, player.name):
        return Rejected(Code.NO_SUCH_ROOM, {"room": str(number), "last": str(count - 1)})
    kept = _kept_match(draft, player)
    kept_room = None if kept is None else kept.room_of(player.name)
    if kept is not None and kept.scheduled is not None and kept_room is not None:
        number = kept_room  # beyond the public rooms, a number that no client was told
    if kept is not None and kept_room != number:
        return Rejected(Code.ROOM_KEPT, {"room": str(kept_room)})
    return _act(draft, draft.rooms.get(number) or Room(number), player, command)


def in_own_room(draft: Draft, command: Ready | Depart) -> Answer:
    """Make the player ready in their room, or let them leave it."""
    player = draft.player_of(command.session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    if player.room is None:
        return Rejected(Code.NOT_IN_ROOM)
    return _act(draft, draft.rooms[player.room], player, command)


def time_up(draft: Draft, command: RoomTimeUp) -> Answer:
    """Carry out what is due in a room."""
    room = draft.rooms.get(command.room)
    if room is None or room.due_ms is None or room.due_ms > draft.at.now_ms:
        return Rejected(Code.STALE)
    return _act(draft, room, None, command)


def list_rooms(draft: Draft, command: ListRooms) -> Answer:
    """List the rooms."""
    player = draft.player_of(command.session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    draft.tell(command.session, RoomsListed(room_places.listing(draft, player.name)))
    return Accepted()


def empty_rooms(draft: Draft, command: ServerStarted) -> None:
    """Empty all rooms at a restart: places are kept for their players, except for guests, whose searches have ended."""
    now_ms, rules = draft.at.now_ms, command.rules
    for room in list(draft.rooms.values()):
        if room.phase is RoomPhase.PLAYING:
            continue
        places = tuple(attrs.evolve(place, is_ready=False) for place in room.places if place.guest is None)
        waiting = attrs.evolve(
            room,
            phase=RoomPhase.GATHERING,
            places=places,
            last_guests=(),
            start_by_ms=None,
            return_by_ms=now_ms + rules.restart_grace_ms,
        )
        room_places.put_room(draft, waiting)


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
    room_places.add_place(draft, room, attrs.evolve(player, seek=None))
    draft.tell(command.session, Seated(room.number, opponent))
    return Accepted()


def _take_back(draft: Draft, room: Room, player: Player, command: Sit) -> Answer:
    """Sit down again after a restart on the place that was kept."""
    place = room.place_of(player.name)
    if place is None or not room_places.is_own(draft, place, player):
        return Rejected(Code.ROOM_FULL, {"room": str(room.number)})
    draft.players[player.name] = attrs.evolve(player, room=room.number)
    # A guest who returns by a protocol with rooms is no longer a guest, and stays after the match.
    room_places.put_room(draft, room.with_place(attrs.evolve(place, guest=None)))
    opponent = next((other.player for other in room.places if other is not place), None)
    draft.tell(command.session, Seated(room.number, opponent))
    return Accepted()


def _be_ready(draft: Draft, room: Room, player: Player, command: Ready) -> Answer:
    place = room.place_of(player.name)
    if place is None or place.is_ready:
        return Rejected(Code.READY_ALREADY, {"room": str(room.number)})
    room_places.put_room(draft, room.with_place(attrs.evolve(place, is_ready=True)))
    return Accepted()


def _take_seat_back(draft: Draft, room: Room, player: Player, command: Ready) -> Answer:
    """Take back the seat in the match that is played here."""
    match = None if room.match is None else draft.matches[room.match]
    if match is None or player.match is not None:
        return Rejected(Code.READY_ALREADY, {"room": str(room.number)})
    draft.players[player.name] = attrs.evolve(player, match=match.id)
    says_ready = Capability.READY in player.capabilities
    back = reconnect.SeatReconnect(
        match.seat_of(player.name), player.session, player.address, player.protocol, says_ready
    )
    return playing.act(draft, match, back.seat, back)


def _go(draft: Draft, room: Room, player: Player, command: Depart) -> Answer:
    room_places.take_place(draft, player)
    room_reconciler.reconcile(draft, RoomChanged(room.number))
    room_reconciler.tell_unseated(draft, player, room.number, UnseatedWhy.LEFT)
    return Accepted()


def _give_up(draft: Draft, room: Room, player: Player, command: Depart) -> Answer:
    """Leave during a match. A player who has only sat down again after a restart leaves the seat as it was."""
    if player.match is None:
        draft.players[player.name] = attrs.evolve(player, room=None)
        room_reconciler.tell_unseated(draft, player, room.number, UnseatedWhy.LEFT)
        return Accepted()
    match = draft.matches[player.match]
    seat = match.seat_of(player.name)
    if _knew_of(match, seat, command):
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
        here = tuple(place for place in room.places if room_places.is_present(draft, room, place))
        room = attrs.evolve(room, places=here, return_by_ms=None)
        room_places.put_room(draft, room)
    if room.start_by_ms is not None and room.start_by_ms <= now_ms:
        between = room.phase is RoomPhase.BETWEEN
        room_reconciler.unseat_all(draft, room, UnseatedWhy.NOT_RESTARTED if between else UnseatedWhy.NOT_STARTED)
    return Accepted()


Handler = Callable[[Draft, Room, Any, Any], Answer]

TRANSITIONS: dict[RoomPhase, dict[type, Handler]] = {
    RoomPhase.GATHERING: {Sit: _sit_down, Ready: _be_ready, Depart: _go, RoomTimeUp: _time_up},
    RoomPhase.READYING: {Sit: _take_back, Ready: _be_ready, Depart: _go, RoomTimeUp: _time_up},
    RoomPhase.PLAYING: {Sit: _take_back, Ready: _take_seat_back, Depart: _give_up},
    RoomPhase.BETWEEN: {Sit: _take_back, Ready: _be_ready, Depart: _go, RoomTimeUp: _time_up},
    RoomPhase.KEPT: {Sit: _take_back, Ready: _be_ready, Depart: _go, RoomTimeUp: _time_up},
}
