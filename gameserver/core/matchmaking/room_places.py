"""Keeps the places of players in rooms; `room_reconciler` carries out what follows from a change.

A room has a row only while a player has a place in it or its match goes on. Players of protocols with rooms sit down by
themselves. A player who looks for the rooms' game in a queue is seated in the lowest free room as a guest, so that
players of rooms can find them there. The queue works as ever: the place is a second way to the same player, and is
given up with the search.

A handler that changes a row adds `RoomChanged`; `room_reconciler` then looks at the room before the decision is over.
"""

from typing import Any

import attrs

from gameserver.core.messages.events import TableShown
from gameserver.core.state.draft import Draft
from gameserver.core.state.follow_ups import RoomChanged
from gameserver.core.state.lobby import Player
from gameserver.core.state.room import Room, RoomGuest, RoomPhase, RoomPlace
from gameserver.game import Game
from gameserver.policies import SeatReturn

PLACES = 2

OPEN_PHASES = frozenset({RoomPhase.GATHERING, RoomPhase.READYING})
"""The phases in which a room is shown to everybody."""


def game_of_tables(draft: Draft) -> Game[Any] | None:
    """The game that is played in rooms; None if this server does not have it."""
    return draft.game_named(draft.server.rules.table_game)


def put(draft: Draft, table: Room) -> None:
    """Write a room, to be looked at before the decision is over."""
    draft.tables[table.number] = table
    draft.follow_ups.add(RoomChanged(table.number))


def is_present(draft: Draft, table: Room, place: RoomPlace) -> bool:
    """True if the player of a place is here; after a restart it may wait for them."""
    player = draft.players.get(place.player)
    return player is not None and player.table == table.number


def add_place(draft: Draft, table: Room, player: Player, guest: RoomGuest | None = None) -> Room:
    """Give a player a place, the only one there is for them from now on."""
    _give_up_other_places(draft, player, table)
    place = RoomPlace(player.name, player.address, guest)
    table = attrs.evolve(table, places=(*table.places, place))
    put(draft, table)
    draft.players[player.name] = attrs.evolve(player, table=table.number)
    return table


def is_own(draft: Draft, place: RoomPlace, player: Player) -> bool:
    """True if a place that was kept under this name is this player's, as far as that can be known."""
    is_known = player.is_proven or place.address == player.address
    return is_known or draft.server.rules.seat_return is SeatReturn.ANY_ADDRESS


def _give_up_other_places(draft: Draft, player: Player, chosen: Room) -> None:
    """Release the places reserved for this player in other rooms, so that nobody there waits for them."""
    for table in list(draft.tables.values()):
        place = None if table.number == chosen.number else table.place_of(player.name)
        if place is not None and table.phase is not RoomPhase.PLAYING and is_own(draft, place, player):
            put(draft, attrs.evolve(table, places=tuple(other for other in table.places if other is not place)))


def take_place(draft: Draft, player: Player) -> Player:
    """Take a player's place away, if there is one."""
    if player.table is None:
        return player
    table = draft.tables[player.table]
    put(draft, attrs.evolve(table, places=tuple(place for place in table.places if place.player != player.name)))
    player = attrs.evolve(player, table=None)
    if draft.players.get(player.name) is not None:
        draft.players[player.name] = player
    return player


def take_guests_place(draft: Draft, player: Player, guest: RoomGuest) -> Player:
    """Take away the place that a search or a challenge brought; a place in a running match stays."""
    if player.table is None:
        return player
    table = draft.tables[player.table]
    place = table.place_of(player.name)
    if table.phase is RoomPhase.PLAYING or place is None or place.guest is not guest:
        return player
    return take_place(draft, player)


def lone_ready(draft: Draft) -> Room | None:
    """The room with one lone player who is ready that was taken first."""
    for table in draft.tables.values():
        if is_lone_and_ready(draft, table):
            return table
    return None


def is_lone(table: Room) -> bool:
    """True if one player sits there who is no guest and has played no match there."""
    return table.phase is RoomPhase.GATHERING and len(table.places) == 1 and table.places[0].guest is None


def is_lone_and_ready(draft: Draft, table: Room) -> bool:
    """True if one player sits there who waits only for an opponent."""
    return is_lone(table) and table.places[0].is_ready and is_present(draft, table, table.places[0])


def lowest_free(draft: Draft) -> int | None:
    """The number of the first room without a row."""
    numbers = range(draft.server.rules.tables)
    return next((number for number in numbers if draft.tables.get(number) is None), None)


def beyond(draft: Draft) -> int:
    """A number beyond the numbers of all rooms."""
    return max(draft.server.rules.tables, *(table.number + 1 for table in draft.tables.values()))


def keeps_place(draft: Draft, number: int, name: str) -> bool:
    """True if a place is kept for a player in this room, even in one that no longer exists since the restart."""
    table = draft.tables.get(number)
    return table is not None and table.place_of(name) is not None


def listing(draft: Draft, name: str) -> tuple[TableShown, ...]:
    """The rooms as a player may see them: the open ones, and the one in which their own place is kept."""
    if game_of_tables(draft) is None:
        return ()
    shown = []
    count = draft.server.rules.tables
    beyond = (table.number for table in draft.tables.values() if table.number >= count)
    for number in (*range(count), *sorted(beyond)):
        table = draft.tables.get(number)
        if table is None:
            shown.append(TableShown(number, None))
        elif (table.phase in OPEN_PHASES and number < count) or table.place_of(name) is not None:
            shown.append(TableShown(number, table.places[0].player if table.places else None))
    return tuple(shown)
