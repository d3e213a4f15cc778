"""Names that the server makes of identities, such as `gx-0123456789ab` of a GUID: each stays with its identity.

A protocol shortens the identity, so two identities can have the same short name. It belongs to the one that was here
first; the other gets a longer one. Results are kept by name, so which is whose is remembered, in the lobby and its
snapshots. The oldest are forgotten where there are too many, as anybody may make up identities.
"""

from collections.abc import Iterator
from hashlib import sha256

from gameserver.core.messages.commands import Book
from gameserver.core.state.draft import Draft
from gameserver.core.state.lobby import KnownIdentity, Lobby

IDENTITIES_MAX = 10_000
"""A thousand classes; about 2 MB."""
DIGITS_ADDED = (8, 16, 64)
"""Digits of the identity's hash in a longer name. 8 tell identities apart that nobody chose to be mistaken for another;
64 all of them."""


def name_of(lobby: Lobby, command: Book) -> str:
    """The name under which the player of a booking will sit."""
    if command.is_listed:
        return command.player
    free = (name for name in _names(command) if _is_free(lobby, name, command.identity))
    return next(free, command.player)


def remember(draft: Draft, name: str, identity: str) -> None:
    """Keep a name for its identity."""
    known = draft.lobby.identities
    if name in known:
        return
    if len(known) >= IDENTITIES_MAX:
        del draft.identities[next(iter(known))]
    draft.identities[name] = KnownIdentity(name, identity)


def _names(command: Book) -> Iterator[str]:
    yield command.player
    digits = sha256(command.identity.encode("utf-8", "surrogatepass")).hexdigest()
    yield from (f"{command.player}-{digits[:count]}" for count in DIGITS_ADDED)


def _is_free(lobby: Lobby, name: str, identity: str) -> bool:
    known = lobby.identities.get(name)
    return known is None or known.identity == identity
