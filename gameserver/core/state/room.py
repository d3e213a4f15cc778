"""A room as a value: the players who have a place in it, and what it waits for.

Rooms are numbered from 0, as in the 3D Connect Four document. `rooms` and `room_reconciler` carry out what happens in
them.
"""

from enum import StrEnum

from attrs import evolve

from gameserver.values import value


class RoomPhase(StrEnum):
    """The phases of a room, by what it waits for."""

    GATHERING = "gathering"
    READYING = "readying"
    PLAYING = "playing"
    BETWEEN = "between games"
    KEPT = "kept for a tournament"


class RoomGuest(StrEnum):
    """The reason why a player is in a room whose protocol knows no rooms."""

    SEEKING = "seeking"
    CHALLENGING = "challenging"


@value
class RoomPlace:
    """A place in a room and its player. A guest is always ready, and hears nothing before the match begins."""

    player: str
    address: str
    guest: RoomGuest | None = None
    is_ready: bool = False


@value
class Room:
    """A room in which a player has a place, or had one a moment ago. The host's place is the first."""

    number: int
    phase: RoomPhase = RoomPhase.GATHERING
    places: tuple[RoomPlace, ...] = ()
    match: int | None = None
    matches_played: int = 0
    last_guests: tuple[str, ...] = ()
    """The guests of the last match: they count as being there if they look for this game again."""
    start_by_ms: int | None = None
    """The time by which the players here have to start, or start again."""
    return_by_ms: int | None = None
    """The time by which the players who were here before a restart have to be back."""

    @property
    def due_ms(self) -> int | None:
        """The time of the next thing that happens by itself."""
        return min((due for due in (self.start_by_ms, self.return_by_ms) if due is not None), default=None)

    def with_place(self, place: RoomPlace) -> "Room":
        """The room with this place instead of the same player's old one."""
        return evolve(self, places=tuple(place if other.player == place.player else other for other in self.places))

    def place_of(self, player: str) -> RoomPlace | None:
        """This player's place."""
        return next((place for place in self.places if place.player == player), None)
