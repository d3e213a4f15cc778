"""Keeps who waits for any opponent, game by game; `matchmaker` says who meets whom."""

from gameserver.core.matchmaking import room_places
from gameserver.core.state import tournament
from gameserver.core.state.draft import Draft
from gameserver.core.state.lobby import Player
from gameserver.core.state.room import RoomGuest


def seekers(draft: Draft, game: str) -> list[str]:
    """The players who wait in a game's queue and may be met there, longest first: a tournament reserves its own."""
    return [name for name in draft.queues.get(game) or () if not tournament.is_reserved(draft, name)]


def leave_queue(draft: Draft, player: Player) -> Player:
    """Take a player out of their queue, if any, and out of the room where they are shown meanwhile."""
    if player.seek is None:
        return player
    waiting = draft.queues.get(player.seek) or ()
    if player.name in waiting:
        rest = [name for name in waiting if name != player.name]
        draft.queues[player.seek] = tuple(rest) or None
    return player if player.room is None else room_places.take_guests_place(draft, player, RoomGuest.SEEKING)
