"""One player who comes twice: a live session is replaced by a new one that has proven to be the same player's.

A program hangs, a laptop changes the network, and the old connection looks alive for half a minute. A player who proves
by a secret, or by the key of the old session, to be the same one need not wait for its end: the old connection is told
so, and ends. Its searches end with it; its seat in a match, and its place in a room, go over to the new one.

A protocol without rooms takes the seat at once. A protocol with rooms takes it back as always, by `Sit` and `Ready` in
its room; until then seat and place wait a little.

Names that the server makes of identities, such as `gx-0123456789ab` of a GUID, stay with their identity. A protocol
shortens the identity, so two identities can have the same short name: it belongs to the one that was here first, and
the other gets a longer one. Results are kept by name, so which is whose is remembered, in the lobby and its snapshots.
The oldest are forgotten where there are too many, as anybody may make up identities.
"""

from collections.abc import Iterator
from hashlib import sha256

import attrs

from gameserver.core import places, playing
from gameserver.core.challenges import drop_challenges_to
from gameserver.core.commands import Book
from gameserver.core.draft import Draft
from gameserver.core.events import Code, Displaced, Rejected
from gameserver.core.identity import Proof
from gameserver.core.lobby import Lobby, Player, RoomPhase
from gameserver.core.match import Match
from gameserver.core.matchmaker import close_challenge_of
from gameserver.core.places import leave_queue

_TOLD = "You have logged in on another connection, so this one ends"

# As long as a seat in a match (`SeatHolder.aside_left_ms`).
_PLACE_KEPT_MS = 30_000
"""Milliseconds that a place in a room waits for its player to sit down on it again."""

IDENTITIES_MAX = 10_000
"""A thousand classes; about 2 MB."""

_DIGITS_ADDED = (8, 16, 64)
"""Digits of the identity's hash in a longer name. 8 tell identities apart that nobody chose to be mistaken for another;
64 all of them."""

_REFUSALS = {
    Proof.UNPROVEN: Code.UNPROVEN,
    Proof.WRONG: Code.PROOF_WRONG,
    Proof.TOO_OFTEN: Code.PROOF_TOO_OFTEN,
    Proof.SLIP: Code.NAME_SLIP,
    Proof.STRANGER: Code.NOT_LISTED,
}


def displace(draft: Draft, before: Player, *, by_rooms: bool = False) -> Match | None:
    """Ends a player's earlier session for the newcomer that replaces it; returns the match to seat them in now, if any.

    `by_rooms` if the new session's protocol has rooms.
    """
    before = end_searches(draft, before)
    # The web protocol says goodbye with `elsewhere` then: a page that is told so does not come back by itself.
    if before.key:
        draft.tell(before.session, Displaced())
    draft.dismissed.append((before.session, _TOLD))
    # The session is unknown from here on: the `Leave` that its end brings is refused.
    del draft.sessions[before.session]
    del draft.players[before.name]
    match = None if before.match is None else draft.matches[before.match]
    if match is not None and by_rooms:
        seat = match.seat_of(before.name)
        # A client of rooms takes its seat by `Sit` and `Ready`, so the seat is empty until then.
        playing.act(draft, match, seat, Displaced())
    if before.room is not None and draft.rooms[before.room].phase is not RoomPhase.PLAYING:
        _leave_place(draft, before, keep=by_rooms)
    return match


def _leave_place(draft: Draft, before: Player, *, keep: bool) -> None:
    """Keep the place for a player who can come back to it; no other player gets it meanwhile."""
    assert before.room is not None, "asked by the caller"
    room = draft.rooms[before.room]
    place = room.place_of(before.name)
    # A room that is kept for a tournament holds only players who are ready there. A player who sits down in any room
    # and starts has such a place again.
    if place is None or not keep or room.phase is RoomPhase.KEPT:
        places.take_place(draft, before)
        return
    waiting = room.with_place(attrs.evolve(place, is_ready=False))
    places.put_room(draft, attrs.evolve(waiting, return_by_ms=draft.at.now_ms + _PLACE_KEPT_MS))


def end_searches(draft: Draft, player: Player) -> Player:
    """Ends the searches of a player who comes twice, and all challenges by and to them; returns their new row."""
    player = close_challenge_of(draft, leave_queue(draft, player))
    drop_challenges_to(draft, player.name)
    return player


def proof_refusal(proof: Proof, name: str) -> Rejected | None:
    """The reason why a newcomer may not come in under a name, by the roster's judgement; None if they may."""
    code = _REFUSALS.get(proof)
    return None if code is None else Rejected(code, {"name": name})


def name_of(lobby: Lobby, command: Book) -> str:
    """The name under which a newcomer with a booking will sit: the protocol's, or a longer one if another has that."""
    if command.is_listed:
        return command.player
    known = lobby.identities
    free = (name for name in _names(command) if name not in known or known[name] == command.identity)
    # All of the hash's digits are taken by others only if SHA-256 is broken.
    return next(free, command.player)


def remember(draft: Draft, name: str, identity: str) -> None:
    """Keeps the name made of an identity for the newcomer who comes with that identity again."""
    known = draft.lobby.identities
    if name in known:
        return
    # The table keeps the order in which identities came.
    if len(known) >= IDENTITIES_MAX:
        del draft.identities[next(iter(known))]
    draft.identities[name] = identity


def _names(command: Book) -> Iterator[str]:
    yield command.player
    # A hash, and no counter: the same identity has the same name on every server.
    digits = sha256(command.identity.encode("utf-8", "surrogatepass")).hexdigest()
    yield from (f"{command.player}-{digits[:count]}" for count in _DIGITS_ADDED)
